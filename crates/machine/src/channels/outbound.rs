//! The links that begin at the channels, and those behind them that only they feed: launches, credits and who waits for one.

use halftrack_engine::Order;

use super::{Channels, Outside};
use crate::events::event::HostEvent;
use crate::events::message::Transit;
use crate::events::outlet::Destination;
use crate::fabric::link::Launched;
use crate::fabric::route::{FarEnd, Hop};
use crate::wiring::Wiring;

impl Channels {
    /// True when what is to be sent on `hop` must wait for a credit; else it has one, where it needs one.
    #[inline]
    pub(super) fn lacks_credit(&mut self, out: &mut impl Outside, hop: &Hop) -> bool {
        hop.frame_by_frame && !self.links.try_take_credit(hop.link, out.now())
    }

    /// Puts `transit` into the line for a credit of its link.
    #[cold]
    pub(super) fn wait_for_credit(&mut self, out: &mut impl Outside, link: u32, transit: Transit) {
        let slot = out.transits().put(transit);
        self.links.get(link).wait(slot, out.now(), out.now());
    }

    /// The head of a transit is ready for the next link.
    #[cold]
    pub(crate) fn on_hop(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let transit = Transit::take(out.transits(), slot);
        let hop = &w.hops[transit.parcel.hop as usize];
        if self.lacks_credit(out, hop) {
            self.wait_for_credit(out, hop.link, transit);
        } else {
            self.launch(out, w, transit);
        }
    }

    fn launch(&mut self, out: &mut impl Outside, w: &Wiring, Transit { mut parcel, cargo }: Transit) {
        let on_fibre = cargo.chunk(w).on_fibre();
        let launched = self.links.launch(w, parcel.hop, on_fibre, out.now(), parcel.tail_lag);
        if let Some(recorder) = &mut self.recorder {
            recorder.outbound(w, &parcel, &cargo, launched.entered);
        }
        let order = self.announce(out, &launched, parcel.envelope.exchange, std::mem::take(&mut parcel.pump));
        (parcel.hop, parcel.tail_lag) = (launched.hop, launched.tail_lag);
        self.send_on(out, &launched, order, Transit { parcel, cargo });
    }

    /// What the launch of a chunk of `exchange` lets others do, and whether it is to `pump` the exchange's next: the
    /// order of its own arrival.
    #[inline(always)]
    pub(super) fn announce(
        &mut self,
        out: &mut impl Outside,
        launched: &Launched,
        exchange: u32,
        pump: bool,
    ) -> Order {
        let sequencer = &mut self.links.get(launched.link).sequencer;
        if pump {
            out.push(launched.entered, sequencer.next(), HostEvent::Pump { exchange });
        }
        if let Some((freed, at)) = launched.freed {
            out.push(at, sequencer.next(), HostEvent::Credit { link: freed });
        }
        sequencer.next()
    }

    /// Lets `transit` arrive where its launch has brought it.
    #[inline(always)]
    pub(super) fn send_on(
        &mut self,
        out: &mut impl Outside,
        launched: &Launched,
        order: Order,
        transit: Transit,
    ) {
        let at = launched.at;
        let to = match launched.far_end {
            FarEnd::EndPoint => Destination::EndPoint,
            FarEnd::There => Destination::Director,
            FarEnd::Here | FarEnd::Fused => {
                let transit = out.transits().put(transit);
                out.push(at, order, HostEvent::Hop { transit });
                return;
            }
        };
        out.send_frames(at, order, to, transit);
    }

    #[cold]
    pub(crate) fn on_credit(&mut self, out: &mut impl Outside, w: &Wiring, link: u32) {
        let transmitter = self.links.get(link);
        transmitter.give_credit(out.now());
        if let Some((slot, _)) = transmitter.next_waiting(out.now()) {
            let transit = Transit::take(out.transits(), slot);
            self.launch(out, w, transit);
        }
    }
}
