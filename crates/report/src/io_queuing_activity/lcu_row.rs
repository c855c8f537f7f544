//! The rows of the LCU part: use of the paths of each logical control unit and its HyperPAV aliases.
//! Its figures are the tables of `columns::paths` and `columns::lcus`.

use halftrack_record::{LcuInterval, LcuPath};
use serde::Serialize;

use crate::Scope;
use crate::columns::{lcus, paths};
use crate::field::Line;
use crate::figures::Figures;
use crate::records::Records;

/// One logical control unit: its paths and the `*` line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LcuRow {
    /// LCU number.
    pub lcu: u16,
    /// Control units.
    pub control_units: Vec<u16>,
    /// By CHPID.
    pub paths: Vec<PathRow>,
    /// All paths together; CHPID is none.
    pub all_paths: PathRow,
    /// Figures of the columns of the `*` line.
    #[serde(flatten)]
    pub figures: Figures,
}

/// One channel path of a logical control unit, or all of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PathRow {
    /// CHPID; none for the `*` line.
    pub chpid: Option<u8>,
    /// Online at the end of the interval.
    pub online: bool,
    /// Figures of the columns.
    #[serde(flatten)]
    pub figures: Figures,
}

impl PathRow {
    fn of(chpid: Option<u8>, paths: Vec<&LcuPath>, scope: &Scope) -> Self {
        let online = paths.iter().any(|path| path.online);
        let figures = Figures::of(paths::TABLE.columns, &Records::of_interval(paths, scope));
        Self { chpid, online, figures }
    }
}

impl LcuRow {
    pub(super) fn of(lcu: &LcuInterval, scope: &Scope) -> Self {
        let mut paths: Vec<_> = lcu.paths.iter().collect();
        paths.sort_by_key(|path| path.chpid);
        Self {
            lcu: lcu.lcu,
            control_units: lcu.control_units.clone(),
            paths: paths.iter().map(|path| PathRow::of(Some(path.chpid), vec![path], scope)).collect(),
            all_paths: PathRow::of(None, paths, scope),
            figures: Figures::of(lcus::TABLE.columns, &Records::of_interval(vec![lcu], scope)),
        }
    }
}

const LCU_LEFT: usize = 0;
const CONTROL_UNIT_LEFT: usize = 6;
const PATH_LEFT: usize = 24;
const OFFLINE_LEFT: usize = 31;

/// Returns lines of a logical control unit: one for each path or control unit, and the `*` line.
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
            path.figures.print(line.text(PATH_LEFT, 2, &chpid))
        }
    }
}

fn all_paths_line(row: &LcuRow) -> String {
    row.figures.print(path_columns(Line::new(), &row.all_paths)).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_PS: u64 = 1_000_000_000_000;

    #[test]
    fn an_idle_path_reads_zero() {
        let run = crate::golden::run();
        let scope = Scope::new(&run, "SYN1", 0).unwrap();
        let path = LcuPath { online: true, ..LcuPath::default() };
        let path = PathRow::of(Some(1), vec![&path], &scope);
        let line = path_columns(Line::new(), &path).finish();
        assert_eq!(line.trim_start(), "01        0.000  0.00  0.00   0.0   0.0");
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
}
