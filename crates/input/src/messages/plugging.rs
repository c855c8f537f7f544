//! Messages about hardware files, AO Data reports, and decks on hardware.

use crate::messages::register::messages;

messages! { "Decks on hardware"
    NO_CARD_IN_UPDATE = 777 W "an update of firmware takes every card that compresses"
        rule "Two cards that compress are the least, in different resource groups, which are updated apart."
        cause "All zEDC cards of the machine are in one resource group."
        example "one zEDC card"
        fix "Plug another card in the other resource group; until then software compresses during an update.";
    ONE_CARD_IN_UPDATE = 778 A "an update of firmware leaves one card that compresses"
        rule "Four cards that compress are advised: with half of them in an update, one may be lost."
        cause "The resource groups have fewer than two zEDC cards each."
        example "two zEDC cards"
        fix "Plug two cards in each resource group.";
    PARITY = 820 A "a function identifier is odd in an even resource group, or the other way round"
        rule "By convention odd FIDs are in odd resource groups and even ones in even groups."
        cause "The PCHID was chosen without it."
        example "FID=011 in RG2"
        fix "Give it another FID, or let `halftrack deck map --parity` choose.";
    ONE_RESOURCE_GROUP = 824 A "functions for one purpose are in one resource group"
        rule "Functions that stand in for each other are in different resource groups, which are updated apart."
        cause "The adapters of a partition's functions are in the same group."
        example "both HYL functions of LP1 in RG1"
        fix "Use an adapter in another resource group for one of them.";
    NO_SUCH_PCHID = 835 W I "a PCHID of the deck is in no slot of the hardware"
        rule "Each PCHID of the deck is on a card of the hardware file or AO Data report."
        cause "The card is not plugged, or the number is mistyped; a function stands by until it is."
        example "PCHID=1F0 where no slot has it"
        fix "Correct the PCHID, or let `halftrack deck map --all` choose.";
    OTHER_FEATURE = 836 W "a PCHID is on a card that does not serve the type"
        rule "TYPE= of a channel or function is one that the card serves."
        cause "Deck and hardware differ."
        example "TYPE=OSD on a FICON card"
        fix "Correct the PCHID or the TYPE=.";
    NO_SUCH_PORT = 842 W "a function names a port that its adapter does not have"
        rule "PORT= is 1 to the number of ports of the adapter."
        cause "The number is too large."
        example "PORT=3 on an adapter of two ports"
        fix "Write a port of the adapter.";
    ROW = 846 E "a row of an AO Data table cannot be read"
        rule "A row is: source, drawer, slot, feature code, PCHIDs with ports, resource group, comment."
        cause "The report was cut, or its columns were changed."
        example "A19/LG15/J01 A25B without a slot"
        fix "Copy the table from the report as it is.";
    SLOT = 847 E "a drawer is undefined, or lacks a slot"
        rule "Cards are in slots of the drawers of the hardware file."
        cause "The drawer is not described, or its kind has no such slot."
        example "slot = 40"
        fix "Correct the slot, or describe the drawer.";
    PCHIDS = 848 E "the PCHIDs of a card are unknown, or not those of its slot"
        rule "The PCHIDs of a card follow from its slot, or are given with it."
        cause "The drawer has no `first_pchid`, or `pchids` differ from the slot's."
        example "pchids = [\"100\"] in a slot of 120-123"
        fix "Correct `pchids`, or `first_pchid` of the drawer.";
    TAKEN = 849 E "two cards are in one slot, or on one PCHID"
        rule "A slot holds one card, and a PCHID is on one card."
        cause "Two entries name the same."
        example "two cards in slot 2 of drawer A25B"
        fix "Correct one of them.";
}
