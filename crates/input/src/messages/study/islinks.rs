//! Messages about logical links over channel-to-channel devices.

use crate::messages::register::messages;

messages! { "Logical links of a study"
    RELOCATION = 765 E "a guest of a logical link cannot be moved so"
        rule "Its working set is at most its memory, `immediate` has one pass, and it begins before the end of the run."
        cause "Numbers of one guest contradict each other, or the run is shorter than was meant."
        example "memory = \"1G\" and working_set = \"2G\""
        fix "Change one of both.";
    MIXED_ISLINK = 766 E "a logical link has FICON and ESCON devices"
        rule "The devices of a logical link are all of UNIT=FCTC or all of UNIT=SCTC."
        cause "Both kinds lead from one system to the other, and `devices` is not there or names both."
        example "a [[islink]] without `devices` between systems with four FCTC and four SCTC devices"
        fix "Name the devices of one kind by `devices`.";
    ISLINK_CHANNELS = 767 E "the channels of channel-to-channel devices do not work together"
        rule "FCTC devices are on channels of TYPE=FC; of the two channels of SCTC devices one is of TYPE=CTC and one of TYPE=CNC."
        cause "Both ESCON channels have the control-unit function, or none, or UNIT= is that of the other kind."
        example "UNIT=SCTC on channels of TYPE=CNC at both ends"
        fix "Change TYPE= of a channel, or UNIT= of the control units.";
    NO_ISLINK_SYSTEM = 813 E "a logical link names a system that the plant does not have"
        rule "`systems` of [[islink]] are two different partitions of the plant, and `from` is one of them."
        cause "A name is mistyped, or one system is named twice."
        example "systems = [\"VMA\", \"VMC\"] where the plant has VMA and VMB"
        fix "Correct the name.";
    NO_ISLINK_PAIR = 814 E "no channel-to-channel device leads from one system of a logical link to the other"
        rule "Each end has a CNTLUNIT with UNIT=FCTC, or UNIT=SCTC, whose CUADD is the other image, and equal unit addresses."
        cause "One end is missing, CUADD or LINK name another image or port, or `devices` names none of them."
        example "CUADD of both ends names the same partition"
        fix "`halftrack deck ctc` lists the ends of decks and those that are missing.";
    NOT_CHANNEL_TO_CHANNEL = 815 E "a logical link names a device that is not channel-to-channel"
        rule "Devices of a logical link have UNIT=FCTC, on channels of TYPE=FC, or UNIT=SCTC, on channels of TYPE=CTC and TYPE=CNC."
        cause "The number is that of a disk, or no IODEVICE has it."
        example "devices = [\"1000\"] where 1000 is a 3390"
        fix "Name devices with UNIT=FCTC or UNIT=SCTC.";
    DEVICE_IN_TWO_LINKS = 816 E "a device is in two logical links"
        rule "A channel-to-channel device belongs to one logical link at most."
        cause "`devices` of two [[islink]] overlap, or both take all that there are."
        example "two [[islink]] of the same systems without `devices`"
        fix "Name the devices of each.";
    TOO_MANY_LINK_DEVICES = 817 E "a logical link has more devices than it may have"
        rule "A logical link has at most 16 devices (z/VM)."
        cause "Decks define more between both systems."
        example "a [[islink]] over five channels with four devices each"
        fix "Name 16 of them by `devices`, or lower `channels` or `devices_per_channel`.";
    NO_TURNAROUND = 818 E "the card of a channel-to-channel device has no numbers for it"
        rule "The catalog entry of the card has `channel_to_channel`."
        cause "The channel is of a card for which nothing is given."
        example "a device with UNIT=FCTC on a card of 1998"
        fix "Take another card, or give an entry of your own `[channel_to_channel.turnaround_us]`.";
}
