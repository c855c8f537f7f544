//! The rows of the IOP part: initiative queue, utilisation and retries of the machine's IOP threads.
//! Its figures are the table of `columns::iops`.

use halftrack_record::IopInterval;
use serde::Serialize;

use crate::Scope;
use crate::columns::iops::TABLE;
use crate::field::Line;
use crate::figures::Figures;
use crate::records::Records;

/// One IOP thread, or all of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IopRow {
    /// IOP number; none for the SYS line.
    pub number: Option<u16>,
    /// Figures of the columns.
    #[serde(flatten)]
    pub figures: Figures,
}

impl IopRow {
    pub(super) fn of(number: Option<u16>, iops: Vec<&IopInterval>, scope: &Scope) -> Self {
        Self { number, figures: Figures::of(TABLE.columns, &Records::of_interval(iops, scope)) }
    }
}

pub(super) fn iop_line(row: &IopRow) -> String {
    let number = row.number.map_or_else(|| "SYS".to_owned(), |number| format!("{number:02}"));
    row.figures.print(Line::new().text(0, 3, &number)).finish()
}
