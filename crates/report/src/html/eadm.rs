//! Section of the page with work on EADM subchannels.

use std::collections::BTreeMap;

use halftrack_record::{EadmInterval, Run};
use maud::{Markup, html};

use super::cells::{cells, headings};
use crate::column::of_page;
use crate::columns::eadm::TABLE;
use crate::records::Records;
use crate::table::measured_ps;

/// Returns the section; nothing for a run without such operations.
pub(super) fn section(run: &Run) -> Markup {
    let mut found = BTreeMap::<_, Vec<&EadmInterval>>::new();
    for one in run.intervals.iter().flat_map(|interval| &interval.eadm) {
        found.entry((&one.name, &one.lpar, &one.kind)).or_default().push(one);
    }
    if found.is_empty() {
        return html! {};
    }
    let columns = of_page(TABLE.columns);
    let measured_ps = measured_ps(&run.intervals);
    html! {
        section #eadm {
            h2 { "EADM work" }
            div .scroll { table {
                caption { "Operations on EADM subchannels" }
                thead { tr {
                    th scope="col" { "Name" } th scope="col" { "System" } th scope="col" { "Kind" } (headings(&columns))
                } }
                tbody {
                    @for ((name, lpar, kind), each) in found {
                        tr {
                            th scope="row" { (name) } td .text { (lpar) } td .text { (kind) }
                            (cells(&columns, &Records::of_thing(each, measured_ps), None))
                        }
                    }
                }
            } }
        }
    }
}
