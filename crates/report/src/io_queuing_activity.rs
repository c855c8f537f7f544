//! I/O QUEUING ACTIVITY (SMF type 78-3): the IOPs of the machine and the logical control units of a system.

mod iop_row;
mod lcu_row;

use serde::Serialize;

use self::iop_row::iop_line;
use self::lcu_row::lcu_lines;
use crate::columns::{iops, lcus};
use crate::page::{Iodf, Listing, Title};
use crate::{MeasureError, Scope};

pub use self::iop_row::IopRow;
pub use self::lcu_row::{LcuRow, PathRow};

/// I/O QUEUING ACTIVITY of one system in one interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IoQueuingActivity {
    /// Partition name.
    pub system: String,
    /// Interval, from 0.
    pub interval: u32,
    /// The machine's IOP threads, by number; the same for every system of it.
    pub iops: Vec<IopRow>,
    /// The SYS line: sums, then the same quotients; its number is none.
    pub sys: IopRow,
    /// The system's logical control units, by number.
    pub lcus: Vec<LcuRow>,
}

impl IoQueuingActivity {
    /// Computes the rows.
    pub fn compute(scope: &Scope) -> Self {
        let interval = scope.interval;
        let own: Vec<_> = interval.iops.iter().filter(|iop| iop.cpc == scope.system.cpc).collect();
        let mut iops: Vec<_> = own.iter().map(|iop| IopRow::of(Some(iop.number), vec![iop], scope)).collect();
        iops.sort_by_key(|row| row.number);
        let mut lcus: Vec<_> = interval
            .lcus
            .iter()
            .filter(|lcu| lcu.lpar == scope.system.name && lcu.luns.is_none())
            .map(|lcu| LcuRow::of(lcu, scope))
            .collect();
        lcus.sort_by_key(|row| row.lcu);
        Self {
            system: scope.system.name.clone(),
            interval: interval.index,
            iops,
            sys: IopRow::of(None, own, scope),
            lcus,
        }
    }

    /// Prints the report of a system and interval.
    ///
    /// # Errors
    /// `Start` and `PastCalendar` when the run's start gives no date for the heading.
    pub fn render(&self, scope: &Scope) -> Result<String, MeasureError> {
        let mut listing = Listing::new(TITLE, scope, Iodf::line(scope))?;
        listing.table(iops::HEADING);
        self.iops.iter().chain([&self.sys]).for_each(|row| listing.row(iop_line(row)));
        if !self.lcus.is_empty() {
            listing.table(lcus::HEADING);
            self.lcus.iter().flat_map(lcu_lines).for_each(|line| listing.row(line));
        }
        Ok(listing.finish())
    }
}

const TITLE: Title = Title { left: 38, text: "I/O   Q U E U I N G   A C T I V I T Y" };

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;

    fn report(system: &str) -> (IoQueuingActivity, String) {
        let run = golden::run();
        let scope = Scope::new(&run, system, 0).unwrap();
        let table = IoQueuingActivity::compute(&scope);
        let text = table.render(&scope).unwrap();
        (table, text)
    }

    fn assert_lines(text: &str, lines: &[&str]) {
        for &expected in lines {
            assert!(text.lines().any(|line| line == expected), "{expected}\nnot in\n{text}");
        }
    }

    #[test]
    fn listing() {
        insta::assert_snapshot!(report("SYN1").1);
    }

    #[test]
    fn rows_of_the_reference() {
        assert_lines(
            &report("SYN1").1,
            &[
                "00   3021.500     0.01   11.20   0.00    0.00   3010.250    2890.100    0.4   0.2   0.1   0.1   0.0    0.00  0.00  0.00  0.00  0.00",
                "SYS  6008.750     0.01   11.10   0.00    0.00   6000.250    5760.600    0.4   0.2   0.1   0.1   0.0    0.00  0.00  0.00  0.00  0.00",
                "0040  8000              40      203.100  0.00  0.00   0.0   0.0",
                "                        41      203.300  0.00  0.00   0.0   0.0",
                "                        *       812.400  0.00  0.00   0.0   0.0     0.000     0.00   ---             0.09  0.07",
            ],
        );
    }

    #[test]
    fn an_lcu_with_hyperpav_shows_its_columns_and_an_offline_path_its_state() {
        assert_lines(
            &report("SYN1").1,
            &[
                "0050  8100              40     1000.000  0.00  9.09   0.5   0.1",
                "      8101              42     PATH OFFLINE",
                "                        *      1000.000  0.00  9.09   0.5   0.1     0.000     0.00   --- 0.125   3   1.60  1.00",
            ],
        );
    }

    #[test]
    fn iops_are_the_machines_and_lcus_the_systems() {
        let (first, second) = (report("SYN1").0, report("SYN2PROD").0);
        assert_eq!((&first.iops, &first.sys), (&second.iops, &second.sys));
        let lcus = |table: &IoQueuingActivity| table.lcus.iter().map(|row| row.lcu).collect::<Vec<_>>();
        assert_eq!((lcus(&first), lcus(&second)), (vec![0x40, 0x50], vec![0x40]));
    }
}
