//! Frames of a channel, each to the state machine that it is for.

use halftrack_base::Time;
use halftrack_exchange::unsolicited_status::is_of_status;
use halftrack_wire::FcFrame;
use halftrack_wire::choices::CONTROL_UNIT_EXCHANGES;
use halftrack_wire::fc_header::fc_type;

use super::{ChannelEvent, CtcChannel, Stage};
use crate::plug::Plug;
use crate::{Closing, FrameKind};

impl<P: Plug> CtcChannel<P> {
    /// Takes one frame; false when there was none.
    pub(super) fn take_frame(&mut self, now: Time) -> Result<bool, Closing> {
        let Some(fibre) = &mut self.fibre else { return Ok(false) };
        if !self.is_linked && fibre.is_up() {
            self.is_linked = true;
            self.n_port.handle_link_up(now);
        }
        let Some(incoming) = fibre.next_frame()? else { return Ok(false) };
        if !self.is_linked {
            self.is_linked = true;
            self.n_port.handle_link_up(now);
        }
        let frame = &incoming.frame;
        let kind = FrameKind::of(frame);
        let disks = self.disks.as_mut().filter(|disks| disks.is_with(frame.header.s_id));
        if let (Some(disks), FrameKind::Device | FrameKind::LinkControl) = (disks, kind) {
            disks.handle_frame(now, kind, frame);
            return Ok(true);
        }
        match kind {
            FrameKind::LinkService => {
                // A frame without effect is late or a stranger's, and nothing follows from it.
                let _ = self.n_port.handle_frame(now, frame);
                // A login takes effect before the next frame does.
                self.take_events(now);
            }
            FrameKind::LinkControl => {
                let paths = if is_from_channel(frame) { &mut self.inward } else { &mut self.outward };
                if self.n_port.is_logged_in(frame.header.s_id) {
                    let _ = paths.handle_frame(now, frame);
                }
                self.watch.handle_frame(now, self.programs.open() > 0);
                self.take_path_events(now);
            }
            FrameKind::Device if self.stage != Stage::Online => {}
            FrameKind::Device => {
                self.watch.handle_frame(now, self.programs.open() > 0);
                if is_of_status(frame) {
                    if is_from_channel(frame) {
                        self.presenter.handle_frame(now, frame);
                    } else if let Some((path, _)) = self.taker.handle_frame(frame) {
                        self.events.push_back(ChannelEvent::Attention(path.device));
                    }
                } else if is_from_channel(frame) {
                    let _ = self.exchanges.handle_frame(now, frame, &mut self.adapters);
                } else {
                    let _ = self.programs.handle_frame(now, frame);
                }
            }
            FrameKind::Unknown => {}
        }
        Ok(true)
    }
}

/// Returns whether the other port sent a frame as a channel. A basic link service belongs to the exchange that it names.
fn is_from_channel(frame: &FcFrame<'_>) -> bool {
    match frame.header.fc_type {
        fc_type::SB_CHANNEL => true,
        fc_type::BASIC_LINK_SERVICE => !CONTROL_UNIT_EXCHANGES.contains(&frame.header.ox_id),
        _ => false,
    }
}
