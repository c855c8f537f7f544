//! Messages about fibres, links, link addresses and paths between deck and plant.

use crate::messages::register::messages;

messages! { "Fibres, links and paths of a study"
    OTHER_PROTOCOL = 700 E "a channel or a set of logical units, and a host-adapter port, are of different protocols"
        rule "A FICON channel leads to ports for FICON, FCP to ports with `protocol = \"fcp\"`."
        cause "A port is set to the other protocol, or a cable or link address is mistyped."
        example "a CNTLUNIT whose link address leads to a port with protocol = \"fcp\""
        fix "Set `protocol` of the port, or lead the channel to another port.";
    MASKED = 701 E "the logical units of a stream are masked from its partition"
        rule "A box shows logical units to the initiators in `devices` and `wwpns` of their set, and each FCP subchannel has a port name of its own."
        cause "None of the port names of the partition is in the mask, or one is mistyped."
        example "wwpns = [\"c0:50:76:00:00:01:60:00\"] with a stream of another partition"
        fix "Add a port name of the partition to `wwpns` of the set.";
    TOO_MANY_INITIATORS = 702 E "an FCP channel has too many virtual ports"
        rule "An FCP channel has at most 64 virtual N_Ports (NPIV), one for each FCP subchannel in use."
        cause "Too many partitions with streams share the channel."
        example "65 partitions with streams over CHPID 60"
        fix "Spread the FCP devices over more channels.";
    ZHYPERLINK_CABLE = 828 E "a zHyperLink cable cannot be where it is"
        rule "A zHyperLink is a cable of at most the catalog's reach, 150 m, from an adapter to a box that takes one."
        cause "The cable is longer, or the box is of a type without zHyperLink."
        example "metres = 10000 in [[zhyperlink]]"
        fix "Shorten the cable, or take another box.";
    NEVER_SYNCHRONOUS = 829 W "the I/O of a stream is never synchronous"
        rule "A synchronous request of a native system is one aligned record of at most 4,096 octets, switched on at both ends, over a link on which the \
            partition has a function."
        cause "Size, alignment, switches, function or cable rule out every request of the stream; the run goes on over FICON."
        example "synchronous = true in a partition with zhyperlink = \"NONE\""
        fix "Remove the reason that the message names, or drop `synchronous`.";
    IDLE_ZHYPERLINK = 838 W "a zHyperLink function has no cable, or a cable no function"
        rule "A partition uses a zHyperLink by a FUNCTION of TYPE=HYL on the PCHID and port of a [[zhyperlink]]."
        cause "PCHID or port is mistyped, or one of the two is missing."
        example "[[zhyperlink]] with pchid = \"180\" and no FUNCTION with PCHID=180"
        fix "Add the function or the cable, or remove the other.";
    PLUG_TAKEN = 870 E "a plug is used by two fibres"
        rule "A port of a card, director or control unit takes one fibre."
        cause "Two cables or links name the same port."
        example "two [[cable]] with from = \"100\""
        fix "Plug one of the two fibres into another port.";
    SPEED_NOT_OFFERED = 873 E "hardware does not offer a speed"
        rule "A set speed is one that both ends of the fibre offer."
        cause "`gbps` is not among the speeds of the card, port or director."
        example "gbps = 32 on a card of 16 Gbit/s"
        fix "Take a speed that the message lists.";
    LEADS_NOWHERE = 874 E "a cable, link or port leads to something that the plant does not have"
        rule "Both ends of a cable or link are ports of the plant."
        cause "A name or port is mistyped, or the table of the part is missing."
        example "to = \"director 12 port 04\" without [[director]] 12"
        fix "Add the part, or correct the address.";
    NO_COMMON_SPEED = 875 E "two ends of a fibre have no speed in common"
        rule "A link runs at a speed that both its ends offer."
        cause "An old card leads to a port that is too new."
        example "a card of 4 Gbit/s at a port of 16 and 32"
        fix "Use another card or port.";
    LOOPED_LINK = 876 E "an inter-switch link begins and ends at one director"
        rule "An inter-switch link joins two directors."
        cause "Both ends name the same director."
        example "[[isl]] between ports of director 11"
        fix "Correct one of the ends.";
    NOT_CARRIED = 877 E "multiplexers carry no speed that both ends of their link offer"
        rule "A link over multiplexers runs at a speed that they carry."
        cause "The multiplexers carry other speeds than both directors offer."
        example "directors of 32 Gbit/s over multiplexers of 8"
        fix "Use other multiplexers, or a speed that they carry.";
    NO_DOMAIN = 884 E "a domain or fanout is missing from the plant"
        rule "A card names its domain, a domain its fanout and standby, each described by a table."
        cause "The name is mistyped, or the table is missing."
        example "domain = \"D3\" without [[domain]] D3"
        fix "Add the table, or name one of the plant's.";
    DOMAIN_FULL = 885 E "a domain or fanout has more on it than places"
        rule "Domains and fanouts take as many cards or domains as the machine gives them."
        cause "One too many names it."
        example "nine cards in a domain of eight"
        fix "Name another domain or fanout for the rest.";
    NO_INTERCONNECT = 886 E "the plant describes interconnects that the machine does not have"
        rule "Fanouts and domains belong to machines whose catalog entry has them."
        cause "The model is older, or its catalog file gives no numbers."
        example "[[fanout]] in the plant of a z900"
        fix "Remove the tables and what names them.";
    NO_STANDBY = 887 E "an interconnect is lost and nothing takes over"
        rule "A domain whose interconnect is lost has a standby that is not lost."
        cause "`standby` is missing, or it is lost at the same time."
        example "an event interconnect-lost of domain D1 without standby"
        fix "Give the domain a `standby`, or let path-lost happen to its channels.";
    NO_PCHID = 902 E "a channel has no PCHID"
        rule "The plant finds the card of a channel by its PCHID."
        cause "The deck is not yet mapped."
        example "CHPID PATH=(CSS(0),40),SHARED,TYPE=FC"
        fix "Add PCHID=; `halftrack deck map` chooses one for each.";
    NO_CARD = 903 E "the plant has no card with a PCHID"
        rule "Each PCHID that the deck uses is in `pchids` of a [[card]]."
        cause "The card is missing, or the number differs."
        example "PCHID=1F0 without a card"
        fix "Add the PCHID to the `pchids` of a card.";
    NO_CABLE = 904 E "a PCHID is not cabled"
        rule "Each port that the deck uses has a [[cable]]."
        cause "The cable is missing, or begins elsewhere."
        example "PCHID 100 without from = \"100\""
        fix "Add a [[cable]].";
    NO_DIRECTOR = 905 E "the plant has no director with the number of SWITCH="
        rule "Each SWITCH= of the deck is the `id` of a [[director]]."
        cause "The number differs, or the director is missing."
        example "SWITCH=12 without id = \"12\""
        fix "Add the director, or correct SWITCH=.";
    OTHER_DIRECTOR = 906 E "a channel's cable does not lead to the switch of its SWITCH="
        rule "Cable and SWITCH= name the same director; a channel without SWITCH= is cabled to a control unit."
        cause "One of the two was changed alone."
        example "SWITCH=11 with a cable to director 12"
        fix "Correct SWITCH=, or `to` of the cable.";
    NOT_FICON = 907 E "a control unit is reached over a channel type that is not simulated"
        rule "Disks are reached over channels of the types that the message lists."
        cause "The channel needs a converter, or is of another kind."
        example "UNIT=2107 over TYPE=CVC"
        fix "Use channels of a type that is simulated.";
    LINK_MISFIT = 908 E "link address and cable contradict each other"
        rule "A path has a link address exactly where its cable leads to a director."
        cause "LINK= is missing behind a director, or stands for a direct cable."
        example "LINK=((CSS(0),04)) with a cable to a host-adapter port"
        fix "Code LINK= for channels behind a director, and only for them.";
    NO_LINK_DIRECTOR = 909 E "no director of the plant has the switch of a link address"
        rule "The first byte of a two-byte link is the `id` of a [[director]]."
        cause "The address is mistyped, or the director is missing."
        example "LINK=((CSS(0),2104)) without director 21"
        fix "Add the director, or correct the link address.";
    NO_HOST_ADAPTER = 910 E "no host-adapter port is cabled to a link address"
        rule "The port of a link address leads to a [[control_unit.port]]."
        cause "The port of the director is free, or something else is plugged there."
        example "LINK=((CSS(0),04)) with nothing at port 04"
        fix "Add `to` to a port of the control unit, or correct the link address.";
    NO_ROUTE = 911 E "no inter-switch link leads to the director of a link address"
        rule "From the entry director a way over [[isl]] leads to the director of the link."
        cause "The link is missing."
        example "directors 11 and 12 without an [[isl]] between them"
        fix "Add an [[isl]].";
    TWO_BOXES = 912 E "the paths of a control unit end at different boxes"
        rule "All paths of a CNTLUNIT lead to host adapters of one box."
        cause "A link address or a cable is mistyped."
        example "link 1104 at box A and link 1204 at box B"
        fix "Correct the link address, or `to` of the host-adapter port.";
    TOO_MANY_PATHS = 913 E "a control unit has too many paths, or none"
        rule "A path group has one to eight paths."
        cause "One too many, or no [[path]] in a channel file."
        example "nine channels to a logical control unit"
        fix "Remove paths, or add a [[path]].";
    TWO_CONTROL_UNITS = 914 E "a device is in two logical control units"
        rule "All paths and statements of a device lead to one box with one CUADD."
        cause "Two CNTLUNIT statements of the device have different CUADDs or boxes."
        example "CUNUMBR=(1000,1100) with CUADD 0 and 1"
        fix "Let both lead to one box with one CUADD.";
    TOO_FAR = 930 E "a channel is further from its control unit than its signal goes"
        rule "Channel and control unit are within reach of the card, direct and with repeaters."
        cause "`km` of the fibres sums to more."
        example "an ESCON cable of 5 km without a repeater"
        fix "Shorten the way, or add directors or multiplexers.";
    BEYOND_REACH = 931 W "a channel is further from its control unit than is supported"
        rule "Distances up to the supported one are tested by the vendor."
        cause "`km` of the fibres sums to more; the run goes on."
        example "150 km where 100 are supported"
        fix "Check the distance; the figures hold for it as given.";
    ENDPOINT_SECURITY = 932 E W "endpoint security is on hardware without it, or changes nothing here"
        rule "A path is encrypted where card, storage and the directors between can do it, both ends want it, and a key \
            manager is reached."
        cause "A card or box lacks it, the other end does not take part, or no [key_manager] is reached."
        example "endpoint_security = true on a ficon-express16s card"
        fix "Take other hardware, set both ends, add a [key_manager], or drop it.";
    NO_ENCRYPTED_PATH = 933 E "a device of a stream has no path, because none would be encrypted"
        rule "Each device of a stream has a path; an end that is `enforced` sends no clear text."
        cause "The key manager is missing or not reached, or the other ends do not take part."
        example "endpoint_security = \"enforced\" on all cards, and no [key_manager]"
        fix "Add a [key_manager], set both ends of a path, or write \"audit\".";
    OTHER_INTERFACE = 934 E "a cable joins the parallel interface and something else"
        rule "Parallel channels lead over bus and tag cables to parallel control units."
        cause "One end is parallel and the other is fibre, or a director is between."
        example "a cvc card cabled to a director"
        fix "Cable it to a port of the same interface.";
    NOT_A_BUS = 935 E "a cable that is no bus has several ends, or a port off the bus has unit addresses"
        rule "Only the bus of a parallel channel leads to several control units."
        cause "`to` names several ports for a fibre, or `unit_addresses` stands for a port of another interface."
        example "to = [\"A.1\", \"B.1\"] on a FICON card"
        fix "Name one end, or remove `unit_addresses`.";
    NO_UNIT_ON_BUS = 936 E "no control unit on a bus, or several, answer to unit addresses"
        rule "Each control unit of the deck on a parallel channel is one of the boxes on its bus."
        cause "`unit_addresses` of the boxes do not hold those of CNTLUNIT, or overlap."
        example "UNITADD=((40,16)) and no port with unit_addresses from 40"
        fix "Correct `unit_addresses` of the ports, or UNITADD=.";
    OTHER_CARD = 937 E "a channel's card is for channels of another type"
        rule "TYPE= of a channel is one that its card serves."
        cause "Deck and plant differ."
        example "TYPE=CNC on PCHID of a FICON card"
        fix "Write the TYPE= that the message names, or another `type` of the card.";
    NO_BRIDGE = 938 E "a FICON channel to a bridge finds none"
        rule "A channel of TYPE=FCV leads to a bridge port of an ESCON director."
        cause "The port is no bridge, or the director has no bridge card."
        example "TYPE=FCV to a port without bridge = true"
        fix "Add [[director.port]] with `bridge = true`, or write TYPE=FC.";
    NOT_FOR_BRIDGE = 939 E "something else than a channel to a bridge is at a bridge port"
        rule "Before a bridge is a channel of TYPE=FCV, behind it ESCON."
        cause "A cable of another kind leads to the port."
        example "TYPE=FC at a bridge port"
        fix "Write TYPE=FCV, or take another port.";
    BRIDGE_OVERLOADED = 940 W "more ESCON ports are behind a bridge than it keeps busy"
        rule "A bridge has a limited number of I/Os at one time."
        cause "More ports are behind it."
        example "twelve ESCON ports behind one FCV channel"
        fix "Lead more FCV channels to these ports.";
}
