//! Message numbers of published figures and experiments (970-989).

/// The same figure id twice, in one file or in two.
pub const FIGURE_TWICE: u16 = 970;
/// A quantity or unit that the units file does not have.
pub const UNKNOWN_UNIT: u16 = 971;
/// A figure without a value, or with more than one.
pub const NO_VALUE: u16 = 972;
/// A file whose `figures = n` is not the number of figures in it.
pub const MISCOUNTED: u16 = 973;
/// A figure id that no file has.
pub const UNKNOWN_FIGURE: u16 = 974;
/// Two experiments answer the same figure.
pub const ANSWERED_TWICE: u16 = 975;
/// A study, a deck or a hardware file that is not there.
pub const UNKNOWN_STUDY: u16 = 976;
/// A point that the experiment does not have.
pub const UNKNOWN_POINT: u16 = 977;
/// A quantity that nobody knows or that the study does not produce; a rule, plugging, display or count without a value.
pub const UNKNOWN_QUANTITY: u16 = 978;
/// A quantity whose unit the figure's unit cannot be compared with.
pub const UNIT_MISMATCH: u16 = 979;
/// A point whose changes cannot be made, or whose study is then not well-formed.
pub const POINT_REFUSED: u16 = 980;
/// A status, a sibling or a restatement without what it needs, such as a reason.
pub const STATUS_INCOMPLETE: u16 = 981;
/// A number of the catalog that is not there.
pub const UNKNOWN_PARAMETER: u16 = 982;
