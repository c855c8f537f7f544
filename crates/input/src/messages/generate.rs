//! Messages about studies that cannot be written. What the catalog does not have has the numbers of [`super::study`].

use crate::messages::register::messages;

messages! { "New studies"
    TOO_MANY_CHANNELS = 983 E "more channels than the machine has CHPIDs or FICON ports for"
        rule "A channel subsystem has 256 CHPIDs, and a machine takes a limited number of FICON channels."
        cause "`--channels` is above it."
        example "halftrack study new --model z16-max200 --channels 2000"
        fix "Use fewer channels, more channel subsystems or another model.";
    TOO_MANY_PARTITIONS = 984 E "partitions do not fit the channel subsystems"
        rule "Each channel subsystem has 1 to 15 partitions."
        cause "`--lpars` or `--css` is above what the machine has, or leaves a channel subsystem without one."
        example "halftrack study new --css 6 --lpars 3"
        fix "Change `--lpars` or `--css`, or leave `--css` out.";
    TOO_MANY_DEVICES = 985 E "devices do not fit subchannel sets, control units, channels or partitions"
        rule "Devices are divided among logical control units of 256 unit addresses, subchannel sets and \
            partitions."
        cause "There are too many, or fewer than partitions need."
        example "halftrack study new --bases 100000"
        fix "Use the number that the message names.";
    TOO_MANY_CARDS = 986 E "more cards than slots and fanouts of the machine"
        rule "Cards of the channels fit the slots and fanouts of the model."
        cause "The channels need more cards."
        example "halftrack study new --channels 300 on a small model"
        fix "Use fewer channels, a card with more ports or a larger model.";
    DIRECTORY_THERE = 987 E "the directory for the study exists"
        rule "A new study is written to a directory that does not exist."
        cause "A study or other files are there."
        example "halftrack study new studies/z16-oltp"
        fix "Give another directory, or remove this one.";
}
