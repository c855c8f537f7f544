//! Channel-to-channel adapter: two sides, each the device of a channel of its own, between which commands meet.
//!
//! A command of one side ends at once, or waits until a command of the other side meets it. A [`Pair`] has both sides; it has
//! no time and no transport. What it is given and gives are whole commands: [`Pair::start`], [`Pair::poll_ending`] for those
//! that waited, [`Pair::poll_attention`], [`Pair::end_chain`] and [`Pair::reset`].
//!
//! ```text
//!                      what the other side waits in
//! command              Prepare        Control        Read           Write          nothing        not ready
//! Prepare              both end       ends           ends           ends           waits          unit check
//! Control              ends it, waits busy           busy           busy           waits, signals unit check
//! Read, Read Backward  ends it, waits busy           busy           data move      waits, signals unit check
//! Write                ends it, waits busy           data move      busy           waits, signals unit check
//! Write End of File    ends           busy           unit exception busy           ends           unit check
//! Sense Command Byte   ends           both end       ends           ends           ends           unit check
//! No-Operation, modes  ends           busy           busy           busy           ends           unit check
//! Sense Adapter State  ends           ends           ends           ends           ends           ends
//! ```
//!
//! A command that signals causes attention at the other side. Busy has attention too: the other side's command must be
//! answered first. In basic mode a side that is not ready is taken for one with nothing.

mod adapter_sense;
mod block;
pub mod command_code;
mod ending;
#[cfg(test)]
mod every_order;
mod function;
mod pair;
mod response;
mod side;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod transitions;

pub use adapter_sense::{
    ADAPTER_STATE_BYTES, EXTENDED_MODE_STATE, INTERVENTION_REQUIRED, SELECTIVE_RESET_OF_OTHER_SIDE,
    SYSTEM_RESET_OF_OTHER_SIDE,
};
pub use block::Block;
pub use ending::{Data, Ending, SENSE_ID_BYTES};
pub use function::Mode;
pub use pair::{Command, Pair, Reset, Started};
pub use side::{Side, State};
