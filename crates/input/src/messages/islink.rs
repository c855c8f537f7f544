//! Messages about a system at one end of an ISFC logical link.

use crate::messages::register::messages;

messages! { "A system at one end of a logical link"
    NO_CTC_DECK = 754 E "the deck of a system cannot be used"
        rule "`deck` names an IOCP deck without errors, and `partition` one of its partitions."
        cause "The file is missing, breaks rules, or has no partition of the name, or several of it."
        example "partition = \"VMA\" with a deck of RESOURCE PARTITION=((LP1,1))"
        fix "Name a deck that `halftrack deck check` passes, and a partition of it; `\"0.VMA\"` has the channel subsystem.";
    NO_CTC_CHANNEL = 755 E "a channel of a system carries no FICON CTC"
        rule "Each `[[channel]]` is a CHPID of TYPE=FC that the partition may use, with a control unit of UNIT=FCTC."
        cause "The deck has no such control unit on the channel, or the channel is of another type or another partition's."
        example "chpid = \"41\" where CNTLUNIT CUNUMBR=4100,PATH=((CSS(0),40)),UNIT=FCTC"
        fix "Name a channel of `halftrack deck ctc`, or add the control unit; `halftrack deck ctc --islink` writes it.";
    NO_LINK_DEVICE = 756 E "a device of a logical link is not on its channels"
        rule "Every device of `[link]` is a device of UNIT=FCTC on one of the `[[channel]]`s."
        cause "The device number is another kind of device, or on a channel that the file does not name."
        example "devices = [\"D000-D003\"] where IODEVICE ADDRESS=(D000,2)"
        fix "Name devices of the channels, or add the channel.";
    TOO_MANY_LINK_DEVICES = 757 E "a logical link has more devices than it can have"
        rule "A logical link has at most 16 devices."
        cause "`devices`, or the channels without it, have a 17th."
        example "devices = [\"D000-D010\"]"
        fix "Name 16 devices; four for each channel are enough.";
    NO_STREAM_FILE = 758 E "a file of a stream or a guest cannot be opened"
        rule "A file that is sent exists, and one that is received can be made."
        cause "The file is missing, or its directory is, or others may not use it."
        example "file = \"disk.img\" where there is none"
        fix "Make the file, or name another; it is relative to the directory of the TOML file.";
    SAME_LINK_NODE = 759 E "a logical link leads to the own system"
        rule "The two systems of a link have different names."
        cause "`node` is the name of the system itself."
        example "partition = \"VMA\" with node = \"VMA\""
        fix "Give the name of the other system, or the two systems different names.";
    GUEST_MEMORY = 760 E "a guest's memory is not one of whole pages"
        rule "The file with the memory of a guest has a page of 4096 octets at least, and no part of one."
        cause "The file is empty, or its size is not a multiple of 4096."
        example "memory = \"linux01.mem\" with a file of 5000 octets"
        fix "Make the file with whole pages: `head -c 64M /dev/urandom > linux01.mem`.";
    GUEST_WORKING_SET = 761 E "a working set is larger than the memory of its guest"
        rule "`working_set_pages` is at most the pages of the memory, of 4096 octets each."
        cause "The file is smaller than was meant, or the number is one of octets."
        example "working_set_pages = 20000 with a memory of 64 MiB, 16384 pages"
        fix "Give fewer pages, or leave the key out for all of them.";
    NO_DISK = 762 E "a device of a system's disks is no disk that its partition may use"
        rule "Every device of `[[disks.stream]]` is a base device of the deck, of another UNIT than FCTC, in the partition."
        cause "The device number is not in the deck, is an alias or a channel-to-channel device, or another partition's."
        example "devices = [\"D000\"] where IODEVICE ADDRESS=(D000,4),CUNUMBR=(D000),UNIT=FCTC"
        fix "Name disks of the deck; `halftrack deck show VMA.iocp path --device 9000` has their paths.";
    NO_DISK_CHANNEL = 763 E "a disk is not on the channels of its system"
        rule "A control unit of every device of `[[disks.stream]]` is on a `[[channel]]`, and one image has all devices."
        cause "The file has no channel of the control unit, or the devices are in several logical control units."
        example "devices = [\"9000\"] with CNTLUNIT CUNUMBR=9000,PATH=((CSS(0),50)) and the channel 40 alone"
        fix "Name devices of one control unit that is on a channel of the file, or add its channel.";
    NO_DISK_DIRECTOR = 764 E "a disk shares a channel with no director"
        rule "A channel reaches its partner and a control unit of disks through a director, by the link address of the deck."
        cause "The control unit's path has no LINK, or leads to the port of the partner, or the channel listens for its partner."
        example "CNTLUNIT CUNUMBR=9000,PATH=((CSS(0),40)) without LINK, and listen = \"127.0.0.1:4040\""
        fix "Connect the channel with a director's port, and code the control unit's port: LINK=((CSS(0),06)).";
    ESCON_CTC_CHANNEL = 768 E "a channel of a system carries ESCON CTC, which has no frames here"
        rule "Each `[[channel]]` has control units of UNIT=FCTC: what processes send each other are frames of FICON."
        cause "The control units on the channel are of UNIT=SCTC or BCTC; the octets of ESCON's frames are in no public document."
        example "chpid = \"50\" where CNTLUNIT CUNUMBR=4000,PATH=(50),UNIT=SCTC"
        fix "Name a channel with FCTC control units; `halftrack run` moves data over SCTC devices, by an [[islink]] of a study.";
}
