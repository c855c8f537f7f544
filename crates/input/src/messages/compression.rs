//! Messages about compression cards in a study.

use crate::messages::register::messages;

messages! { "Compression in a study"
    REQUEST_TOO_LONG = 753 E "an I/O of a compressed stream has more data than a card takes"
        rule "A request has at most 1 MiB before compression."
        cause "`records` times the length of a record is more."
        example "compression in a [[stream]] with program = { block = \"half-track\", records = 64 }"
        fix "Lower `records`.";
    NO_SAMPLE = 769 E "data on which a ratio of compression is measured are missing"
        rule "`data` of a compressed stream is a `.data` file of the directory of the study, and not empty."
        cause "The name is mistyped, or the file is empty."
        example "compression = { exploiter = \"bsam\", data = \"records.data\" } without that file"
        fix "Put the file beside workload.toml.";
    NO_HARDWARE_FILE = 790 E "the plant names a hardware file that the study does not have"
        rule "`hardware` of a CPC is a `.toml` file of the directory of the study."
        cause "The name is mistyped, or the file lies elsewhere."
        example "hardware = \"hardwear.toml\""
        fix "Correct the name, or put the file beside plant.toml.";
    CARDS_UNKNOWN = 791 E "a machine has work for compression cards, and nothing is given about them"
        rule "A hardware file states which cards are plugged, and the catalog how fast one is."
        cause "The deck has functions of TYPE=ZEDC, and its CPC no `hardware`."
        example "[[compression]] in a study whose plant has no `hardware`"
        fix "Write a hardware file with features 0420, and name it by `hardware` in the CPC of the plant.";
    NO_COMPRESSION_LPAR = 792 E "compression is of a partition that the plant does not have"
        rule "`lpar` of [[compression]] is an [[lpar]] of the plant."
        cause "The name is mistyped."
        example "lpar = \"PORD1\" in [[compression]]"
        fix "Correct the name.";
    SOFTWARE_ONLY = 793 W "no card serves a partition that compresses"
        rule "A card serves a partition by a FUNCTION of TYPE=ZEDC whose PCHID is that of a plugged card."
        cause "The partition has no such function, or its PCHID is not in the hardware file."
        example "[[compression]] with lpar = \"TEST1\" and FUNCTION statements of PROD1 alone"
        fix "Give the partition a function, or leave its work to software.";
    UPDATES_OVERLAP = 794 E "two updates of firmware overlap"
        rule "The firmware of one resource group of a machine is updated at a time."
        cause "The second event begins before the first one has ended."
        example "firmware-update of RG1 at 1 s for 2 s, and of RG2 at 2 s"
        fix "Begin the second one later.";
    TOO_MANY_COMPRESSION_CARDS = 795 E "a machine has more compression cards than it takes"
        rule "A machine takes eight zEDC Express cards."
        cause "The hardware file has a ninth feature 0420."
        example "nine features 0420"
        fix "Take cards out of the hardware file.";
}
