//! The links that the storage's process sends on: from host adapters, and from directors either way.

use halftrack_base::{Span, Time, for_bytes};
use halftrack_engine::Order;
use halftrack_wire::CIRCUIT_FRAMING_BYTES;

use super::Context;
use crate::events::event::{Notice, StorageEvent};
use crate::events::message::{Body, ExpressAnswer, ExpressCommand, Transit};
use crate::fabric::link::{Arrival, Launched};
use crate::fabric::sending::LinkEnds;
use crate::wiring::Wiring;
use crate::wiring::load::{Chunk, OnFibre};
use crate::wiring::path_wire::PathWire;
use crate::wiring::route::Junction;

impl Context {
    /// Puts `transit` on the first link of `path` at `ready`: what follows, unless it waits for a credit.
    #[inline(always)]
    pub(in crate::storage) fn send(
        &mut self,
        w: &Wiring,
        path: &PathWire,
        transit: Transit,
        ready: Time,
    ) -> Option<Launched> {
        let chunk = transit.cargo.chunk(w);
        self.traffic.frames_sent(chunk.frames, chunk.data_bytes);
        self.links.send(w, &mut self.events, path, transit, ready)
    }

    /// Sends the transit in `slot`, whose head is ready, over its next link.
    #[inline(never)]
    pub(in crate::storage) fn on_hop(&mut self, w: &Wiring, slot: u32) {
        self.links.on_hop(w, &mut self.events, slot);
    }

    /// Takes a credit of `link` back. Returns whether anything has waited for it.
    #[cold]
    pub(in crate::storage) fn on_credit(&mut self, w: &Wiring, link: u32) -> bool {
        self.links.on_credit(w, &mut self.events, link)
    }

    /// Sends the command of an express exchange, `on_fibre`, on from a director to the port.
    #[inline(never)]
    pub(in crate::storage) fn on_command_at_director(
        &mut self,
        path: &PathWire,
        on_fibre: OnFibre,
        ExpressCommand { envelope, tail_lag_ps }: ExpressCommand,
    ) {
        let (route, now) = (path.short_outbound, self.now());
        let Arrival { at, order, tail_lag_ps } =
            self.links.launch_from_director(route, on_fibre, now, tail_lag_ps);
        self.events.pending.push_command(at, order, ExpressCommand { envelope, tail_lag_ps });
    }

    /// Sends the answer of an express exchange, `on_fibre`, on from a director to the channel.
    #[inline(never)]
    pub(in crate::storage) fn on_answer_at_director(
        &mut self,
        path: &PathWire,
        on_fibre: OnFibre,
        answer: ExpressAnswer,
    ) {
        let (route, now) = (path.short_inbound, self.now());
        let Arrival { at, order, tail_lag_ps } =
            self.links.launch_from_director(route, on_fibre, now, answer.tail_lag_ps);
        self.send_to_host(at, order, Body::ExpressAnswer(ExpressAnswer { tail_lag_ps, ..answer }));
    }

    /// Puts the answer of an express exchange over `path`, which is `chunk`, on its first link at `ready`. On a route that
    /// is not short it goes as `transit`.
    #[inline(always)]
    pub(in crate::storage) fn send_answer(
        &mut self,
        w: &Wiring,
        path: &PathWire,
        (chunk, answer): (&Chunk, ExpressAnswer),
        ready: Time,
        transit: impl FnOnce() -> Transit,
    ) {
        self.traffic.frames_sent(chunk.frames, chunk.data_bytes);
        let (route, on_fibre) = (path.short_inbound, chunk.on_fibre());
        match route.junction {
            Junction::Nothing | Junction::Fused => {
                let Arrival { at, order, tail_lag_ps } = self.links.launch_to_end(route, on_fibre, ready);
                self.send_to_host(at, order, Body::ExpressAnswer(ExpressAnswer { tail_lag_ps, ..answer }));
            }
            Junction::Shared => {
                let Arrival { at, order, tail_lag_ps } =
                    self.links.launch_to_director(route, on_fibre, ready);
                self.events.pending.push_answer_at_director(
                    at,
                    order,
                    ExpressAnswer { tail_lag_ps, ..answer },
                );
            }
            Junction::Other => self.send_over_hops(w, path, on_fibre, ready, transit()),
        }
    }

    /// Puts what is `on_fibre` on the first of several links.
    #[inline(never)]
    fn send_over_hops(
        &mut self,
        w: &Wiring,
        path: &PathWire,
        on_fibre: OnFibre,
        ready: Time,
        transit: Transit,
    ) {
        let launched = self.links.launch(w, path.inbound.first, on_fibre, ready, Span::ZERO);
        self.links.let_go(w, &mut self.events, &launched, transit);
    }

    /// Sends the channel behind `link` a `notice` of the circuit of channel-to-channel device `device`.
    #[cold]
    pub(in crate::storage) fn send_notice_over(
        &mut self,
        w: &Wiring,
        link: u32,
        device: u32,
        notice: Notice,
    ) {
        let wire = &w.configuration.links[link as usize];
        let frame = for_bytes(u64::from(CIRCUIT_FRAMING_BYTES), wire.bytes_per_s);
        let order = self.links.get(link).sequencer.next();
        let body = Body::Circuit { exchange: device, notice };
        self.send_to_host(self.now() + frame + wire.propagation, order, body);
    }

    /// Returns the credit of the last link, whose buffer is free at `freed`, to its sender, if frames take credits there.
    #[inline]
    pub(in crate::storage) fn return_credit(
        &mut self,
        w: &Wiring,
        path: &PathWire,
        freed: Time,
        credit: Option<Order>,
    ) {
        if let Some(order) = credit {
            self.send_credit(w, path, freed.max(self.now()), order);
        }
    }

    #[inline(never)]
    fn send_credit(&mut self, w: &Wiring, path: &PathWire, freed: Time, order: Order) {
        let link = w.last_link(path.outbound);
        let at = w.credit_back_at(link, freed, Span::from_ps(1));
        if w.host_owns[link as usize] {
            self.events.return_credit(at, order, link);
        } else {
            self.push(at, order, StorageEvent::Credit { link });
        }
    }
}
