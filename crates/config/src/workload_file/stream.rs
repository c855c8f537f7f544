//! `[[stream]]`: one stream of I/Os.

use std::ops::Range;

use halftrack_base::Span;
use halftrack_input::messages::toml_file as numbers;
use halftrack_input::{Expect, Fields, Located};
use halftrack_program::{Operation, ProgramShape, Protocol};

use crate::configuration::{Arrivals, ProtocolChoice, Selection};
use crate::device_range::DeviceRange;
use crate::locality::Locality;
use crate::share_ppm::share_ppm;
use crate::unique::check_unique;
use crate::workload_file::compression::{StreamCompression, read_compression};
use crate::workload_file::program::read_program;

/// All of a share.
pub const ALL_PPM: u32 = 1_000_000;
/// Most tracks of a working set on one device.
const TRACKS_MAX: u32 = 1_000_000;
/// Most jobs of a stream.
const JOBS_MAX: u32 = 10_000_000;
/// Longest think time, µs: an hour.
const THINK_MAX_US: f64 = 3.6e9;
/// Lowest and highest rate of a stream, a second.
const RATE_MIN_PER_S: f64 = 0.001;
const RATE_MAX_PER_S: f64 = 1e8;

/// Alignment of buffers by default: a page.
const ALIGNMENT_DEFAULT_BYTES: u32 = 4096;

/// Keys that only devices of FICON have.
const FICON_KEYS: [&str; 4] = ["devices", "locality", "synchronous", "trace"];

/// Keys of drawn properties, which a trace gives for each I/O.
const DRAWN_KEYS: [&str; 5] = ["closed", "open", "select", "read_share", "locality"];

/// One stream of the I/O driver.
#[derive(Debug, Clone)]
pub struct Stream {
    /// Name, unique in the file.
    pub name: Located<String>,
    /// Partition that it runs in.
    pub lpar: Located<String>,
    /// Devices that it uses; none where it uses logical units.
    pub devices: Vec<Located<DeviceRange>>,
    /// Sets of SCSI logical units that it uses, over FCP.
    pub luns: Vec<Located<String>>,
    /// How the next device is chosen.
    pub selection: Selection,
    /// Shape of its reads.
    pub read: Located<ProgramShape>,
    /// Shape of its writes.
    pub write: Located<ProgramShape>,
    /// Reads per million I/Os.
    pub read_ppm: u32,
    /// Cache hits per million reads, where the file gives them.
    pub hit_ppm: Option<u32>,
    /// Distribution of its tracks, with its place in the file.
    pub locality: Option<StreamLocality>,
    /// Which protocol to use.
    pub protocol: Located<ProtocolChoice>,
    /// Alignment of its buffers, bytes, where it tries synchronous I/O first, with the place of `synchronous`.
    pub synchronous: Option<Located<u32>>,
    /// Compression of its data.
    pub compression: Option<StreamCompression>,
    /// How I/Os arrive.
    pub arrivals: StreamArrivals,
    /// The whole table.
    pub span: Range<usize>,
}

/// Where the I/Os of a stream come from.
#[derive(Debug, Clone)]
pub enum StreamArrivals {
    /// They are drawn.
    Drawn(Arrivals),
    /// They were recorded.
    Traced(TraceKeys),
}

/// The `trace` of a stream.
#[derive(Debug, Clone)]
pub struct TraceKeys {
    /// Name of the file, in the directory of the study.
    pub file: Located<String>,
    /// It begins again at its end.
    pub repeat: bool,
    /// The caches of the control units decide on hits and misses; else the stream has a `hit_ratio`.
    pub looked_up: bool,
}

/// The `locality` of a stream.
pub type StreamLocality = Located<Locality>;

/// Keys that workload files and channel files share: the I/Os of a stream, wherever it runs.
#[derive(Debug)]
pub(crate) struct StreamKeys<D, A> {
    pub name: Located<String>,
    pub devices: Vec<Located<D>>,
    pub selection: Selection,
    pub read: Located<ProgramShape>,
    pub write: Located<ProgramShape>,
    pub read_ppm: u32,
    pub protocol: Located<ProtocolChoice>,
    pub arrivals: A,
}

pub(super) fn read_streams(fields: &mut Fields<'_>) -> Vec<Stream> {
    let mut names = Vec::new();
    let streams = fields.tables("stream", |stream| read_stream(stream, &mut names));
    check_unique(fields, "stream", names);
    streams
}

fn read_stream(stream: &mut Fields<'_>, names: &mut Vec<Located<String>>) -> Option<Stream> {
    let lpar = stream.required("lpar", Expect::text());
    let hit_ppm = share_ppm(stream, "hit_ratio");
    let locality = read_locality(stream);
    let synchronous = read_synchronous(stream);
    let luns = read_luns(stream);
    let devices = Expect::parsed(DeviceRange::WORDS, DeviceRange::parse);
    let mut keys = read_stream_keys(stream, names, devices, read_arrivals_or_trace)?;
    check_fcp(stream, &luns, &mut keys.protocol);
    let compression = read_compression(stream, keys.read_ppm);
    Some(Stream {
        name: keys.name,
        lpar: lpar?,
        devices: keys.devices,
        luns,
        selection: keys.selection,
        read: keys.read,
        write: keys.write,
        read_ppm: keys.read_ppm,
        hit_ppm,
        locality,
        protocol: keys.protocol,
        synchronous,
        compression,
        arrivals: keys.arrivals,
        span: stream.span(),
    })
}

/// Reads the keys that every stream has. `devices` is the syntax of its devices, `read_arrivals` reads the arrivals of
/// its I/Os.
pub(crate) fn read_stream_keys<D, A>(
    stream: &mut Fields<'_>,
    names: &mut Vec<Located<String>>,
    devices: Expect<'_, D>,
    read_arrivals: impl FnOnce(&mut Fields<'_>) -> Option<A>,
) -> Option<StreamKeys<D, A>> {
    let name = stream.required("name", Expect::text());
    names.extend(name.clone());
    let devices = if stream.has("luns") {
        // Where they are there too, that has been reported.
        stream.optional_list("devices", devices);
        Some(Vec::new())
    } else {
        stream.list("devices", devices)
    };
    let selection = read_selection(stream);
    let read = stream.table("program", |program| read_program(program, Operation::Read));
    let own_write =
        stream.optional_table("write_program", |program| read_program(program, Operation::UpdateWrite));
    let read_ppm = share_ppm(stream, "read_share").unwrap_or(ALL_PPM);
    let protocol = stream.optional(
        "protocol",
        Expect::one_of([
            ("eligible", ProtocolChoice::Eligible),
            ("command", ProtocolChoice::Always(Protocol::Command)),
            ("transport", ProtocolChoice::Always(Protocol::Transport)),
            ("fcp", ProtocolChoice::Fcp),
        ]),
    );
    let arrivals = read_arrivals(stream);
    let read = read?;
    let write = own_write.unwrap_or_else(|| {
        let shape = ProgramShape { operation: Operation::UpdateWrite, ..read.value };
        Located::new(shape, read.span.clone())
    });
    Some(StreamKeys {
        name: name?,
        devices: devices?,
        selection,
        read,
        write,
        read_ppm,
        protocol: protocol.unwrap_or_else(|| Located::new(ProtocolChoice::Eligible, stream.span())),
        arrivals: arrivals?,
    })
}

/// Reads `luns`, which stands in place of `devices`.
fn read_luns(stream: &mut Fields<'_>) -> Vec<Located<String>> {
    let luns = stream.optional_list("luns", Expect::text()).unwrap_or_default();
    if let Some(key) = FICON_KEYS.into_iter().find(|key| stream.has("luns") && stream.has(key)) {
        let message = format!("`luns` and `{key}` exclude each other: logical units are no devices of FICON");
        stream.error(numbers::CHOOSE_ONE, stream.span(), message, format!("remove `{key}`, or `luns`"));
    }
    luns
}

/// Sets the protocol of a stream on logical units, which is FCP, and reports another, or FCP on other devices.
fn check_fcp(stream: &mut Fields<'_>, luns: &[Located<String>], protocol: &mut Located<ProtocolChoice>) {
    let is_fcp = protocol.value == ProtocolChoice::Fcp;
    if is_fcp && !stream.has("luns") {
        let message = "`protocol = \"fcp\"` reaches logical units, and the stream names none";
        let fix = "name sets of a `[[control_unit.luns]]` by `luns` in place of `devices`";
        stream.error(numbers::CHOOSE_ONE, protocol.span.clone(), message, fix);
    } else if !is_fcp && stream.has("luns") {
        if stream.has("protocol") {
            let message = "logical units are reached by FCP alone";
            let fix = "write `protocol = \"fcp\"`, or leave it out";
            stream.error(numbers::CHOOSE_ONE, protocol.span.clone(), message, fix);
        }
        let span = luns.first().map_or_else(|| stream.span(), |first| first.span.clone());
        *protocol = Located::new(ProtocolChoice::Fcp, span);
    }
}

fn read_selection(stream: &mut Fields<'_>) -> Selection {
    if !stream.has("select") {
        return Selection::Uniform;
    }
    let words = [("uniform", Selection::Uniform), ("sequential", Selection::Sequential)];
    let found = stream.value_or_table("select", Expect::one_of(words), |select| {
        let exponent = select.required("zipf", Expect::positive(10.0))?.value;
        Some(Selection::Zipf { exponent })
    });
    found.map_or(Selection::Uniform, |found| found.value)
}

fn read_locality(stream: &mut Fields<'_>) -> Option<StreamLocality> {
    let locality = stream.optional_table("locality", |locality| {
        let tracks = locality.required("tracks", Expect::integer(1..=TRACKS_MAX));
        let exponent = locality.optional("zipf", Expect::positive(10.0));
        let value = Locality { tracks: tracks?.value, exponent: exponent.map(|found| found.value) };
        Some(Located::new(value, locality.span()))
    });
    if stream.has("locality") && stream.has("hit_ratio") {
        let message = "`hit_ratio` and `locality` exclude each other: hits are drawn, or found in the cache";
        let fix = "remove one of them";
        stream.error(numbers::CHOOSE_ONE, stream.span(), message, fix);
    }
    locality
}

/// Reads `synchronous` and `buffer_alignment_bytes`.
fn read_synchronous(stream: &mut Fields<'_>) -> Option<Located<u32>> {
    let wanted = stream.optional("synchronous", Expect::flag());
    let alignment = stream.or(
        "buffer_alignment_bytes",
        Expect::integer(1..=ALIGNMENT_DEFAULT_BYTES),
        ALIGNMENT_DEFAULT_BYTES,
    );
    let Some(wanted) = wanted.filter(|wanted| wanted.value) else {
        if stream.has("buffer_alignment_bytes") {
            let message = "`buffer_alignment_bytes` is about synchronous I/O, and the stream has none";
            let fix = "remove it, or set `synchronous = true`";
            stream.error(numbers::CHOOSE_ONE, stream.span(), message, fix);
        }
        return None;
    };
    for (key, why) in [
        (
            "locality",
            "a synchronous request must know at once whether it hits, and tracks are looked up over FICON",
        ),
        ("trace", "recorded I/Os come with tracks, which are looked up over FICON"),
    ] {
        if stream.has(key) {
            let message = format!("`synchronous` and `{key}` exclude each other: {why}");
            stream.error(numbers::CHOOSE_ONE, wanted.span.clone(), message, "remove one of them");
        }
    }
    Some(Located::new(alignment, wanted.span))
}

/// Returns the file of a trace that the stream follows, or how its I/Os are drawn.
fn read_arrivals_or_trace(stream: &mut Fields<'_>) -> Option<StreamArrivals> {
    let words = "the name of a .csv file of the study directory";
    let name = |text: &str| file_of_study(text, ".csv");
    let file = stream.optional("trace", Expect::parsed(words, name));
    let repeat = stream.optional("repeat", Expect::flag());
    if !stream.has("trace") {
        if repeat.is_some() {
            let message = "`repeat` is about a `trace`, and the stream follows none";
            stream.error(numbers::CHOOSE_ONE, stream.span(), message, "remove `repeat`, or name a `trace`");
        }
        return read_arrivals(stream).map(StreamArrivals::Drawn);
    }
    if let Some(other) = DRAWN_KEYS.into_iter().find(|key| stream.has(key)) {
        let message = format!("`trace` and `{other}` exclude each other: the trace has it for each I/O");
        stream.error(
            numbers::CHOOSE_ONE,
            stream.span(),
            message,
            format!("remove `{other}`, or the `trace`"),
        );
    }
    let looked_up = !stream.has("hit_ratio");
    Some(StreamArrivals::Traced(TraceKeys {
        file: file?,
        repeat: repeat.is_some_and(|one| one.value),
        looked_up,
    }))
}

/// Returns a file beside the workload whose name ends so, not one somewhere else.
pub(super) fn file_of_study(text: &str, ending: &str) -> Option<String> {
    let is_plain = !text.contains(['/', '\\']) && text.len() > ending.len() && text.ends_with(ending);
    is_plain.then(|| text.to_owned())
}

pub(crate) fn read_arrivals(stream: &mut Fields<'_>) -> Option<Arrivals> {
    let closed = stream.optional_table("closed", |closed| {
        let jobs = closed.required("jobs", Expect::integer(1..=JOBS_MAX));
        let think_us = closed.or("think_us", Expect::number(0.0..=THINK_MAX_US), 0.0);
        let words = [("constant", false), ("exponential", true)];
        let exponential = closed.or("think", Expect::one_of(words), false);
        Some(Arrivals::Closed { jobs: jobs?.value, think: Span::from_us_f64(think_us), exponential })
    });
    let open = stream.optional_table("open", |open| {
        let (interarrival, poisson) = read_rate(open)?;
        Some(Arrivals::Open { interarrival, poisson })
    });
    if stream.has("closed") == stream.has("open") {
        let message = "a stream needs exactly one of `closed` and `open`";
        let fix = "give `closed = { jobs = 64 }` or `open = { rate_per_s = 5000 }`";
        stream.error(numbers::CHOOSE_ONE, stream.span(), message, fix);
        return None;
    }
    closed.or(open)
}

/// Returns arrivals at a rate: the mean time between two, and whether they are Poisson.
pub(super) fn read_rate(fields: &mut Fields<'_>) -> Option<(Span, bool)> {
    let rate = fields.required("rate_per_s", Expect::number(RATE_MIN_PER_S..=RATE_MAX_PER_S));
    let words = [("poisson", true), ("deterministic", false)];
    let poisson = fields.or("arrivals", Expect::one_of(words), true);
    Some((Span::from_s_f64(1.0 / rate?.value), poisson))
}
