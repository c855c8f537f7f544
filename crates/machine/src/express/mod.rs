//! The express lane: exchanges of one chunk each way, as short reads in transport mode are. Most I/Os of most studies are
//! such, and each takes four events in it.
//!
//! ```text
//!  channel: visit for all that it asks ─► asks ─► (links) ─► port, cache ─► answers ─► (links) ─► bus ─► end
//! ```
//!
//! It is what the common lane does of such chunks where nothing is in their way, with what it would find known beforehand:
//! the row of the plan ([`crate::wiring::answers::Answers`]) says what is asked, what the answer waits for, and what answers.
//! Between two events an exchange in it is what it would be in the common lane, so that it can leave at any of them.
//!
//! An exchange enters when it is opened, if its plan has a row, its path is plain
//! ([`crate::wiring::path_wire::PathWire::is_plain`]), the channel's processor works for what is asked and not for the answer, and no
//! frames are captured. It leaves when
//!
//! * the control unit finds something in the way of an answer (busy, its exchanges all held, the fibre lost): what was asked
//!   becomes a transit as any other;
//! * what arrives is not the answer of the plan;
//! * the data of the answer have to wait for the channel's bus, or are still on it;
//! * the fibre is lost.
//!
//! `one_chunk.rs` is the lane at the channel, a module of [`crate::channels`], and `at_port.rs` that at the port, a module of
//! [`crate::storage`]: each changes the state of its room. That both lanes give the same record and the same number of events
//! is tested below on plans with and without the lane, and by the tests of determinism against live exchanges, which never
//! take it.

#[cfg(test)]
mod tests;
