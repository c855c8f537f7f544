//! Section of the page with compression cards.

use std::collections::BTreeMap;

use halftrack_config::Configuration;
use halftrack_drawing::number;
use halftrack_record::{CompressionFunctionInterval, CompressionInterval, Run};
use maud::{Markup, html};

use super::card_picture;
use super::cells::{cells, headings};
use crate::column::of_page;
use crate::columns::compression as programs;
use crate::columns::compression_functions::TABLE;
use crate::records::Records;
use crate::table::measured_ps;

/// Returns the section; nothing for a run in which nothing is compressed.
pub(super) fn section(run: &Run, configuration: &Configuration) -> Markup {
    if run.intervals.iter().all(|interval| interval.compression.is_empty()) {
        return html! {};
    }
    html! {
        section #compression {
            h2 { "Compression" }
            p .note {
                "Cards do the requests of programs, each in the partition of its function. What no card takes is done in "
                "software, on processors of the partition."
            }
            (functions(run))
            (card_picture::picture(run, configuration.channels.len()))
            (programs_table(run))
        }
    }
}

/// Returns the table of functions, over the whole run; the state is that at the end.
fn functions(run: &Run) -> Markup {
    let mut found = BTreeMap::<_, Vec<&CompressionFunctionInterval>>::new();
    for one in run.intervals.iter().flat_map(|interval| &interval.compression_functions) {
        found.entry((one.cpc, one.pfid)).or_default().push(one);
    }
    let columns = of_page(TABLE.columns);
    let measured_ps = measured_ps(&run.intervals);
    html! {
        details open {
            summary { (number::counted(found.len(), "PCIe function")) }
            div .scroll { table {
                caption { "PCIe functions of compression cards" }
                thead { tr {
                    th scope="col" { "PFID" } th scope="col" { "PCHID" } th scope="col" { "VF" }
                    th scope="col" { "Group" } th scope="col" { "System" } th scope="col" { "State" }
                    (headings(&columns))
                } }
                tbody {
                    @for ((cpc, pfid), each) in &found {
                        @if let Some(last) = each.last() {
                            tr {
                                th scope="row" { (run.header.prefix(*cpc)) (format!("{pfid:04X}")) }
                                td { (last.pchid.map_or_else(|| "-".to_owned(), |pchid| format!("{pchid:03X}"))) }
                                td { (last.vf) }
                                td .text { (last.resource_group.as_deref().unwrap_or("-")) }
                                td .text { (last.lpar.as_deref().unwrap_or("-")) }
                                td .text { (last.state) }
                                (cells(&columns, &Records::of_thing(each.clone(), measured_ps), None))
                            }
                        }
                    }
                }
            } }
        }
    }
}

/// Returns the table of programs.
fn programs_table(run: &Run) -> Markup {
    let mut found = BTreeMap::<_, Vec<&CompressionInterval>>::new();
    for one in run.intervals.iter().flat_map(|interval| &interval.compression) {
        found.entry((&one.name, &one.lpar, &one.exploiter, &one.operation)).or_default().push(one);
    }
    let columns = of_page(programs::TABLE.columns);
    let measured_ps = measured_ps(&run.intervals);
    html! {
        div .scroll { table {
            caption { "Programs that compress" }
            thead { tr {
                th scope="col" { "Program" } th scope="col" { "System" } th scope="col" { "Exploiter" }
                th scope="col" { "Action" } (headings(&columns))
            } }
            tbody {
                @for ((name, lpar, exploiter, operation), each) in found {
                    tr {
                        th scope="row" { (name) } td .text { (lpar) } td .text { (exploiter) }
                        td .text { (operation) }
                        (cells(&columns, &Records::of_thing(each, measured_ps), None))
                    }
                }
            }
        } }
    }
}
