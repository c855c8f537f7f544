//! Links: one direction of a fibre each.

use halftrack_record::LinkInterval;

use crate::column;
use crate::quantity::Unit;
use crate::rows::{Rows, Source};
use crate::table::{Named, SubjectRule, Table, one_each_interval};

/// A figure of this table.
type Column = column::Column<LinkInterval>;

/// Utilisation of the link.
pub(crate) const BUSY: Column = Column::new(
    "link_percent",
    Unit::Percent,
    "Time that the transmitter of the link was sending",
    |links| links.percent(|link| link.busy_ps),
);

/// Share of the time without a credit.
pub(crate) const CREDIT_WAIT: Column = Column::new(
    "credit_wait_percent",
    Unit::Percent,
    "Time that the transmitter had something to send and no buffer credit; counted for links that run frame by frame",
    |links| links.percent(|link| link.credit_wait_ps),
);

/// Frames that errors took.
pub(crate) const LOST: Column = Column::new(
    "frames_lost_per_s",
    Unit::PerSecond,
    "Frames, or parts of a burst, that errors and faults took on the link",
    |links| links.rate(|link| link.lost),
);

const LINKS: Named<LinkInterval> =
    Named { records: |interval| &interval.links, name: |_, link| link.name.clone() };

/// The table of links.
pub(crate) static TABLE: Table<LinkInterval> = Table {
    kind: "link",
    report: "",
    subject_rule: SubjectRule::One,
    columns: &[BUSY, CREDIT_WAIT, LOST],
    choose: |run, subject| LINKS.choose(run, subject),
    subjects: |run| LINKS.subjects(run),
    by_subject: Some(|run| LINKS.by_subject(run)),
    things: one_each_interval,
    rows: Rows {
        frame: "links",
        keys: &[("link", "One direction of a fibre: transmitter > receiver")],
        source: Source::Interval(|run, interval| LINKS.rows(run, interval)),
    },
};

#[cfg(test)]
mod tests {
    use crate::golden;
    use crate::quantity::quantity;

    #[test]
    fn a_link_loses_frames_at_a_rate() {
        let mut run = golden::run();
        for interval in &mut run.intervals {
            interval.links[0].lost = 1_800;
        }
        let found = quantity(&run, "frames_lost_per_s:pchid 140 > 11.20").unwrap().value;
        assert!((found - 2.0).abs() < 1e-5, "{found}");
    }

    #[test]
    fn a_link_is_busy_or_waits_for_credits_for_a_share_of_the_time() {
        let mut run = golden::run();
        for interval in &mut run.intervals {
            interval.links[0].busy_ps = interval.length_ps / 4;
            interval.links[0].credit_wait_ps = interval.length_ps / 8;
        }
        let of = |name| quantity(&run, name).unwrap().value;
        assert_eq!(of("link_percent:pchid 140 > 11.20"), 25.0);
        assert_eq!(of("credit_wait_percent:pchid 140 > 11.20"), 12.5);
        assert!(quantity(&run, "link_percent").is_err_and(|error| error.to_string().contains("11.20")));
    }
}
