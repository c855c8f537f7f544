//! A start whose path is to be driven, as SAPs hand it to channels in another process.

use halftrack_base::{Span, Time};
use halftrack_program::Operation;

use crate::events::crossing::Start;

/// Number in place of that of a unit control block, which channels have no use of.
const NO_SUBCHANNEL: u32 = u32::MAX;

/// A start of which a thread will have done its part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Drive {
    /// Its start.
    pub start: Start,
    /// Instant at which it was executed.
    pub started: Time,
}

/// A drive in few octets, without the number of its unit control block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BriefDrive {
    io: u32,
    view: u32,
    program: u32,
    /// From START SUBCHANNEL until the drive, ps.
    waited_ps: u32,
    /// Track and one more, or zero for none.
    track: u32,
    lpar: u16,
    unit_address: u8,
    channel_image: u8,
    operation: Operation,
    hit: bool,
}

impl Drive {
    /// Puts it into few octets, as a message that takes effect at `at`; `None` where it takes more.
    #[inline(always)]
    pub(crate) fn brief(&self, at: Time) -> Option<BriefDrive> {
        let Self { start, started } = self;
        let waited_ps = at.since(*started).as_ps();
        let track = start.track.map_or(Some(0), |track| track.checked_add(1))?;
        (waited_ps <= u64::from(u32::MAX) && !start.by_queue).then_some(BriefDrive {
            io: start.io,
            view: start.view,
            program: start.program,
            waited_ps: waited_ps as u32,
            track,
            lpar: start.lpar,
            unit_address: start.unit_address,
            channel_image: start.channel_image,
            operation: start.operation,
            hit: start.hit,
        })
    }
}

impl BriefDrive {
    /// Makes a drive of it, as any other, that takes effect at `at`.
    #[inline(always)]
    pub(crate) fn whole(self, at: Time) -> Drive {
        let start = Start {
            io: self.io,
            subchannel: NO_SUBCHANNEL,
            view: self.view,
            lpar: self.lpar,
            program: self.program,
            track: self.track.checked_sub(1),
            unit_address: self.unit_address,
            channel_image: self.channel_image,
            operation: self.operation,
            hit: self.hit,
            by_queue: false,
        };
        Drive { start, started: at - Span::from_ps(self.waited_ps.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Start = Start {
        io: 9,
        subchannel: NO_SUBCHANNEL,
        view: 7,
        lpar: 6,
        program: 5,
        track: Some(4),
        unit_address: 3,
        channel_image: 2,
        operation: Operation::UpdateWrite,
        hit: false,
        by_queue: false,
    };

    #[test]
    fn a_brief_drive_has_all_of_the_whole() {
        let started = Time::ZERO + Span::from_us(10);
        for track in [None, Some(0), Some(u32::MAX - 1)] {
            let whole = Drive { start: Start { track, ..START }, started };
            let at = started + Span::from_us(4_294);
            assert_eq!(whole.brief(at).map(|brief| brief.whole(at)), Some(whole));
        }
    }

    #[test]
    fn a_drive_that_does_not_fit_is_not_brief() {
        let started = Time::ZERO + Span::from_us(10);
        let brief = |start, us| Drive { start, started }.brief(started + Span::from_us(us));
        assert_eq!(brief(START, 4_295), None);
        assert_eq!(brief(Start { track: Some(u32::MAX), ..START }, 1), None);
        assert_eq!(brief(Start { by_queue: true, ..START }, 1), None);
    }
}
