//! EADM ACTIVITY (SMF type 74-10): operations on EADM subchannels that one system requests. The twin has the part that keeps IOPs busy;
//! its figures are the table of `columns::eadm`, and the layout is ours.

use halftrack_record::EadmInterval;
use serde::Serialize;

use crate::columns::eadm::{HEADING, TABLE};
use crate::field::Line;
use crate::figures::Figures;
use crate::page::{Iodf, Listing, Title};
use crate::records::Records;
use crate::{MeasureError, Scope};

/// EADM ACTIVITY of one system in one interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EadmActivity {
    /// Partition name.
    pub system: String,
    /// Interval, from 0.
    pub interval: u32,
    /// Flows of operations, by name.
    pub flows: Vec<EadmRow>,
}

/// One flow of operations.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EadmRow {
    /// Name in the workload.
    pub name: String,
    /// `compression`, or `scm` for storage-class memory.
    pub kind: String,
    /// Figures of the columns.
    pub figures: Figures,
}

impl EadmActivity {
    /// Computes the rows; `None` for a system without such operations.
    pub fn compute(scope: &Scope) -> Option<Self> {
        let (system, interval) = (scope.system.name.clone(), scope.interval.index);
        let row = |one: &EadmInterval| EadmRow {
            name: one.name.clone(),
            kind: one.kind.clone(),
            figures: Figures::of(TABLE.columns, &Records::of_interval(vec![one], scope)),
        };
        let flows: Vec<_> = scope.interval.eadm.iter().filter(|one| one.lpar == system).map(row).collect();
        (!flows.is_empty()).then_some(Self { system, interval, flows })
    }

    /// Prints the report of a system and interval.
    ///
    /// # Errors
    /// `Start` and `PastCalendar` when the run's start gives no date for the heading.
    pub fn render(&self, scope: &Scope) -> Result<String, MeasureError> {
        let mut listing = Listing::new(TITLE, scope, Iodf::line(scope))?;
        listing.table(HEADING);
        for one in &self.flows {
            let line = Line::new().text(0, NAME_WIDTH, &one.name).text(KIND_LEFT, KIND_WIDTH, &one.kind);
            listing.row(one.figures.print(line).finish());
        }
        Ok(listing.finish())
    }
}

const TITLE: Title = Title { left: 40, text: "E A D M   A C T I V I T Y" };

const NAME_WIDTH: usize = 16;
const KIND_LEFT: usize = 17;
const KIND_WIDTH: usize = 11;
