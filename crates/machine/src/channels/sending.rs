//! Departures from a channel: written data over the bus, then chunk by chunk onto the fibre.

use halftrack_base::Time;

use super::bus::Burst;
use super::{Channels, Outside};
use crate::events::event::HostEvent;
use crate::events::message::{Note, Parcel, Pump, Transit};
use crate::fabric::bus::Direction;
use crate::wiring::Wiring;

impl Channels {
    /// Brings the next chunk of the group to the fibre, written data over the bus first.
    #[inline]
    pub(super) fn send_chunk(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        if !exchange.group.has_more() {
            // The link was lost and the group with it.
            exchange.sending = false;
            return;
        }
        let data_bytes = exchange.group.next_fetched_bytes(w);
        if data_bytes == 0 {
            self.put_chunk_on_fibre(out, w, slot);
            return;
        }
        let lpar = exchange.lpar as usize;
        let channel = &mut self.channels[exchange.channel as usize];
        channel.parts[lpar].write_bytes += u64::from(data_bytes);
        if !channel.bus.is_free(Direction::Write, out.now()) {
            let burst = Burst { event: HostEvent::Fetched { exchange: slot }, credit: None };
            channel.wait_for_bus(out, exchange.channel, Direction::Write, (data_bytes, burst));
            return;
        }
        let shares = (&mut self.shares, channel.share);
        let fetched = channel.bus.move_burst(Direction::Write, out.now(), data_bytes, shares);
        out.push(fetched, channel.sequencer.next(), HostEvent::Fetched { exchange: slot });
    }

    /// Puts the next chunk on the fibre, whose data have come over the bus.
    #[inline(never)]
    pub(crate) fn on_fetched(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        if !exchange.group.has_more() {
            exchange.sending = false;
            self.advance(out, w, slot);
            return;
        }
        self.put_chunk_on_fibre(out, w, slot);
        // The exchange may have been refused meanwhile, and this may have been the last it had to send.
        self.settle(out, w, slot);
    }

    /// Puts the next burst on the fibre; there is one. The one after it can be prepared when its first frame has entered.
    #[inline(never)]
    fn put_chunk_on_fibre(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        let path = &w.paths[exchange.envelope.path as usize];
        let first = exchange.group.next_chunk(w, path.frame_by_frame);
        let mut others = std::mem::take(&mut self.frames);
        while path.frame_by_frame && exchange.group.goes_on(w) {
            others.push(exchange.group.next_chunk(w, true));
        }
        let more = exchange.group.has_more() || exchange.may_transmit(w);
        exchange.sending = more;
        if exchange.first_sent == Time::ZERO {
            exchange.first_sent = out.now();
        }
        let opens = std::mem::take(&mut exchange.group.opens);
        let envelope = exchange.envelope;
        let mut parcel = Parcel { envelope, opens, pump: Pump::at_once(more), ..Parcel::default() };
        if path.is_lossy {
            // The control unit has ended its half, and is to answer what the channel does about it.
            parcel.opens |= std::mem::take(&mut exchange.peer_over);
        }
        if opens && w.draws_tracks {
            parcel.note = Note::of_track(self.subchannels.io(exchange.io).details.track);
        }
        self.put_on_fibre(out, w, Transit { parcel, cargo: first });
        for cargo in others.drain(..) {
            let parcel = Parcel { envelope, ..Parcel::default() };
            self.put_on_fibre(out, w, Transit { parcel, cargo });
        }
        self.frames = others;
    }

    /// Puts a burst or a frame on the fibre.
    #[inline(always)]
    fn put_on_fibre(&mut self, out: &mut impl Outside, w: &Wiring, Transit { parcel, mut cargo }: Transit) {
        let path = &w.paths[parcel.envelope.path as usize];
        if self.subchannels.has_data() {
            self.damage(parcel.envelope.exchange, &mut cargo);
        }
        self.outbound.send(out, w, path, Transit { parcel, cargo });
    }

    /// Prepares what the exchange has to send after a chunk that has entered the fibre.
    #[inline(never)]
    pub(crate) fn on_pump(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        if self.exchanges[slot].group.has_more() {
            self.send_chunk(out, w, slot);
        } else {
            self.exchanges[slot].sending = false;
        }
        self.advance(out, w, slot);
    }
}
