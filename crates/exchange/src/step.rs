//! One information unit of an exchange as the twin sees it: its shape, and the work it makes.

use halftrack_program::Tccb;
use halftrack_wire::choices::{FIRST_CCW_NUMBER, FIRST_IU_COUNT};
use halftrack_wire::fcp::{FcpTask, FcpUnit};
use halftrack_wire::{
    Body, CIRCUIT_FRAMING_BYTES, DeviceFrame, Dib, FRAMING_BYTES, FrameProtection, Iu, IuData, IuKind,
    frame_count, last_frame_bytes,
};

/// An end of the exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The channel.
    Channel,
    /// The control unit.
    ControlUnit,
}

impl Side {
    /// Returns the other end.
    #[must_use]
    pub const fn other(self) -> Side {
        match self {
            Side::Channel => Side::ControlUnit,
            Side::ControlUnit => Side::Channel,
        }
    }
}

/// Work of an end for one information unit, as counts; the catalog's prices turn it into time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Channel programs begun (1 on the IU that opens the exchange, else 0).
    pub programs: u32,
    /// CCWs or DCWs fetched or decoded.
    pub commands: u32,
    /// Information units with data that firmware moves (command mode); what the others cost is in the prices of
    /// programs and commands.
    pub units: u32,
    /// Data bytes moved by firmware as they pass (command mode), or that the data router is set up to move,
    /// all at once with the command (transport mode).
    pub data_bytes: u32,
    /// Information units of any kind; one is one FC sequence, which is what a channel without a data router counts.
    pub sequences: u32,
    /// FC-2 frames of them.
    pub frames: u32,
    /// Data bytes in them, in either mode: what firmware moves where no data router does.
    pub moved_bytes: u32,
}

impl Work {
    /// Returns both works together.
    #[must_use]
    pub fn plus(self, other: Work) -> Work {
        Work {
            programs: self.programs + other.programs,
            commands: self.commands + other.commands,
            units: self.units + other.units,
            data_bytes: self.data_bytes + other.data_bytes,
            sequences: self.sequences + other.sequences,
            frames: self.frames + other.frames,
            moved_bytes: self.moved_bytes + other.moved_bytes,
        }
    }
}

/// A wait of the sender before it may send, whose length belongs to the hardware and not to the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delay {
    /// None.
    #[default]
    None,
    /// Access to data that is in cache, or to cache space for a write.
    Cache,
    /// Staging from the back end after a cache miss; reported as disconnect time.
    Staging,
}

/// Form of the frames of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameForm {
    /// Most payload bytes in a frame.
    pub payload_bytes: u32,
    /// Octets that encryption adds to it.
    pub protection: FrameProtection,
}

/// One information unit of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Kind of IU.
    pub kind: IuKind,
    /// Bytes of the whole IU: headers, data, padding and check words, without FC-2 framing.
    pub payload_bytes: u32,
    /// Bytes of user data in it.
    pub data_bytes: u32,
    /// FC-2 frames it takes.
    pub frames: u16,
    /// Payload bytes of its last frame.
    pub last_frame_bytes: u16,
    /// Bytes around the payload of each frame but the last.
    pub framing_bytes: u16,
    /// Bytes around the payload of its last frame, whose padding may be another where frames are encrypted.
    pub last_framing_bytes: u16,
    /// Work of the sender.
    pub send: Work,
    /// Work of the receiver.
    pub receive: Work,
    /// Wait of the sender before it may send.
    pub delay: Delay,
    /// How many steps of the other direction the sender must have received.
    pub after_received: u16,
}

impl Step {
    /// Returns its octets on the fibre, framing included; fill words are not.
    #[must_use]
    pub fn wire_bytes(&self) -> u32 {
        u32::try_from(self.octets()).unwrap_or(u32::MAX)
    }

    /// Returns its octets on the fibre as [`Step::wire_bytes`] does.
    pub(crate) fn octets(&self) -> u64 {
        let Self { payload_bytes, frames, framing_bytes, last_framing_bytes, .. } = *self;
        let before_last = u64::from(frames.saturating_sub(1)) * u64::from(framing_bytes);
        let last = if frames > 0 { u64::from(last_framing_bytes) } else { 0 };
        u64::from(payload_bytes) + before_last + last
    }

    /// Returns the shape of an IU that is sent in frames of this form. Delay and edge, which only its sender has, are left
    /// out.
    #[must_use]
    pub fn of(iu: &Iu, FrameForm { payload_bytes: frame_payload_bytes, protection }: FrameForm) -> Step {
        let payload_bytes = iu.payload_bytes();
        let last_frame_bytes = last_frame_bytes(payload_bytes, frame_payload_bytes);
        let framing = |payload_bytes: u32| framing_of(iu, payload_bytes, protection);
        let frames = u16::try_from(frame_count(payload_bytes, frame_payload_bytes)).unwrap_or(u16::MAX);
        let work = Work { sequences: 1, frames: u32::from(frames), ..work_of(iu) };
        Step {
            kind: iu.kind(),
            payload_bytes,
            data_bytes: iu.data_bytes(),
            frames,
            last_frame_bytes: u16::try_from(last_frame_bytes).unwrap_or(u16::MAX),
            framing_bytes: framing(frame_payload_bytes),
            last_framing_bytes: framing(last_frame_bytes),
            send: work,
            receive: work,
            delay: Delay::None,
            after_received: 0,
        }
    }
}

/// Returns the bytes around so much payload in a frame of the IU. The published rate of a circuit is that of its data, so
/// framing around data is in the rate and not here.
fn framing_of(iu: &Iu, payload_bytes: u32, protection: FrameProtection) -> u16 {
    match &iu.body {
        Body::Device(DeviceFrame::Data { .. }) => 0,
        Body::Device(_) => CIRCUIT_FRAMING_BYTES as u16,
        _ => (FRAMING_BYTES + protection.added_bytes(payload_bytes)) as u16,
    }
}

/// Returns the work of handling an IU. It is the same in kind at both ends: the channel fetches the CCWs or DCWs that
/// the control unit decodes. In transport mode, and in FCP, the firmware does not see the data: with the command it sets
/// the data router up for the whole transfer, and that is where its part of the work lies.
///
/// What the data that pass would cost firmware is counted besides, for channels that have no data router.
fn work_of(iu: &Iu) -> Work {
    let (opens, commands, units, data_bytes) = match &iu.body {
        Body::CommandMode(fields) => {
            let commands = u32::from(matches!(fields.dib, Dib::Command(_) | Dib::CommandData(_)));
            let first = fields.iu_count == FIRST_IU_COUNT && fields.ccw == FIRST_CCW_NUMBER;
            (commands > 0 && first, commands, u32::from(iu.data_bytes() > 0), iu.data_bytes())
        }
        Body::Device(frame) => {
            let DeviceFrame::Command { ccw, .. } = frame else {
                let data_bytes = iu.data_bytes();
                let units = u32::from(!iu.data.is_empty());
                return Work { units, data_bytes, moved_bytes: data_bytes, ..Work::default() };
            };
            (*ccw == FIRST_CCW_NUMBER, 1, 0, 0)
        }
        Body::TransportCommand { .. } => {
            let (dcws, data_bytes) = dcws_of(&iu.data);
            (true, dcws, 0, data_bytes)
        }
        Body::Fcp(FcpUnit::Command(FcpTask::Command { data_bytes, .. })) => (true, 1, 0, *data_bytes),
        Body::Fcp(_)
        | Body::TransferReady { .. }
        | Body::TransportData { .. }
        | Body::TransportResponse(_)
        | Body::Abort
        | Body::AbortAccept { .. } => (false, 0, 0, 0),
    };
    Work {
        programs: u32::from(opens),
        commands,
        units,
        data_bytes,
        moved_bytes: iu.data_bytes(),
        ..Work::default()
    }
}

/// Returns the number of DCWs of a TCCB and the data bytes that they move. Both are 0 when it is not well formed, for
/// then nothing of it is decoded.
fn dcws_of(tccb: &IuData) -> (u32, u32) {
    Tccb::parse(&tccb.octets()).map_or((0, 0), |tccb| {
        let dcws = u32::try_from(tccb.dcws.len()).unwrap_or(u32::MAX);
        (dcws, tccb.dcws.iter().fold(0, |sum: u32, dcw| sum.saturating_add(dcw.data_count)))
    })
}
