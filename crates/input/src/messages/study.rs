//! Message numbers of plant, workload, channel and control-unit files (870-889) and of contradictions between files (900-949, 960-964, 966-968, 992).
//!
//! What is wrong with the TOML itself has the numbers of [`halftrack_catalog::numbers`].

/// A plug of the plant is used by two fibres.
pub const PLUG_TAKEN: u16 = 870;
/// A catalog id that the catalog does not have.
pub const NOT_IN_CATALOG: u16 = 871;
/// A card has more ports than its generation.
pub const TOO_MANY_PORTS: u16 = 872;
/// A speed that the hardware does not offer.
pub const SPEED_NOT_OFFERED: u16 = 873;
/// A cable, link or port leads to something that the plant does not have.
pub const LEADS_NOWHERE: u16 = 874;
/// Two ends of a fibre have no speed in common.
pub const NO_COMMON_SPEED: u16 = 875;
/// An inter-switch link begins and ends at one director.
pub const LOOPED_LINK: u16 = 876;
/// Multiplexers carry no speed that both ends of their link offer.
pub const NOT_CARRIED: u16 = 877;
/// A run longer than virtual time or patience allows.
pub const RUN_TOO_LONG: u16 = 880;
/// An address that other hosts reach, where the file does not say that they may.
pub const BEYOND_THIS_HOST: u16 = 881;
/// A volume of a control-unit file that cannot be served.
pub const NO_VOLUME_TO_SERVE: u16 = 882;
/// An address at which nothing can listen.
pub const CANNOT_LISTEN: u16 = 883;

/// A card names a domain, or a domain a fanout or standby, that the plant does not have.
pub const NO_DOMAIN: u16 = 884;
/// More cards in a domain, or more domains or cards on a fanout, than the machine has places for.
pub const DOMAIN_FULL: u16 = 885;
/// The plant describes interconnects that the machine does not have.
pub const NO_INTERCONNECT: u16 = 886;
/// An interconnect is lost and nothing takes over.
pub const NO_STANDBY: u16 = 887;

/// A stream draws tracks for a control unit whose cache has no size.
pub const NO_CACHE: u16 = 888;

/// The study has no such trace, or it has no I/Os.
pub const NO_TRACE: u16 = 889;

/// A study directory or one of its three files is not there.
pub const NO_STUDY: u16 = 900;
/// `SYSTEM=` of the deck is not the machine type of the plant's CPC.
pub const OTHER_MACHINE: u16 = 901;
/// A channel of the deck without a PCHID.
pub const NO_PCHID: u16 = 902;
/// The plant has no card for a PCHID of the deck.
pub const NO_CARD: u16 = 903;
/// A PCHID that the deck uses is not cabled.
pub const NO_CABLE: u16 = 904;
/// The plant has no director for a `SWITCH=` of the deck.
pub const NO_DIRECTOR: u16 = 905;
/// The cable of a channel leads to something else than its `SWITCH=` says.
pub const OTHER_DIRECTOR: u16 = 906;
/// A control unit is reached over a channel that is not of type FC.
pub const NOT_FICON: u16 = 907;
/// A link address without a director, or a path without link address behind a director.
pub const LINK_MISFIT: u16 = 908;
/// No director of the plant has the switch of a link address.
pub const NO_LINK_DIRECTOR: u16 = 909;
/// No host-adapter port is cabled to a link address.
pub const NO_HOST_ADAPTER: u16 = 910;
/// No inter-switch link leads from the entry director to the director of a link address.
pub const NO_ROUTE: u16 = 911;
/// The paths of a control unit of the deck end at different boxes.
pub const TWO_BOXES: u16 = 912;
/// More than eight paths to a control unit from one channel subsystem.
pub const TOO_MANY_PATHS: u16 = 913;
/// Paths, volumes or devices name one logical control unit differently.
pub const TWO_CONTROL_UNITS: u16 = 914;
/// The deck lacks a partition of the plant.
pub const NO_PARTITION: u16 = 915;
/// The plant lacks the partition of a stream.
pub const NO_LPAR: u16 = 916;
/// The partition of a stream has no access to a channel or device that it uses.
pub const NO_ACCESS: u16 = 917;
/// The deck lacks a device of a stream.
pub const NO_DEVICE: u16 = 918;
/// A device of a stream is not a base device of a disk.
pub const NOT_A_BASE: u16 = 919;
/// No path leads from the partition of a stream to a device.
pub const NO_PATH: u16 = 920;
/// A volume serial stands twice.
pub const VOLSER_TWICE: u16 = 921;
/// Volumes of the plant name devices that their box does not have.
pub const NO_VOLUME: u16 = 922;
/// A program does not fit the track or the volume.
pub const DOES_NOT_FIT: u16 = 923;
/// A stream wants transport mode where it is not to be had.
pub const NO_TRANSPORT: u16 = 924;
/// An event happens to something that the deck does not define.
pub const EVENT_MISSES: u16 = 925;
/// BASIC mode in the deck and no system in the plant, or a system in the plant and partitions in the deck.
pub const BASIC_MODE: u16 = 926;
/// More cards than the machine has slots.
pub const TOO_MANY_CARDS: u16 = 927;
/// More FICON channels than the machine takes.
pub const TOO_MANY_FICON: u16 = 928;
/// A card on a machine that does not have it.
pub const NOT_ON_MACHINE: u16 = 929;
/// A channel further from its control unit than its signal goes.
pub const TOO_FAR: u16 = 930;
/// A channel further from its control unit than is supported.
pub const BEYOND_REACH: u16 = 931;
/// Endpoint security on a card without it, or on one with it, where it changes nothing in the twin.
pub const ENDPOINT_SECURITY: u16 = 932;
/// A cable between the parallel interface and something else.
pub const OTHER_INTERFACE: u16 = 934;
/// A cable that is no bus leads to several ends, or a port that is on none answers to unit addresses.
pub const NOT_A_BUS: u16 = 935;
/// No control unit of a bus, or several, answer to the unit addresses of a control unit of the deck.
pub const NO_UNIT_ON_BUS: u16 = 936;
/// The card of a channel is not for channels of its type.
pub const OTHER_CARD: u16 = 937;
/// A channel to a bridge, or a port that is to be one, where the director has none.
pub const NO_BRIDGE: u16 = 938;
/// Something else than a channel to a bridge at a bridge port.
pub const NOT_FOR_BRIDGE: u16 = 939;
/// More ESCON ports behind a bridge than its I/Os keep busy.
pub const BRIDGE_OVERLOADED: u16 = 940;
/// A study without a deck that the plant names.
pub const NO_DECK: u16 = 941;
/// A CPC that the plant does not have, or more than there may be.
pub const NO_CPC: u16 = 942;
/// A part of the plant that does not say of which of several CPCs it is, or is of two.
pub const WHICH_CPC: u16 = 943;
/// A partition or system of two CPCs by one name.
pub const LPAR_TWICE: u16 = 944;
/// Two systems with one SMF system id.
pub const SMFID_TWICE: u16 = 945;
/// A line of a trace that is no recorded I/O.
pub const TRACE_LINE: u16 = 946;
/// An I/O of a trace that its stream cannot ask for.
pub const TRACE_MISFIT: u16 = 947;
/// A disk that a partition knows by two device numbers.
pub const UNIT_ADDRESS_TWICE: u16 = 949;

/// More additional SAPs than the model takes.
pub const TOO_MANY_SAPS: u16 = 960;
/// A fanout without a slot: one too many, in a slot that the machine does not have, or in one that is taken.
pub const NO_FANOUT_SLOT: u16 = 961;
/// More cards than the fanouts of the machine have places for.
pub const BEYOND_FANOUTS: u16 = 962;
/// A partition with more processors than a drawer.
pub const BEYOND_DRAWER: u16 = 963;
/// A partition with more processors than the machine.
pub const BEYOND_MACHINE: u16 = 964;
/// Work on EADM subchannels of a machine that has none.
pub const NO_EADM: u16 = 966;
/// Work on EADM subchannels of a partition that the plant does not have.
pub const NO_EADM_LPAR: u16 = 967;
/// An open stream that offers more than the stations of its paths allow.
pub const OFFERED_TOO_MUCH: u16 = 968;
/// A control unit whose times are assumed to lie between those of two others.
pub const ASSUMED_TIMES: u16 = 992;
