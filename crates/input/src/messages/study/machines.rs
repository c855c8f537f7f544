//! Messages about machines, cards and partitions of a plant.

use crate::messages::register::messages;

messages! { "Machines, cards and partitions of a study"
    NOT_IN_CATALOG = 871 E "the catalog does not have a type of hardware"
        rule "`type` and `model` of the plant are files of the catalog."
        cause "The id is misspelt, or the file belongs to a catalog that is not given."
        example "type = \"fex32\""
        fix "Take the id that the message proposes; `--catalog DIRECTORY` adds a catalog.";
    TOO_MANY_PORTS = 872 E "a card has more ports than its generation"
        rule "A card has as many ports as the catalog gives its type."
        cause "`pchids` lists more."
        example "five PCHIDs on a card of two ports"
        fix "Describe each card by a [[card]] of its own.";
    OTHER_MACHINE = 901 E "deck and plant are for different machines"
        rule "SYSTEM= of the deck is the machine type of the plant's CPC."
        cause "One of the two was changed alone."
        example "SYSTEM=(8561,1) with model = \"z16-max200\""
        fix "Correct SYSTEM=, or `model` of the plant.";
    NO_PARTITION = 915 E "the deck lacks a partition of the plant"
        rule "Partitions of the plant are partitions of its decks."
        cause "The name differs, or the partition is not in RESOURCE."
        example "[[lpar]] PROD2 where RESOURCE has PROD1"
        fix "Correct the name, or add the partition to RESOURCE.";
    BASIC_MODE = 926 E "one of deck and plant has partitions, and the other one system"
        rule "Without RESOURCE a machine runs one system in BASIC mode, which `system` of the plant names."
        cause "RESOURCE is missing, or `system` is given for a machine with partitions."
        example "system = \"SYS1\" with RESOURCE in the deck"
        fix "Add `system` to [cpc], or RESOURCE to the deck.";
    TOO_MANY_CARDS = 927 E "the plant has more cards than the machine has slots"
        rule "Cards fit the slots of the machine."
        cause "The plant describes too many for the model."
        example "100 cards in a z16 with one drawer"
        fix "Remove cards, or take another model.";
    TOO_MANY_FICON = 928 E "the deck has more FICON channels than the machine takes"
        rule "A machine takes a limited number of FICON channels."
        cause "The deck defines more."
        example "400 channels of TYPE=FC on a machine of 384"
        fix "Remove channels or cards, or take another machine.";
    NOT_ON_MACHINE = 929 E "a card is on a machine that does not have it"
        rule "A channel card is sold for machines from its first to its last one."
        cause "The card came later than the machine, or ended before it."
        example "type = \"fex32s\" with model = \"z900\""
        fix "Take a card of the machine's time, or another `model`.";
    NO_DECK = 941 E "a deck that the plant names is missing"
        rule "`deck` of a [[cpc]] is a file of the study."
        cause "The name is mistyped, or the file is missing."
        example "deck = \"second.iocp\""
        fix "Correct the name, or add the file.";
    NO_CPC = 942 E "a CPC is missing from the plant, or is one too many"
        rule "What names a CPC names one of the plant."
        cause "The name is mistyped, or there are more CPCs than a study has."
        example "cpc = \"B\" in a plant of one [cpc]"
        fix "Correct or drop `cpc`, or describe several by [[cpc]].";
    WHICH_CPC = 943 E "a part does not name which of several CPCs it is of, or is of two"
        rule "With several CPCs each card, cable, partition and event names its CPC."
        cause "`cpc` is missing, or differs from that of what it belongs to."
        example "a [[card]] without cpc in a plant with two [[cpc]]"
        fix "Add or correct `cpc`.";
    LPAR_TWICE = 944 E "partitions of two CPCs have one name"
        rule "Partition names are unique in a study, so that streams are unambiguous."
        cause "Both decks define the name."
        example "PROD1 in both decks"
        fix "Rename one of them in its deck.";
    SMFID_TWICE = 945 E W "two systems have one SMF system id"
        rule "Reports distinguish systems by their system id."
        cause "The `smfid`s are equal, or partition names begin with the same four characters."
        example "PROD1 and PROD2 without smfid"
        fix "Give each partition its `smfid`.";
    TOO_MANY_SAPS = 960 E "more additional SAPs than the model takes"
        rule "A model takes a limited number of additional SAPs."
        cause "`additional_saps` is above it, or the model has none."
        example "additional_saps = 20"
        fix "Lower it, or take a larger model.";
    NO_FANOUT_SLOT = 961 E "a fanout has no slot"
        rule "Fanouts fit the slots of the model, one in each."
        cause "There is one too many, the slot does not exist, or it is taken."
        example "slot = 99"
        fix "Name a free slot, or take a model with more drawers.";
    BEYOND_FANOUTS = 962 E "more cards than the fanouts have places for"
        rule "Cards are behind fanouts, which have a fixed number of places."
        cause "The plant describes more cards."
        example "33 cards where the fanouts have 32 places"
        fix "Describe fewer cards, or take a model with more drawers.";
    BEYOND_DRAWER = 963 W "a partition has more processors than a drawer"
        rule "Work within a drawer shares its caches; the prices of the catalog are for that."
        cause "`cps` is above the processors of a drawer."
        example "cps = 60 on a z16"
        fix "Keep the partition within a drawer.";
    BEYOND_MACHINE = 964 E "a partition has more processors than the machine"
        rule "A partition has at most the processors of its machine."
        cause "`cps` is above them."
        example "cps = 300"
        fix "Lower `cps`, or take a larger model.";
    ASSUMED_TIMES = 992 I "the times of a control unit are assumed to lie between those of two others"
        rule "Unpublished times are assumed, with a range."
        cause "The catalog places the control unit between an older and a newer one."
        example "type = \"ds8700\""
        fix "Run the study with `place` at 0 and at 1 too, or give the control unit its own times.";
}
