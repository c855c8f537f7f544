//! Horizons: the instants up to which processes may run.

use crate::WindowError;
use halftrack_base::{Span, Time};

/// State of a process between windows, as far as the other's horizon depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outlook {
    /// Its first pending event; [`Time::MAX`] if none.
    pub(super) next: Time,
    /// Its lookahead.
    pub(super) lookahead: Span,
}

impl Outlook {
    /// Returns the first instant at which a message of the process can arrive if it handles only what it has.
    #[inline]
    pub(super) fn first_message(&self) -> Time {
        self.next.saturating_add(self.lookahead)
    }

    /// Returns the place of the process among those that take turns. Of processes with an event at the same instant one without
    /// lookahead comes first: what it sends then may take effect before the others' events.
    #[inline]
    pub(super) fn turn(&self) -> (Time, bool) {
        (self.next, !self.lookahead.is_zero())
    }
}

/// Returns the instant before which `process` can be sure to have all its events.
///
/// Process j sends nothing that arrives before `E_j + lookahead_j`, where `E_j` is its earliest activity: its own first
/// event, or the first message that another may send it, `next_k + lookahead_k`. One hop is enough: messages may go
/// between any two processes, so a way over more hops from the same origin only arrives later. The horizon of i is the
/// least `E_j + lookahead_j` of the others; it includes, through `E_j`, what i itself may set off. Quadratic in the
/// processes, which are few.
#[inline]
pub(super) fn horizon(process: usize, outlooks: &[Outlook], until: Time) -> Time {
    let mut horizon = until;
    for (j, sender) in outlooks.iter().enumerate().filter(|(j, _)| *j != process) {
        let others = outlooks.iter().enumerate().filter(|(k, _)| *k != j);
        let earliest = others.fold(sender.next, |earliest, (_, other)| earliest.min(other.first_message()));
        horizon = horizon.min(earliest.saturating_add(sender.lookahead));
    }
    horizon
}

/// Writes into `horizons` the [`horizon`] of every process.
///
/// # Errors
/// [`WindowError::ZeroLookahead`], of the lowest such process.
pub(super) fn horizons(outlooks: &[Outlook], until: Time, horizons: &mut [Time]) -> Result<(), WindowError> {
    check_lookaheads(outlooks)?;
    for (process, found) in horizons.iter_mut().enumerate() {
        *found = horizon(process, outlooks, until);
    }
    Ok(())
}

/// Fails when two processes have no lookahead: what they send each other could go to and fro within an instant. The lowest such
/// process is named. With one of them every way round takes time.
#[inline]
pub(super) fn check_lookaheads(outlooks: &[Outlook]) -> Result<(), WindowError> {
    let mut without = outlooks.iter().enumerate().filter(|(_, outlook)| outlook.lookahead.is_zero());
    match (without.next(), without.next()) {
        (Some((process, _)), Some(_)) => Err(WindowError::ZeroLookahead { process }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    fn outlook(next: u64, lookahead: u64) -> Outlook {
        Outlook { next: at(next), lookahead: Span::from_ps(lookahead) }
    }

    fn horizons_of(outlooks: &[Outlook]) -> Vec<Time> {
        let mut found = vec![Time::ZERO; outlooks.len()];
        horizons(outlooks, at(1000), &mut found).unwrap();
        found
    }

    /// Returns the fixpoint by its definition, relaxed until nothing changes.
    fn by_relaxation(outlooks: &[Outlook]) -> Vec<Time> {
        let mut earliest: Vec<Time> = outlooks.iter().map(|o| o.next).collect();
        loop {
            let arrival = |i: usize, earliest: &[Time]| {
                let others = (0..outlooks.len()).filter(|&j| j != i);
                others.map(|j| earliest[j].saturating_add(outlooks[j].lookahead)).min().unwrap_or(Time::MAX)
            };
            let next: Vec<Time> =
                (0..outlooks.len()).map(|i| earliest[i].min(arrival(i, &earliest))).collect();
            if next == earliest {
                return (0..outlooks.len()).map(|i| arrival(i, &earliest).min(at(1000))).collect();
            }
            earliest = next;
        }
    }

    #[test]
    fn two_processes_count_what_they_set_off_themselves() {
        assert_eq!(horizons_of(&[outlook(10, 5), outlook(100, 7)]), [at(22), at(15)]);
        assert_eq!(horizons_of(&[outlook(10, 5), outlook(12, 7)]), [at(19), at(15)]);
    }

    #[test]
    fn alone_runs_to_the_end() {
        assert_eq!(horizons_of(&[outlook(10, 5)]), [at(1000)]);
        let idle = Outlook { next: Time::MAX, lookahead: Span::from_ps(1) };
        assert_eq!(horizons_of(&[idle, idle]), [at(1000), at(1000)]);
    }

    #[test]
    fn one_hop_is_the_fixpoint() {
        let mut stream = crate::RandomStream::new(3, "horizons");
        for n in [2, 3, 4, 7] {
            for _ in 0..200 {
                let mut outlooks: Vec<Outlook> =
                    (0..n).map(|_| outlook(stream.below(60), 1 + stream.below(30))).collect();
                if stream.below(2) == 0 {
                    outlooks[stream.below(n) as usize].lookahead = Span::ZERO;
                }
                assert_eq!(horizons_of(&outlooks), by_relaxation(&outlooks), "{outlooks:?}");
            }
        }
    }

    #[test]
    fn one_process_without_lookahead_holds_the_other_at_its_next_event() {
        assert_eq!(horizons_of(&[outlook(10, 0), outlook(12, 7)]), [at(17), at(10)]);
        assert_eq!(horizons_of(&[outlook(12, 0), outlook(12, 7)]), [at(19), at(12)]);
    }

    #[test]
    fn two_processes_without_lookahead_are_refused() {
        let outlooks = [outlook(1, 1), outlook(1, 0), outlook(2, 0)];
        let refused = horizons(&outlooks, at(9), &mut [Time::ZERO; 3]);
        assert_eq!(refused, Err(WindowError::ZeroLookahead { process: 1 }));
        assert_eq!(horizons(&outlooks[..2], at(9), &mut [Time::ZERO; 2]), Ok(()));
    }
}
