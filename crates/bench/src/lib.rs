//! Benchmarks behind `halftrack bench`: measurements, and the plain loops beside which they stand. Never arguments, never
//! printing.
//!
//! | module | what lives there |
//! | --- | --- |
//! | [`link`] | frames without state machines, beside which a working link stands |
//! | [`tandem`] | a closed tandem of stations through the engine and by hand |

pub mod link;
pub mod tandem;
