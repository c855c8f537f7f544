//! Tables of the page that are made from a table of figures: one heading and one cell for each figure that has a place there.

use halftrack_config::ChannelGuideline;
use halftrack_drawing::number;
use maud::{Markup, html};

use super::bar;
use crate::column::{Column, Shown, of_page};
use crate::records::Records;

/// Returns headings of the figures of `columns`, in the order of the page.
pub(super) fn headings<R>(columns: &'static [Column<R>]) -> Markup {
    html! {
        @for (_, paged) in of_page(columns) {
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
    columns: &'static [Column<R>],
    records: &Records<'_, R>,
    guideline: Option<ChannelGuideline>,
) -> Markup {
    html! {
        @for (column, paged) in of_page(columns) {
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
