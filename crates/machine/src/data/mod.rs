//! Real data in the twin: the octets that the I/Os of a run move, and the comparison of what arrives with what was sent. Where
//! records lie is in [`crate::wiring::data_layout`].
//!
//! ```text
//! host: ledger ── program at an address, octets of a write ─► channel machine ══ IUs ══► control unit ─► tracks
//!         ▲ what each record must hold                                                                     │
//!         └────────── octets of a read, compared ◄─────────── channel machine ◄══ IUs ═════════════════════┘
//! ```
//!
//! Data changes nothing in time: a program takes the same IUs wherever its records lie, and exchanges with data run
//! live machines, which agree with the plans byte for byte. The choice of records draws from streams of its own.

mod ledger;
mod volumes;

pub(crate) use ledger::DataLedger;
pub(crate) use volumes::Volumes;
