//! A run in a few lines: what the streams got, what limits them, and which guidelines are passed.

mod bottleneck;
mod connections;
mod data;
mod notes;
mod percentiles;
mod pool_use;
mod programs;
mod recoveries;
mod relocations;
mod run_length;
mod summary_columns;

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use halftrack_record::{
    ChannelInterval, CheckerReport, CpcHeader, CreditShortage, DataSummary, Interval, IopInterval,
    OfferedTooMuch, PrecisionSummary, ProgramSummary, ResponseTimes, Run, RunHeader, StreamSummary,
    WarmupSummary,
};
use serde::Serialize;

pub use self::bottleneck::StationUse;
pub use self::connections::ConnectionSummary;
pub(crate) use self::connections::connection_words;
pub use self::notes::{credit_words, overload_words};
pub use self::recoveries::RecoverySummary;
pub use self::relocations::{GuestPass, RelocatedGuest};
pub use self::run_length::precision_words;
use self::summary_columns::SummaryColumns;
use crate::columns::{channels, iops, streams as stream_figures};
use crate::formula::{seconds, total};
use crate::measured::Measured;
use crate::percentiles::{ResponsePercentiles, of_lcus, of_streams};
use crate::records::Records;

/// Highest advised SAP utilisation, percent (z16 SAP capacity paper).
pub(crate) const SAP_GUIDELINE_PERCENT: f64 = 70.0;
/// Violations of one law that are written out.
const VIOLATIONS_SHOWN: usize = 3;

/// Results of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSummary {
    /// Measured time, s.
    pub measured_s: f64,
    /// As the run reports it.
    pub warmup: WarmupSummary,
    /// Notes on the validity of the numbers, in words; left out when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// As the run reports it.
    pub precision: Option<PrecisionSummary>,
    /// As the run reports them, without their response times.
    pub streams: Vec<StreamSummary>,
    /// Percentiles of the response of each stream; left out of runs that did not count them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stream_percentiles: Vec<ResponsePercentiles>,
    /// Percentiles of each logical control unit as each system saw it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lcu_percentiles: Vec<ResponsePercentiles>,
    /// As the run reports them.
    pub programs: Vec<ProgramSummary>,
    /// As the run reports them; left out when there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub credit_shortages: Vec<CreditShortage>,
    /// Frames that links lost and what that led to; left out when none was lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recoveries: Option<RecoverySummary>,
    /// Connections by state at the end, and what changed; left out where no part of the site takes part in endpoint security.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connections: Option<ConnectionSummary>,
    /// Guests that were moved over logical links; left out when there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relocations: Vec<RelocatedGuest>,
    /// Station that limits the run, or would first.
    pub bottleneck: Option<StationUse>,
    /// Factor by which the rate of this run fills the bottleneck, with the mix of work as it is. Left out where none is
    /// valid: the bottleneck is full, a stream is overloaded, no steady state was found, or load or machine change
    /// during the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head_room: Option<f64>,
    /// As the run reports it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub offered_too_much: Vec<OfferedTooMuch>,
    /// Guidelines passed, each with its highest interval.
    pub warnings: Vec<GuidelineWarning>,
    /// As the run reports it; left out where only lengths are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<DataSummary>,
}

/// A guideline that some interval passed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GuidelineWarning {
    /// Channel or SAPs that are too busy.
    pub subject: String,
    /// Utilisation in the highest interval, percent.
    pub busy_percent: f64,
    /// Highest advised utilisation, percent.
    pub guideline_percent: f64,
    /// The highest interval, from 0; the first among equals.
    pub interval: u32,
}

impl fmt::Display for GuidelineWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, busy_percent, guideline_percent, interval } = self;
        write!(
            f,
            "{subject} {busy_percent:.1} % busy in interval {interval}, guideline {guideline_percent:.0} %"
        )
    }
}

impl RunSummary {
    /// Computes the summary of a run.
    pub fn compute(run: &Run) -> Self {
        let measured_ps = total(run.intervals.iter().map(|interval| interval.length_ps));
        let bottleneck = bottleneck::find(&run.intervals, measured_ps);
        Self {
            measured_s: run.intervals.iter().map(|interval| seconds(interval.length_ps)).sum(),
            warmup: run.warmup,
            notes: notes::notes(run),
            precision: run.precision.clone(),
            streams: run.streams.iter().map(without_response_times).collect(),
            stream_percentiles: of_streams(run),
            lcu_percentiles: of_lcus(run),
            programs: run.programs.clone(),
            credit_shortages: run.credit_shortages.clone(),
            recoveries: RecoverySummary::of(run),
            connections: ConnectionSummary::of(run),
            relocations: RelocatedGuest::of(run),
            head_room: bottleneck.as_ref().and_then(|bottleneck| head_room(run, bottleneck)),
            bottleneck,
            offered_too_much: run.offered_too_much.clone(),
            warnings: warnings(&run.header, &run.intervals),
            data: run.data.clone(),
        }
    }

    /// Returns true when some stream offered more than was served.
    pub fn is_overloaded(&self) -> bool {
        self.streams.iter().any(is_overloaded)
    }
}

fn is_overloaded(stream: &StreamSummary) -> bool {
    stream.load.is_some_and(|load| load.overloaded)
}

/// Returns the factor by which the rate of `run` fills its `bottleneck`, where it is valid.
fn head_room(run: &Run, bottleneck: &StationUse) -> Option<f64> {
    let is_unsteady = run.warmup.detected.is_some_and(|detected| detected.transient_ps.is_none());
    let is_stationary = !run.header.varies && !is_unsteady && !run.streams.iter().any(is_overloaded);
    let is_used = bottleneck.busy_percent > 0.0 && !bottleneck.is_full();
    (is_stationary && is_used).then(|| 100.0 / bottleneck.busy_percent)
}

fn without_response_times(stream: &StreamSummary) -> StreamSummary {
    let StreamSummary { name, completed, failed, rate_per_s, response_us, load, .. } = stream;
    let (name, response_times) = (name.clone(), ResponseTimes::default());
    let (completed, failed, load) = (*completed, *failed, *load);
    StreamSummary {
        name,
        completed,
        failed,
        rate_per_s: *rate_per_s,
        response_us: *response_us,
        load,
        response_times,
    }
}

/// Subjects in canonical order: channels by CSS, CHPID and PCHID, then the SAPs.
fn warnings(header: &RunHeader, intervals: &[Interval]) -> Vec<GuidelineWarning> {
    let mut highest: BTreeMap<Subject, GuidelineWarning> = BTreeMap::new();
    for interval in intervals {
        for (subject, busy_percent, guideline_percent) in utilisations(interval) {
            let found = || GuidelineWarning {
                subject: subject.name(header),
                busy_percent,
                guideline_percent,
                interval: interval.index,
            };
            let entry = highest.entry(subject).or_insert_with(found);
            if busy_percent > entry.busy_percent {
                *entry = found();
            }
        }
    }
    highest.into_values().filter(|found| found.busy_percent > found.guideline_percent).collect()
}

/// Subject of a guideline; channels by machine, lowest CSS, CHPID and PCHID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    Channel(Part, u8, u8, u8, Option<u16>),
    Saps(u8),
}

/// Part of a channel: that of TOTAL, and the bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Total(&'static str),
    Bus,
}

impl Subject {
    fn name(self, header: &RunHeader) -> String {
        let port = |pchid: Option<u16>| pchid.map_or(String::new(), |pchid| format!(" (PCHID {pchid:03X})"));
        let of = |cpc: u8| header.prefix(cpc);
        match self {
            Self::Channel(part, cpc, css, chpid, pchid) => {
                let part = match part {
                    Part::Total(name) => name,
                    Part::Bus => "bus",
                };
                format!("channel {}{css:X}.{chpid:02X}{} {part}", of(cpc), port(pchid))
            }
            Self::Saps(cpc) => format!("{}SAPs", of(cpc)),
        }
    }
}

/// Returns every subject with a guideline: its utilisation and the highest advised, percent. Of a channel they are
/// those that reports show, which estimate the processor where it is not measured.
fn utilisations(interval: &Interval) -> Vec<(Subject, f64, f64)> {
    let length_ps = interval.length_ps;
    let mut threads = BTreeMap::<u8, Vec<&IopInterval>>::new();
    interval.iops.iter().for_each(|iop| threads.entry(iop.cpc).or_default().push(iop));
    let iops = threads.into_iter().map(|(cpc, each)| {
        let records = Records { things: each.len() as u64, each, length_ps, scope: None };
        (Subject::Saps(cpc), iops::BUSY.number(&records), SAP_GUIDELINE_PERCENT)
    });
    let channels = interval.channels.iter().flat_map(|channel| of_channel(channel, length_ps));
    channels.chain(iops).collect()
}

fn of_channel(channel: &ChannelInterval, length_ps: u64) -> Vec<(Subject, f64, f64)> {
    let Some(guideline) = channel.guideline else { return Vec::new() };
    let css = channel.css.iter().copied().min().unwrap_or_default();
    let records = Records::of_thing(vec![channel], length_ps);
    let of = |part, percent: f64, advised: u8| {
        let subject = Subject::Channel(part, channel.cpc, css, channel.chpid, channel.pchid);
        (subject, percent, f64::from(advised))
    };
    let part = Part::Total(Measured::of(channel.kind).busy_part());
    let processor = of(part, channels::TOTAL.number(&records), guideline.processor_percent);
    let bus = guideline.bus_percent;
    let bus = bus.map(|advised| of(Part::Bus, channels::BUS.number(&records), advised));
    [processor].into_iter().chain(bus).collect()
}

/// Formats the number of links on which every frame travelled by itself though bursts were requested; none without any.
fn frame_by_frame_words(run: &Run) -> Option<String> {
    let links = &run.intervals.first()?.links;
    let by_frames = links.iter().filter(|link| link.sent > 0 && link.frames.is_some()).count();
    (run.header.fidelity == "burst" && by_frames > 0)
        .then(|| format!("frame by frame: {by_frames} of {} links, where credits can bind", links.len()))
}

/// Returns a run in a few lines of plain text. Response times are ms. The values after `+-` are the half-widths of
/// confidence intervals, of 95 % unless a precision at another level was requested.
pub fn summary(run: &Run) -> String {
    let computed = RunSummary::compute(run);
    let header = &run.header;
    let mut text = String::new();
    // Writing into a String cannot fail.
    let _ = writeln!(
        text,
        "{}: {}, {} fidelity, seed {}, {} measured in {}",
        header.study,
        machines(header),
        header.fidelity,
        header.seed,
        format_args!("{:.3} s", computed.measured_s),
        counted(run.intervals.len(), "interval"),
    );
    text.push_str(&stream_lines(&computed.streams));
    text.push_str(&percentiles::lines(&computed));
    text.push_str(&run_length::lines(&computed));
    text.push_str(&programs::lines(&computed.programs));
    match &computed.bottleneck {
        Some(limit) => {
            let times = |times| format!("; filled at {times:.2} times this rate");
            let room = computed.head_room.map_or(String::new(), times);
            let _ = writeln!(text, "bottleneck: {}, {}{room}", limit.name, limit.words());
        }
        None => text.push_str("bottleneck: none, no station was measured\n"),
    }
    for words in credit_words(&computed.credit_shortages) {
        let _ = writeln!(text, "{words}");
    }
    if let Some(words) = frame_by_frame_words(run) {
        let _ = writeln!(text, "{words}");
    }
    if let Some(found) = &computed.recoveries {
        let _ = writeln!(text, "{found}");
    }
    if let Some(found) = &computed.connections {
        let _ = writeln!(text, "{found}");
    }
    for guest in &computed.relocations {
        let _ = writeln!(text, "{guest}");
    }
    for warning in &computed.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    text.push_str(&checker_lines(&run.checkers));
    if let Some(found) = &computed.data {
        text.push_str(&data::lines(found));
    }
    text
}

/// Returns the machines in words: `3931 Max39`, each with its name if it has one.
pub(crate) fn machines(header: &RunHeader) -> String {
    let words = |cpc: &CpcHeader| {
        let name = if cpc.name.is_empty() { String::new() } else { format!("{} ", cpc.name) };
        format!("{name}{} {}", cpc.machine_type, cpc.model)
    };
    header.machines().iter().map(words).collect::<Vec<_>>().join(" and ")
}

fn stream_lines(streams: &[StreamSummary]) -> String {
    let name_width = streams.iter().map(|stream| stream.name.chars().count()).max().unwrap_or(0).max(6);
    let rows: Vec<_> = streams.iter().map(|stream| Records::of_thing(vec![stream], 0)).collect();
    let columns = SummaryColumns::new(stream_figures::TABLE.columns, &rows);
    let mut text = format!("{:name_width$}{}\n", "stream", columns.headings());
    for (stream, row) in streams.iter().zip(&rows) {
        let _ = writeln!(text, "{:name_width$}{}", stream.name, columns.row(row));
    }
    for words in streams.iter().filter_map(overload_words) {
        let _ = writeln!(text, "{words}");
    }
    text
}

fn checker_lines(checkers: &[CheckerReport]) -> String {
    let checks = total(checkers.iter().map(|checker| checker.checks));
    let broken: Vec<_> = checkers.iter().filter(|checker| !checker.violations.is_empty()).collect();
    let mut text = match broken.len() {
        0 => format!("laws: {} held in {checks} checks\n", checkers.len()),
        count => format!("laws: {count} of {} VIOLATED in {checks} checks\n", checkers.len()),
    };
    for checker in broken {
        let _ = writeln!(text, "  {}: {}", checker.law, counted(checker.violations.len(), "violation"));
        for violation in checker.violations.iter().take(VIOLATIONS_SHOWN) {
            let _ = writeln!(text, "    {violation}");
        }
    }
    text
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use halftrack_record::Guideline;

    use super::*;
    use crate::golden;

    /// Length of an interval of the golden run.
    const LENGTH_PS: u64 = 899_999_000_000_000;

    #[test]
    fn text() {
        insta::assert_snapshot!(summary(&golden::run()));
    }

    #[test]
    fn each_guideline_warns_with_its_highest_interval() {
        let warnings = RunSummary::compute(&golden::run()).warnings;
        let rounded: Vec<_> =
            warnings.iter().map(|warning| (warning.busy_percent * 10.0).round() / 10.0).collect();
        assert_eq!(rounded, [63.0, 71.5, 70.2]);
        assert!(warnings.iter().all(|warning| warning.interval == 1));
    }

    #[test]
    fn of_an_escon_channel_the_path_is_what_is_busy() {
        let mut run = golden::run();
        for channel in run.intervals.iter_mut().flat_map(|interval| &mut interval.channels) {
            channel.kind = halftrack_record::ChannelKind::EsconSwitched;
        }
        let warnings = RunSummary::compute(&run).warnings;
        assert!(warnings[0].subject.ends_with(" path"), "{}", warnings[0].subject);
    }

    #[test]
    fn cards_of_2002_are_advised_less_of_their_bus_and_some_cards_nothing() {
        let mut run = golden::run();
        let advise = |run: &mut Run, guideline| {
            for channel in run.intervals.iter_mut().flat_map(|interval| &mut interval.channels) {
                (channel.guideline, channel.bus_busy_ps) = (guideline, LENGTH_PS / 100 * 60);
            }
            RunSummary::compute(run).warnings.into_iter().map(|one| one.to_string()).collect::<Vec<_>>()
        };
        let is_bus = |words: &String| words.ends_with(" bus 60.0 % busy in interval 0, guideline 50 %");
        let of_2002 = Guideline { processor_percent: 50, bus_percent: Some(50) };
        assert!(advise(&mut run, Some(of_2002)).iter().any(is_bus));
        let of_2023 = Guideline { bus_percent: Some(70), ..of_2002 };
        assert_eq!(advise(&mut run, Some(of_2023)).len(), 2, "a processor and the SAPs");
        assert_eq!(advise(&mut run, None).len(), 1, "the SAPs");
    }

    #[test]
    fn within_the_guidelines_nothing_is_warned() {
        let mut run = golden::run();
        run.intervals.truncate(1);
        assert_eq!(RunSummary::compute(&run).warnings, []);
    }

    #[test]
    fn laws_that_hold_are_counted() {
        let mut run = golden::run();
        run.checkers.truncate(1);
        assert!(summary(&run).ends_with("laws: 1 held in 30 checks\n"));
    }

    #[test]
    fn an_empty_run_has_a_summary() {
        let mut run = golden::run();
        run.intervals.clear();
        run.streams.clear();
        assert!(summary(&run).contains("bottleneck: none"));
    }
}
