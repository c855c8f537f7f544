//! PCIE ACTIVITY (SMF type 74-9): the PCIe functions of compression cards that one system has, and the programs that they serve.
//! Its figures are the tables of `columns::compression_functions` and `columns::compression`; the layout is ours.

use halftrack_record::{CompressionFunctionInterval, CompressionInterval};
use serde::Serialize;

use crate::columns::compression as programs;
use crate::columns::compression_functions::{HEADING, TABLE};
use crate::field::Line;
use crate::figures::Figures;
use crate::page::{Iodf, Listing, Title};
use crate::records::Records;
use crate::{MeasureError, Scope};

/// PCIE ACTIVITY of one system in one interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PcieActivity {
    /// Partition name.
    pub system: String,
    /// Interval, from 0.
    pub interval: u32,
    /// Its functions, by identifier.
    pub functions: Vec<PcieFunctionRow>,
    /// Programs, by name.
    pub programs: Vec<CompressionRow>,
}

/// One function.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PcieFunctionRow {
    /// Its identifier.
    pub pfid: u16,
    /// Physical channel of its card.
    pub pchid: Option<u16>,
    /// Number of the virtual function.
    pub vf: u16,
    /// Resource group of its card.
    pub resource_group: Option<String>,
    /// State at the end of the interval.
    pub state: String,
    /// Figures of the columns.
    pub figures: Figures,
}

/// One program.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CompressionRow {
    /// Name in the workload.
    pub name: String,
    /// Program, such as `smf`.
    pub exploiter: String,
    /// Function of the card.
    pub operation: String,
    /// Figures of the columns.
    pub figures: Figures,
}

impl PcieActivity {
    /// Computes the rows; `None` for a system that compresses nothing and has no function of a card.
    pub fn compute(scope: &Scope) -> Option<Self> {
        let (system, interval) = (scope.system.name.clone(), scope.interval.index);
        let function = |one: &CompressionFunctionInterval| PcieFunctionRow {
            pfid: one.pfid,
            pchid: one.pchid,
            vf: one.vf,
            resource_group: one.resource_group.clone(),
            state: one.state.clone(),
            figures: Figures::of(TABLE.columns, &Records::of_interval(vec![one], scope)),
        };
        let own = scope.interval.compression_functions.iter();
        let functions: Vec<_> = own.filter(|one| one.lpar.as_ref() == Some(&system)).map(function).collect();
        let program = |one: &CompressionInterval| CompressionRow {
            name: one.name.clone(),
            exploiter: one.exploiter.clone(),
            operation: one.operation.clone(),
            figures: Figures::of(programs::TABLE.columns, &Records::of_interval(vec![one], scope)),
        };
        let own = scope.interval.compression.iter();
        let programs: Vec<_> = own.filter(|one| one.lpar == system).map(program).collect();
        let has_any = !functions.is_empty() || !programs.is_empty();
        has_any.then_some(Self { system, interval, functions, programs })
    }

    /// Prints the report of a system and interval.
    ///
    /// # Errors
    /// `Start` and `PastCalendar` when the run's start gives no date for the heading.
    pub fn render(&self, scope: &Scope) -> Result<String, MeasureError> {
        let mut listing = Listing::new(TITLE, scope, Iodf::line(scope))?;
        if !self.functions.is_empty() {
            listing.table(HEADING);
        }
        for one in &self.functions {
            let pchid = one.pchid.map_or_else(|| "-".to_owned(), |pchid| format!("{pchid:03X}"));
            let line = Line::new()
                .text(0, 4, &format!("{:04X}", one.pfid))
                .text(PCHID_LEFT, 4, &pchid)
                .text(VF_LEFT, 2, &format!("{:>2}", one.vf))
                .text(GROUP_LEFT, 3, one.resource_group.as_deref().unwrap_or("-"))
                .text(STATE_LEFT, 4, &one.state);
            listing.row(one.figures.print(line).finish());
        }
        if !self.programs.is_empty() {
            listing.table(programs::HEADING);
        }
        for one in &self.programs {
            let line = Line::new()
                .text(0, NAME_WIDTH, &one.name)
                .text(EXPLOITER_LEFT, 13, &one.exploiter)
                .text(OPERATION_LEFT, 7, &one.operation);
            listing.row(one.figures.print(line).finish());
        }
        Ok(listing.finish())
    }
}

const TITLE: Title = Title { left: 40, text: "P C I E   A C T I V I T Y" };

const PCHID_LEFT: usize = 6;
const VF_LEFT: usize = 12;
const GROUP_LEFT: usize = 16;
const STATE_LEFT: usize = 21;
const NAME_WIDTH: usize = 16;
const EXPLOITER_LEFT: usize = 17;
const OPERATION_LEFT: usize = 31;

#[cfg(test)]
mod tests {
    use halftrack_record::Run;

    use super::*;
    use crate::golden;

    fn report(run: &Run, system: &str) -> Option<(PcieActivity, String)> {
        let scope = Scope::new(run, system, 0).unwrap();
        let table = PcieActivity::compute(&scope)?;
        let text = table.render(&scope).unwrap();
        Some((table, text))
    }

    #[test]
    fn listing() {
        insta::assert_snapshot!(report(&golden::compression_run(), "SYN1").unwrap().1);
    }

    /// The formulas of SMF record 74 subtype 9 by hand, over an interval of 899.999 s.
    #[test]
    fn figures_are_those_of_the_formulas() {
        let (table, _) = report(&golden::compression_run(), "SYN1").unwrap();
        let figure = |key| table.functions[0].figures.get(key).unwrap();
        for (key, wanted) in [
            ("busy_percent", 25.0),
            ("execution_us", 225.0),
            ("queue_us", 45.0),
            ("requests_per_s", 1_000_000.0 / 899.999),
            ("mb_per_s", 150_000.0 / 899.999),
            ("kb_per_request", 150.0),
            ("ratio", 2.0),
        ] {
            assert!((figure(key) / wanted - 1.0).abs() < 1e-9, "{key}: {}", figure(key));
        }
        let figure = |key| table.programs[0].figures.get(key).unwrap();
        assert_eq!((figure("software_processors"), figure("saved_processors")), (0.5, 4.0));
    }

    #[test]
    fn only_systems_that_compress_have_the_report() {
        assert!(report(&golden::run(), "SYN1").is_none());
        assert!(report(&golden::compression_run(), "SYN2PROD").is_none());
    }
}
