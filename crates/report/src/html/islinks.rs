//! Section of the page with logical links of ISFC.

use std::collections::BTreeMap;

use halftrack_drawing::number;
use halftrack_record::{IsLinkDeviceInterval, IsLinkFlowInterval, RelocationOutcome, Run};
use maud::{Markup, html};

use super::cells::{cells, headings};
use crate::column::of_page;
use crate::columns::islink_work as work;
use crate::columns::islinks::TABLE;
use crate::records::Records;
use crate::summary::RelocatedGuest;
use crate::table::measured_ps;

/// One end of a device: logical link, system, number.
type Place<'a> = (&'a str, &'a str, u16);

/// Returns the section; nothing for a run without logical links.
pub(super) fn section(run: &Run) -> Markup {
    let ends = ends(run);
    if ends.is_empty() {
        return html! {};
    }
    let columns = of_page(TABLE.columns);
    html! {
        section #islinks {
            h2 { "ISFC logical links" }
            p .note {
                "Each row is a channel-to-channel device as one system uses it. A start waits for the other system, so that "
                "a device is active for longer than its data move."
            }
            details open {
                summary { (number::counted(ends.len() / 2, "channel-to-channel device")) }
                div .scroll { table {
                    caption { "Channel-to-channel devices, as each system uses them" }
                    thead { tr {
                        th scope="col" { "Logical link" } th scope="col" { "System" } th scope="col" { "Device" }
                        th scope="col" { "CHPID" } (headings(&columns))
                    } }
                    tbody {
                        @for ((link, system, device), (chpid, records)) in &ends {
                            tr {
                                th scope="row" { (link) } td { (system) } td { (format!("{device:04X}")) }
                                td { (format!("{chpid:02X}")) } (cells(&columns, records, None))
                            }
                        }
                    }
                } }
            }
            (work_table(run))
            (guest_table(&RelocatedGuest::of(run)))
        }
    }
}

/// Returns the table of bulks, requests and guests.
fn work_table(run: &Run) -> Markup {
    let columns = of_page(work::TABLE.columns);
    let mut found = BTreeMap::<_, Vec<&IsLinkFlowInterval>>::new();
    for one in run.intervals.iter().flat_map(|interval| &interval.islink_flows) {
        found.entry((&one.islink, &one.name, &one.from, &one.to)).or_default().push(one);
    }
    let measured_ps = measured_ps(&run.intervals);
    html! {
        div .scroll { table {
            caption { "Work over logical links" }
            thead { tr {
                th scope="col" { "Logical link" } th scope="col" { "Work" } th scope="col" { "From" }
                th scope="col" { "To" } (headings(&columns))
            } }
            tbody {
                @for ((islink, name, from, to), each) in found {
                    tr {
                        th scope="row" { (islink) }
                        td .text { @if name.is_empty() { "bulk" } @else { (name) } }
                        td .text { (from) } td .text { (to) }
                        (cells(&columns, &Records::of_thing(each, measured_ps), None))
                    }
                }
            }
        } }
    }
}

/// Returns the table of guests that were moved, a row a pass.
fn guest_table(guests: &[RelocatedGuest]) -> Markup {
    if guests.is_empty() {
        return html! {};
    }
    html! {
        @for guest in guests {
            p .warning[guest.outcome == RelocationOutcome::Cancelled] { (guest.headline()) }
        }
        div .scroll { table {
            caption { "Passes over the memory of guests" }
            thead { tr {
                th scope="col" { "Guest" } th scope="col" .number { "Pass" } th scope="col" .number { "MB" }
                th scope="col" .number { "Seconds" } th scope="col" { "Guest is" }
            } }
            tbody {
                @for guest in guests {
                    @for (at, pass) in guest.passes.iter().enumerate() {
                        tr {
                            th scope="row" { (guest.guest) } td { (at + 1) }
                            td { (number::grouped(pass.bytes as f64 / 1e6, 1)) }
                            td { (number::grouped(pass.seconds, 3)) }
                            td .text { @if pass.quiesced { "stopped" } @else { "running" } }
                        }
                    }
                }
            }
        } }
    }
}

/// Returns the CHPID and the records of each end over the whole run.
fn ends(run: &Run) -> BTreeMap<Place<'_>, (u8, Records<'_, IsLinkDeviceInterval>)> {
    let mut found = BTreeMap::<Place<'_>, Vec<_>>::new();
    for end in run.intervals.iter().flat_map(|interval| &interval.islinks) {
        found.entry((&end.islink, &end.lpar, end.number)).or_default().push(end);
    }
    let measured_ps = measured_ps(&run.intervals);
    let each = found.into_iter().filter_map(|(place, each)| {
        let chpid = each.first()?.chpid;
        Some((place, (chpid, Records::of_thing(each, measured_ps))))
    });
    each.collect()
}
