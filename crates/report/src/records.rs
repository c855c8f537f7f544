//! Records that a figure is computed from, and sums of them.

use crate::Scope;
use crate::formula::{mean_ms, mean_number, megabytes_per_second, per_second, percent_busy, quotient, total};

/// Records of one kind and the time that they cover.
#[derive(Debug, Clone)]
pub(crate) struct Records<'a, R> {
    /// One for each thing and interval.
    pub each: Vec<&'a R>,
    /// Different things among them: a channel has a record in every interval.
    pub things: u64,
    /// Time that they cover, ps.
    pub length_ps: u64,
    /// System and interval of the report; `None` for figures of the run as a whole.
    pub scope: Option<Scope<'a>>,
}

impl<'a, R> Records<'a, R> {
    /// Returns records of the interval of `scope`, each of another thing.
    pub fn of_interval(each: Vec<&'a R>, scope: &Scope<'a>) -> Self {
        Self { things: each.len() as u64, each, length_ps: scope.length_ps(), scope: Some(*scope) }
    }

    /// Returns records of one thing over `length_ps`.
    pub fn of_thing(each: Vec<&'a R>, length_ps: u64) -> Self {
        Self { each, things: 1, length_ps, scope: None }
    }

    /// Returns the sum over the records.
    pub fn total(&self, of: impl Fn(&R) -> u64) -> u128 {
        total(self.each.iter().map(|one| of(one)))
    }

    /// Returns events per second.
    pub fn rate(&self, events: impl Fn(&R) -> u64) -> f64 {
        per_second(self.total(events), self.length_ps)
    }

    /// Returns 10^6 bytes per second.
    pub fn mb_per_s(&self, bytes: impl Fn(&R) -> u64) -> f64 {
        megabytes_per_second(self.total(bytes), self.length_ps)
    }

    /// Returns busy time as a percentage of the time covered, mean over the records.
    pub fn percent(&self, busy_ps: impl Fn(&R) -> u64) -> f64 {
        percent_busy(self.total(busy_ps), self.things, self.length_ps)
    }

    /// Returns the quotient of two sums.
    pub fn ratio(&self, numerator: impl Fn(&R) -> u64, denominator: impl Fn(&R) -> u64) -> f64 {
        quotient(self.total(numerator) as f64, self.total(denominator) as f64)
    }

    /// Returns the mean of times over `count` events, ms.
    pub fn mean_ms(&self, time_ps: impl Fn(&R) -> u64, count: impl Fn(&R) -> u64) -> f64 {
        mean_ms(self.total(time_ps), self.total(count))
    }

    /// Returns the mean number in progress.
    pub fn mean_number(&self, time_ps: impl Fn(&R) -> u64) -> f64 {
        mean_number(self.total(time_ps), self.length_ps)
    }

    /// Returns the mean number found on a queue by a request that is put there, which the sums of lengths include.
    pub fn queue_length(&self, length_sum: impl Fn(&R) -> u64, enqueued: impl Fn(&R) -> u64) -> f64 {
        let enqueued = self.total(enqueued);
        quotient(self.total(length_sum).saturating_sub(enqueued) as f64, enqueued as f64)
    }

    /// Returns the number that does not change during a run; 0 without records.
    pub fn last(&self, of: impl Fn(&R) -> f64) -> f64 {
        self.each.last().map_or(0.0, |one| of(one))
    }
}
