//! Whom a frame is for within a node.

use halftrack_wire::FcFrame;
use halftrack_wire::fc_header::{fc_type, routing};

/// Octet of an SB information unit that has its type, and the type of link control.
const IUI_OFFSET: usize = 8;
const IUI_TYPE: u8 = 0x07;
const LINK_CONTROL: u8 = 0x05;

/// Whom a frame is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// The port's logins: extended link services, name server.
    LinkService,
    /// Logical paths.
    LinkControl,
    /// An exchange with a device: device-level SB, transport mode, basic link services.
    Device,
    /// Nobody here.
    Unknown,
}

impl FrameKind {
    /// Returns whom the frame is for. Link control fits one frame, so that later frames of a sequence are never that.
    #[inline]
    #[must_use]
    pub fn of(frame: &FcFrame<'_>) -> FrameKind {
        let header = &frame.header;
        match header.fc_type {
            fc_type::FCP | fc_type::BASIC_LINK_SERVICE => FrameKind::Device,
            fc_type::SB_CHANNEL | fc_type::SB_CONTROL_UNIT => {
                let iui = frame.payload.get(IUI_OFFSET).map(|octet| octet & IUI_TYPE);
                let control =
                    matches!(header.r_ctl, routing::UNSOLICITED_CONTROL | routing::SOLICITED_CONTROL);
                if header.seq_cnt == 0 && control && iui == Some(LINK_CONTROL) {
                    FrameKind::LinkControl
                } else {
                    FrameKind::Device
                }
            }
            fc_type::EXTENDED_LINK_SERVICE | fc_type::COMMON_TRANSPORT => FrameKind::LinkService,
            _ => FrameKind::Unknown,
        }
    }
}
