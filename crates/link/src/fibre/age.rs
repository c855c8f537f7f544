//! The age of a frame, by the time stamp that its first sender gave it (RFC 3643).
//!
//! Two ends have a common clock when the operating system of one host gave them theirs ([`HostClock`], our choice): an
//! end that opens a connection names its clock in its special frame, and the echo bears a time stamp when it is the
//! other end's too. Only then are frames stamped; a switch passes the stamp on and never makes one, so that a frame
//! whose age is unknown anywhere on its way is not taken to be young. Without a common clock nothing is checked.

use halftrack_base::{Span, Time};
use halftrack_wire::fcip::TimeStamp;
use halftrack_wire::timers::FRAME_LIFE_US;

use crate::clock::HostClock;

/// How far ahead the stamp of a frame may be before the clocks are known to differ. Our choice: common clocks differ by
/// the length of a turn.
const AHEAD_MAX: Span = Span::from_s(1);
const PS_PER_S: u128 = 1_000_000_000_000;

/// Clock by which an end checks the age of frames.
#[derive(Debug, Clone, Copy)]
pub(super) struct Age {
    own: Option<HostClock>,
    /// Both ends have this clock.
    is_common: bool,
}

impl Age {
    pub(super) fn new(own: Option<HostClock>) -> Self {
        Self { own, is_common: false }
    }

    /// Returns the identifier of the clock for the special frame; 0 for none.
    pub(super) fn clock_id(&self) -> u64 {
        self.own.map_or(0, |own| own.id)
    }

    /// Notes the clock of the other end, which its special frame names.
    pub(super) fn meet(&mut self, clock_id: u64) {
        self.is_common = clock_id != 0 && clock_id == self.clock_id();
    }

    /// Notes the time stamp of the special frame's echo.
    pub(super) fn meet_echo(&mut self, stamp: TimeStamp) {
        self.is_common = self.own.is_some() && stamp != TimeStamp::default();
    }

    pub(super) fn is_common(&self) -> bool {
        self.is_common
    }

    /// Returns the stamp of a frame that begins its way now.
    #[inline]
    pub(super) fn stamp(&self, now: Time) -> TimeStamp {
        match self.own.filter(|_| self.is_common) {
            Some(own) => own.stamp(now),
            None => TimeStamp::default(),
        }
    }

    /// Returns a stamp as it goes on over this link, or as it came over it.
    #[inline]
    pub(super) fn pass(&self, stamp: TimeStamp) -> TimeStamp {
        if self.is_common { stamp } else { TimeStamp::default() }
    }

    /// Returns whether a frame with this stamp has lived for longer than a frame may. A stamp that lies ahead shows that the
    /// clocks differ: from then on nothing is checked.
    #[inline]
    pub(super) fn expires(&mut self, stamp: TimeStamp, now: Time) -> bool {
        let Some(own) = self.own.filter(|_| self.is_common && stamp != TimeStamp::default()) else {
            return false;
        };
        let (now, then) = (own.at(now), ps_of(stamp));
        if then > now + u128::from(AHEAD_MAX.as_ps()) {
            self.is_common = false;
            return false;
        }
        now.saturating_sub(then) > u128::from(Span::from_us(FRAME_LIFE_US).as_ps())
    }
}

/// Returns 0 and 0 stand for no stamp.
pub(crate) fn stamp_of(ps: u128) -> TimeStamp {
    let (seconds, rest) = (ps / PS_PER_S, ps % PS_PER_S);
    let fraction = ((rest << 32) / PS_PER_S) as u32;
    TimeStamp { seconds: seconds as u32, fraction: if seconds == 0 { fraction.max(1) } else { fraction } }
}

fn ps_of(stamp: TimeStamp) -> u128 {
    u128::from(stamp.seconds) * PS_PER_S + ((u128::from(stamp.fraction) * PS_PER_S) >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_keeps_the_time_to_a_nanosecond() {
        for ps in [0, 1, 999_999_999_999, PS_PER_S, 86_400 * PS_PER_S + 123_456_789_012] {
            let back = ps_of(stamp_of(ps));
            assert!(stamp_of(ps) != TimeStamp::default() && back.abs_diff(ps) < 1_000, "{ps} {back}");
        }
    }

    #[test]
    fn clocks_that_differ_check_nothing() {
        let at = |s| Time::ZERO.saturating_add(Span::from_s(s));
        let clock = HostClock { id: 7, start_ns: 50_000_000_000 };
        let mut age = Age::new(Some(clock));
        assert!(!age.expires(stamp_of(1), at(9)), "nothing is known of the other end");
        age.meet(8);
        assert!(!age.expires(stamp_of(1), at(9)) && age.stamp(at(1)) == TimeStamp::default());
        age.meet(7);
        assert_eq!(ps_of(age.stamp(at(1))), 51 * PS_PER_S);
        let stamp = age.stamp(at(1));
        assert!(!age.expires(stamp, at(5)) && age.expires(stamp, at(6)));
        assert!(!age.expires(stamp_of(60 * PS_PER_S), at(1)) && !age.is_common());
        assert!(!age.expires(stamp, at(6)), "the clocks differ");
    }
}
