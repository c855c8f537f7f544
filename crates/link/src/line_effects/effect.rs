//! Effects of faults on what crosses a line: frames that are lost, come twice, late, out of order or damaged, and credits
//! that do not come back.

use halftrack_base::{Span, Time};
use halftrack_config::fault_script::FaultKind;
use halftrack_engine::RandomStream;
use halftrack_wire::FcFrame;
use halftrack_wire::fcip::{Encapsulated, PREFIX_BYTES, SPECIAL_FRAME_BYTES, SUFFIX_BYTES};

use crate::frame_kind::FrameKind;

/// Effect of one fault on a line.
#[derive(Debug, Clone, Copy)]
pub struct LineEffect {
    /// It is over then.
    pub until: Time,
    /// Kind of the fault.
    pub kind: FaultKind,
    /// Share of frames or credits.
    pub share_ppm: u32,
    /// Lateness.
    pub late: Span,
}

/// One part of a batch on its way.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// Octets that arrive in their order, and how much later.
    pub in_order: Vec<(Span, Vec<u8>)>,
    /// Frames that others overtake, and how much later.
    pub overtaken: Vec<(Span, Vec<u8>)>,
    /// Frames that were lost.
    pub lost: u32,
}

/// Returns what becomes of a batch under these effects.
#[must_use]
pub fn deliver(batch: &[u8], effects: &[LineEffect], random: &mut RandomStream) -> Delivery {
    let mut delivery = Delivery::default();
    let delays = effects.iter().filter(|effect| effect.kind == FaultKind::FramesDelayed);
    let delay = delays.map(|effect| effect.late).max().unwrap_or_default();
    let mut kept = Vec::with_capacity(batch.len());
    for (octets, is_frame) in parts(batch) {
        let mut octets = octets.to_vec();
        let mut is_kept = true;
        for effect in effects {
            if !concerns(effect.kind, &octets, is_frame) || !random.chance_ppm(effect.share_ppm) {
                continue;
            }
            match effect.kind {
                FaultKind::FramesDropped | FaultKind::PortHung => {
                    delivery.lost += 1;
                    is_kept = false;
                }
                FaultKind::CreditsLost => is_kept = false,
                FaultKind::FramesDuplicated => delivery.overtaken.push((effect.late, octets.clone())),
                FaultKind::FramesReordered => {
                    delivery.overtaken.push((effect.late, std::mem::take(&mut octets)));
                    is_kept = false;
                }
                _ => damage(&mut octets, random),
            }
            if !is_kept {
                break;
            }
        }
        if is_kept {
            kept.extend_from_slice(&octets);
        }
    }
    if !kept.is_empty() {
        delivery.in_order.push((delay, kept));
    }
    delivery
}

/// Returns whether a kind of fault takes such frames, or what is no frame.
fn concerns(kind: FaultKind, octets: &[u8], is_frame: bool) -> bool {
    match kind {
        FaultKind::PortHung => is_frame && is_of_device(octets),
        _ => kind.has_share() && (kind == FaultKind::CreditsLost) != is_frame,
    }
}

/// Returns whether a frame in its envelope is one of an exchange with a device.
fn is_of_device(octets: &[u8]) -> bool {
    let Ok(Encapsulated::Frame { frame, .. }) = Encapsulated::parse(octets) else { return false };
    FcFrame::parse(frame).is_ok_and(|frame| FrameKind::of(&frame) == FrameKind::Device)
}

/// Changes one bit between the delimiters of a frame.
fn damage(octets: &mut [u8], random: &mut RandomStream) {
    let frame_bytes = octets.len().saturating_sub(PREFIX_BYTES + SUFFIX_BYTES);
    if frame_bytes > 0 {
        let bit = random.below(8 * frame_bytes as u64);
        octets[PREFIX_BYTES + (bit / 8) as usize] ^= 1 << (bit % 8);
    }
}

/// Returns what of a batch is no frame of FC-2, and how many frames there were.
#[must_use]
pub fn without_frames(batch: &[u8]) -> (Vec<u8>, u32) {
    let (mut kept, mut lost) = (Vec::new(), 0);
    for (octets, is_frame) in parts(batch) {
        if is_frame {
            lost += 1;
        } else {
            kept.extend_from_slice(octets);
        }
    }
    (kept, lost)
}

/// Returns how many octets at the front of a stream are whole parts: frames, and special frames.
#[must_use]
pub fn whole_bytes(octets: &[u8]) -> usize {
    parts(octets).map(|(part, _)| part.len()).sum()
}

fn parts(mut batch: &[u8]) -> impl Iterator<Item = (&[u8], bool)> {
    std::iter::from_fn(move || {
        let (length, is_frame) = match Encapsulated::parse(batch) {
            Ok(Encapsulated::Frame { consumed, .. }) => (consumed, true),
            Ok(Encapsulated::Special { .. }) => (SPECIAL_FRAME_BYTES, false),
            _ => return None,
        };
        let (part, rest) = batch.split_at(length);
        batch = rest;
        Some((part, is_frame))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use halftrack_wire::fcip::{SpecialFrame, TimeStamp, encapsulate_frame};
    use halftrack_wire::{Eof, Sof};

    fn batch() -> (Vec<u8>, usize) {
        let mut octets = Vec::new();
        for fill in [1, 2] {
            let frame = [fill; 60];
            encapsulate_frame(&mut octets, TimeStamp::default(), Sof::Initiate3, &frame, Eof::Normal)
                .unwrap();
        }
        let frames = octets.len();
        SpecialFrame::credits(3).emit(TimeStamp::default(), &mut octets);
        (octets, frames)
    }

    fn with(kind: FaultKind) -> Delivery {
        let late = Span::from_us(7);
        let effect = LineEffect { until: Time::MAX, kind, share_ppm: 1_000_000, late };
        deliver(&batch().0, &[effect], &mut RandomStream::new(1, "test"))
    }

    #[test]
    fn a_part_that_is_not_there_to_its_end_is_no_whole_part() {
        let (octets, frames) = batch();
        assert_eq!((whole_bytes(&octets), whole_bytes(&octets[..octets.len() - 1])), (octets.len(), frames));
        assert_eq!(whole_bytes(&octets[..frames - 1]), frames / 2);
    }

    #[test]
    fn each_kind_takes_frames_or_credits_and_leaves_the_others() {
        let (octets, frames) = batch();
        let dropped = with(FaultKind::FramesDropped);
        assert_eq!((dropped.lost, dropped.in_order[0].1.as_slice()), (2, &octets[frames..]));
        assert_eq!(with(FaultKind::CreditsLost).in_order, [(Span::ZERO, octets[..frames].to_vec())]);
        assert_eq!(with(FaultKind::FramesDelayed).in_order, [(Span::from_us(7), octets.clone())]);
        let twice = with(FaultKind::FramesDuplicated);
        assert_eq!((twice.in_order[0].1.len(), twice.overtaken.len()), (octets.len(), 2));
        let late = with(FaultKind::FramesReordered);
        assert_eq!((late.in_order[0].1.len(), late.overtaken.len()), (octets.len() - frames, 2));
        let damaged = &with(FaultKind::FramesCorrupted).in_order[0].1;
        let bits: u32 = damaged.iter().zip(&octets).map(|(one, other)| (one ^ other).count_ones()).sum();
        assert_eq!((bits, &damaged[frames..]), (2, &octets[frames..]));
    }
}
