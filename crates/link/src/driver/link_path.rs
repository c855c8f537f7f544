//! One path as the loop of a drive serves it, whatever goes over it.

use halftrack_base::{Span, Time};
use halftrack_fabric::{NPort, PhysicalPort};
use halftrack_wire::FcFrame;
use halftrack_wire::WorldWideName;
use halftrack_wire::els::LinkIncident;

use super::channel_path::PathChange;
use crate::frame_kind::FrameKind;
use crate::{Fibre, FrameTap, Transport};

/// How long a path that was lost stays down before it is tried again.
pub(super) const RETRY: Span = Span::from_ms(250);
/// Interval at which an attempt to connect is polled.
pub(super) const CONNECT_STEP: Span = Span::from_ms(2);
/// How long after the link came up the path must be online.
pub(super) const SETUP_TIMEOUT: Span = Span::from_s(20);

/// One path: a channel's port and its link.
pub trait LinkPath {
    /// Transport of its link.
    type Transport: Transport;

    /// Returns the channel-path id.
    fn chpid(&self) -> u8;

    /// Returns the name of the channel's port.
    fn port_name(&self) -> WorldWideName;

    /// Returns why the path is not online; empty when nothing went wrong.
    fn trouble(&self) -> &str;

    /// Returns the link, when there is one.
    fn fibre(&mut self) -> Option<&mut Fibre<Self::Transport>>;

    /// Returns what became of the path, once.
    fn poll_change(&mut self) -> Option<PathChange>;

    /// Returns the next link incident of the path.
    fn poll_incident(&mut self) -> Option<LinkIncident>;

    /// Takes what has come; true when there was anything. `tap` gives the capture of a link that comes up.
    fn receive(&mut self, now: Time, tap: &mut dyn FnMut() -> Option<Box<dyn FrameTap>>) -> bool;

    /// Hands to the link what is to be sent; true when there was anything.
    fn send(&mut self, now: Time, idle: bool) -> bool;

    /// Logs out of the other side.
    fn log_out(&mut self, now: Time);

    /// Sends what a logout needs and takes its answer; true when the link may be closed.
    fn finish(&mut self, now: Time) -> bool;

    /// Returns the time at which [`LinkPath::handle_timeout`] wants to be called.
    fn poll_timeout(&self) -> Time;

    /// Handles the timers that are due.
    fn handle_timeout(&mut self, now: Time);
}

/// The port of a link, or all its ports, at logout.
pub(super) trait LeavingPort {
    /// Sends at most one frame; false when there is nothing to send.
    fn poll_frame<T: Transport>(&mut self, fibre: &mut Fibre<T>) -> bool;
    /// Takes a frame of a link service.
    fn handle_frame(&mut self, now: Time, frame: &FcFrame<'_>);
    /// Returns whether requests are not answered yet.
    fn awaits_answers(&self) -> bool;
}

macro_rules! leaving_ports {
    ($($port:ty),*) => {$(
        impl LeavingPort for $port {
            fn poll_frame<T: Transport>(&mut self, fibre: &mut Fibre<T>) -> bool {
                <$port>::poll_frame(self, fibre)
            }

            fn handle_frame(&mut self, now: Time, frame: &FcFrame<'_>) {
                // A frame without effect is late, and nothing follows from it.
                let _ = <$port>::handle_frame(self, now, frame);
            }

            fn awaits_answers(&self) -> bool {
                <$port>::awaits_answers(self)
            }
        }
    )*};
}

leaving_ports!(NPort, PhysicalPort);

/// Sends what a logout of `n_port` needs and takes its answer; true when the link may be closed.
pub(super) fn finish_logout<T: Transport>(
    now: Time,
    fibre: &mut Fibre<T>,
    n_port: &mut impl LeavingPort,
) -> bool {
    while fibre.can_send() && n_port.poll_frame(fibre) {}
    let mut is_gone = fibre.flush(now, true).and_then(|()| fibre.receive(now)).is_err();
    while !is_gone {
        match fibre.next_frame() {
            Ok(Some(incoming)) if FrameKind::of(&incoming.frame) == FrameKind::LinkService => {
                n_port.handle_frame(now, &incoming.frame);
            }
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(_) => is_gone = true,
        }
    }
    is_gone || !n_port.awaits_answers()
}
