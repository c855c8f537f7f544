//! Messages about hardware in the catalog.

use crate::messages::register::messages;

messages! { "Catalog"
    NO_KIND = 898 W "a file of a catalog directory belongs to no kind of hardware"
        rule "A catalog directory has one directory for each kind: channel, control-unit, cpc, director, link and \
            others."
        cause "The directory is misspelt, or the file lies beside the directories."
        example "my-catalog/chanel/fex32s.toml"
        fix "Move the file to the directory of its kind.";
    UNKNOWN_PROCESSOR = 965 E "a model names a family of processors that the catalog does not have"
        rule "`processor` of a CPC in short form is a file of catalog/processor."
        cause "The id is misspelt, or the file is missing from an own catalog."
        example "processor = \"z18\""
        fix "Correct the id, or add the file.";
    RATE_OF_GENERATION = 969 E "a Fibre Channel speed is given a data rate of its own"
        rule "The data rate of a Fibre Channel speed follows from baud, code and FEC of its generation."
        cause "`mb_per_s` stands with a speed of Fibre Channel."
        example "[[speed]] with gbps = 32 and mb_per_s = 3200"
        fix "Remove `mb_per_s`; another rate is another generation, link/ID.toml of a catalog.";
    UNKNOWN_GENERATION = 990 E "no generation of links has a speed"
        rule "Each Fibre Channel speed of a card, port or director has its generation in catalog/link."
        cause "The speed is mistyped, or none of the generations has it with that FEC."
        example "gbps = 48"
        fix "Take one of the speeds that the message lists, or add link/ID.toml.";
    UNKNOWN_NEIGHBOUR = 991 E "a control unit lies between others that the catalog does not have"
        rule "`between` of a control unit names two others with times of their own."
        cause "An id is misspelt, or that control unit lies between others itself."
        example "between = { older = \"ess-8000\", ... }"
        fix "Name control units with times of their own.";
    UNKNOWN_FIRMWARE = 993 E "a card names firmware that the catalog does not have"
        rule "`firmware` of a card in short form is a file of catalog/firmware."
        cause "The id is misspelt, or the file is missing from an own catalog."
        example "firmware = \"ficon-2024\""
        fix "Correct the id, or add the file.";
    NOT_A_WHOLE = 994 E "parts do not add up to their whole"
        rule "Shares of a time sum to 1, and chips divide evenly among modules."
        cause "One of the numbers is wrong."
        example "four shares that sum to 0.9"
        fix "Correct one of them.";
    TOO_FAST = 995 E "a maximum is above what the numbers beside it allow"
        rule "A rate of small reads leaves time for moving their data."
        cause "The rate is mistyped, or the price of the data is too high."
        example "reads_per_s_max of 500,000 on a bus of 300 MB/s"
        fix "Lower the rate to what the message names, or correct the price.";
}
