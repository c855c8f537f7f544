//! Scripts drawn from a seed.

use halftrack_base::Span;
use halftrack_engine::RandomStream;

use super::{FaultEvent, FaultKind, Part, Script};
use crate::machine::Machine;

/// Faults of a script.
const EVENTS: std::ops::RangeInclusive<u64> = 3..=6;
/// Lengths of faults, ms: most below the times after which paths are given up, some above.
const LASTS_MS: [u64; 10] = [5, 40, 90, 150, 400, 400, 1000, 2000, 2000, 4000];
/// Lengths of the one long fault of some scripts, ms: above R_A_TOV, and above the missing-interrupt interval.
const LONG_MS: [u64; 2] = [11_000, 18_000];
/// One script of so many has a long fault.
const LONG_EVERY: u64 = 10;
/// Times from the start of one fault to that of the next, ms.
const STEPS_MS: [u64; 6] = [0, 50, 150, 300, 600, 1500];
/// How long the streams go on after the last fault, ms.
const BEHIND_MS: u64 = 700;

impl Script {
    /// Returns the script of a seed for a machine.
    #[must_use]
    pub fn of_seed(seed: u64, machine: &Machine) -> Self {
        let mut random = RandomStream::new(seed, "script");
        let parts: Vec<_> = machine.parts().collect();
        let count = EVENTS.start() + random.below(EVENTS.end() - EVENTS.start() + 1);
        let mut at = Span::from_ms(100);
        let mut events: Vec<FaultEvent> = Vec::new();
        while events.len() < count as usize {
            let kind = FaultKind::ALL[random.below(FaultKind::ALL.len() as u64) as usize];
            let of_kind: Vec<_> = parts.iter().copied().filter(|part| happens_to(kind, *part)).collect();
            if of_kind.is_empty() {
                continue;
            }
            let part = of_kind[random.below(of_kind.len() as u64) as usize];
            events.push(event(&mut random, at, kind, part));
            at = at.saturating_add(Span::from_ms(STEPS_MS[random.below(STEPS_MS.len() as u64) as usize]));
        }
        if random.below(LONG_EVERY) == 0 {
            let long_ms = LONG_MS[random.below(LONG_MS.len() as u64) as usize];
            events[0].lasts = Span::from_ms(long_ms);
        }
        let mut script = Self { duration: Span::ZERO, events };
        script.duration = script.last_end().saturating_add(Span::from_ms(BEHIND_MS));
        script
    }
}

/// Returns whether faults of a kind happen to a part.
fn happens_to(kind: FaultKind, part: Part) -> bool {
    match part.name() {
        Some((target, _)) => kind.targets().contains(&target),
        None => kind.is_of_control_unit(),
    }
}

fn event(random: &mut RandomStream, at: Span, kind: FaultKind, part: Part) -> FaultEvent {
    let mut pick = |count: usize| random.below(count as u64) as usize;
    let lasts = Span::from_ms(LASTS_MS[pick(LASTS_MS.len())] + pick(10) as u64);
    let share_ppm = if kind.has_share() { [1_000_000, 200_000, 20_000, 2000][pick(4)] } else { 1_000_000 };
    let late_us = match kind {
        FaultKind::SlowDrain => [200, 2000, 20_000][pick(3)],
        FaultKind::FramesDelayed => [50, 1000, 20_000, 300_000][pick(4)],
        FaultKind::ChannelLost | FaultKind::CardLost => [1, 50_000, 150_000, 400_000, 2_000_000][pick(5)],
        FaultKind::DiskSlow => [100, 1000, 10_000][pick(3)],
        _ if kind.has_lateness() => [20, 500, 10_000, 300_000, 3_000_000][pick(5)],
        _ => 0,
    };
    FaultEvent { at, lasts, kind, part, share_ppm, late: Span::from_us(late_us) }
}
