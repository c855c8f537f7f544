//! Benchmarks behind `halftrack bench`: measurements, and the plain loops beside which they stand. Never arguments, never
//! printing.
//!
//! | module | what lives there |
//! | --- | --- |
//! | [`study`] | speed of a run in virtual time |
//! | [`processes`] | time of each process of a run alone |
//! | [`engine`], [`tandem`] | a closed tandem of stations through the engine, and by hand |
//! | [`volume`] | channel programs on a volume, beside copies in memory and writes of a bare file |
//! | [`commit`] | synchronous writes over a control unit, beside those of a bare program |
//! | [`link`] | reads over a working link, beside frames without state machines |
//! | [`islink`] | a logical link of two systems, beside a bare stream and bare frames of the same octets |
//! | [`synchronous`] | synchronous reads, beside the same over a fibre in memory and over TCP |
//! | [`zedc`] | cards that compress, and the library over them, beside zlib |
//! | [`smc`] | sockets of two processes over SMC-R, beside plain TCP |
//! | [`calibration`], [`processor_time`], [`peak_rss`] | the machine of the measurement, and what it spent |

mod bench_error;
pub mod calibration;
pub mod commit;
pub mod engine;
pub mod islink;
pub mod link;
pub mod peak_rss;
pub mod processes;
pub mod processor_time;
pub mod rounds;
pub mod smc;
mod started;
pub mod study;
pub mod synchronous;
pub mod tandem;
pub mod volume;
pub mod zedc;

pub use bench_error::BenchError;
