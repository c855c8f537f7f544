//! Channel-to-channel adapters between the channels and the context of the process.

use halftrack_base::Time;
use halftrack_engine::Order;

use super::upstream::Upstream;
use crate::channels::Channels;
use crate::ctc::{self, Adapters};
use crate::events::event::HostEvent;
use crate::events::unit::Unit;
use crate::wiring::Wiring;
use crate::wiring::lanes::DeviceWire;

/// The channels and the context as the adapters reach them.
struct Surroundings<'a> {
    upstream: &'a mut Upstream,
    channels: &'a mut Channels,
    w: &'a Wiring,
}

impl ctc::Outside for Surroundings<'_> {
    fn now(&self) -> Time {
        self.upstream.context.now
    }

    fn push(&mut self, at: Time, order: Order, event: HostEvent) {
        self.upstream.context.push(at, order, event);
    }

    fn send_units(&mut self, lane: u32, units: impl IntoIterator<Item = Unit>) {
        self.channels.send_units(self.upstream, self.w, lane, units);
    }

    fn withdraw_units(&mut self, lane: u32) {
        self.channels.withdraw_units(self.upstream, self.w, lane);
    }
}

/// Begins the work of the systems at adapters.
pub(super) fn begin(upstream: &mut Upstream, channels: &mut Channels, w: &Wiring) {
    with_adapters(upstream, channels, w, |adapters, out| adapters.begin(out, w));
}

/// Handles an event of adapters.
#[cold]
pub(super) fn handle(upstream: &mut Upstream, channels: &mut Channels, w: &Wiring, event: HostEvent) {
    with_adapters(upstream, channels, w, |adapters, out| match event {
        HostEvent::UnitHandled { unit } => {
            if let Some(unit) = out.channels.take_unit(out.upstream, w, unit) {
                adapters.on_unit(out, w, unit);
                let (device, _) = DeviceWire::of_lane(unit.lane);
                if !adapters.is_moving(ctc::Outside::now(out), device) {
                    out.channels.release_idle_circuit(out.upstream, w, device);
                }
            }
        }
        HostEvent::AdapterStarted { side, epoch } => adapters.on_started(out, w, side, epoch),
        HostEvent::AdapterMoves { device, epoch } => adapters.on_moves(out, w, device, epoch),
        HostEvent::AdapterInterrupt { side, epoch } => adapters.on_interrupt(out, w, side, epoch),
        HostEvent::IsLinkTimer { islink, end } => adapters.on_timer(out, w, islink, usize::from(end)),
        HostEvent::Disturbance { index, begins } => adapters.on_disturbance(out, w, index, begins),
        _ => {}
    });
}

/// Hands the adapters over, which are no part of the process meanwhile.
fn with_adapters(
    upstream: &mut Upstream,
    channels: &mut Channels,
    w: &Wiring,
    act: impl FnOnce(&mut Adapters, &mut Surroundings<'_>),
) {
    if let Some(mut adapters) = upstream.adapters.take() {
        act(&mut adapters, &mut Surroundings { upstream, channels, w });
        upstream.adapters = Some(adapters);
    }
}
