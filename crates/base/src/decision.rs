//! Decisions of recovery and how often each was taken, so that a run with faults can list those that it never reached.

use std::cell::Cell;

/// Defines the decisions with their words.
macro_rules! decisions {
    ($($(#[$doc:meta])* $name:ident = $word:literal;)*) => {
        /// A decision of recovery.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Decision {
            $($(#[$doc])* $name,)*
        }

        impl Decision {
            /// All decisions, in the order of their counts.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$name),*];

            /// Returns its word.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }
        }
    };
}

decisions! {
    /// Channel: an exchange is given up, because no answer came in time.
    ExchangeTimedOut = "exchange-timed-out";
    /// Channel: an exchange is given up, because the link is gone.
    ExchangeLinkLost = "exchange-link-lost";
    /// Channel: an exchange is given up after a damaged or missing information unit.
    ExchangeDamaged = "exchange-damaged";
    /// Channel: an exchange is given up, because the control unit purged or aborted it.
    ExchangePurged = "exchange-purged";
    /// Channel: an exchange is withdrawn by its program.
    ExchangeCancelled = "exchange-cancelled";
    /// Control unit: an exchange is given up, because the channel sent nothing in time.
    ProgramTimedOut = "program-timed-out";
    /// Control unit: an exchange is given up, because the link is gone or the channel logged out.
    ProgramLinkLost = "program-link-lost";
    /// Control unit: an exchange is given up after a damaged or missing information unit.
    ProgramDamaged = "program-damaged";
    /// Control unit: an exchange is given up at the channel's request.
    ProgramWithdrawn = "program-withdrawn";
    /// Control unit: an exchange is given up for a newer start of its subchannel.
    ProgramSuperseded = "program-superseded";
    /// Fence: a start is late and has no effect.
    StartLate = "start-late";
    /// Fence: a start is refused, because an older one is open over its path.
    StartActive = "start-active";
    /// Fence: a newer start ends an older one over another path.
    StartSupersedes = "start-supersedes";
    /// Control unit: a device is taken from an exchange.
    DeviceWithdrawn = "device-withdrawn";
    /// Watch: a silent path is probed.
    PathProbed = "path-probed";
    /// Watch: the probes of a path were not answered.
    PathStalled = "path-stalled";
    /// Driver: a stalled path is given up, because another carries something.
    StalledPathLost = "stalled-path-lost";
    /// Driver: a stalled path is kept, because no other carries anything.
    StalledPathKept = "stalled-path-kept";
    /// Driver: a path leaves the group after time-outs in a row.
    FailingPathLost = "failing-path-lost";
    /// Driver: a path with time-outs stays, because the others do no better.
    FailingPathKept = "failing-path-kept";
    /// Driver: an I/O is driven again after a check.
    Redriven = "redriven";
    /// Driver: an I/O rests for R_A_TOV before it is driven again over its only path.
    RedriveRests = "redrive-rests";
    /// Driver: an I/O ends with a permanent error after checks on every attempt.
    PermanentError = "permanent-error";
    /// Driver: an I/O is given up, because its interrupt is missing.
    MissingInterrupt = "missing-interrupt";
    /// Driver: a start that was given up is over, because the control unit has ended its exchange.
    FencedByControlUnit = "fenced-by-control-unit";
    /// Driver: a start that was given up is over, because a newer one came to the device.
    FencedByNewerStart = "fenced-by-newer-start";
    /// Driver: a start that was given up is over by its age.
    FencedByAge = "fenced-by-age";
    /// FCP, initiator: the state of an exchange without activity is requested (REC).
    StateRequested = "state-requested";
    /// FCP, initiator: something of an exchange is requested again (SRR).
    RetransmissionRequested = "retransmission-requested";
    /// FCP, initiator: the target has nothing of a command.
    CommandLost = "command-lost";
    /// FCP, initiator: an exchange is aborted (ABTS).
    CommandAborted = "command-aborted";
    /// FCP, initiator: ABTS was never answered.
    AbortUnanswered = "abort-unanswered";
    /// FCP, target: something of an exchange is sent again.
    Retransmitted = "retransmitted";
    /// FCP, target: what is requested again cannot be sent.
    RetransmissionRefused = "retransmission-refused";
    /// FCP, driver: a command is sent again over another path.
    FailedOver = "failed-over";
    /// FCP, driver: the records of a write rest, because something of it may still be on its way.
    RecordsRest = "records-rest";
}

thread_local! {
    static COUNTS: [Cell<u64>; Decision::ALL.len()] = const { [const { Cell::new(0) }; Decision::ALL.len()] };
}

impl Decision {
    /// Counts the decision on this thread. It costs an addition where something has failed, and nothing elsewhere.
    #[cold]
    pub fn count(self) {
        COUNTS.with(|counts| {
            let count = &counts[self as usize];
            count.set(count.get() + 1);
        });
    }

    /// Returns how often each decision was taken on this thread since the last call, in the order of [`Decision::ALL`].
    #[must_use]
    pub fn take_counts() -> [u64; Self::ALL.len()] {
        COUNTS.with(|counts| counts.each_ref().map(Cell::take))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_counted_until_they_are_taken() {
        let _ = Decision::take_counts();
        Decision::Redriven.count();
        Decision::Redriven.count();
        let counts = Decision::take_counts();
        assert_eq!((counts[Decision::Redriven as usize], counts.iter().sum::<u64>()), (2, 2));
        assert_eq!(Decision::take_counts().iter().sum::<u64>(), 0);
    }

    #[test]
    fn words_are_unique() {
        let mut words = Decision::ALL.map(Decision::word).to_vec();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Decision::ALL.len());
    }
}
