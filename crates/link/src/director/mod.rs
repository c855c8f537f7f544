//! A director: a switch whose ports are links to other processes.
//!
//! ```text
//! fibre ─► CRC, buffer taken ─► Switch::handle_frame ─┬─► fibre of the output port (credit taken, buffer given back)
//!                                                     ├─► waiting for the output port; the buffer stays in use
//!                                                     └─► handled, or discarded with a reason
//! ```
//!
//! A frame goes out as it came, without being built anew. One that cannot go out at once waits for its own output port
//! and keeps the buffer into which it came, so that nobody has more frames in the director than buffer credits; frames
//! for other ports pass it. An inter-switch link may be long: frames, and the buffers given back, are under way 5 µs
//! a kilometre, and those under way have taken their credits.

mod carrying;
mod entrance;
mod events;
mod flush;
mod notice;
mod pen;
mod port;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::thread;

use halftrack_base::{Span, Time};
use halftrack_config::DirectorFile;
use halftrack_config::director_file::ZoneMemberEntry;
use halftrack_config::link_access::HostEntry;
use halftrack_fabric::{
    DiscardReason, PortKind, Switch, SwitchParameters, SwitchPort, Zone, ZoneMember, Zoning,
    switch::TooManyZones,
};
use halftrack_wire::choices::COMMAND_FRAME_PAYLOAD_BYTES;

pub use halftrack_fabric::switch::port_name;
pub use notice::{Notice, NoticeKind};

use crate::capture::LinkCapture;
use crate::clock::{Clock, HostClock};
use crate::connection_notice::ConnectionNotice;
use crate::fibre::{Closing, Fibre, FibreCounters};
use crate::lobby::Lobby;
use crate::plug::Plug;
use crate::plugs::Plugs;
use crate::poller::Poller;
use crate::stop::StopSignal;
use crate::transport::Transport;
use pen::Pens;
use port::{DirectorPort, FrameMemory};

/// Interval at which plugs and timers are polled while frames keep coming.
const LOOK_AGAIN: Span = Span::from_ms(5);
/// Least time between two notices of discarded frames.
const TELL_AGAIN: Span = Span::from_s(1);
/// Time that light in a fibre takes for a metre (reference section 4: 5 µs a kilometre).
const NS_PER_METRE: u64 = 5;

/// Takes notices.
pub type Notices<'a> = &'a mut dyn FnMut(&Notice<'_>);

/// Traffic of a port of a director.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortReport {
    /// Link address.
    pub area: u8,
    /// Traffic of its links.
    pub carried: FibreCounters,
    /// Frames that came in and were discarded.
    pub discarded: u64,
}

/// Result of routing a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Carried {
    /// It went on, or was discarded: its buffer is free.
    Gone,
    /// It waits, and its buffer stays in use.
    Waits,
    /// It was for the switch.
    Handled,
}

/// The step that follows a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Another turn.
    Turn,
    /// Sleep: nothing was found to do for a while.
    Sleep,
    /// The end: no port has a fibre or will get one.
    End,
}

/// A director. Time is an argument of its methods; [`Director::run`] takes it from a clock.
pub struct Director<P: Plug, W: Write = io::Sink> {
    name: String,
    switch: Switch,
    ports: Vec<DirectorPort<P::Transport>>,
    plugs: Plugs<P>,
    /// Connections without a login, by port.
    lobbies: Vec<Lobby<P::Transport>>,
    /// The clock that this host's processes have in common.
    host: Option<HostClock>,
    poller: Poller,
    capture: Option<LinkCapture<W>>,
    memory: FrameMemory,
    pens: Pens,
    /// Frames discarded, by port and reason: all, and those that were reported.
    discarded: BTreeMap<(usize, DiscardReason), (u64, u64)>,
    /// Times of the next poll of plugs and timers, and of the next notice of discarded frames.
    look: Time,
    notify_at: Time,
}

impl<P: Plug, W: Write + 'static> Director<P, W> {
    /// Returns the director of `file`, with the plug of each of its ports in order; `host` is the host's clock.
    ///
    /// # Errors
    /// More zones than a switch keeps.
    pub fn new(file: &DirectorFile, plugs: Vec<P>, host: Option<HostClock>) -> Result<Self, TooManyZones> {
        let switch = Switch::new(SwitchParameters {
            name: file.switch_name,
            domain: file.domain,
            ports: file.ports.iter().map(switch_port).collect(),
            zoning: zoning(file)?,
            frame_payload_bytes: COMMAND_FRAME_PAYLOAD_BYTES as u16,
        });
        let ports: Vec<_> = file
            .ports
            .iter()
            .enumerate()
            .map(|(index, port)| {
                let km = port.inter_switch.map_or(0.0, |link| link.km);
                let delay = Span::from_ns((km * 1_000.0).round() as u64 * NS_PER_METRE);
                let is_inter_switch = port.inter_switch.is_some();
                let name = switch.port_name(index);
                let mut own = DirectorPort::new(port.area, name, port.credits, delay, is_inter_switch);
                let names = |hosts: &Vec<HostEntry>| hosts.iter().map(|host| host.port_name).collect();
                own.hosts = port.hosts.as_ref().map(names);
                own
            })
            .collect();
        Ok(Self {
            name: file.name.clone(),
            switch,
            ports,
            lobbies: plugs.iter().map(|_| Lobby::default()).collect(),
            plugs: Plugs::new(plugs),
            host,
            poller: Poller::default(),
            capture: None,
            memory: FrameMemory::default(),
            pens: Pens::default(),
            discarded: BTreeMap::new(),
            look: Time::ZERO,
            notify_at: Time::ZERO,
        })
    }

    /// Captures every frame of every port.
    pub fn set_capture(&mut self, capture: LinkCapture<W>) {
        self.capture = Some(capture);
    }

    /// Returns the works by `clock` until `stop` is wished, or until no port has a fibre or will get one.
    ///
    /// # Errors
    /// An error of the operating system while waiting; nothing that a peer does.
    pub fn run(&mut self, clock: &Clock, stop: Option<&StopSignal>, notices: Notices<'_>) -> io::Result<()> {
        while !stop.is_some_and(StopSignal::is_wished) {
            match self.turn(clock.now(), notices) {
                Next::Turn => {}
                Next::Sleep => self.sleep(clock, stop)?,
                Next::End => break,
            }
        }
        let now = clock.now();
        for index in 0..self.ports.len() {
            let why = Closing::ByThisEnd("the director ends".to_owned());
            self.close(now, index, &why, notices);
        }
        self.clear_lobbies(now, notices);
        self.notify_discarded(now, notices);
        Ok(())
    }

    /// Returns what each port carried.
    pub fn reports(&self) -> impl Iterator<Item = PortReport> {
        self.ports.iter().enumerate().map(|(index, port)| {
            let own = self.discarded.iter().filter(move |((port, _), _)| *port == index);
            let discarded = own.map(|(_, (all, _))| all).sum();
            PortReport { area: port.area, carried: port.counters(), discarded }
        })
    }

    /// Ends; gives the capture back.
    pub fn into_capture(self) -> Option<LinkCapture<W>> {
        self.capture
    }

    /// Runs one turn of the loop.
    fn turn(&mut self, now: Time, notices: Notices<'_>) -> Next {
        let worked = self.work(now, notices);
        let due_soon = self.ports.iter().any(|port| port.is_due_soon(now));
        let sleeps = self.poller.end_turn(worked || due_soon, now);
        if due_soon && !worked {
            // Who is at the other ends may wait for this processor.
            thread::yield_now();
        }
        if !sleeps && now < self.look {
            return Next::Turn;
        }
        self.look = now.saturating_add(LOOK_AGAIN);
        self.handle_timeouts(now, notices);
        if !self.poll_plugs(now, notices) {
            return Next::End;
        }
        // A new fibre or a timer may have brought work.
        if sleeps && !self.work(now, notices) { Next::Sleep } else { Next::Turn }
    }

    /// Carries what there is to carry; true when there was anything.
    pub fn work(&mut self, now: Time, notices: Notices<'_>) -> bool {
        let mut worked = false;
        // First all that came: what goes out in this turn bears its time.
        for index in 0..self.ports.len() {
            worked |= self.receive(now, index, notices);
        }
        for index in 0..self.ports.len() {
            self.take_in(now, index, notices);
        }
        self.take_events(now, notices);
        self.open_pens(now);
        for index in 0..self.ports.len() {
            worked |= self.ports[index].arrive(now, &mut self.memory);
            worked |= self.send(now, index);
        }
        for index in 0..self.ports.len() {
            let Some(fibre) = &mut self.ports[index].fibre else { continue };
            let flushed = fibre.flush(now, !worked);
            worked |= flushed.is_ok() && fibre.has_unsent();
            let refused = self.ports[index].refused.take_if(|_| !self.switch.has_frame(index));
            if let Some(why) = flushed.err().or(refused) {
                self.close(now, index, &why, notices);
            }
        }
        worked
    }

    /// Takes the octets that came in at a port.
    fn receive(&mut self, now: Time, index: usize, notices: Notices<'_>) -> bool {
        let Some(fibre) = &mut self.ports[index].fibre else { return false };
        let received = fibre.receive(now);
        self.switch.take_invalid_crcs(now, index, fibre.counters().damaged);
        received.unwrap_or_else(|why| {
            self.close(now, index, &why, notices);
            true
        })
    }

    /// Takes the frames among them. What a frame for the switch brings about is followed before the next frame: who is
    /// gone is flushed before that may be of who came in its place.
    fn take_in(&mut self, now: Time, index: usize, notices: Notices<'_>) {
        while let Some(mut fibre) = self.ports[index].fibre.take() {
            let result = self.take_frames(now, index, &mut fibre);
            self.ports[index].fibre = Some(fibre);
            self.take_events(now, notices);
            match result {
                Ok(true) => {}
                Ok(false) => return,
                Err(why) => return self.close(now, index, &why, notices),
            }
        }
    }

    /// Takes frames up to one that was for the switch; true after such a one.
    fn take_frames(
        &mut self,
        now: Time,
        index: usize,
        fibre: &mut Fibre<P::Transport>,
    ) -> Result<bool, Closing> {
        let is_long = !self.ports[index].delay.is_zero();
        if !self.ports[index].linked {
            let hosts = self.ports[index].hosts.as_deref();
            let may = fibre.attached().map(|attached| attached.narrow(hosts));
            self.switch.admit_only(index, may.unwrap_or_else(|| hosts.map(<[_]>::to_vec)));
        }
        let old = fibre.counters().too_old;
        let mut was_handled = false;
        while !was_handled && let Some(incoming) = fibre.next_frame()? {
            self.link_up(now, index);
            let carried = self.carry(now, index, &incoming);
            let waits = carried == Carried::Waits;
            if waits || is_long {
                fibre.hold();
            }
            if is_long && !waits {
                self.ports[index].free_later(now);
            }
            was_handled = carried == Carried::Handled;
        }
        if fibre.counters().too_old > old {
            *self.discard(index, DiscardReason::Lived) += fibre.counters().too_old - old;
        }
        if fibre.is_up() {
            self.link_up(now, index);
        }
        Ok(was_handled)
    }

    fn link_up(&mut self, now: Time, index: usize) {
        if !self.ports[index].linked {
            self.ports[index].linked = true;
            self.switch.handle_link_up(now, index);
        }
    }

    /// Closes the link of a port; who waited for it gets its buffers back.
    fn close(&mut self, now: Time, index: usize, why: &Closing, notices: Notices<'_>) {
        let port = &mut self.ports[index];
        let Some(peer) = port.fibre.as_ref().map(Fibre::peer) else { return };
        let area = port.area;
        for (from, generation) in port.unplug() {
            self.ports[from].release(now, generation);
        }
        let kind = NoticeKind::Connection(ConnectionNotice::Closed { peer: &peer, why });
        notices(&Notice { at: now, area, kind });
        if let Some(code) = why.incident() {
            self.switch.note_incident(now, index, code);
        }
        self.switch.handle_link_down(now, index);
        self.take_events(now, notices);
    }

    /// Does what is due.
    pub fn handle_timeouts(&mut self, now: Time, notices: Notices<'_>) {
        if self.switch.poll_timeout().is_some_and(|due| due <= now) {
            self.switch.handle_timeout(now);
            self.take_events(now, notices);
        }
        self.drop_old_held(now);
        for index in 0..self.ports.len() {
            let port = &mut self.ports[index];
            if port.login_by.is_some_and(|by| by <= now) && self.switch.has_login(index) {
                // Its login waits for others, and not for it.
                port.expect_login(now);
            }
            let no_login = port.no_login();
            let Some(fibre) = &mut port.fibre else { continue };
            let result = match port.login_by {
                Some(by) if by <= now => Err(no_login),
                _ => fibre.handle_timeout(now),
            };
            match result {
                Err(why) => self.close(now, index, &why, notices),
                Ok(()) => self.notify_clock(now, index, notices),
            }
        }
        if self.notify_at <= now {
            self.notify_at = now.saturating_add(TELL_AGAIN);
            self.notify_discarded(now, notices);
        }
    }

    fn notify_discarded(&mut self, now: Time, notices: Notices<'_>) {
        for ((index, why), (all, told)) in &mut self.discarded {
            if *told < *all {
                let kind = NoticeKind::Discarded { why: *why, frames: *all - *told };
                notices(&Notice { at: now, area: self.ports[*index].area, kind });
                *told = *all;
            }
        }
    }

    /// Returns the time at which plugs or timers are due, or something under way is there.
    pub fn poll_timeout(&self) -> Option<Time> {
        let timers = self.ports.iter().filter_map(DirectorPort::poll_timeout);
        let dark = self.ports.iter().enumerate().filter(|(_, port)| port.fibre.is_none());
        let plugs = dark.filter_map(|(index, _)| self.plugs.poll_timeout(index));
        let waits = self.lobbies.iter().filter_map(Lobby::poll_timeout);
        let is_untold = self.discarded.values().any(|(all, told)| told < all);
        let notify = is_untold.then_some(self.notify_at).into_iter().chain(self.pens.poll_timeout());
        timers.chain(plugs).chain(waits).chain(self.switch.poll_timeout()).chain(notify).min()
    }

    fn sleep(&mut self, clock: &Clock, stop: Option<&StopSignal>) -> io::Result<()> {
        let wakes = self.ports.iter().filter_map(DirectorPort::wake_for_arrival);
        let until = wakes.chain(self.poll_timeout()).min();
        let Self { ports, plugs, poller, lobbies, .. } = self;
        let mut others: Vec<_> = stop.iter().map(|stop| stop.fd()).collect();
        others.extend(plugs.fds());
        let fibres = ports.iter_mut().filter_map(|port| port.fibre.as_mut());
        let mut transports: Vec<&mut dyn Transport> = Vec::new();
        for fibre in fibres {
            transports.push(fibre.transport());
        }
        for transport in lobbies.iter_mut().flat_map(Lobby::transports) {
            transports.push(transport);
        }
        poller.sleep(clock, until, &mut transports, &others)
    }
}

fn switch_port(port: &halftrack_config::director_file::DirectorFilePort) -> SwitchPort {
    let kind = match port.inter_switch {
        None => PortKind::Fabric,
        Some(link) => PortKind::InterSwitch { neighbour: link.neighbour },
    };
    SwitchPort { area: port.area, kind, receive_credit: port.credits }
}

fn zoning(file: &DirectorFile) -> Result<Zoning, TooManyZones> {
    let member = |member: &ZoneMemberEntry| match *member {
        ZoneMemberEntry::Name(name) => ZoneMember::Name(name),
        ZoneMemberEntry::LinkAddress { domain, area } => ZoneMember::LinkAddress { domain, area },
    };
    let zone = |zone: &halftrack_config::director_file::ZoneEntry| Zone {
        name: zone.name.clone(),
        members: zone.members.iter().map(member).collect(),
    };
    Zoning::new(file.zones.iter().map(zone).collect())
}
