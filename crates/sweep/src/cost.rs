//! How long the run of a point will take beside the others of its sweep, from its configuration alone.
//!
//! Points of unlike length are started longest first, so that none is left over when the others have ended; a figure that is
//! right within a factor does for that.

use halftrack_config::{Arrivals, CompressionArrivals, Configuration, Stream};
use halftrack_machine::{Fidelity, Options};

/// Response time that the I/Os of closed jobs are taken to have, s.
const CLOSED_RESPONSE_S: f64 = 0.3e-3;
/// Exchanges a second of a conversation or a flow of a logical link, whose rate only the run shows.
const EXCHANGES_PER_S: f64 = 10_000.0;
/// Bytes that travel as one: in bursts, and frame by frame.
const BURST_BYTES: f64 = 8192.0;
const FRAME_BYTES: f64 = 2048.0;
/// I/Os in whose time a device, channel or port is set up.
const IOS_PER_PART: f64 = 0.5;

/// Computes an estimate of the work of a run of `c` with `options`, in simulated I/Os of one burst each. It is above 0.
pub(crate) fn cost(c: &Configuration, options: &Options) -> f64 {
    let run = &c.run;
    let length_s = (run.warmup + run.interval * u64::from(run.intervals.max(1))).as_s_f64();
    let unit_bytes = match options.fidelity {
        Fidelity::Burst => BURST_BYTES,
        Fidelity::Frame => FRAME_BYTES,
    };
    let streams: f64 = c.streams.iter().map(|stream| rate_per_s(stream) * units(stream, unit_bytes)).sum();
    let requests = c.compression.work.iter().map(|work| match work.arrivals {
        CompressionArrivals::Every(interarrival) => per_s(interarrival.as_s_f64()),
        CompressionArrivals::Stream(_) => 0.0,
    });
    let eadm = c.eadm.iter().map(|work| per_s(work.interarrival.as_s_f64()));
    let flows = c.conversations.each.len() + c.islinks.iter().map(|link| link.flows.len()).sum::<usize>();
    let rate_per_s = streams + requests.chain(eadm).sum::<f64>() + EXCHANGES_PER_S * flows as f64;
    let parts = 1 + c.devices.len() + c.channels.len() + c.ports.len() + c.links.len();
    length_s * rate_per_s + IOS_PER_PART * parts as f64
}

/// Returns the I/Os of `stream` a second, as far as they are known before the run.
fn rate_per_s(stream: &Stream) -> f64 {
    match &stream.arrivals {
        Arrivals::Open { interarrival, .. } => per_s(interarrival.as_s_f64()),
        Arrivals::Closed { jobs, think, .. } => f64::from(*jobs) / (think.as_s_f64() + CLOSED_RESPONSE_S),
        Arrivals::Traced(trace) => {
            let last_s = trace.rows.last().map_or(0.0, |row| row.at.as_s_f64());
            let round_s = trace.period.map_or(last_s, |period| period.as_s_f64());
            trace.rows.len() as f64 * per_s(round_s)
        }
    }
}

/// Returns the mean number of units of `unit_bytes` that an I/O of `stream` moves, one at least.
fn units(stream: &Stream, unit_bytes: f64) -> f64 {
    let reads = f64::from(stream.read_ppm) / 1e6;
    let of = |data_bytes: u32| (f64::from(data_bytes) / unit_bytes).ceil().max(1.0);
    reads * of(stream.read.data_bytes()) + (1.0 - reads) * of(stream.write.data_bytes())
}

/// Returns how often something happens that happens every `interval_s`.
fn per_s(interval_s: f64) -> f64 {
    if interval_s > 0.0 { 1.0 / interval_s } else { 0.0 }
}
