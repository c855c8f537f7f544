//! A unit of a channel-to-channel device: what travels at once from one of its channels to the other.

use halftrack_exchange::Work;
use halftrack_wire::choices::{COMMAND_FRAME_PAYLOAD_BYTES, MAX_IU_BYTES, MAX_IU_DATA_BYTES};
use halftrack_wire::{CIRCUIT_FRAMING_BYTES, FRAMING_BYTES};

use crate::wiring::load::Chunk;

/// Most data of a frame on a circuit.
const CIRCUIT_FRAME_BYTES: u32 = 1024;

/// A unit with its data, or with a command, a status or attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Unit {
    /// The lane that it travels on.
    pub lane: u32,
    /// Data, at most [`Unit::DATA_BYTES`].
    pub bytes: u32,
    /// CCWs that begin with it.
    pub commands: u16,
    /// A channel program begins with it.
    pub opens: bool,
    /// The meaning of one without data.
    pub notice: u32,
    /// How often the path of its device was lost before.
    pub epoch: u16,
    /// It requests the circuit of its device, and is nothing to the adapter.
    pub requests: bool,
}

impl Unit {
    /// Most data of a unit.
    pub(crate) const DATA_BYTES: u32 = MAX_IU_DATA_BYTES;
    /// Data of a CCW: its count has 16 bits, and a block has whole pages.
    const CCW_BYTES: u32 = 61_440;
    /// Octets beside the data: headers, and the check word of data.
    const HEADER_BYTES: u32 = MAX_IU_BYTES - MAX_IU_DATA_BYTES;

    /// Returns the frames in which it crosses a fibre.
    pub(crate) fn chunk(&self) -> Chunk {
        let payload = self.bytes + Self::HEADER_BYTES;
        let frames = payload.div_ceil(COMMAND_FRAME_PAYLOAD_BYTES);
        Chunk {
            wire_bytes: payload + frames * FRAMING_BYTES,
            data_bytes: self.bytes,
            frames: frames as u16,
            last: true,
            ..Chunk::NONE
        }
    }

    /// Returns the frames in which it crosses a circuit. The rate of that is the rate of data, with all around them.
    pub(crate) fn circuit_chunk(&self) -> Chunk {
        let is_data = self.bytes > 0;
        Chunk {
            wire_bytes: if is_data { self.bytes } else { CIRCUIT_FRAMING_BYTES },
            data_bytes: self.bytes,
            frames: self.bytes.div_ceil(CIRCUIT_FRAME_BYTES).max(1) as u16,
            last: true,
            ..Chunk::NONE
        }
    }

    /// Returns true for the command of a channel program.
    pub(crate) fn is_command(&self) -> bool {
        self.opens && self.bytes == 0
    }

    /// Returns the work of a channel that sends or receives it.
    pub(crate) fn work(&self) -> Work {
        Work {
            programs: u32::from(self.opens),
            commands: self.commands.into(),
            units: 1,
            data_bytes: self.bytes,
            sequences: 1,
            frames: self.chunk().frames.into(),
            moved_bytes: self.bytes,
        }
    }

    /// Returns the units of a block of so many bytes on `lane`, which chained CCWs move. On a circuit data chaining takes no
    /// interlock: there it is one command.
    pub(crate) fn of_block(
        lane: u32,
        epoch: u16,
        bytes: u32,
        is_circuit: bool,
    ) -> impl Iterator<Item = Self> {
        let ccws = if is_circuit { 1 } else { bytes.div_ceil(Self::CCW_BYTES) as u16 };
        let units = bytes.div_ceil(Self::DATA_BYTES).max(1);
        (0..units).map(move |nth| Self {
            lane,
            bytes: (bytes - nth * Self::DATA_BYTES).min(Self::DATA_BYTES),
            commands: if nth == 0 { ccws } else { 0 },
            opens: nth == 0,
            epoch,
            ..Self::default()
        })
    }
}
