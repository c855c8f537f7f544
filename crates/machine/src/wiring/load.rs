//! Information units that leave one end together, and how they are cut into bursts or frames.
//!
//! Consecutive IUs that the protocol allows now and that wait for nothing travel together as long as they fit
//! one burst; a longer IU is cut into bursts, so that other exchanges' frames come between. At `frame`
//! fidelity every IU is a load of its own and every frame its own chunk.
//!
//! Frames behind the data of an IU (its check words) and an IU that needs neither bus nor processor (a status) leave with
//! the burst before them, at either fidelity: a turn of their own would have them wait for the bursts of all others.

use crate::wiring::lost_steps::LostSteps;
use halftrack_exchange::{Delay, Step, Work};
use halftrack_wire::FRAMING_BYTES;

/// Most frames with data that travel as one at `burst` fidelity (8 KiB of 2048-byte payloads).
const BURST_FRAMES: u16 = 4;

/// More bytes than any burst has, framing included.
pub(crate) const BURST_BYTES_MAX: u32 = 65_536;

/// Returns the most frames that travel as one.
#[inline]
fn chunk_frames(frame_by_frame: bool) -> u16 {
    if frame_by_frame { 1 } else { BURST_FRAMES }
}

/// Returns true when `step` leaves with what is before it: it has no data, waits for nothing and makes its sender no work.
#[inline]
pub(crate) fn trails(step: &Step) -> bool {
    let Work { programs, commands, units, .. } = step.send;
    step.data_bytes == 0 && step.delay == Delay::None && (programs, commands, units) == (0, 0, 0)
}

/// Consecutive IUs that travel together; frames and bytes are those that have not been cut off yet.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Load {
    /// Work of the sender for all of them.
    pub work: Work,
    /// Work of the receiver for all of them.
    pub peer_work: Work,
    /// Number of IUs.
    pub steps: u16,
    frames: u32,
    wire_bytes: u32,
    data_bytes: u32,
    /// Payload bytes of each frame but the last, where an IU must be cut, and what encryption adds to it.
    full_payload: u32,
    added_bytes: u32,
    /// Frames cut off of the burst that the buses move together, and their data.
    cut_frames: u16,
    cut_bytes: u32,
}

/// A burst or a frame of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Chunk {
    /// Bytes on the fibre, framing included.
    pub wire_bytes: u32,
    /// User data bytes.
    pub data_bytes: u32,
    /// User data bytes that cache and bus of the sender move before it leaves: of a whole burst, with its first frame.
    pub fetched_bytes: u32,
    /// User data bytes that the bus of a host adapter moves when it has come: of a whole burst, with its last frame.
    pub stored_bytes: u32,
    /// Frames.
    pub frames: u16,
    /// IUs whose last frame is among them.
    pub steps: u16,
    /// The planned group that ends with it, whose work it brings the receiver; zero for none.
    pub group: u32,
    /// The load ends with it.
    pub last: bool,
}

/// Frames that pass a fibre together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct OnFibre {
    /// Their bytes, framing included; fill words are not.
    pub bytes: u32,
    /// How many they are.
    pub frames: u16,
}

impl Chunk {
    /// Returns its frames.
    #[inline(always)]
    pub(crate) fn on_fibre(&self) -> OnFibre {
        OnFibre { bytes: self.wire_bytes, frames: self.frames }
    }

    /// Returns the part of it that is of use where frames of it were `lost`: no data, where any were.
    #[inline(always)]
    pub(crate) fn without(mut self, lost: LostSteps) -> Self {
        if lost.any() {
            (self.data_bytes, self.stored_bytes) = (0, 0);
        }
        self
    }

    /// No chunk.
    pub(crate) const NONE: Self = Self {
        wire_bytes: 0,
        data_bytes: 0,
        fetched_bytes: 0,
        stored_bytes: 0,
        frames: 0,
        steps: 0,
        group: 0,
        last: false,
    };
}

impl Load {
    /// Returns true when `step` may travel with the load.
    #[inline]
    pub(crate) fn joins(&self, step: &Step, frame_by_frame: bool) -> bool {
        let frames = self.frames + u32::from(step.frames);
        // Firmware that has to move its data sends what is before it first, and what has none does not wait for the bus.
        let waits_for_data = self.data_bytes == 0 && step.data_bytes > 0;
        let follows = !frame_by_frame
            && !waits_for_data
            && step.delay == Delay::None
            && step.send.units == 0
            && (frames <= u32::from(BURST_FRAMES) || (self.data_bytes > 0 && trails(step)));
        self.steps == 0 || follows
    }

    /// Adds `step`, which joins it.
    pub(crate) fn add(&mut self, step: &Step, frame_by_frame: bool) {
        // Only an IU that is cut needs the place of the cut.
        if step.frames > chunk_frames(frame_by_frame) {
            let before_last = step.payload_bytes - u32::from(step.last_frame_bytes);
            self.full_payload = before_last / u32::from(step.frames - 1);
            self.added_bytes = u32::from(step.framing_bytes).saturating_sub(FRAMING_BYTES);
        }
        self.work = self.work.plus(step.send);
        self.peer_work = self.peer_work.plus(step.receive);
        self.steps += 1;
        self.frames += u32::from(step.frames);
        self.wire_bytes += step.wire_bytes();
        self.data_bytes += step.data_bytes;
    }

    /// Returns true while chunks are left.
    #[inline]
    pub(crate) fn has_more(&self) -> bool {
        self.frames > 0
    }

    /// Returns the user data bytes of the next chunk.
    fn next_data_bytes(&self, frame_by_frame: bool) -> u32 {
        let most = u32::from(chunk_frames(frame_by_frame));
        if self.frames <= most { self.data_bytes } else { self.data_bytes.min(most * self.full_payload) }
    }

    /// Returns the user data bytes that have to be fetched before the next chunk can leave: those of a burst, however it
    /// travels.
    pub(crate) fn next_fetched_bytes(&self) -> u32 {
        if self.cut_frames == 0 { self.next_data_bytes(false) } else { 0 }
    }

    /// Cuts off the next chunk.
    pub(crate) fn cut(&mut self, frame_by_frame: bool) -> Chunk {
        let most = u32::from(chunk_frames(frame_by_frame));
        let (data_bytes, fetched_bytes) = (self.next_data_bytes(frame_by_frame), self.next_fetched_bytes());
        // Frames behind the last data go with them.
        let is_data_over = !frame_by_frame && data_bytes > 0 && data_bytes == self.data_bytes;
        let frames = if is_data_over { self.frames } else { self.frames.min(most) };
        let last = frames == self.frames;
        self.cut_frames += frames as u16;
        self.cut_bytes += data_bytes;
        let is_burst_over = last || self.cut_frames >= BURST_FRAMES;
        let chunk = Chunk {
            wire_bytes: if last {
                self.wire_bytes
            } else {
                frames * (self.full_payload + FRAMING_BYTES + self.added_bytes)
            },
            data_bytes,
            fetched_bytes,
            stored_bytes: if is_burst_over { self.cut_bytes } else { 0 },
            frames: frames as u16,
            steps: if last { self.steps } else { 0 },
            group: 0,
            last,
        };
        self.frames -= frames;
        self.wire_bytes -= chunk.wire_bytes;
        self.data_bytes -= chunk.data_bytes;
        if is_burst_over {
            (self.cut_frames, self.cut_bytes) = (0, 0);
        }
        chunk
    }
}
