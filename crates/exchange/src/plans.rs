//! The plans of a machine: recorded while it is wired, unchangeable while it runs.

use std::collections::BTreeMap;
use std::ops::Index;

use thiserror::Error;

use crate::outcome::ChannelOutcome;
use crate::plan::{Plan, PlanId, PlanKey};
use crate::program::ProgramError;
use crate::recorder;

/// Reason for which there is no plan for a key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlanError {
    /// The shape is no program of the carrier.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The program does not end with channel end and device end only, so it has no fault-free exchange.
    #[error("the program does not end normally: {0:?}")]
    Outcome(ChannelOutcome),
    /// The machines did not bring the exchange to an end within the bound on steps.
    #[error("the exchange is not over after {0} information units")]
    Endless(usize),
    /// An IU takes more frames than a sequence can count, or a direction has more IUs than a plan can count.
    #[error("the exchange is too large for a plan")]
    TooLarge,
    /// All plan numbers are taken.
    #[error("more than {} plans", u16::MAX)]
    TooMany,
}

/// All plans, by number and by key.
#[derive(Debug, Clone, Default)]
pub struct Plans {
    plans: Vec<Plan>,
    by_key: BTreeMap<PlanKey, PlanId>,
}

impl Plans {
    /// Returns the plan for `key`, recorded now if it was not before.
    ///
    /// # Errors
    /// The reason for which there is no such plan.
    pub fn record(&mut self, key: PlanKey) -> Result<PlanId, PlanError> {
        if let Some(id) = self.find(&key) {
            return Ok(id);
        }
        let id = u16::try_from(self.plans.len()).map(PlanId).map_err(|_| PlanError::TooMany)?;
        self.plans.push(recorder::record(key)?);
        self.by_key.insert(key, id);
        Ok(id)
    }

    /// Returns the number of the plan for `key`, if it has been recorded.
    #[must_use]
    pub fn find(&self, key: &PlanKey) -> Option<PlanId> {
        self.by_key.get(key).copied()
    }

    /// Returns the plan with this number.
    #[inline]
    #[must_use]
    pub fn get(&self, id: PlanId) -> Option<&Plan> {
        self.plans.get(usize::from(id.0))
    }

    /// Returns the plans in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (PlanId, &Plan)> {
        self.plans.iter().enumerate().map(|(index, plan)| (PlanId(index as u16), plan))
    }

    /// Returns the number of plans there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.plans.len()
    }

    /// Returns true before the first plan is recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.plans.is_empty()
    }
}

impl Index<PlanId> for Plans {
    type Output = Plan;

    /// Returns the plan with this number.
    ///
    /// # Panics
    /// When the number is not one that [`Plans::record`] of these plans gave.
    #[inline]
    fn index(&self, id: PlanId) -> &Plan {
        &self.plans[usize::from(id.0)]
    }
}
