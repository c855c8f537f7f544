//! Message numbers that need a name: those of ours without an IBM message of the same meaning, and the syntax
//! numbers whose assignment within their range is our choice.
//!
//! Numbers with a rule of their own (reference: IOCP, section 4) stand as literals where the rule is.

/// A comma was expected. The reference gives the range 110-115 for parenthesis and comma errors without saying
/// which is which; the assignment within the range is ours.
pub const COMMA_EXPECTED: u16 = 110;
/// An opening parenthesis was expected.
pub const OPENING_EXPECTED: u16 = 111;
/// A closing parenthesis was expected.
pub const CLOSING_EXPECTED: u16 = 112;
/// A comma or the blank that ends the operand was expected.
pub const BLANK_EXPECTED: u16 = 113;
/// A keyword or a value was expected.
pub const VALUE_EXPECTED: u16 = 114;
/// A character that no operand may hold.
pub const CHARACTER: u16 = 115;

/// Keyword without meaning for the channel type: SWITCH. The reference gives 201, 202 and 208 as one group; the
/// assignment is ours.
pub const SWITCH_NOT_FOR_TYPE: u16 = 201;
/// Keyword without meaning for the channel type: any but SWITCH and the coupling keywords.
pub const KEYWORD_NOT_FOR_TYPE: u16 = 202;
/// Keyword without meaning for the channel type: CPATH, CSYSTEM.
pub const COUPLING_KEYWORD_NOT_FOR_TYPE: u16 = 208;

/// SYSTEM of ID is overridden (IBM: ignored when an IOCDS is written).
pub const SYSTEM_OVERRIDDEN: u16 = 151;

/// All paths of a control unit pass one part, or it has one path.
pub const SINGLE_POINT: u16 = 801;
/// All ports of a control unit on a director are on one blade.
pub const ONE_BLADE: u16 = 802;
/// A two-byte link names a switch that nothing else names.
pub const LINK_ELSEWHERE: u16 = 803;
/// A director without control port device.
pub const NO_CONTROL_PORT: u16 = 804;
/// A number that breaks the pattern of its neighbours.
pub const NUMBERING: u16 = 805;
/// Aliases without bases, or bases for parallel access without aliases.
pub const ALIASES: u16 = 806;
/// The ends of a channel-to-channel connection do not match.
pub const CTC_PAIR: u16 = 807;
/// A control unit has paths in fewer channel subsystems than its channels.
pub const ONE_CSS: u16 = 808;
/// Functions for one purpose fail together.
pub const FUNCTION_PAIR: u16 = 809;
/// A PNETID of a function that no channel has.
pub const NETWORK_ALONE: u16 = 810;
/// A HiperSockets channel without VCHID.
pub const NO_VIRTUAL_CHANNEL: u16 = 811;
/// The ends of an internal coupling link do not name each other.
pub const COUPLING_MATE: u16 = 813;
/// One port is named by links of one byte and of two.
pub const TWO_FORMS: u16 = 814;
/// An OSAD device at another unit address than FE.
pub const OSAD_ADDRESS: u16 = 815;
/// A coupling facility partition has channels for devices.
pub const COUPLING_PARTITION: u16 = 816;
/// More virtual functions on a zHyperLink port than are published.
pub const MANY_VIRTUAL: u16 = 817;
/// Paths unevenly divided among directors.
pub const UNBALANCED: u16 = 818;
/// A path that another control unit of the box has.
pub const PATH_LACKING: u16 = 819;
/// The operating system of a partition is too old for a function.
pub const SOFTWARE_LEVEL: u16 = 821;
/// More adapters of a function type than the machine takes.
pub const TOO_MANY_ADAPTERS: u16 = 822;
/// The deck is for another machine than the hardware that it is checked on.
pub const OTHER_HARDWARE: u16 = 823;
/// A character that IOCP does not accept was read for the one that is meant.
pub const CHARACTER_ACCEPTED: u16 = 830;
/// Text beyond column 72 looks like operand.
pub const BEYOND_THE_CARD: u16 = 831;
/// The file is in another format.
pub const OTHER_FORMAT: u16 = 832;
/// The file is no text, or in an encoding that no deck has; or text cannot be written in an encoding.
pub const UNREADABLE: u16 = 833;
/// The deck names no machine: one was assumed.
pub const MACHINE_ASSUMED: u16 = 834;
/// A statement was left out, and nothing says why.
pub const LEFT_OUT: u16 = 837;
/// Functions of one port with different PNETIDs.
pub const NETWORKS_DIFFER: u16 = 839;
/// A RoCE function without PNETID.
pub const NO_NETWORK: u16 = 840;
/// A function has more than one partition with access.
pub const SEVERAL_ACCESS: u16 = 841;

/// A function that a TCP/IP profile names is not there, or does not become active.
pub const PROFILE_FUNCTION: u16 = 843;
/// More devices on a channel than its type has.
pub const CHANNEL_DEVICES: u16 = 844;
/// More devices than MAXDEV, or the subchannel set, has room for.
pub const SET_DEVICES: u16 = 845;

/// An operation stands in column 1, where a name belongs (a copy that lost its leading blanks).
pub const OPERATION_IN_COLUMN_1: u16 = 850;
/// A comment begins with KEYWORD=: most likely a comma is missing.
pub const KEYWORD_IN_COMMENT: u16 = 851;
/// `...` stands for text that somebody left out.
pub const ELLIPSIS: u16 = 852;
/// Column 72 asks for a continuation and the next card is none.
pub const NO_CONTINUATION: u16 = 853;
/// A comment card continues over a card that looks like a statement.
pub const STATEMENT_IN_COMMENT: u16 = 854;
/// A blank card with a mark in column 72.
pub const BLANK_CARD_MARKED: u16 = 855;
/// More than 1024 characters of operand.
pub const OPERAND_TOO_LONG: u16 = 856;
/// Lower-case letters in a statement.
pub const LOWER_CASE: u16 = 857;
/// A string without closing apostrophe.
pub const STRING_OPEN: u16 = 858;
/// A name that is not 1-8 characters of A-Z 0-9 $ # @.
pub const NAME: u16 = 859;
/// A tab, where cards have columns.
pub const TAB: u16 = 860;
/// A statement of an MVS stage-1 deck.
pub const STAGE_1: u16 = 861;
/// No RESOURCE before the statements that need it.
pub const RESOURCE_MISSING: u16 = 862;
/// RESOURCE twice.
pub const RESOURCE_TWICE: u16 = 863;
/// A control unit or preferred path names a channel path that no CHPID statement defines.
pub const CHANNEL_UNDEFINED: u16 = 864;
/// A channel path that no partition may use.
pub const NO_ACCESS: u16 = 865;
/// The preferred path of a device is not one of its paths.
pub const PREFERRED_PATH: u16 = 866;
/// A keyword accepted and ignored.
pub const KEYWORD_IGNORED: u16 = 867;
/// A blank inside an operand, accepted leniently.
pub const BLANK_ACCEPTED: u16 = 868;
/// Text in another column than IOCP expects it, accepted leniently.
pub const COLUMN_ACCEPTED: u16 = 869;
