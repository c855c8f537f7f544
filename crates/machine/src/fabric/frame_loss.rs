//! Frames lost on a link: by its bit errors, and while a disturbance drops a share of them.
//!
//! Nothing is drawn for a frame. The distance to the next error is drawn when the last one has passed, so that frames in
//! between cost a comparison, and the errors of a link lie at the same octets however its frames travel.

use std::mem;

use halftrack_config::{ErrorUnit, FrameErrors, Link};
use halftrack_engine::RandomStream;

use crate::events::cargo::Cargo;
use crate::fabric::link::{Launched, Transmitters};
use crate::wiring::Wiring;
use crate::wiring::load::OnFibre;
use crate::wiring::lost_steps::LostSteps;
use crate::wiring::route::FarEnd;

/// The errors of one transmitter.
#[derive(Debug)]
pub(crate) struct FrameLoss {
    errors: Option<Errors>,
    drops: Drops,
    /// Octets in which a frame of the last transit was lost.
    found: Vec<u32>,
    /// Losses so far.
    lost: u64,
}

/// Bit errors, and the distance to the next.
#[derive(Debug)]
struct Errors {
    of_link: FrameErrors,
    stream: RandomStream,
    /// Whole units before the one that is lost next.
    before_next: u64,
    /// Octets of the codeword under way that have passed.
    passed_octets: u64,
}

/// The share of frames that a disturbance drops.
#[derive(Debug)]
struct Drops {
    /// Disturbances in effect, with how many of a million frames each drops.
    shares_ppm: Vec<u32>,
    stream: RandomStream,
    /// Frames before the one that is dropped next.
    before_next: u64,
}

impl FrameLoss {
    /// Makes the errors of all links that have any.
    pub(super) fn of_links(w: &Wiring) -> Vec<Option<Box<Self>>> {
        let links = w.configuration.links.iter().zip(&w.is_lossy);
        links.map(|(link, is_lossy)| is_lossy.then(|| Box::new(Self::new(link, w.options.seed)))).collect()
    }

    /// Makes the errors of `link` in a run with this seed.
    pub(crate) fn new(link: &Link, seed: u64) -> Self {
        let errors = link.errors.map(|of_link| Errors::new(of_link, &link.name, seed));
        let stream = RandomStream::new(seed, &format!("link {} dropped frames", link.name));
        Self {
            errors,
            drops: Drops { shares_ppm: Vec::new(), stream, before_next: 0 },
            found: Vec::new(),
            lost: 0,
        }
    }

    /// Counts the losses so far.
    pub(super) fn lost(&self) -> u64 {
        self.lost
    }

    /// Begins to drop `share_ppm` of a million frames, or ceases to.
    pub(crate) fn drop_share(&mut self, share_ppm: u32, begins: bool) {
        self.drops.change(share_ppm, begins);
    }

    /// Lets `frames` pass. Returns octets of theirs, one at least of each frame that is lost.
    pub(crate) fn pass(&mut self, frames: OnFibre) -> &[u32] {
        let mut found = mem::take(&mut self.found);
        found.clear();
        if let Some(errors) = &mut self.errors {
            errors.pass(frames, &mut found);
        }
        self.drops.pass(frames, &mut found);
        self.lost += found.len() as u64;
        self.found = found;
        &self.found
    }
}

impl Transmitters {
    /// Adds to `lost` the information units of `cargo` that lose a frame on the links over which it has been launched from the hop
    /// `first`. Damaged frames travel to the end, which discards them: directors cut through. The cargo comes back, since one
    /// that is lent would be kept in memory where nothing is lost, too.
    #[cold]
    #[inline(never)]
    pub(super) fn lose(
        &mut self,
        w: &Wiring,
        first: u32,
        launched: &Launched,
        (mut lost, cargo): (LostSteps, Cargo),
    ) -> (LostSteps, Cargo) {
        let chunk = cargo.chunk(w);
        let end = launched.hop + u32::from(launched.far_end == FarEnd::EndPoint);
        for hop in &w.hops[first as usize..end as usize] {
            let Some(loss) = self.losses[hop.link as usize].as_deref_mut() else { continue };
            for octet in loss.pass(chunk.on_fibre()) {
                lost.add(cargo.step_octets(w), *octet);
            }
        }
        (lost, cargo)
    }
}

impl Errors {
    fn new(of_link: FrameErrors, link: &str, seed: u64) -> Self {
        let mut stream = RandomStream::new(seed, &format!("link {link} errors"));
        let before_next = stream.geometric(of_link.chance);
        Self { of_link, stream, before_next, passed_octets: 0 }
    }

    fn pass(&mut self, frames: OnFibre, found: &mut Vec<u32>) {
        match self.of_link.unit {
            ErrorUnit::Bit { .. } => self.pass_bits(frames, found),
            ErrorUnit::Codeword { octets } => self.pass_codewords(frames, octets.into(), found),
        }
    }

    fn go_on(&mut self) {
        let gap = self.stream.geometric(self.of_link.chance);
        self.before_next = self.before_next.saturating_add(1).saturating_add(gap);
    }

    fn pass_bits(&mut self, frames: OnFibre, found: &mut Vec<u32>) {
        let octets = u64::from(frames.bytes);
        let bits = self.of_link.units_of(octets);
        while self.before_next < bits {
            found.push((self.before_next * octets / bits) as u32);
            self.go_on();
        }
        self.before_next -= bits;
    }

    /// Lets frames pass in codewords of so many `octets`. One that is lost is so for what comes behind the frames, too.
    fn pass_codewords(&mut self, frames: OnFibre, octets: u64, found: &mut Vec<u32>) {
        let (from, to) = (self.passed_octets, self.passed_octets + u64::from(frames.bytes));
        while self.before_next.saturating_mul(octets) < to {
            let lost = self.before_next * octets..(self.before_next + 1) * octets;
            let first = lost.start.max(from) - from;
            let last = lost.end.min(to) - 1 - from;
            found.extend([first as u32, last as u32]);
            if lost.end > to {
                break;
            }
            self.go_on();
        }
        self.before_next -= to / octets;
        self.passed_octets = to % octets;
    }
}

impl Drops {
    /// Computes the chance of a frame to be dropped by any of the disturbances in effect.
    fn chance(&self) -> f64 {
        let kept: f64 = self.shares_ppm.iter().map(|ppm| 1.0 - f64::from(*ppm) / 1e6).product();
        1.0 - kept
    }

    fn change(&mut self, share_ppm: u32, begins: bool) {
        if begins {
            self.shares_ppm.push(share_ppm);
        } else if let Some(at) = self.shares_ppm.iter().position(|ppm| *ppm == share_ppm) {
            self.shares_ppm.remove(at);
        }
        let chance = self.chance();
        self.before_next = if chance > 0.0 { self.stream.geometric(chance) } else { u64::MAX };
    }

    fn pass(&mut self, frames: OnFibre, found: &mut Vec<u32>) {
        if self.shares_ppm.is_empty() {
            return;
        }
        let (count, octets) = (u64::from(frames.frames), u64::from(frames.bytes));
        let chance = self.chance();
        while self.before_next < count {
            // The middle of a frame, where all are of one length.
            found.push(((2 * self.before_next + 1) * octets / (2 * count)) as u32);
            let gap = if chance > 0.0 { self.stream.geometric(chance) } else { u64::MAX };
            self.before_next = self.before_next.saturating_add(1).saturating_add(gap);
        }
        self.before_next -= count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(chance: f64, unit: ErrorUnit) -> Errors {
        Errors::new(FrameErrors { chance, unit }, "x", 1)
    }

    /// Passes `frames` of `bytes` each, `together` at a time, and returns the octets of the line at which frames are lost.
    fn places(errors: &mut Errors, together: u32, frames: u32) -> Vec<u64> {
        let mut places = Vec::new();
        let bytes = 2000;
        for at in (0..frames).step_by(together as usize) {
            let mut found = Vec::new();
            let on_fibre = OnFibre { bytes: bytes * together, frames: together as u16 };
            errors.pass(on_fibre, &mut found);
            places.extend(found.iter().map(|octet| u64::from(at) * u64::from(bytes) + u64::from(*octet)));
        }
        places
    }

    #[test]
    fn errors_lie_at_the_same_octets_frame_by_frame_and_in_bursts() {
        let bit = ErrorUnit::Bit { data: 8, sent: 10 };
        let [one, four] = [1, 4].map(|together| places(&mut errors(1e-6, bit), together, 8000));
        assert_eq!(one, four);
        assert!(one.len() > 100, "{}", one.len());
        let frames_of = |places: &[u64]| {
            let mut frames: Vec<_> = places.iter().map(|place| place / 2000).collect();
            frames.dedup();
            frames
        };
        let word = ErrorUnit::Codeword { octets: 640 };
        let [one, four] = [1, 4].map(|together| frames_of(&places(&mut errors(1e-3, word), together, 8000)));
        assert_eq!(one, four);
        assert!(one.len() > 20, "{}", one.len());
    }

    /// 20,000 bits a frame: 1 - (1 - p)^20000, here 1 - exp(-0.2); from 40,000 frames to 1.1 %.
    #[test]
    fn a_frame_is_lost_with_the_chance_that_one_of_its_bits_is_wrong() {
        let places = places(&mut errors(1e-5, ErrorUnit::Bit { data: 8, sent: 10 }), 1, 40_000);
        let mut frames: Vec<_> = places.iter().map(|place| place / 2000).collect();
        frames.dedup();
        let share = frames.len() as f64 / 40_000.0;
        assert!((share / 0.181_27 - 1.0).abs() < 0.03, "{share}");
    }

    /// A frame of 2,000 octets touches 4.12 codewords of 640 on average, 5 at most.
    #[test]
    fn a_lost_codeword_takes_every_frame_that_it_touches() {
        let places = places(&mut errors(1e-3, ErrorUnit::Codeword { octets: 640 }), 1, 100_000);
        let mut frames: Vec<_> = places.iter().map(|place| place / 2000).collect();
        frames.dedup();
        let share = frames.len() as f64 / 100_000.0;
        assert!((share / 4.125e-3 - 1.0).abs() < 0.12, "{share}");
    }

    #[test]
    fn a_share_of_the_frames_is_dropped_while_the_disturbance_lasts() {
        let stream = RandomStream::new(1, "drops");
        let mut drops = Drops { shares_ppm: Vec::new(), stream, before_next: 0 };
        let count = |drops: &mut Drops| {
            let mut found = Vec::new();
            (0..10_000).for_each(|_| drops.pass(OnFibre { bytes: 8000, frames: 4 }, &mut found));
            found.len()
        };
        assert_eq!(count(&mut drops), 0);
        drops.change(10_000, true);
        let dropped = count(&mut drops);
        assert!((330..470).contains(&dropped), "{dropped} of 40,000, 20 more or less");
        drops.change(10_000, false);
        assert_eq!(count(&mut drops), 0);
    }
}
