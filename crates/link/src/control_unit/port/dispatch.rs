//! Frames that came in at a port, each to the state machine that it is for.

use halftrack_base::Time;
use halftrack_exchange::ControlUnitPort;
use halftrack_fabric::NPort;
use halftrack_subsystem::LogicalPaths;
use halftrack_wire::FcFrame;
use halftrack_wire::fc_header::{fc_type, routing};
use halftrack_wire::sb_header::{SB_HEADER_BYTES, SbHeader};

use crate::control_unit::port_counters::PortCounters;
use crate::control_unit::unit_device::UnitDevice;
use crate::control_unit::units::PortUnits;
use crate::frame_kind::FrameKind;

/// The state machines of a port, to each of which its frames go.
pub(super) struct Dispatch<'a> {
    pub logins: &'a mut NPort,
    pub paths: &'a mut LogicalPaths,
    pub exchanges: &'a mut ControlUnitPort<UnitDevice>,
    pub counters: &'a mut PortCounters,
}

impl Dispatch<'_> {
    #[inline]
    pub fn frame(&mut self, now: Time, frame: &FcFrame<'_>, units: &mut PortUnits<'_>) -> FrameKind {
        let kind = FrameKind::of(frame);
        match kind {
            FrameKind::Device if self.has_path(frame) => {
                if let Err(why) = self.exchanges.handle_frame(now, frame, units) {
                    self.counters.discard_exchange(&why);
                }
            }
            FrameKind::Device => self.without_path(now, frame),
            FrameKind::LinkControl if self.logins.is_logged_in(frame.header.s_id) => {
                if self.paths.handle_frame(now, frame).is_err() {
                    self.counters.discard("a link-control IU that cannot be read");
                }
            }
            FrameKind::LinkControl => self.without_path(now, frame),
            FrameKind::LinkService => {
                if let Err(why) = self.logins.handle_frame(now, frame) {
                    self.counters.discard_login(&why);
                }
            }
            FrameKind::Unknown => self.counters.discard("a TYPE that means nothing here"),
        }
        kind
    }

    /// Returns whether the logical path of a frame that may open an exchange is established. Other frames belong to an
    /// exchange that is open, or to none.
    #[inline]
    fn has_path(&self, frame: &FcFrame<'_>) -> bool {
        let header = &frame.header;
        let has_address = match header.fc_type {
            fc_type::SB_CHANNEL => true,
            fc_type::FCP => header.r_ctl == routing::COMMAND,
            _ => false,
        };
        if header.seq_cnt != 0 || !has_address {
            return true;
        }
        let Some(octets) = frame.payload.first_chunk::<SB_HEADER_BYTES>() else { return true };
        let address = SbHeader::parse(octets);
        self.paths.is_established(header.s_id, address.channel_image, address.control_unit_image)
    }

    #[cold]
    fn without_path(&mut self, now: Time, frame: &FcFrame<'_>) {
        let peer = frame.header.s_id;
        if self.logins.is_logged_in(peer) {
            self.counters.discard("no logical path");
            self.paths.reject(frame);
        } else {
            self.counters.discard("no login");
            self.logins.handle_stranger(now, peer);
        }
    }
}
