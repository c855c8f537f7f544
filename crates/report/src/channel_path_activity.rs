//! CHANNEL PATH ACTIVITY (SMF type 73): what one system sees of its channel subsystem's channels.
//! Its figures are the table of `columns::channels`.

mod connection_security;

use halftrack_record::{ChannelKind, ConnectionCounts};
use serde::Serialize;

use crate::columns::channels::{HEADING, TABLE};
use crate::field::{Field, Line};
use crate::figures::Figures;
use crate::measured::Measured;
use crate::page::{Iodf, Listing, Title};
use crate::records::Records;
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
    /// Figures of the columns; none when the channel was offline at the end of the interval.
    pub measured: Option<Figures>,
    /// Connections by state at the end of the interval, where parts of the site take part in endpoint security.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connections: Option<ConnectionCounts>,
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
                measured: channel
                    .online
                    .then(|| Figures::of(TABLE.columns, &Records::of_interval(vec![channel], scope))),
                connections: channel.connections,
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
        connection_security::print(&mut listing, &self.rows);
        Ok(listing.finish())
    }
}

const TITLE: Title = Title { left: 43, text: "C H A N N E L   P A T H   A C T I V I T Y" };

const GENERATION: Field = Field::new(10, 11, 0);
const SPEED: Field = Field::new(14, 18, 0);
const OFFLINE_LEFT: usize = 27;
/// In place of a utilisation that is not measured.
const NOT_MEASURED: &str = "---";

/// Column of TOTAL.
const TOTAL: Field = match &crate::columns::channels::TOTAL.listed {
    Some(listed) => listed.field,
    None => unreachable!(),
};
/// Columns of a channel of which only the path is measured: PART and TOTAL.
const PATH_BUSY: usize = 2;
/// Columns up to the data, before the operations of FICON and zHPF.
const DATA: usize = 7;

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
        Some(figures) => match Measured::of(row.kind) {
            Measured::All => figures.print(line),
            Measured::Data => figures.print_first(line, DATA),
            Measured::PathBusy { .. } => figures.print_first(line, PATH_BUSY),
            Measured::Nothing => line.right(&TOTAL, NOT_MEASURED),
        },
    }
    .finish()
}

#[cfg(test)]
mod tests {
    use halftrack_record::Mode;

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
        let idle = table.rows[1].measured.clone().unwrap();
        assert_eq!(idle.values(), [Some(0.0); 13]);
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
            table.rows.iter().find(|row| row.chpid == 0x41).and_then(|row| row.measured.clone()).unwrap()
        };
        let (one, two) = (part("SYN1"), part("SYN2PROD"));
        for (part, total) in
            [("part_percent", "total_percent"), ("read_part_mb_per_s", "read_total_mb_per_s")]
        {
            let sum = one.get(part).unwrap() + two.get(part).unwrap();
            assert!((sum - one.get(total).unwrap()).abs() < 1e-9, "{part}");
        }
    }
}
