//! One figure of a report: what it is called, what it means and how it is computed and shown.
//!
//! A table of columns (`columns`) serves every output that has figures of its record: the RMF listing and its JSON, the
//! quantities that `--y` and experiments name, the tables of `report.html`, and those of the summary.

use halftrack_config::ChannelGuideline;
use halftrack_program::Protocol;

use crate::field::Field;
use crate::quantity::Unit;
use crate::records::Records;

/// One figure of records of type `R`.
#[derive(Debug)]
pub(crate) struct Column<R: 'static> {
    /// Name of the quantity.
    pub name: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// Definition, as RMF documents it where RMF has the figure.
    pub definition: &'static str,
    /// Place in the RMF listing; `None` where that has no such column.
    pub listed: Option<Listed>,
    /// Place in the table of `report.html`; `None` where that has no such column.
    pub paged: Option<Paged>,
    /// Place in a table of the summary; `None` where that has no such column.
    pub summarised: Option<Summarised>,
    /// False for figures that only reports and frames have, such as the share of one system.
    pub is_quantity: bool,
    /// True for figures of the system of a report.
    pub is_of_system: bool,
    formula: Formula<R>,
}

/// Columns of a table of the page, in its order.
pub(crate) type PageColumns<R> = Vec<(&'static Column<R>, Paged)>;

/// Computation of a figure from records.
#[derive(Debug)]
enum Formula<R: 'static> {
    Number(fn(&Records<'_, R>) -> f64),
    Sometimes(fn(&Records<'_, R>) -> Option<f64>),
    OfProtocol(Protocol, fn(&Records<'_, R>, Protocol) -> f64),
}

/// Place of a figure in an RMF listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Listed {
    /// Words of the heading.
    pub heading: &'static str,
    /// Key in JSON; a full stop leads into an object.
    pub key: &'static str,
    /// Print positions.
    pub field: Field,
    /// Text in place of a figure that is `None`.
    pub missing: &'static str,
}

/// Place of a figure in a table of `report.html`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paged {
    /// Order among the columns of the page.
    pub place: u8,
    /// Heading.
    pub heading: &'static str,
    /// Form.
    pub shown: Shown,
}

/// Place of a figure in a table of the summary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Summarised {
    /// Order among the cells; figures of one place share a cell.
    pub place: u8,
    /// Heading of the cell; empty for the later figures of one.
    pub heading: &'static str,
    /// Text before the figure in a cell that it shares, such as `+`.
    pub sign: &'static str,
    /// Least width of the cell, characters.
    pub width: usize,
    /// Digits after the point.
    pub decimals: usize,
}

/// Form of a figure in a table of `report.html`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shown {
    /// A bar and the number, percent, with the highest advised utilisation.
    Bar(fn(&ChannelGuideline) -> Option<u8>),
    /// A number with as many decimals as its size needs.
    Rate,
    /// Milliseconds.
    Ms,
}

impl<R> Column<R> {
    /// Returns a figure that every group of records has.
    pub const fn new(
        name: &'static str,
        unit: Unit,
        definition: &'static str,
        formula: fn(&Records<'_, R>) -> f64,
    ) -> Self {
        Self::with(name, unit, definition, Formula::Number(formula))
    }

    /// Returns a figure that some records do not have.
    pub const fn sometimes(
        name: &'static str,
        unit: Unit,
        definition: &'static str,
        formula: fn(&Records<'_, R>) -> Option<f64>,
    ) -> Self {
        Self::with(name, unit, definition, Formula::Sometimes(formula))
    }

    /// Returns a figure of the operations of one protocol.
    pub const fn of_protocol(
        (name, protocol): (&'static str, Protocol),
        unit: Unit,
        definition: &'static str,
        formula: fn(&Records<'_, R>, Protocol) -> f64,
    ) -> Self {
        Self::with(name, unit, definition, Formula::OfProtocol(protocol, formula))
    }

    const fn with(name: &'static str, unit: Unit, definition: &'static str, formula: Formula<R>) -> Self {
        Self {
            name,
            unit,
            definition,
            listed: None,
            paged: None,
            summarised: None,
            is_quantity: true,
            is_of_system: false,
            formula,
        }
    }

    /// Returns the column in the RMF listing too, under `heading`; with `key` in its JSON.
    pub const fn listed(mut self, heading: &'static str, key: &'static str, field: Field) -> Self {
        self.listed = Some(Listed { heading, key, field, missing: "" });
        self
    }

    /// Returns the listed column with `text` in place of a figure that is `None`.
    pub const fn missing(mut self, text: &'static str) -> Self {
        if let Some(listed) = &mut self.listed {
            listed.missing = text;
        }
        self
    }

    /// Returns the column in the table of `report.html` too.
    pub const fn on_page(mut self, place: u8, heading: &'static str, shown: Shown) -> Self {
        self.paged = Some(Paged { place, heading, shown });
        self
    }

    /// Returns the column in a cell of its own in the summary too.
    pub const fn in_summary(
        mut self,
        place: u8,
        heading: &'static str,
        width: usize,
        decimals: usize,
    ) -> Self {
        self.summarised = Some(Summarised { place, heading, sign: "", width, decimals });
        self
    }

    /// Returns the column behind `sign` in the cell at `place` of the summary too.
    pub const fn in_summary_behind(mut self, place: u8, sign: &'static str, decimals: usize) -> Self {
        self.summarised = Some(Summarised { place, heading: "", sign, width: 0, decimals });
        self
    }

    /// Returns the column for reports and frames alone: no quantity.
    pub const fn in_reports_only(mut self) -> Self {
        self.is_quantity = false;
        self
    }

    /// Returns the column for the share of the system of a report: no quantity.
    pub const fn of_system(mut self) -> Self {
        self.is_of_system = true;
        self.in_reports_only()
    }

    /// Returns its figure; `None` where the records do not have it.
    pub fn of(&self, records: &Records<'_, R>) -> Option<f64> {
        match &self.formula {
            Formula::Number(formula) => Some(formula(records)),
            Formula::Sometimes(formula) => formula(records),
            Formula::OfProtocol(protocol, formula) => Some(formula(records, *protocol)),
        }
    }

    /// Returns its figure, 0 where the records do not have it.
    pub fn number(&self, records: &Records<'_, R>) -> f64 {
        self.of(records).unwrap_or(0.0)
    }
}

/// Returns the columns of the page.
pub(crate) fn of_page<R>(columns: &'static [Column<R>]) -> PageColumns<R> {
    let mut paged: Vec<_> = columns.iter().filter_map(|column| Some((column, column.paged?))).collect();
    paged.sort_by_key(|(_, paged)| paged.place);
    paged
}
