//! Scope of one report: one system in one interval of a run.

use halftrack_record::{CpcHeader, Interval, Run, SystemHeader};

use crate::MeasureError;

/// One system in one interval of a run.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The run.
    pub run: &'a Run,
    /// The system that the report is for.
    pub system: &'a SystemHeader,
    /// The interval.
    pub interval: &'a Interval,
}

impl<'a> Scope<'a> {
    /// Finds a system by partition name and an interval by index, from 0.
    ///
    /// # Errors
    /// `UnknownSystem` and `NoSuchInterval` when the run has none.
    pub fn new(run: &'a Run, system: &str, interval: usize) -> Result<Self, MeasureError> {
        let systems = &run.header.systems;
        let system = systems.iter().find(|candidate| candidate.name == system).ok_or_else(|| {
            MeasureError::UnknownSystem {
                name: system.to_owned(),
                known: systems.iter().map(|known| known.name.as_str()).collect::<Vec<_>>().join(", "),
            }
        })?;
        let count = run.intervals.len();
        let interval =
            run.intervals.get(interval).ok_or(MeasureError::NoSuchInterval { index: interval, count })?;
        Ok(Self { run, system, interval })
    }

    /// Returns the machine of the system.
    pub(crate) fn machine(&self) -> CpcHeader {
        self.run.header.machine(self.system.cpc)
    }

    /// Returns the length of the interval, ps.
    pub(crate) fn length_ps(&self) -> u64 {
        self.interval.length_ps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;

    #[test]
    fn what_is_not_there_is_named() {
        let run = golden::run();
        let error = Scope::new(&run, "NONE", 0).unwrap_err();
        assert_eq!(error.to_string(), "no system NONE in this run; it has SYN1, SYN2PROD");
        let error = Scope::new(&run, "SYN1", 7).unwrap_err();
        assert_eq!(error.to_string(), "no interval 7; the run has 2, counted from 0");
    }
}
