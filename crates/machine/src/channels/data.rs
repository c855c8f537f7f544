//! Real data at the host: programs with octets go out, what was read is compared, damage is done on the way.

use halftrack_exchange::{ChannelEnd, Half};
use halftrack_subsystem::Ending;

use super::{Channels, Outside};
use crate::events::cargo::Cargo;
use crate::wiring::Wiring;
use crate::wiring::data_layout::volume_id;

impl Channels {
    /// Begins the exchange in `slot` with the program of its I/O and its octets.
    #[cold]
    pub(super) fn open_with_data(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let exchange = &self.exchanges[slot];
        let (envelope, io) = (exchange.envelope, exchange.io);
        let (plan, now) = (&w.plans[envelope.plan], out.now());
        let volume = volume_id(w.paths[envelope.path as usize].lcu, envelope.device);
        let Some((data, layout)) = self.subchannels.data(w) else { return };
        let program = data.program(layout, io, volume, &plan.key.shape, plan.key.protocol);
        let program = program.unwrap_or_else(|error| panic!("a shape with a plan has a program: {error}"));
        let machine = ChannelEnd::new(&program, &plan.key.login, envelope.identity(w), now);
        self.exchanges[slot].half = Half::of_machine(machine, envelope.plan);
    }

    /// Damages the octets of a frame on its way, in a run that damages I/Os.
    #[cold]
    pub(super) fn damage(&mut self, slot: u32, cargo: &mut Cargo) {
        let io = self.exchanges[slot].io;
        let (Some(data), Some(live)) = (self.subchannels.ledger(), cargo.live.as_deref_mut()) else { return };
        for iu in &mut live.ius {
            data.damage(io, iu);
        }
    }

    /// Compares the data that an exchange has read, when it has ended normally.
    #[cold]
    pub(super) fn compare(&mut self, w: &Wiring, slot: u32, device_status: u8) {
        if !(Ending::Status { device_status }).is_normal() {
            return;
        }
        let exchange = &mut self.exchanges[slot];
        let io = exchange.io;
        let octets = exchange.half.machine_mut().map(ChannelEnd::take_read_data).unwrap_or_default();
        if let Some((data, layout)) = self.subchannels.data(w) {
            data.read(layout, io, &octets);
        }
    }
}
