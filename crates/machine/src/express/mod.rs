//! The express lane: exchanges of one chunk each way, as short reads in transport mode are. Most I/Os of most studies are
//! such, and each takes four events in it.
//!
//! ```text
//!  channel: visit for the command ─► command ─► (links) ─► port, cache ─► answer ─► (links) ─► bus ─► end
//! ```
//!
//! It is what the common lane does of such chunks where nothing is in their way, with the facts known beforehand: the row of
//! the plan ([`crate::wiring::express_plans::ExpressPlans`]) has the command, the delay of the answer, and the answer. Between two
//! events an exchange in it is what it would be in the common lane, so that it can leave at any of them.
//!
//! An exchange enters when it is opened, if its plan has a row, its path may have the lane
//! ([`crate::wiring::path_wire::PathWire::is_express`]), the channel's processor works for the command and not for the answer, and
//! no frames are captured. It leaves when
//!
//! * the control unit finds something in the way of an answer (busy, its exchanges all held, the fibre lost): the command
//!   becomes a transit as any other;
//! * something arrives that is not the answer of the plan;
//! * the data of the answer have to wait for the channel's bus, or are still on it;
//! * the fibre is lost.
//!
//! `one_chunk.rs` is the lane at the channel, a module of [`crate::channels`], and `at_port.rs` that at the port, a module of
//! [`crate::storage`]: each changes the state of its room. The tests below prove on plans with and without the lane that both
//! give the same record and the same number of events; so do the tests of determinism against live exchanges, which never take
//! it.

#[cfg(test)]
mod tests;
