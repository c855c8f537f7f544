//! Benchmarks behind `halftrack bench`: measurements, and the plain loops beside which they stand. Never arguments, never
//! printing.
//!
//! | module | what lives there |
//! | --- | --- |
//! | [`tandem`] | a closed tandem of stations through the engine and by hand |

pub mod tandem;
