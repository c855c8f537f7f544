//! Sending over the links of one process: what is under way, what waits for a credit, and what follows.
//!
//! ```text
//! send ─► credit? ─► launch ─► LinkEnds: the next chunk, credits, the next link, the end point
//!            ▲ none: wait
//!            └── on_credit
//! ```
//!
//! It is one piece for channels and host adapters; where links lead is for [`LinkEnds`].

use halftrack_base::{Span, Time};
use halftrack_engine::Order;

use crate::events::cargo::Cargo;
use crate::events::message::{Parcel, Pump, Transit};
use crate::events::outlet::Destination;
use crate::events::slab::Slab;
use crate::fabric::link::{Launched, Transmitter, Transmitters};
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;
use crate::wiring::route::FarEnd;

/// An event at the end of a link that is of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkEvent {
    /// A chunk has entered the fibre: the next of this exchange can be prepared.
    Pump { exchange: u32 },
    /// A credit of this link is back.
    Credit { link: u32 },
    /// The frames in this slot are ready for their next link.
    Hop { transit: u32 },
    /// The frames in this slot have arrived at their end point.
    Arrived { transit: u32 },
}

/// The edge from links to whatever is at their ends, of one process or of the other.
pub(crate) trait LinkEnds {
    /// It is the host's process, which owns the channels' ends.
    const IS_HOST: bool;

    /// Returns the instant.
    fn now(&self) -> Time;

    /// Returns bursts and frames that come, or wait for something of this process.
    fn transits(&mut self) -> &mut Slab<Transit>;

    /// Schedules `event` for `at` in this process.
    fn push(&mut self, at: Time, order: Order, event: LinkEvent);

    /// Sends a credit of `link`, which is the other process', back to it; it is there at `at`.
    fn return_credit(&mut self, at: Time, order: Order, link: u32);

    /// Takes the credits of `link` that are back before the event that is being handled, and gives the instants at which they were
    /// to `give`.
    fn take_back(&mut self, link: u32, give: impl FnMut(Time));

    /// Makes events of the credits of `link`, for which a frame waits from now on.
    fn await_credits(&mut self, link: u32);

    /// Makes events of the credits of `link` no more, for which no frame waits.
    fn cease_to_await(&mut self, link: u32);

    /// Lets the frames of `transit` arrive at a channel at `at`, to which a channel-to-channel device leads.
    fn arrive_at_channel(&mut self, at: Time, order: Order, transit: Transit);

    /// Sends the frames of `transit` to the other process, where they come `to` there at `at`.
    fn send_frames(&mut self, at: Time, order: Order, to: Destination, transit: Transit);

    /// Notes that the head of `parcel` and `cargo` has `entered` the link of its hop: of no effect, unless the host captures
    /// frames.
    #[inline(always)]
    fn enter(&mut self, _w: &Wiring, _parcel: &Parcel, _cargo: &Cargo, _entered: Time) {}
}

impl Transmitters {
    /// Puts `transit` on the first link of `path` at `ready`, or has it wait for a credit there. Returns what follows, once
    /// it is on its way.
    #[inline(always)]
    pub(crate) fn send<E: LinkEnds>(
        &mut self,
        w: &Wiring,
        ends: &mut E,
        path: &PathWire,
        Transit { mut parcel, mut cargo }: Transit,
        ready: Time,
    ) -> Option<Launched> {
        let on_fibre = cargo.chunk(w).on_fibre();
        let first = if E::IS_HOST { path.outbound.first } else { path.inbound.first };
        parcel.hop = first;
        if path.frame_by_frame {
            let link = w.hops[first as usize].link;
            if !self.try_take_credit(ends, link) {
                let slot = ends.transits().put(Transit { parcel, cargo });
                self.wait(ends, link, slot, ready);
                return None;
            }
        }
        let launched = self.launch(w, first, on_fibre, ready, Span::ZERO);
        if path.is_lossy {
            (parcel.lost, cargo) = self.lose(w, first, &launched, (parcel.lost, cargo));
        }
        ends.enter(w, &parcel, &cargo, launched.entered);
        self.let_go(w, ends, &launched, Transit { parcel, cargo });
        Some(launched)
    }

    /// Lets `transit`, which has been launched, arrive where that has brought it.
    #[inline(always)]
    pub(crate) fn let_go<E: LinkEnds>(
        &mut self,
        w: &Wiring,
        ends: &mut E,
        launched: &Launched,
        transit: Transit,
    ) {
        let order = self.announce(w, ends, launched, transit.parcel.envelope.exchange, transit.parcel.pump);
        let transit = launched.brings(transit);
        let to = match launched.far_end {
            FarEnd::EndPoint | FarEnd::Decryption => Destination::EndPoint,
            FarEnd::There => Destination::Director,
            FarEnd::Channel => return ends.arrive_at_channel(launched.at, order, transit),
            FarEnd::Here | FarEnd::Fused => {
                let transit = ends.transits().put(transit);
                ends.push(launched.at, order, LinkEvent::Hop { transit });
                return;
            }
        };
        ends.send_frames(launched.at, order, to, transit);
    }

    /// Puts the transit in `slot`, whose head is ready, on its next link, or has it wait for a credit there.
    #[inline(always)]
    pub(crate) fn on_hop<E: LinkEnds>(&mut self, w: &Wiring, ends: &mut E, slot: u32) {
        let hop = &w.hops[ends.transits()[slot].parcel.hop as usize];
        let now = ends.now();
        if hop.frame_by_frame && !self.try_take_credit(ends, hop.link) {
            self.wait(ends, hop.link, slot, now);
            return;
        }
        self.go_on(w, ends, slot, now);
    }

    /// Takes a credit of `link` for a transit. Returns false when it must wait for one.
    #[inline(always)]
    fn try_take_credit<E: LinkEnds>(&mut self, ends: &mut E, link: u32) -> bool {
        let transmitter = self.get(link);
        transmitter.line.waiting.is_empty()
            && (transmitter.try_take_credit(ends.now()) || try_take_returned(transmitter, ends, link))
    }

    /// Has the transit in `slot`, which is ready at `ready`, wait for a credit of `link`.
    #[cold]
    fn wait<E: LinkEnds>(&mut self, ends: &mut E, link: u32, slot: u32, ready: Time) {
        self.get(link).wait(slot, ready, ends.now());
        ends.await_credits(link);
    }

    /// Gives `link` a credit back, and to what has waited longest for it. Returns false when nothing has: then it was no event, since
    /// it is one only where it came to be awaited before.
    #[cold]
    pub(crate) fn on_credit<E: LinkEnds>(&mut self, w: &Wiring, ends: &mut E, link: u32) -> bool {
        let now = ends.now();
        let transmitter = self.get(link);
        transmitter.give_credit(now);
        let next = transmitter.next_waiting(now);
        if transmitter.line.waiting.is_empty() {
            ends.cease_to_await(link);
        }
        let Some((slot, ready)) = next else { return false };
        if E::IS_HOST {
            self.go_on_captured(w, ends, slot, ready.max(now));
        } else {
            self.go_on(w, ends, slot, ready.max(now));
        }
        true
    }

    /// Sends the transit in `slot`, ready at `ready`, over its link, which may be the first, where frames are captured.
    #[cold]
    fn go_on_captured<E: LinkEnds>(&mut self, w: &Wiring, ends: &mut E, slot: u32, ready: Time) {
        let Transit { mut parcel, mut cargo } = Transit::take(ends.transits(), slot);
        let first = parcel.hop;
        let launched = self.launch(w, first, cargo.chunk(w).on_fibre(), ready, parcel.tail_lag);
        if w.hops[first as usize].is_lossy {
            (parcel.lost, cargo) = self.lose(w, first, &launched, (parcel.lost, cargo));
        }
        ends.enter(w, &parcel, &cargo, launched.entered);
        self.let_go(w, ends, &launched, Transit { parcel, cargo });
    }

    /// Sends the transit in `slot`, ready at `ready`, over its link.
    #[inline(always)]
    fn go_on<E: LinkEnds>(&mut self, w: &Wiring, ends: &mut E, slot: u32, ready: Time) {
        let Transit { parcel, cargo } = &mut ends.transits()[slot];
        let on_fibre = cargo.chunk(w).on_fibre();
        let (first, exchange, inbound, pump) =
            (parcel.hop, parcel.envelope.exchange, parcel.inbound, parcel.pump);
        let launched = self.launch(w, first, on_fibre, ready, parcel.tail_lag);
        if w.hops[first as usize].is_lossy {
            (parcel.lost, *cargo) = self.lose(w, first, &launched, (parcel.lost, cargo.take()));
        }
        let order = self.announce(w, ends, &launched, exchange, pump);
        let at = launched.at;
        let event = match launched.far_end {
            FarEnd::EndPoint if inbound == E::IS_HOST => LinkEvent::Arrived { transit: slot },
            FarEnd::Here | FarEnd::Fused => LinkEvent::Hop { transit: slot },
            FarEnd::Channel => {
                let transit = launched.brings(Transit::take(ends.transits(), slot));
                return ends.arrive_at_channel(at, order, transit);
            }
            FarEnd::EndPoint | FarEnd::Decryption | FarEnd::There => {
                let to = match launched.far_end {
                    FarEnd::There => Destination::Director,
                    _ => Destination::EndPoint,
                };
                let transit = launched.brings(Transit::take(ends.transits(), slot));
                return ends.send_frames(at, order, to, transit);
            }
        };
        launched.mark(&mut ends.transits()[slot].parcel);
        ends.push(at, order, event);
    }

    /// Makes the events that follow the launch of a chunk of `exchange`, with `pump` that of its next chunk too. Returns the
    /// order of its own arrival.
    #[inline(always)]
    fn announce<E: LinkEnds>(
        &mut self,
        w: &Wiring,
        ends: &mut E,
        launched: &Launched,
        exchange: u32,
        pump: Pump,
    ) -> Order {
        // No director with a line of its own is behind a link of the host's.
        let has_more = pump.has_more();
        let next_from = if has_more && !E::IS_HOST { self.next_from(w, launched) } else { launched.entered };
        let sequencer = &mut self.get(launched.link).sequencer;
        if has_more {
            ends.push(pump.after(next_from), sequencer.next(), LinkEvent::Pump { exchange });
        }
        if let Some((link, at)) = launched.freed {
            let order = sequencer.next();
            if w.host_owns[link as usize] == E::IS_HOST {
                ends.push(at, order, LinkEvent::Credit { link });
            } else {
                ends.return_credit(at, order, link);
            }
        }
        sequencer.next()
    }
}

/// Takes a credit of `link`, which has none left but those that are back and were not counted yet.
#[cold]
fn try_take_returned<E: LinkEnds>(transmitter: &mut Transmitter, ends: &mut E, link: u32) -> bool {
    ends.take_back(link, |at| transmitter.give_credit(at));
    transmitter.try_take_credit(ends.now())
}
