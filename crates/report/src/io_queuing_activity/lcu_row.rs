//! The LCU part: use of the paths of each logical control unit and its HyperPAV aliases.
//!
//! Native FICON has no director-port busy, and its starts wait in the channel for an open exchange: % DP BUSY is 0, and
//! CONTENTION RATE and DELAY Q are 0 but for control-unit busy. Interval files of earlier runs have no channel-subsystem
//! delay: dashes.

use halftrack_record::{LcuInterval, LcuPath};
use serde::Serialize;

use crate::Scope;
use crate::field::{Field, Line};
use crate::formula::{mean_ms, mean_number, per_second, quotient, total};

/// One logical control unit: its paths and the `*` line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LcuRow {
    /// LCU number.
    pub lcu: u16,
    /// Control units.
    pub control_units: Vec<u16>,
    /// By CHPID.
    pub paths: Vec<PathRow>,
    /// All paths together; CHPID and state are none.
    pub all_paths: PathRow,
    /// Requests per second on the control-unit-header queue.
    pub contention_per_s: f64,
    /// Mean number found on that queue by a request that is put there.
    pub delay_queue_length: f64,
    /// Mean channel-subsystem delay, from START SUBCHANNEL to the first attempt, ms; none when not counted.
    pub css_delay_ms: Option<f64>,
    /// HyperPAV columns; none when no base of the LCU is a HyperPAV base.
    pub hyperpav: Option<HyperPavFigures>,
    /// OPEN EXCH: mean number of open exchanges.
    pub open_exchanges: f64,
    /// DATA XFER CONC: mean number of I/Os connected.
    pub transfer_concurrency: f64,
}

/// One channel path of a logical control unit, or all of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PathRow {
    /// CHPID; none for the `*` line.
    pub chpid: Option<u8>,
    /// Online at the end of the interval.
    pub online: bool,
    /// Operations per second that took the path.
    pub taken_per_s: f64,
    /// Answers of director port busy among all attempts, percent.
    pub director_port_busy_percent: f64,
    /// Answers of control unit busy among all attempts, percent.
    pub control_unit_busy_percent: f64,
    /// Mean control-unit-busy delay, ms.
    pub control_unit_busy_ms: f64,
    /// Mean initial command response time, ms.
    pub cmr_ms: f64,
}

/// HyperPAV columns of a logical control unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HyperPavFigures {
    /// HPAV WAIT: requests that found no alias free, among all requests.
    pub wait: f64,
    /// HPAV MAX: highest number of aliases in use at once.
    pub aliases_in_use_max: u32,
}

impl PathRow {
    fn of(chpid: Option<u8>, paths: &[&LcuPath], length_ps: u64) -> Self {
        let sum = |value: fn(&LcuPath) -> u64| total(paths.iter().map(|path| value(path)));
        let taken = sum(|path| path.taken);
        let (busy, port_busy) = (sum(|path| path.control_unit_busy), sum(|path| path.director_port_busy));
        let attempts = (taken + busy + port_busy) as f64;
        Self {
            chpid,
            online: paths.iter().any(|path| path.online),
            taken_per_s: per_second(taken, length_ps),
            director_port_busy_percent: 100.0 * quotient(port_busy as f64, attempts),
            control_unit_busy_percent: 100.0 * quotient(busy as f64, attempts),
            control_unit_busy_ms: mean_ms(sum(|path| path.control_unit_busy_ps), taken),
            cmr_ms: mean_ms(sum(|path| path.cmr_ps), taken),
        }
    }
}

impl LcuRow {
    pub(super) fn of(lcu: &LcuInterval, scope: &Scope) -> Self {
        let length_ps = scope.length_ps();
        let mut paths: Vec<_> = lcu.paths.iter().collect();
        paths.sort_by_key(|path| path.chpid);
        let taken = paths.iter().map(|path| path.taken);
        let has_hyperpav = scope
            .interval
            .devices
            .iter()
            .any(|device| device.hyperpav && device.lcu == lcu.lcu && device.lpar == lcu.lpar);
        Self {
            lcu: lcu.lcu,
            control_units: lcu.control_units.clone(),
            paths: paths.iter().map(|path| PathRow::of(Some(path.chpid), &[path], length_ps)).collect(),
            all_paths: PathRow::of(None, &paths, length_ps),
            contention_per_s: per_second(lcu.queued.into(), length_ps),
            delay_queue_length: quotient(lcu.queue_sum.saturating_sub(lcu.queued) as f64, lcu.queued as f64),
            css_delay_ms: lcu.css_delay_ps.map(|delay| mean_ms(delay.into(), total(taken))),
            hyperpav: has_hyperpav.then(|| HyperPavFigures {
                wait: quotient(lcu.alias_waits as f64, lcu.requests as f64),
                aliases_in_use_max: lcu.aliases_in_use_max,
            }),
            open_exchanges: mean_number(lcu.open_exchange_ps.into(), length_ps),
            transfer_concurrency: mean_number(lcu.connect_ps.into(), length_ps),
        }
    }
}

pub(super) const LCU_HEADING: &[&str] = &[
    "LCU   CU    DCM GROUP   CHAN   CHPID     % DP  % CU  AVG   AVG  CONTENTION DELAY Q  AVG   HPAV  HPAV OPEN  DATA",
    "            MIN MAX DEF PATHS  TAKEN     BUSY  BUSY  CUB   CMR  RATE       LNGTH    CSS   WAIT  MAX  EXCH  XFER",
    "                                                     DLY   DLY                      DLY                    CONC",
];

const LCU_LEFT: usize = 0;
const CONTROL_UNIT_LEFT: usize = 6;
const PATH_LEFT: usize = 24;
const OFFLINE_LEFT: usize = 31;

/// Taken; DP, CU busy; CUB and CMR delay.
const PATH_FIGURES: [Field; 5] = [
    Field::new(28, 38, 3),
    Field::new(40, 44, 2),
    Field::new(46, 50, 2),
    Field::new(52, 56, 1),
    Field::new(58, 62, 1),
];

const CONTENTION: Field = Field::new(64, 72, 3);
const DELAY_QUEUE: Field = Field::new(74, 81, 2);
const CSS_DELAY: Field = Field::new(83, 87, 1);
const HPAV_WAIT: Field = Field::new(89, 93, 3);
const HPAV_MAX: Field = Field::new(95, 97, 0);
const OPEN_EXCHANGES: Field = Field::new(99, 104, 2);
const TRANSFER_CONCURRENCY: Field = Field::new(106, 110, 2);
/// Printed where a value is missing.
const MISSING: &str = "---";

/// One line a path, its control units beside them (further lines when they are more), then the `*` line.
pub(super) fn lcu_lines(row: &LcuRow) -> Vec<String> {
    let mut lines: Vec<_> = (0..row.paths.len().max(row.control_units.len()).max(1))
        .map(|index| {
            let lcu = if index == 0 { format!("{:04X}", row.lcu) } else { String::new() };
            let control_unit = row.control_units.get(index).map(|unit| format!("{unit:04X}"));
            let line = Line::new().text(LCU_LEFT, 4, &lcu).text(
                CONTROL_UNIT_LEFT,
                4,
                control_unit.as_deref().unwrap_or_default(),
            );
            match row.paths.get(index) {
                Some(path) => path_columns(line, path),
                None => line,
            }
            .finish()
        })
        .collect();
    lines.push(all_paths_line(row));
    lines
}

fn path_columns(line: Line, path: &PathRow) -> Line {
    match path.chpid {
        Some(chpid) if !path.online => {
            line.text(PATH_LEFT, 2, &format!("{chpid:02X}")).text(OFFLINE_LEFT, 12, "PATH OFFLINE")
        }
        chpid => {
            let chpid = chpid.map_or_else(|| "*".to_owned(), |chpid| format!("{chpid:02X}"));
            let values = [
                path.taken_per_s,
                path.director_port_busy_percent,
                path.control_unit_busy_percent,
                path.control_unit_busy_ms,
                path.cmr_ms,
            ];
            line.text(PATH_LEFT, 2, &chpid).numbers(&PATH_FIGURES, &values)
        }
    }
}

fn all_paths_line(row: &LcuRow) -> String {
    let line = path_columns(Line::new(), &row.all_paths)
        .number(&CONTENTION, row.contention_per_s)
        .number(&DELAY_QUEUE, row.delay_queue_length);
    let line = match row.css_delay_ms {
        Some(delay_ms) => line.number(&CSS_DELAY, delay_ms),
        None => line.right(&CSS_DELAY, MISSING),
    };
    let line = match &row.hyperpav {
        Some(hyperpav) => {
            line.number(&HPAV_WAIT, hyperpav.wait).number(&HPAV_MAX, hyperpav.aliases_in_use_max.into())
        }
        None => line,
    };
    line.number(&OPEN_EXCHANGES, row.open_exchanges)
        .number(&TRANSFER_CONCURRENCY, row.transfer_concurrency)
        .finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND_PS: u64 = 1_000_000_000_000;

    #[test]
    fn an_idle_path_reads_zero() {
        let path = PathRow::of(Some(1), &[&LcuPath { online: true, ..LcuPath::default() }], SECOND_PS);
        let line = path_columns(Line::new(), &path).finish();
        assert_eq!(line.trim_start(), "01        0.000  0.00  0.00   0.0   0.0");
    }

    #[test]
    fn busy_answers_relate_to_all_attempts_and_delays_to_operations() {
        let path = LcuPath {
            taken: 300,
            control_unit_busy: 100,
            control_unit_busy_ps: 600_000_000_000,
            cmr_ps: 30_000_000_000,
            ..LcuPath::default()
        };
        let row = PathRow::of(None, &[&path, &path], SECOND_PS);
        assert_eq!((row.taken_per_s, row.control_unit_busy_percent), (600.0, 25.0));
        assert_eq!((row.control_unit_busy_ms, row.cmr_ms), (2.0, 0.1));
    }

    #[test]
    fn contention_delay_queue_and_channel_subsystem_delay_are_printed() {
        let run = crate::golden::run();
        let scope = Scope::new(&run, "SYN1", 0).unwrap();
        let mut lcu = scope.interval.lcus[0].clone();
        lcu.paths.truncate(1);
        lcu.paths[0].taken = 1000;
        let seconds = scope.length_ps() / SECOND_PS;
        (lcu.queued, lcu.queue_sum, lcu.css_delay_ps) = (2 * seconds, 5 * seconds, Some(200_000_000_000));
        let line = all_paths_line(&LcuRow::of(&lcu, &scope));
        assert!(line.contains("   1.998     1.50   0.2"), "{line}");
    }

    #[test]
    fn columns_stand_where_the_drawing_has_them() {
        assert_eq!(PATH_FIGURES.map(|field| field.right), [38, 44, 50, 56, 62]);
        assert_eq!([OPEN_EXCHANGES.right, TRANSFER_CONCURRENCY.right, HPAV_WAIT.right], [104, 110, 93]);
        for (line, right, word) in
            [(1, 44, "BUSY"), (1, 50, "BUSY"), (1, 93, "WAIT"), (1, 104, "EXCH"), (2, 110, "CONC")]
        {
            assert_eq!(&LCU_HEADING[line][right + 1 - word.len()..=right], word);
        }
    }

    proptest! {
        #[test]
        fn columns_stay_apart_at_any_magnitude(values in prop::array::uniform12(prop_oneof![
            Just(0.0), 0.0..1e3f64, 0.0..1e14f64, Just(1e30)
        ])) {
            let others = [
                CONTENTION, DELAY_QUEUE, CSS_DELAY, HPAV_WAIT, HPAV_MAX, OPEN_EXCHANGES, TRANSFER_CONCURRENCY,
            ];
            let fields: Vec<_> = PATH_FIGURES.into_iter().chain(others).collect();
            crate::golden::assert_columns(&Line::new().numbers(&fields, &values).finish(), &fields);
        }
    }
}
