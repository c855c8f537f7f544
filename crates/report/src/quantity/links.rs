//! How busy the links were, and how long they waited for credits.

use halftrack_record::{LinkInterval, Run};

use super::named::Named;
use super::{Of, QuantityError, Unit, Word, length_ps, word};
use crate::formula::{percent_busy, total};

pub(super) const LINKS: Named<LinkInterval> =
    Named { kind: "link", records: |interval| &interval.links, name: |_, link| link.name.clone() };

/// The time of a link that a word is about, ps.
pub(super) type Formula = fn(&LinkInterval) -> u64;

pub(super) const WORDS: &[Word] = &[
    word("link_percent", Unit::Percent, Of::Link(|link| link.busy_ps)),
    word("credit_wait_percent", Unit::Percent, Of::Link(|link| link.credit_wait_ps)),
];

/// Share of the measured time, percent.
pub(super) fn value(
    run: &Run,
    word: &'static str,
    subject: Option<&str>,
    time: Formula,
) -> Result<f64, QuantityError> {
    let records = LINKS.needed(run, word, subject)?;
    Ok(percent_busy(total(records.into_iter().map(time)), 1, length_ps(run)))
}

#[cfg(test)]
mod tests {
    use crate::golden;
    use crate::quantity::quantity;

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
