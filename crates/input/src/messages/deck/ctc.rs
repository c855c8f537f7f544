//! Channel-to-channel connections of a deck, and the logical links that a z/VM SYSTEM CONFIG makes of them.

use crate::messages::register::messages;

messages! { "Channel-to-channel connections"
    CTC_IMAGE = 771 W "an end leads to another image than the one that leads to it"
        rule "CUADD= of an end is the image at the other end: its MIF id, behind the CSS when the channel there is spanned."
        cause "CUADD= has another MIF id, or none or a wrong CSS, while the other end leads back and has the same devices."
        example "CUADD=03 at one end, whose other end belongs to the partition with MIF id 2"
        fix "Code CUADD= of the partition at the other end.";
    CTC_CHANNEL_TYPES = 772 W "both channels of an ESCON connection are of TYPE=CTC, or none is"
        rule "Of two ESCON channels of a connection one is of TYPE=CTC and the other of TYPE=CNC or FCV."
        cause "Two control units of UNIT=SCTC lead to each other over channels of one kind."
        example "TYPE=CTC at both ends"
        fix "Define one of the channels as TYPE=CNC and the other as TYPE=CTC.";
    CTC_OTHER_CHANNEL = 773 W "an FCTC is on a channel that is not TYPE=FC, or an SCTC on one that is"
        rule "A FICON connection (UNIT=FCTC) is on channels of TYPE=FC, an ESCON connection (SCTC, BCTC) on CTC, CNC or FCV."
        cause "UNIT= was copied, or TYPE= of the channel changed."
        example "UNIT=FCTC with a path over a channel of TYPE=CNC"
        fix "Code UNIT= as the channel is, or use another channel.";
    CTC_MIXED = 774 W "one end of a connection is on a FICON channel and the other on an ESCON channel"
        rule "Both ends of a connection are FICON, or both are ESCON."
        cause "Two ends with the same devices lead to each other over TYPE=FC and TYPE=CTC or CNC."
        example "UNIT=FCTC at one end and UNIT=SCTC at the other"
        fix "Use channels of one kind at both ends.";
    CTC_DEVICE_TWICE = 775 W "a device is in two channel-to-channel connections"
        rule "A device of a connection has one other end."
        cause "An IODEVICE names two control units, or two control units lead to one image at the same unit addresses."
        example "IODEVICE ADDRESS=(4000,004),CUNUMBR=(4000,4010),UNIT=FCTC"
        fix "Give each connection devices and unit addresses of its own.";
    CTC_CABLE = 776 W "ends on unswitched channels need another cable than their neighbours"
        rule "The cable of an unswitched channel has two ends: all its control units lead to one channel."
        cause "Device numbers make a pair of two channels which other pairs join to others; no deck describes the cable."
        example "4000-4003 between channels 40 and 50, and 4008 between channels 40 and 51"
        fix "Move one end to the channel at the other end of the cable.";
    ISLINK_STATEMENT = 781 E "an ACTIVATE ISLINK statement cannot be used"
        rule "ACTIVATE ISLINK is followed by device numbers, then NODE and a name, BUFFERS and a number."
        cause "A number is not hexadecimal, no device is named, or an operand is unknown."
        example "ACTIVATE ISLINK D00G NODE VMB"
        fix "Write ACTIVATE ISLINK D000 D001 NODE VMB.";
    ISLINK_TOO_MANY = 782 E "a logical link has more than 16 devices"
        rule "A logical link has at most 16 devices."
        cause "ACTIVATE ISLINK statements for one node name a seventeenth."
        example "17 device numbers behind ACTIVATE ISLINK"
        fix "Leave out the devices behind the sixteenth.";
    ISLINK_TWICE = 783 E "a device is in two logical links, or twice in one"
        rule "A device is in one logical link, once."
        cause "Two ACTIVATE ISLINK statements name it."
        example "D000 in the links to nodes VMB and VMC"
        fix "Name it in one of them.";
    ISLINK_DEVICE = 784 E "a device of a logical link is no channel-to-channel device of the partition"
        rule "Devices of a logical link are on control units of UNIT=FCTC or SCTC, and the partition has access to them."
        cause "The deck does not define the device, defines it for another partition, or on another control unit."
        example "ACTIVATE ISLINK 1000 where 1000 is a disk"
        fix "Name a device of a channel-to-channel control unit, or define it for the partition.";
    ISLINK_PARTNER = 785 E "the devices of a logical link lead to different systems, or two links to one"
        rule "A logical link joins two systems, and two systems have one logical link."
        cause "CUADD= of their control units are different images, or two nodes are reached at one image."
        example "D000 with CUADD=02 and D001 with CUADD=03 in one link"
        fix "Make a link for each partner, with all the devices that lead there.";
    ISLINK_MIXED = 786 W "a logical link has FICON and ESCON devices"
        rule "The devices of a logical link are of one kind, so that none holds up the others."
        cause "Some are on control units of UNIT=FCTC and some on SCTC."
        example "D000 on TYPE=FC and D001 on TYPE=CTC in one link"
        fix "Use the FICON devices alone.";
    ISLINK_UNSTRIPED = 787 A "neighbours of a logical link are on one channel"
        rule "Devices whose numbers follow each other are on different channels, because writes begin at neighbours."
        cause "Devices were numbered channel by channel."
        example "D000-D003 on channel 40 and D004-D007 on channel 41"
        fix "Stripe the numbers; `halftrack deck ctc --islink` writes the statements.";
    ISLINK_CROSSED = 788 A "the devices of a channel lead to different channels"
        rule "All devices of a channel in a logical link lead to one channel (straight), because crossed ones wait for each other."
        cause "LINK= of control units on one channel are different ports."
        example "D000 from channel 40 to port 1150 and D003 from channel 40 to port 1151"
        fix "Lead a channel to one channel; `halftrack deck ctc --islink` writes the statements.";
    ISLINK_NO_END = 789 W "a device of a logical link has no other end"
        rule "Each end of a connection points to the other, with the same unit addresses."
        cause "The partner of the link is in the deck, and no control unit leads back from there."
        example "D003 without CNTLUNIT of the other partition"
        fix "Define the other end; `halftrack deck ctc --make` writes it.";
}
