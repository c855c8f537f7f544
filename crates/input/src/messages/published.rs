//! Messages about published figures and experiments.

use crate::messages::register::messages;

messages! { "Published figures and experiments"
    FIGURE_TWICE = 970 E "two figures have one id"
        rule "The id of a published figure is unique over all files."
        cause "An id was copied."
        example "id = \"fex32s-4k-reads\" in two tables"
        fix "Give one of them another id.";
    UNKNOWN_UNIT = 971 E "a quantity or unit is unknown"
        rule "Quantities and units of figures are those of published/units.toml."
        cause "The name is misspelt, or the unit is of another quantity."
        example "unit = \"MBs\""
        fix "Take the name that the message proposes, or add it to units.toml.";
    NO_VALUE = 972 E "a figure has no value, or more than one"
        rule "A figure has `value`, or `low` and `high`."
        cause "Neither or both are given, or low is above high."
        example "low = 9 and high = 8"
        fix "Give one of the two forms.";
    MISCOUNTED = 973 E "a file has another number of figures than it gives"
        rule "`figures = n` of a file is the number of its figures."
        cause "A figure was added or removed, and the number was not changed."
        example "figures = 12 with 13 tables"
        fix "Correct the number, or leave it out.";
    UNKNOWN_FIGURE = 974 E "a figure id is in no file"
        rule "Experiments answer figures that exist."
        cause "The id is misspelt."
        example "figure = \"fex32-4k-reads\""
        fix "Take the id that the message proposes; `halftrack published --all` lists them.";
    ANSWERED_TWICE = 975 E "two experiments answer one figure"
        rule "A figure has one answer."
        cause "A second experiment names it."
        example "figure = \"fex32s-4k-reads\" in two [[answer]]"
        fix "Remove one of the answers.";
    UNKNOWN_STUDY = 976 E "a study, deck or hardware file of an experiment is missing"
        rule "Experiments name studies, decks and hardware files of the library, or directories beside them."
        cause "The name is misspelt, or the file is missing."
        example "study = \"fex32\""
        fix "Take the name that the message proposes.";
    UNKNOWN_POINT = 977 E "an experiment does not have a point"
        rule "Formulas name points of their experiment, and a place along a sweep."
        cause "The name is misspelt, or a sweep is used as a point."
        example "value = \"io_per_s@hihg\""
        fix "Name a point of the experiment.";
    UNKNOWN_QUANTITY = 978 E "a quantity is unknown, or the study does not produce it"
        rule "Quantities are those of docs/formats/published.md that the study of the point has."
        cause "The name is misspelt, or nothing in the study has the quantity."
        example "value = \"io_per_sec@full\""
        fix "Take a quantity that the study has.";
    UNIT_MISMATCH = 979 E "a quantity cannot be compared with the unit of its figure"
        rule "Answer and figure are of one dimension."
        cause "The formula gives another, such as a time for a rate."
        example "response_us for a figure in MB/s"
        fix "Use another quantity, or combine two.";
    POINT_REFUSED = 980 E "the changes of a point cannot be made, or its study is then invalid"
        rule "Each point changes keys of its study to values that they may have."
        cause "A key is misspelt, or the changed study has mistakes."
        example "set = [\"workload.stream.READ.closed.job=8\"]"
        fix "Correct the key or value; the message has that of the study.";
    STATUS_INCOMPLETE = 981 E "a status, sibling or restatement lacks what belongs to it"
        rule "A status has a reason; a sibling names a figure that is none itself."
        cause "The reason or name is missing, or chained."
        example "sibling_of = a figure that is a sibling"
        fix "Add the reason, or name the first figure of the chain.";
    UNKNOWN_PARAMETER = 982 E "a number of the catalog is missing"
        rule "`rests_on` and rules name numbers of the catalog by kind, id and key."
        cause "One of the three is misspelt."
        example "catalog.channel.fex32s.credit"
        fix "Take the key that the message proposes.";
}
