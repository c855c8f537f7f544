//! zHyperLinks: requests of each link (SMF type 74-9), of all systems together.

use halftrack_record::SynchronousLinkInterval;

use crate::column::{self, Shown};
use crate::formula::quotient;
use crate::quantity::Unit;
use crate::records::Records;
use crate::rows::{Rows, Source};
use crate::table::{Named, SubjectRule, Table, one_each_interval};

/// A figure of this table.
type Column = column::Column<SynchronousLinkInterval>;

/// Records that make columns.
type Links<'a> = Records<'a, SynchronousLinkInterval>;

/// Picoseconds in a microsecond.
const PS_PER_US: f64 = 1e6;

/// Utilisation of the link.
pub(crate) const HELD: Column = Column::new(
    "zhyperlink_percent",
    Unit::Percent,
    "Time that a request held the zHyperLink, mean over the links",
    |links| links.percent(|link| link.held_ps),
)
.on_page(1, "Held", Shown::Bar(|_| None));

/// Requests, with success or without.
pub(crate) const REQUESTS: Column = Column::new(
    "zhyperlink_requests_per_s",
    Unit::PerSecond,
    "Requests of the zHyperLink, with success or without",
    |links| links.rate(requests),
)
.on_page(2, "Requests/s", Shown::Rate);

/// The table of zHyperLinks.
pub(crate) static TABLE: Table<SynchronousLinkInterval> = Table {
    kind: "zHyperLink",
    report: "",
    subject_rule: SubjectRule::OneOrAll,
    columns: &[
        HELD,
        REQUESTS,
        Column::new(
            "zhyperlink_held_us",
            Unit::Us,
            "Time for which a request that was sent held the zHyperLink, mean: those that found it in use held none",
            |links| {
                let sent = links.total(|link| requests(link) - link.local_rejects);
                quotient(links.total(|link| link.held_ps) as f64 / PS_PER_US, sent as f64)
            },
        ),
        Column::new(
            "zhyperlink_success_percent",
            Unit::Percent,
            "Requests of the zHyperLink whose data moved, of all of it",
            |links| share(links, |link| link.successes),
        )
        .on_page(3, "Success %", Shown::Rate),
        Column::new(
            "zhyperlink_local_reject_percent",
            Unit::Percent,
            "Requests that processor or adapter turned away: the link was in use, or not operational",
            |links| share(links, |link| link.local_rejects),
        )
        .on_page(4, "Local rejects %", Shown::Rate),
        Column::new(
            "zhyperlink_remote_reject_percent",
            Unit::Percent,
            "Requests that the box turned away, for a record out of cache above all",
            |links| share(links, |link| link.remote_rejects),
        )
        .on_page(5, "Remote rejects %", Shown::Rate),
        Column::new(
            "zhyperlink_time_out_percent",
            Unit::Percent,
            "Requests of the zHyperLink without an answer in time",
            |links| share(links, |link| link.timeouts),
        )
        .on_page(6, "Time-outs %", Shown::Rate),
        Column::new(
            "zhyperlink_success_per_s",
            Unit::PerSecond,
            "Requests of the zHyperLink whose data moved",
            |links| links.rate(|link| link.successes),
        ),
        Column::new(
            "zhyperlink_reject_per_s",
            Unit::PerSecond,
            "Requests that processor, adapter or box turned away, and those without an answer in time",
            |links| links.rate(|link| requests(link) - link.successes),
        ),
        Column::new(
            "zhyperlink_mb_per_s",
            Unit::MbPerSecond,
            "Data that went over the zHyperLink, both directions together",
            |links| links.mb_per_s(|link| link.read_bytes + link.written_bytes),
        ),
        Column::new(
            "zhyperlink_read_mb_per_s",
            Unit::MbPerSecond,
            "Data read over the zHyperLink",
            |links| links.mb_per_s(|link| link.read_bytes),
        )
        .on_page(7, "Read MB/s", Shown::Rate),
        Column::new(
            "zhyperlink_write_mb_per_s",
            Unit::MbPerSecond,
            "Data written over the zHyperLink",
            |links| links.mb_per_s(|link| link.written_bytes),
        )
        .on_page(8, "Write MB/s", Shown::Rate),
    ],
    choose: |run, subject| LINKS.choose(run, subject),
    subjects: |run| LINKS.subjects(run),
    by_subject: Some(|run| LINKS.by_subject(run)),
    things: one_each_interval,
    rows: Rows {
        frame: "zhyperlinks",
        keys: &[("link", "zHyperLink: adapter port > port of the box")],
        source: Source::Interval(|run, interval| LINKS.rows(run, interval)),
    },
};

const LINKS: Named<SynchronousLinkInterval> =
    Named { records: |interval| &interval.synchronous_links, name: |_, link| link.name.clone() };

fn requests(link: &SynchronousLinkInterval) -> u64 {
    link.successes + link.local_rejects + link.remote_rejects + link.timeouts
}

/// Returns a part of the requests, percent.
fn share(links: &Links<'_>, part: fn(&SynchronousLinkInterval) -> u64) -> f64 {
    100.0 * links.ratio(part, requests)
}

#[cfg(test)]
mod tests {
    use crate::golden;
    use crate::quantity::quantity;

    #[test]
    fn a_link_is_held_for_a_share_of_the_time_and_its_outcomes_make_a_hundred() {
        let run = golden::synchronous_run();
        let of = |name: &str, link: &str| quantity(&run, &format!("{name}{link}")).unwrap().value;
        let [one, other] = [":pchid 180.1 > BOXA H000", ":pchid 180.2 > BOXA H001"];
        assert!((of("zhyperlink_percent", one) - 20.0).abs() < 1e-9);
        assert!((of("zhyperlink_percent", "") - 15.0).abs() < 1e-9);
        assert!(
            (of("zhyperlink_requests_per_s", "") - 2.0 * of("zhyperlink_requests_per_s", other)).abs() < 1e-9
        );
        let outcomes = ["success", "local_reject", "remote_reject", "time_out"];
        let sum: f64 = outcomes.iter().map(|outcome| of(&format!("zhyperlink_{outcome}_percent"), one)).sum();
        assert!((sum - 100.0).abs() < 1e-9, "{sum}");
    }
}
