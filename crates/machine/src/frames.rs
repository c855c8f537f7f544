//! Information units on their way out of one end: which go together, in which frames.
//!
//! Consecutive IUs that the protocol allows now and that wait for nothing travel together as long as they fit
//! one burst; a longer IU is cut into bursts, so that other exchanges' frames come between. At `frame`
//! fidelity every IU is its own group and every frame its own chunk.

use halftrack_engine::SimDuration;
use halftrack_exchange::{Delay, End, Half, Plans, Step, Work};
use halftrack_wire::{FRAMING_BYTES, Iu};

/// Most frames that travel as one at `burst` fidelity (8 KiB of 2048-byte payloads).
pub(crate) const BURST_FRAMES: u16 = 4;

/// IUs of a live end that travel with a group; planned IUs are implied.
pub(crate) type Ius = Option<Box<Vec<Iu>>>;

/// Consecutive IUs being sent by one end of one exchange.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// Work of the sender for all of them.
    pub work: Work,
    /// Work of the receiver for all of them.
    pub peer_work: Work,
    /// Number of IUs.
    pub steps: u16,
    /// The live IUs, when the end is live.
    pub ius: Ius,
    /// This group opens the exchange at the peer.
    pub opens: bool,
    /// The sender's half is over once the group is sent.
    pub closes: bool,
    /// Connect and disconnect time reported with the group's ending status.
    pub reported: (SimDuration, SimDuration),
    frames_left: u32,
    wire_left: u32,
    data_left: u32,
    full_payload: u32,
}

/// User data bytes of the first chunk, of at most `max_frames`, of the IU of `step`.
#[inline]
pub(crate) fn first_data_bytes(step: &Step, max_frames: u16) -> u32 {
    if step.frames <= max_frames {
        return step.data_bytes;
    }
    step.data_bytes.min(u32::from(max_frames) * full_payload_bytes(step))
}

/// Payload of every frame but the last of an IU of several frames.
#[inline]
fn full_payload_bytes(step: &Step) -> u32 {
    (step.payload_bytes - u32::from(step.last_frame_bytes)) / u32::from(step.frames - 1)
}

/// A burst or a frame of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// Frames.
    pub frames: u16,
    /// Bytes on the fibre, framing included.
    pub wire_bytes: u32,
    /// User data bytes.
    pub data_bytes: u32,
    /// The group ends with this chunk.
    pub last: bool,
}

impl Group {
    /// Takes from `half` what may be sent together now; the first IU's delay is over already.
    /// With `frame_by_frame` the group is one IU. What the group held before must have left. False when nothing may
    /// be sent.
    #[inline]
    pub(crate) fn gather<M: End>(&mut self, half: &mut Half<M>, plans: &Plans, frame_by_frame: bool) -> bool {
        debug_assert!(!self.has_more(), "a group is gathered while the last one is being sent");
        (self.work, self.peer_work, self.steps) = (Work::default(), Work::default(), 0);
        if let Some((steps, received)) = half.planned_steps(plans) {
            for step in steps {
                if step.after_received > received || !self.joins(step, frame_by_frame) {
                    break;
                }
                self.add(step, frame_by_frame);
            }
            half.sent_planned(self.steps);
            return self.steps > 0;
        }
        while half.peek_transmit(plans).is_some_and(|step| self.joins(&step, frame_by_frame)) {
            let transmit = half.take_transmit(plans);
            self.add(&transmit.step, frame_by_frame);
            if let Some(iu) = transmit.iu {
                self.ius.get_or_insert_default().push(*iu);
            }
        }
        self.steps > 0
    }

    /// True when `step` may travel with what the group has.
    #[inline]
    fn joins(&self, step: &Step, frame_by_frame: bool) -> bool {
        let frames = self.frames_left + u32::from(step.frames);
        // Firmware that has to move its data sends what is before it first.
        let follows = !frame_by_frame
            && step.delay == Delay::None
            && step.send.units == 0
            && frames <= u32::from(BURST_FRAMES);
        self.steps == 0 || follows
    }

    #[inline]
    fn add(&mut self, step: &Step, frame_by_frame: bool) {
        // Only an IU that is cut needs to know where.
        if step.frames > if frame_by_frame { 1 } else { BURST_FRAMES } {
            self.full_payload = full_payload_bytes(step);
        }
        self.work = self.work.plus(step.send);
        self.peer_work = self.peer_work.plus(step.receive);
        self.steps += 1;
        self.frames_left += u32::from(step.frames);
        self.wire_left += step.payload_bytes + u32::from(step.frames) * FRAMING_BYTES;
        self.data_left += step.data_bytes;
    }

    /// True while chunks are left.
    #[inline]
    pub(crate) fn has_more(&self) -> bool {
        self.frames_left > 0
    }

    /// Forgets what is left: the link is gone.
    pub(crate) fn abandon(&mut self) {
        *self = Group::default();
    }

    /// User data bytes of the next chunk of at most `max_frames`.
    #[inline]
    pub(crate) fn next_data_bytes(&self, max_frames: u16) -> u32 {
        if self.frames_left <= u32::from(max_frames) {
            self.data_left
        } else {
            self.data_left.min(u32::from(max_frames) * self.full_payload)
        }
    }

    /// Cuts off the next chunk of at most `max_frames`; the group must have more.
    #[inline]
    pub(crate) fn next_chunk(&mut self, max_frames: u16) -> Chunk {
        debug_assert!(self.has_more(), "an empty group has no chunk");
        let data_bytes = self.next_data_bytes(max_frames);
        let last = self.frames_left <= u32::from(max_frames);
        let chunk = if last {
            Chunk { frames: self.frames_left as u16, wire_bytes: self.wire_left, data_bytes, last }
        } else {
            let wire_bytes = u32::from(max_frames) * (self.full_payload + FRAMING_BYTES);
            Chunk { frames: max_frames, wire_bytes, data_bytes, last }
        };
        self.frames_left -= u32::from(chunk.frames);
        self.wire_left -= chunk.wire_bytes;
        self.data_left -= data_bytes;
        chunk
    }
}
