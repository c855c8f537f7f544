//! CHANNEL PATH ACTIVITY (SMF type 73): what one system sees of its channel subsystem's channels.
//!
//! PART columns are the system's own share; TOTAL, BUS and the operation columns are the physical channel,
//! all partitions. ACTIVE is sampled at arrivals, the new operation included, and so reads 1.0 on a nearly
//! idle channel; DEFER is a rate (RMF Report Analysis; overview conditions of type 73).

use halftrack_program::Protocol;
use halftrack_record::{ChannelInterval, ChannelKind, ChannelPart, Mode, Operations};
use serde::Serialize;

use crate::field::{Field, Line};
use crate::formula::{megabytes_per_second, per_second, percent_busy, quotient, total};
use crate::measured::Measured;
use crate::page::{Iodf, Listing, Title};
use crate::{MeasureError, Scope};

/// CHANNEL PATH ACTIVITY of one system in one interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChannelPathActivity {
    /// Partition name.
    pub system: String,
    /// Its channel subsystem; the report has the channels of this one only.
    pub css: u8,
    /// Interval, from 0.
    pub interval: u32,
    /// One for each channel path, by CHPID.
    pub rows: Vec<ChannelRow>,
}

/// One channel path.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChannelRow {
    /// CHPID.
    pub chpid: u8,
    /// PCHID; none on machines where a CHPID is a port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pchid: Option<u16>,
    /// TYPE column.
    #[serde(rename = "acronym")]
    pub kind: ChannelKind,
    /// G column: generation code, 0 when unknown.
    pub generation: u8,
    /// SPEED column: link speed in Gbit/s, 0 when unknown.
    pub link_gbps: u32,
    /// SHR column.
    pub shared: bool,
    /// What was measured; none when the channel was offline at the end of the interval.
    pub measured: Option<ChannelFigures>,
}

/// Measured values of one channel path.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ChannelFigures {
    /// Channel-processor utilisation by this system, percent, estimated for channels that do not measure it; none when
    /// the machine is not divided or the channel cannot be shared.
    pub part_percent: Option<f64>,
    /// Channel-processor utilisation by all partitions, percent; estimated for channels that do not measure it.
    pub total_percent: f64,
    /// Bus utilisation by all partitions, percent.
    pub bus_percent: f64,
    /// Read by this system, 10^6 bytes/s; none when the machine is not divided.
    pub read_part_mb_per_s: Option<f64>,
    /// Read by all partitions, 10^6 bytes/s.
    pub read_total_mb_per_s: f64,
    /// Written by this system, 10^6 bytes/s; none when the machine is not divided.
    pub write_part_mb_per_s: Option<f64>,
    /// Written by all partitions, 10^6 bytes/s.
    pub write_total_mb_per_s: f64,
    /// Command-mode operations, all partitions.
    pub ficon: OperationFigures,
    /// Transport-mode operations, all partitions.
    pub zhpf: OperationFigures,
}

/// Operations of one protocol.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OperationFigures {
    /// Operations started per second.
    pub rate_per_s: f64,
    /// Mean number of operations active at a start, the new one included.
    pub active: f64,
    /// Operations per second that could not start at once.
    pub defer_per_s: f64,
}

impl OperationFigures {
    fn of(operations: &Operations, length_ps: u64) -> Self {
        Self {
            rate_per_s: per_second(operations.started.into(), length_ps),
            active: quotient(operations.active_sum as f64, operations.started as f64),
            defer_per_s: per_second(operations.deferred.into(), length_ps),
        }
    }
}

impl ChannelFigures {
    fn of(channel: &ChannelInterval, scope: &Scope) -> Self {
        let length_ps = scope.length_ps();
        let divided = scope.machine().mode == Mode::Lpar && Measured::of(channel.kind).by_partition();
        let part = |of: &dyn Fn(&ChannelPart) -> u64| {
            let parts = channel.parts.iter().filter(|part| part.lpar == scope.system.name);
            divided.then(|| total(parts.map(of)))
        };
        let part_mb =
            |of: fn(&ChannelPart) -> u64| part(&of).map(|bytes| megabytes_per_second(bytes, length_ps));
        Self {
            part_percent: part(&|part| channel.reported_part_ps(part))
                .map(|busy| percent_busy(busy, 1, length_ps)),
            total_percent: percent_busy(channel.reported_processor_ps().into(), 1, length_ps),
            bus_percent: percent_busy(channel.bus_busy_ps.into(), 1, length_ps),
            read_part_mb_per_s: part_mb(|part| part.read_bytes),
            read_total_mb_per_s: megabytes_per_second(channel.read_bytes.into(), length_ps),
            write_part_mb_per_s: part_mb(|part| part.write_bytes),
            write_total_mb_per_s: megabytes_per_second(channel.write_bytes.into(), length_ps),
            ficon: OperationFigures::of(&channel.operations[Protocol::Command], length_ps),
            zhpf: OperationFigures::of(&channel.operations[Protocol::Transport], length_ps),
        }
    }
}

impl ChannelPathActivity {
    /// Computes the rows.
    pub fn compute(scope: &Scope) -> Self {
        let system = scope.system;
        let mut rows: Vec<_> = scope
            .interval
            .channels
            .iter()
            .filter(|channel| channel.cpc == system.cpc && channel.css.contains(&system.css))
            .map(|channel| ChannelRow {
                chpid: channel.chpid,
                pchid: channel.pchid,
                kind: channel.kind,
                generation: channel.generation,
                link_gbps: channel.link_gbps,
                shared: channel.shared,
                measured: channel.online.then(|| ChannelFigures::of(channel, scope)),
            })
            .collect();
        rows.sort_by_key(|row| (row.chpid, row.pchid));
        Self { system: system.name.clone(), css: system.css, interval: scope.interval.index, rows }
    }

    /// Prints the report of a system and interval.
    ///
    /// # Errors
    /// `Start` and `PastCalendar` when the run's start gives no date for the heading.
    pub fn render(&self, scope: &Scope) -> Result<String, MeasureError> {
        let Iodf { number, date, time } = Iodf::of(scope);
        let configuration = format!(
            "  IODF = {number}   CR-DATE: {date}   CR-TIME: {time}   ACT: POR          MODE: {:<12}\
             CPMF: EXTENDED MODE             CSSID: {:X}",
            scope.machine().mode.name(),
            self.css
        );
        let mut listing = Listing::new(TITLE, scope, configuration)?;
        listing.table(HEADING);
        self.rows.iter().for_each(|row| listing.row(row_line(row)));
        Ok(listing.finish())
    }
}

const TITLE: Title = Title { left: 43, text: "C H A N N E L   P A T H   A C T I V I T Y" };

const HEADING: &[&str] = &[
    "-----------------------------------------------------------------------------------------------------------------------------------",
    "                                                     DETAILS FOR ALL CHANNELS",
    "-----------------------------------------------------------------------------------------------------------------------------------",
    "    CHANNEL PATH             UTILIZATION(%)    READ(MB/SEC) WRITE(MB/SEC)        FICON OPERATIONS        ZHPF OPERATIONS",
    " ID TYPE   G  SPEED SHR    PART  TOTAL    BUS   PART  TOTAL   PART  TOTAL      RATE  ACTIVE   DEFER    RATE  ACTIVE   DEFER",
];

const GENERATION: Field = Field::new(10, 11, 0);
const SPEED: Field = Field::new(14, 18, 0);
const OFFLINE_LEFT: usize = 27;
/// In place of a utilisation that is not measured.
const NOT_MEASURED: &str = "---";

/// PART, TOTAL, BUS; READ and WRITE PART and TOTAL; RATE, ACTIVE, DEFER of FICON and of zHPF.
const FIGURES: [Field; 13] = [
    Field::new(24, 30, 2),
    Field::new(32, 37, 2),
    Field::new(39, 44, 2),
    Field::new(46, 51, 2),
    Field::new(53, 58, 2),
    Field::new(60, 65, 2),
    Field::new(67, 72, 2),
    Field::new(74, 82, 1),
    Field::new(84, 90, 1),
    Field::new(92, 98, 1),
    Field::new(100, 106, 1),
    Field::new(108, 114, 1),
    Field::new(116, 122, 1),
];

/// PART and TOTAL of the utilisation.
const PATH_BUSY: [Field; 2] = [FIGURES[0], FIGURES[1]];

fn row_line(row: &ChannelRow) -> String {
    let generation = if row.generation == 0 { String::new() } else { format!("{:X}", row.generation) };
    let speed = if row.link_gbps == 0 { String::new() } else { format!("{}G", row.link_gbps) };
    let line = Line::new()
        .text(1, 2, &format!("{:02X}", row.chpid))
        .text(4, 5, row.kind.acronym())
        .right(&GENERATION, &generation)
        .right(&SPEED, &speed)
        .text(22, 1, if row.shared { "Y" } else { "" });
    match &row.measured {
        None => line.text(OFFLINE_LEFT, 7, "OFFLINE"),
        Some(figures) => {
            let shown = match Measured::of(row.kind) {
                Measured::All => FIGURES.len(),
                Measured::PathBusy { .. } => PATH_BUSY.len(),
                Measured::Nothing => return line.right(&PATH_BUSY[1], NOT_MEASURED).finish(),
            };
            let values = FIGURES.iter().zip(columns(figures)).take(shown);
            values.fold(line, |line, (field, value)| match value {
                Some(value) => line.number(field, value),
                None => line,
            })
        }
    }
    .finish()
}

/// The figures in the order of [`FIGURES`]; what is none stays blank.
fn columns(figures: &ChannelFigures) -> [Option<f64>; 13] {
    let ChannelFigures { ficon, zhpf, .. } = figures;
    [
        figures.part_percent,
        Some(figures.total_percent),
        Some(figures.bus_percent),
        figures.read_part_mb_per_s,
        Some(figures.read_total_mb_per_s),
        figures.write_part_mb_per_s,
        Some(figures.write_total_mb_per_s),
        Some(ficon.rate_per_s),
        Some(ficon.active),
        Some(ficon.defer_per_s),
        Some(zhpf.rate_per_s),
        Some(zhpf.active),
        Some(zhpf.defer_per_s),
    ]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::golden;

    fn report(system: &str) -> (ChannelPathActivity, String) {
        let run = golden::run();
        let scope = Scope::new(&run, system, 0).unwrap();
        let table = ChannelPathActivity::compute(&scope);
        let text = table.render(&scope).unwrap();
        (table, text)
    }

    #[test]
    fn listing() {
        insta::assert_snapshot!(report("SYN1").1);
    }

    #[test]
    fn rows_of_the_reference() {
        let text = report("SYN1").1;
        for row in [
            " 40 FC_S  21    16G   Y    3.20   7.50   4.40  12.10  30.00   3.00   7.00     101.2     1.1     0.0  5000.3     1.2     0.0",
            " 42 FC_S  21    16G   Y    OFFLINE",
        ] {
            assert!(text.lines().any(|line| line == row), "{text}");
        }
    }

    #[test]
    fn an_undivided_machine_has_no_parts() {
        let mut run = golden::run();
        run.header.mode = Mode::Basic;
        let scope = Scope::new(&run, "SYN1", 0).unwrap();
        let text = ChannelPathActivity::compute(&scope).render(&scope).unwrap();
        let row = " 40 FC_S  21    16G   Y           7.50   4.40         30.00          7.00     101.2     1.1     0.0  5000.3     1.2     0.0";
        assert!(text.lines().any(|line| line == row), "{text}");
        let heading = report("SYN1").1.replace("MODE: LPAR        CPMF", "MODE: BASIC       CPMF");
        let first = |text: &str| text.lines().find(|line| line.contains("CPMF")).map(str::to_owned);
        assert_eq!(first(&text), first(&heading));
    }

    #[test]
    fn only_channels_of_the_systems_channel_subsystem() {
        let chpids = |system| report(system).0.rows.iter().map(|row| row.chpid).collect::<Vec<_>>();
        assert_eq!(chpids("SYN1"), [0x40, 0x41, 0x42]);
        assert_eq!(chpids("SYN2PROD"), [0x41, 0x50]);
    }

    #[test]
    fn an_idle_channel_reads_zero() {
        let (table, text) = report("SYN2PROD");
        let idle = table.rows[1].measured.unwrap();
        assert_eq!(columns(&idle), [Some(0.0); 13]);
        assert!(text.contains(" 50 FC                     0.00   0.00"), "{text}");
    }

    #[test]
    fn an_escon_channel_has_two_figures() {
        let (table, _) = report("SYN1");
        let row = ChannelRow {
            kind: ChannelKind::EsconSwitched,
            generation: 0,
            link_gbps: 0,
            ..table.rows[0].clone()
        };
        assert_eq!(row_line(&row), " 40 CNC_S             Y    3.20   7.50");
    }

    #[test]
    fn a_parallel_channel_has_one_figure_or_none() {
        let mut run = golden::run();
        let mut line = |kind| {
            let channel = &mut run.intervals[0].channels[0];
            (channel.kind, channel.shared) = (kind, false);
            (channel.generation, channel.link_gbps) = (0, 0);
            row_line(&ChannelPathActivity::compute(&Scope::new(&run, "SYN1", 0).unwrap()).rows[0])
        };
        assert_eq!(line(ChannelKind::BlockMultiplexer), " 40 BLOCK                         7.50");
        assert_eq!(line(ChannelKind::ByteMultiplexer), " 40 BYTE                           ---");
    }

    #[test]
    fn parts_of_all_systems_sum_to_the_total() {
        let run = golden::run();
        let part = |system| {
            let table = ChannelPathActivity::compute(&Scope::new(&run, system, 0).unwrap());
            table.rows.iter().find(|row| row.chpid == 0x41).and_then(|row| row.measured).unwrap()
        };
        let (one, two) = (part("SYN1"), part("SYN2PROD"));
        let sum = |one: Option<f64>, two: Option<f64>| one.unwrap() + two.unwrap();
        assert!((sum(one.part_percent, two.part_percent) - one.total_percent).abs() < 1e-9);
        assert!((sum(one.read_part_mb_per_s, two.read_part_mb_per_s) - two.read_total_mb_per_s).abs() < 1e-9);
    }

    #[test]
    fn values_end_under_their_headings() {
        let words = [
            "PART", "TOTAL", "BUS", "PART", "TOTAL", "PART", "TOTAL", "RATE", "ACTIVE", "DEFER", "RATE",
            "ACTIVE", "DEFER",
        ];
        let heading = HEADING[4];
        for (field, word) in FIGURES.iter().zip(words) {
            assert_eq!(&heading[field.right + 1 - word.len()..=field.right], word);
            assert!(heading[field.right + 1..].is_empty() || heading[field.right + 1..].starts_with(' '));
        }
    }

    proptest! {
        #[test]
        fn columns_stay_apart_at_any_magnitude(values in prop::array::uniform13(prop_oneof![
            Just(0.0), 0.0..1e3f64, 0.0..1e14f64, Just(1e30)
        ])) {
            let line = Line::new().numbers(&FIGURES, &values).finish();
            crate::golden::assert_columns(&line, &FIGURES);
        }
    }
}
