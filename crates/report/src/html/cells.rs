//! Tables of the page that are made from a table of figures: one heading and one cell for each figure that has a place there.

use halftrack_config::ChannelGuideline;
use halftrack_drawing::number;
use maud::{Markup, html};

use super::bar;
use crate::column::{PageColumns, Shown};
use crate::records::Records;

/// Returns headings of the figures of `columns`.
pub(super) fn headings<R>(columns: &PageColumns<R>) -> Markup {
    html! {
        @for (_, paged) in columns {
            @match paged.shown {
                Shown::Bar(_) => {
                    th scope="col" { (paged.heading) }
                    th scope="col" .number { "%" }
                }
                Shown::Rate | Shown::Ms => { th scope="col" .number { (paged.heading) } }
            }
        }
    }
}

/// Returns cells under [`headings`]; bars have a line at what `guideline` advises.
pub(super) fn cells<R>(
    columns: &PageColumns<R>,
    records: &Records<'_, R>,
    guideline: Option<ChannelGuideline>,
) -> Markup {
    html! {
        @for (column, paged) in columns {
            @let value = column.number(records);
            @match paged.shown {
                Shown::Bar(advised) => {
                    (bar::cell(value, guideline.as_ref().and_then(advised).map(f64::from)))
                    (bar::percent_cell(value))
                }
                Shown::Rate => { td { (number::rate(value)) } }
                Shown::Ms => { td { (number::ms(value)) } }
            }
        }
    }
}
