//! Messages with an IBM message of the same meaning: control units.

use crate::messages::register::messages;

messages! { "Control units"
    _ = 225 E "a second control unit on an unswitched channel without CUADD"
        rule "CUADD= distinguishes control units on one unswitched channel."
        cause "Two control units name the channel, and one has no CUADD=."
        example "two CNTLUNIT with PATH=((CSS(0),40)) and no CUADD="
        fix "Give each control unit its CUADD=.";
    _ = 226 E "a link address is missing"
        rule "LINK= of a path over a director is the port of the control unit."
        cause "The channel has SWITCH=, and LINK= is missing or ** for it."
        example "CNTLUNIT CUNUMBR=1000,PATH=((CSS(0),40)),UNIT=2107"
        fix "Add LINK=((CSS(0),04)), the port to which the control unit is cabled.";
    _ = 229 E "the type has no link addresses"
        rule "Only channels that lead to directors have link addresses."
        cause "LINK= stands with a path of another type."
        example "CNTLUNIT CUNUMBR=1000,PATH=((CSS(0),40)),LINK=((CSS(0),04)),UNIT=OSA"
        fix "Remove LINK=.";
    _ = 230 E "duplicate control unit"
        rule "A control unit number is defined once."
        cause "Two CNTLUNIT statements have the same CUNUMBR=."
        example "CNTLUNIT CUNUMBR=1000 twice"
        fix "Give one of them another number.";
    _ = 232 E "duplicate channel in a list"
        rule "A channel stands once in PATH= of a channel subsystem."
        cause "The number was copied."
        example "CNTLUNIT CUNUMBR=1000,PATH=((CSS(0),40,40)),UNIT=2107"
        fix "Remove one, or name the channel that was meant.";
    _ = 233 E "unit addresses overlap or run past FF"
        rule "Ranges of UNITADD= lie within 00 to FF and apart from each other."
        cause "First address plus count is above 100 (hexadecimal), or two ranges share an address."
        example "CNTLUNIT CUNUMBR=1000,UNITADD=((F8,016)),UNIT=2107"
        fix "Begin lower, or lower the count.";
    _ = 234 E "channel types that do not mix on a control unit"
        rule "The channels of a control unit are of one family: parallel, ESCON and FICON, CTC, coupling, or one \
            other type alone."
        cause "PATH= names channels of two families."
        example "PATH=((CSS(0),40,41)) with 40 of TYPE=FC and 41 of TYPE=FCP"
        fix "Use channels of one family.";
    _ = 235 E "too many control units on a channel"
        rule "A channel has at most as many control units as its type allows."
        cause "One more CNTLUNIT names the channel."
        example "the seventeenth control unit on an OSA channel"
        fix "Use another channel.";
    _ = 236 E "more than one range of unit addresses"
        rule "On ESCON and FICON channels a control unit has one range of unit addresses."
        cause "UNITADD= has several."
        example "UNITADD=((00,016),(20,016))"
        fix "Write one range that holds them all, such as ((00,048)).";
    _ = 237 E "shared and unshared channels on a control unit"
        rule "The channels of a control unit are all shared or all unshared."
        cause "One channel of PATH= has SHARED and another has not."
        example "PATH=((CSS(0),40,41)) with 40 SHARED and 41 PART=A"
        fix "Make all of them shared, or all unshared.";
    _ = 238 E "too many unit addresses on a channel"
        rule "A channel reaches as many unit addresses as its type and machine allow. IBM's ICP360I is part of \
            this one."
        cause "The control units of the channel have more unit addresses together."
        example "five control units of 256 addresses on an ESCON channel of 1,024"
        fix "Lower UNITADD=, or move control units to other channels.";
    _ = 243 E "one control unit at a link has CUADD, another has none"
        rule "Of control units at one link either all have CUADD= or there is only one."
        cause "One CNTLUNIT at the link address lacks CUADD=."
        example "LINK=((CSS(0),04)) with CUADD=0 and the same without"
        fix "Give each of them a CUADD=.";
    _ = 244 E "duplicate CUADD at a link"
        rule "A link address and a CUADD= name one control unit."
        cause "Two CNTLUNIT statements have both in common."
        example "LINK=((CSS(0),04)),CUADD=0 twice"
        fix "Correct the CUADD= or the link address of one.";
    _ = 245 E "PATH and LINK differ in number"
        rule "LINK= has an address for each channel of PATH=, in the same order."
        cause "A channel was added without its link address, or the other way round."
        example "PATH=((CSS(0),40,41)),LINK=((CSS(0),04))"
        fix "Write as many addresses as channels; ** stands for a channel without one.";
    _ = 246 E "duplicate link without CUADD"
        rule "Two control units at one link address have CUADD=."
        cause "Both name the same switch and link, and neither has CUADD=."
        example "LINK=((CSS(0),04)) in two CNTLUNIT statements"
        fix "Give each a CUADD=, or correct one link address.";
    _ = 248 E "duplicate CUADD on an unswitched channel"
        rule "On an unswitched channel each CUADD= names one control unit."
        cause "Two control units of the channel have the same."
        example "PATH=((CSS(0),40)),CUADD=0 twice"
        fix "Give one of them another CUADD=.";
    _ = 250 E "a control unit on a coupling receiver"
        rule "Receiver channels (CFR, CBR) have no control unit."
        cause "PATH= names such a channel."
        example "CNTLUNIT CUNUMBR=FFF0,PATH=(40),UNIT=CFR"
        fix "Remove the CNTLUNIT, or name a sender channel.";
    _ = 251 E "CUADD above 0F where an ESCON type takes part"
        rule "ESCON channels and FICON bridges have control unit addresses 0 to F."
        cause "CUADD= has two digits above 0F on a channel of type CNC, CTC or FCV."
        example "CUADD=10 with a channel of TYPE=CNC"
        fix "Choose a CUADD= up to 0F, or FICON channels.";
    _ = 252 E "a link address is out of range"
        rule "One-byte link addresses are 01 to FE; FICON has two-byte ones from 0000 to FFFF."
        cause "The address is 00 or FF, or has two bytes on an ESCON channel."
        example "LINK=((CSS(0),00))"
        fix "Write the port of the director.";
    _ = 253 E "a link address on a channel without switch"
        rule "Link addresses are ports of a director, which SWITCH= of the channel names."
        cause "The CHPID has no SWITCH=, and LINK= gives it an address."
        example "CHPID PATH=(CSS(0),40),PCHID=100,TYPE=FC with LINK=((CSS(0),04))"
        fix "Add SWITCH= to the CHPID, or remove LINK=.";
    _ = 255 E "one-byte and two-byte links on one channel"
        rule "All link addresses of a FICON channel have one byte, or all have two."
        cause "Both forms stand for one channel."
        example "LINK=((CSS(0),04)) and LINK=((CSS(0),1104)) on channel 40"
        fix "Write two bytes, switch and port, for all of them.";
    _ = 256 E "FCTC beside other control units on an unswitched channel"
        rule "An unswitched FICON channel leads to a CTC partner or to other control units, not both."
        cause "A CNTLUNIT of UNIT=FCTC shares the channel with another."
        example "UNIT=FCTC and UNIT=2107 on channel 40"
        fix "Use a channel of its own for the CTC connection.";
    _ = 357 E "too many link addresses on a channel"
        rule "A channel has a limited number of link addresses."
        cause "The control units of the channel name more different ports."
        example "the 257th two-byte link on channel 40"
        fix "Move control units to other channels.";
    _ = 359 E W "too many ranges of unit addresses on a channel"
        rule "A channel has a limited number of unit-address ranges: 64 on parallel, 120 on shared CTC, 256 on \
            FICON channels."
        cause "The control units of the channel have more ranges together."
        example "UNITADD= with nine ranges on each of eight control units"
        fix "Join ranges, or move control units to other channels.";
}
