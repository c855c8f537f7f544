//! Advice about a deck, and deck against hardware and software.

use crate::messages::register::messages;

messages! { "Advice about a deck"
    NO_CARD_IN_GROUP = 779 W "a system that shares compressed data has no function to inflate them"
        rule "Systems that share data which zEDC compresses have functions each, or inflate in software."
        cause "The partition has no function of TYPE=ZEDC, or its operating system cannot use it."
        example "--sharing LP01,LP02 where LP01 alone has a function"
        fix "Give it a function and a system that uses it, or plan the processor time of software.";
    CANNOT_INFLATE = 780 E "a system that shares compressed data cannot inflate them"
        rule "Software of z/OS inflates data of zEDC from 1.12 on."
        cause "The release given for the partition is earlier."
        example "--sharing LP01,LP02 --software 'LP02=z/OS 1.11'"
        fix "Give it a later release, or share no compressed data with it.";
    SINGLE_POINT = 801 A "all paths of a control unit pass one director, card, domain or drawer, or there is one"
        rule "A control unit is reached by two ways that share no part."
        cause "All channels of PATH= are ports of one card, lead to one director, or there is one channel only."
        example "PCHID=100 and PCHID=101, both ports of one card"
        fix "Lead half of the paths over another card and a second director.";
    ONE_BLADE = 802 A "the ports of a control unit on a director are all on one blade"
        rule "A director with two or more ports for a control unit has them on two blades."
        cause "The link addresses differ by less than the ports of a blade."
        example "LINK=((CSS(0),1104,110F)) with blades of 16 ports"
        fix "Use a port of another blade.";
    LINK_ELSEWHERE = 803 A "a two-byte link names a switch that nothing else in the deck names"
        rule "The switch of a two-byte link is one at which channels enter, or one behind it."
        cause "The first two digits are mistyped, or the director is known to the fabric only."
        example "LINK=((CSS(0),2104)) where all SWITCH= are 11 and 12"
        fix "Correct the switch, or define its control port device.";
    NO_CONTROL_PORT = 804 A "a director has no control port device (2032 at link FE)"
        rule "A director is managed and watched by its control unit port (CUP)."
        cause "No CNTLUNIT of UNIT=2032 has link FE of the switch."
        example "SWITCH=12 without LINK=((CSS(0),12FE)),UNIT=2032"
        fix "Define CNTLUNIT and IODEVICE of UNIT=2032 at link FE.";
    NUMBERING = 805 A "a number breaks the pattern of its neighbours"
        rule "The CUADDs of a box follow each other, and control units are numbered like their devices."
        cause "A control unit was left out, or numbered unlike the others."
        example "CUADD=1 and CUADD=3 at the same ports"
        fix "Define the control unit between, or renumber.";
    ALIASES = 806 A "aliases without bases, or bases for parallel access without aliases"
        rule "Parallel access volumes need both bases (3390B) and aliases (3390A) on a control unit."
        cause "One of the two is missing."
        example "IODEVICE ADDRESS=(1080,128),UNIT=3390A and no 3390B on the control unit"
        fix "Define the other kind, or code UNIT=3390.";
    CTC_PAIR = 807 A "the ends of a channel-to-channel connection do not match"
        rule "Each end of a connection points to the other, with the same unit addresses."
        cause "The control unit of the other end is missing or has another UNITADD=."
        example "UNITADD=((00,008)) at one end and ((00,004)) at the other"
        fix "Make both ends alike; `halftrack deck ctc --make` writes the missing one.";
    ONE_CSS = 808 A "a control unit on spanned channels has no paths in some of their channel subsystems"
        rule "A device on spanned channels is useful in all their channel subsystems."
        cause "PATH= gives the channels of one channel subsystem only."
        example "PATH=((CSS(0),40,50)) with channels of CSS(0,1)"
        fix "Add PATH= and LINK= for the others, or do not span the channels.";
    FUNCTION_PAIR = 809 A "functions for one purpose are on one card"
        rule "Functions that stand in for each other are on different cards, domains and resource groups."
        cause "All functions of a type that a partition has are on one card."
        example "FID=011,PCHID=128 and FID=012,PCHID=129 for partition LP1"
        fix "Use an adapter in another domain for one of them.";
    NETWORK_ALONE = 810 A "a PNETID of a RoCE or ISM function is that of no OSA or HiperSockets channel"
        rule "SMC connections begin on an OSA or HiperSockets channel of the same physical network."
        cause "No channel has the PNETID of the function."
        example "FUNCTION ...,TYPE=ROC2,PNETID=NETA and TYPE=OSD,PNETID=NETB"
        fix "Give channel and function the same PNETID.";
    NO_VIRTUAL_CHANNEL = 811 A "a HiperSockets channel of z13 or later has no VCHID"
        rule "From the z13 on an IQD channel has a virtual channel id."
        cause "VCHID= was left out."
        example "CHPID PATH=(CSS(0),F0),SHARED,TYPE=IQD"
        fix "Add VCHID=, such as 7E0, one for each channel.";
    COUPLING_MATE = 813 A "the ends of an internal coupling link do not name each other"
        rule "Internal coupling links (ICP) are pairs of channels whose CPATH= name each other."
        cause "The other channel names a third one, or none."
        example "F0 with CPATH=(CSS(0),F1) and F1 with CPATH=(CSS(0),F2)"
        fix "Correct CPATH= of one of the two.";
    TWO_FORMS = 814 A "one port is named by links of one byte and of two"
        rule "All channels name a port in the same form, so that control units at it are recognised as one."
        cause "Channel 40 has link 04 and channel 41 has link 1104."
        example "LINK=((CSS(0),04,1204))"
        fix "Write two bytes everywhere.";
    OSAD_ADDRESS = 815 A "an OSAD device at another unit address than FE"
        rule "OSA/SF talks to the device at unit address FE."
        cause "UNITADD= is another, or follows from the device number."
        example "IODEVICE ADDRESS=700F,UNITADD=0F,CUNUMBR=(7000),UNIT=OSAD"
        fix "Code UNITADD=FE.";
    COUPLING_PARTITION = 816 A "a coupling facility partition has access to channels for devices"
        rule "A coupling facility does no I/O and needs coupling links only."
        cause "A shared FICON or OSA channel is open to all partitions."
        example "CHPID PATH=(CSS(0),40),SHARED,TYPE=FC with partition CF01"
        fix "Add NOTPART=((CSS(0),(CF01))).";
    MANY_VIRTUAL = 817 A "more virtual functions on a zHyperLink port than are published"
        rule "A zHyperLink port has 64 virtual functions."
        cause "VF= is above 64, on a machine whose own limit is higher."
        example "FUNCTION FID=0011,PCHID=128,PORT=1,VF=65,TYPE=HYL on a z15"
        fix "Use the other port, or another adapter.";
    UNBALANCED = 818 A "paths are unevenly divided among directors"
        rule "Each director carries the same number of paths of a control unit."
        cause "One director has more link addresses than the other."
        example "LINK=((CSS(0),1104,1105,1106,1204))"
        fix "Move a path to the director with fewer.";
    PATH_LACKING = 819 A "a control unit lacks a path that another one of its box has"
        rule "The logical control units of a box have the same paths."
        cause "One CNTLUNIT has a channel and port less than its neighbours."
        example "CUADD=0 with channels 40, 41, 50 and CUADD=1 with 40, 50"
        fix "Add the path, or remove it from both.";
    SOFTWARE_LEVEL = 821 E W "the operating system of a partition is too old for a function"
        rule "Each function type needs a release of the operating system."
        cause "The release given for the partition is earlier; a warning when the partition is only a candidate."
        example "TYPE=HYL for a partition that runs z/OS 2.1"
        fix "Take the function from the partition, or give it a later release.";
    TOO_MANY_ADAPTERS = 822 E W "more adapters of a function type than the machine takes"
        rule "A machine takes a limited number of adapters of each type."
        cause "The functions name more PCHIDs."
        example "17 PCHIDs of TYPE=HYL on a 3931"
        fix "Put the functions on fewer adapters, or check SYSTEM=.";
    OTHER_HARDWARE = 823 E "the deck is for another machine than the hardware"
        rule "Deck and hardware file or report are of one machine type."
        cause "SYSTEM= differs from the type of the hardware."
        example "SYSTEM=(3931,1) with an AO Data report of an 8561"
        fix "Correct SYSTEM=, or take the report of this machine.";
    NETWORKS_DIFFER = 839 W "functions or channels of one port have different PNETIDs"
        rule "A port is cabled to one network."
        cause "Functions of the same PCHID and port have different PNETID=."
        example "VF=1 with PNETID=NETA and VF=2 with PNETID=NETB on one port"
        fix "Give all functions of the port the same PNETID.";
    NO_NETWORK = 840 W "a RoCE function has no PNETID"
        rule "A RoCE function is used for networks with its PNETID only."
        cause "PNETID= was left out."
        example "FUNCTION FID=11,PCHID=100,PORT=1,VF=1,TYPE=ROC2"
        fix "Add PNETID= of the OSA channel of the same network.";
}
