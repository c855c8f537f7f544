//! A control unit: volumes behind host-adapter ports, worked by one thread.
//!
//! ```text
//! fibre ─ frames ─► logins (ELS) │ logical paths (link control) │ exchanges ─► devices ─► volumes
//! ```

mod admission_ports;
mod attached_unit;
mod barrier_board;
mod barrier_pace;
mod barrier_thread;
mod barriers;
mod entrance;
mod from_file;
mod look_ahead;
mod luns;
mod notice;
mod port;
mod port_counters;
mod port_options;
mod served_volume;
mod shared_blocks;
mod shared_tracks;
mod shared_volume;
#[cfg(test)]
mod tests;
mod unit_device;
mod units;

use std::io::{self, Write};

use halftrack_base::{Span, Time};

use crate::capture::LinkCapture;
use crate::clock::Clock;
use crate::connection_notice::ConnectionNotice;
use crate::fibre::{Closing, FrameTap};
use crate::lobby::{Entry, Lobby, WAITING_MAX};
use crate::plug::Plug;
use crate::plugs::{Plugs, PortPlugState};
use crate::poller::Poller;
use crate::stop::StopSignal;
use crate::synchronous::Adapter;
use crate::transport::Transport;

use admission_ports::AdmissionPorts;
pub use luns::{FcpPort, LunError, LunTable, LunVolume};
pub use notice::{Notice, NoticeKind};
pub use port::{HostAdapterPort, Notices};
pub use port_counters::PortCounters;
pub use port_options::PortOptions;
pub use units::{UnitError, UnitTable, UnitVolume};

/// Interval at which plugs and timers are polled while frames keep coming.
const LOOK_AGAIN: Span = Span::from_ms(5);
/// Time for exchanges to end when the control unit is stopped.
const ENDING_MAX: Span = Span::from_s(1);

/// A control unit.
pub struct ControlUnit<P: Plug, W: Write = io::Sink> {
    name: String,
    ports: Vec<HostAdapterPort<P::Transport>>,
    plugs: Plugs<P>,
    /// Connections without a login, by port.
    lobbies: Vec<Lobby<P::Transport>>,
    units: UnitTable,
    /// Adapters for synchronous I/O.
    adapters: Vec<Adapter>,
    /// The ports had something to do in the last turn.
    ports_worked: bool,
    clock: Clock,
    poller: Poller,
    capture: Option<LinkCapture<W>>,
    /// Time of the next poll of plugs and timers.
    look: Time,
    /// When volumes are to be made safe at the latest.
    flush_at: Option<Time>,
}

impl<P: Plug, W: Write + 'static> ControlUnit<P, W> {
    /// Creates a control unit of this name with these devices and ports.
    pub fn new(name: &str, mut units: UnitTable, ports: Vec<(PortOptions, P)>, clock: Clock) -> Self {
        // Without a thread for them barriers are done by this one.
        let _ = units.begin_barrier_threads();
        let images = units.images().collect();
        let (options, plugs): (Vec<_>, Vec<_>) = ports.into_iter().unzip();
        let lobbies = plugs.iter().map(|_| Lobby::default()).collect();
        let ports = options.into_iter().enumerate().map(|(number, options)| {
            HostAdapterPort::new(options, u16::try_from(number).unwrap_or(u16::MAX), images)
        });
        Self {
            name: name.to_owned(),
            ports: ports.collect(),
            plugs: Plugs::new(plugs),
            lobbies,
            units,
            adapters: Vec::new(),
            ports_worked: false,
            clock,
            poller: Poller::default(),
            capture: None,
            look: Time::ZERO,
            flush_at: None,
        }
    }

    /// Adds an adapter for synchronous I/O.
    pub fn add_adapter(&mut self, adapter: Adapter) {
        self.adapters.push(adapter);
    }

    /// Returns the adapters for synchronous I/O.
    pub fn adapters(&self) -> &[Adapter] {
        &self.adapters
    }

    /// Captures every frame of every port.
    pub fn set_capture(&mut self, capture: LinkCapture<W>) {
        self.capture = Some(capture);
    }

    /// Returns the works until `stop` is wished, or until no port has a fibre or will get one.
    ///
    /// # Errors
    /// An error of the operating system while waiting; nothing that a peer does.
    pub fn run(&mut self, stop: Option<&StopSignal>, notices: Notices<'_>) -> io::Result<()> {
        while !stop.is_some_and(StopSignal::is_wished) {
            if !self.turn(stop, notices)? {
                return Ok(());
            }
        }
        self.units.begin_ending();
        let until = self.clock.now().saturating_add(ENDING_MAX);
        while self.ports.iter().any(|port| port.open_exchanges() > 0) && self.clock.now() < until {
            self.work(notices);
        }
        self.log_out(notices);
        self.clear_lobbies(notices);
        Ok(())
    }

    /// Runs one turn of the loop; false when no port has a fibre or will get one.
    fn turn(&mut self, stop: Option<&StopSignal>, notices: Notices<'_>) -> io::Result<bool> {
        let (now, worked) = self.work(notices);
        let sleeps = self.poller.end_turn(worked, now);
        if !sleeps && now < self.look {
            return Ok(true);
        }
        self.look = now.saturating_add(LOOK_AGAIN);
        for port in &mut self.ports {
            port.handle_timeout(now, &mut self.units, notices);
        }
        for adapter in &mut self.adapters {
            let id = adapter.options().id.clone();
            adapter.handle_timeout(now, &mut |kind| notices(&Notice { at: now, port: &id, kind }));
        }
        self.flush_at = self.units.flush_due(now);
        if !self.poll_plugs(now, notices) {
            return Ok(false);
        }
        self.report_volume_failures(now, notices);
        // A new fibre or a timer may have brought work.
        if sleeps && !self.work(notices).1 {
            self.sleep(stop)?;
        }
        Ok(true)
    }

    fn work(&mut self, notices: Notices<'_>) -> (Time, bool) {
        let mut now = self.clock.now();
        let mut worked = self.units.collect_barriers(now);
        if !self.adapters.is_empty() {
            let stays = !self.ports_worked;
            for adapter in &mut self.adapters {
                worked |= adapter.turn(&self.clock, now, stays, &mut self.units);
            }
            now = self.clock.now();
        }
        self.ports_worked = false;
        for port in &mut self.ports {
            self.ports_worked |= port.turn(now, &mut self.units, notices);
        }
        worked |= self.ports_worked;
        self.units.begin_barriers(now);
        for (number, port) in self.ports.iter_mut().enumerate() {
            if port.entrance_mut().take_probe_answered() {
                self.lobbies.iter_mut().for_each(|lobby| lobby.handle_probe_answered(number));
            }
        }
        (now, worked)
    }

    /// Polls for fibres. Those that others opened wait for their login, and one becomes the port's. False
    /// when no port has a fibre or will get one.
    fn poll_plugs(&mut self, now: Time, notices: Notices<'_>) -> bool {
        let mut lives = false;
        for number in 0..self.ports.len() {
            lives |= self.poll_plug(now, number, notices);
            while let Some((other, why)) = self.attend(now, number, notices) {
                self.ports[other].close(now, &why, &mut self.units, notices);
            }
        }
        lives
    }

    /// Returns false when port `number` has no fibre and will get none.
    fn poll_plug(&mut self, now: Time, number: usize, notices: Notices<'_>) -> bool {
        let clock = self.clock.host();
        let is_listener = self.plugs.is_listener(number);
        if self.ports[number].holds_off(now).is_some() {
            return true;
        }
        let port = &mut self.ports[number];
        let id = port.options().id.clone();
        let notify = &mut |notice: ConnectionNotice<'_>| {
            let kind = NoticeKind::Connection(notice);
            notices(&Notice { at: now, port: &id, kind });
        };
        for _ in 0..WAITING_MAX {
            let wants = is_listener || port.is_dark() && self.lobbies[number].is_empty();
            match self.plugs.poll(now, number, wants, notify) {
                PortPlugState::Fibre(plugged, nonce) if plugged.opened => {
                    let fibre = port.fibre_of(now, plugged, nonce, clock);
                    port.plug(fibre, false, tap(self.capture.as_ref(), &self.name, &id));
                }
                PortPlugState::Fibre(plugged, nonce) => {
                    self.lobbies[number].admit(now, port.fibre_of(now, plugged, nonce, clock), notify);
                }
                PortPlugState::Nothing => return true,
                PortPlugState::Spent => return false,
            }
        }
        true
    }

    /// Looks at those who want in at port `number`; the port whose connection must go first, and why.
    fn attend(&mut self, now: Time, number: usize, notices: Notices<'_>) -> Option<(usize, Closing)> {
        let id = self.ports[number].options().id.clone();
        let notify = &mut |notice: ConnectionNotice<'_>| {
            let kind = NoticeKind::Connection(notice);
            notices(&Notice { at: now, port: &id, kind });
        };
        match self.lobbies[number].attend(now, number, &mut AdmissionPorts(&mut self.ports), notify) {
            Entry::Nothing => None,
            Entry::Vacate(other, why) => Some((other, why)),
            Entry::Take(fibre) => {
                self.ports[number].plug(*fibre, true, tap(self.capture.as_ref(), &self.name, &id));
                None
            }
        }
    }

    fn report_volume_failures(&mut self, at: Time, notices: Notices<'_>) {
        self.units.take_troubles(|file, error| {
            let text = format!("{}: {error}", file.display());
            notices(&Notice { at, port: "", kind: NoticeKind::VolumeFailed(text) });
        });
    }

    fn sleep(&mut self, stop: Option<&StopSignal>) -> io::Result<()> {
        let Self { ports, plugs, poller, clock, lobbies, units, adapters, .. } = self;
        let timers = ports.iter().filter_map(HostAdapterPort::poll_timeout);
        let dark = ports.iter().enumerate().filter(|(_, port)| port.is_dark());
        let now = clock.now();
        let plug_timers =
            dark.filter_map(|(number, port)| port.holds_off(now).or_else(|| plugs.poll_timeout(number)));
        let waits = lobbies.iter().filter_map(Lobby::poll_timeout);
        let volumes = self.flush_at.into_iter().chain(units.barriers_due());
        let greetings = adapters.iter().filter_map(Adapter::poll_timeout);
        let until = timers.chain(plug_timers).chain(waits).chain(volumes).chain(greetings).min();
        let mut others: Vec<_> = stop.iter().map(|stop| stop.fd()).collect();
        others.extend(plugs.fds());
        others.extend(units.barrier_fd());
        others.extend(adapters.iter().flat_map(Adapter::fds));
        let fibres = ports.iter_mut().filter_map(HostAdapterPort::fibre_mut);
        let mut transports: Vec<&mut dyn Transport> = Vec::new();
        for fibre in fibres {
            transports.push(fibre.transport());
        }
        for transport in lobbies.iter_mut().flat_map(Lobby::transports) {
            transports.push(transport);
        }
        // Every adapter has to note it, whatever another one has found.
        let idle = adapters.iter().filter(|adapter| !adapter.before_sleep()).count() == 0;
        let slept = if idle { poller.sleep(clock, until, &mut transports, &others) } else { Ok(()) };
        adapters.iter().for_each(Adapter::after_sleep);
        slept
    }

    /// Says LOGO to every host and closes the links.
    fn log_out(&mut self, notices: Notices<'_>) {
        let now = self.clock.now();
        for port in &mut self.ports {
            port.log_out(now);
            port.turn(now, &mut self.units, notices);
            let why = Closing::ByThisEnd("the control unit ends".to_owned());
            port.close(now, &why, &mut self.units, notices);
        }
    }

    /// Closes the connections of those who want in.
    fn clear_lobbies(&mut self, notices: Notices<'_>) {
        let at = self.clock.now();
        let why = Closing::ByThisEnd("the control unit ends".to_owned());
        for (lobby, port) in self.lobbies.iter_mut().zip(&self.ports) {
            lobby.clear(&why, &mut |notice| {
                notices(&Notice { at, port: &port.options().id, kind: NoticeKind::Connection(notice) });
            });
        }
    }

    /// Returns the ports with what they did.
    pub fn counters(&self) -> impl Iterator<Item = (&PortOptions, PortCounters)> {
        self.ports.iter().map(|port| (port.options(), port.counters()))
    }

    /// Returns the volumes and devices, aliases counted.
    pub fn unit_counts(&self) -> (usize, usize) {
        self.units.counts()
    }

    /// Returns the age of the control unit, and how much of it was sleep.
    pub fn times(&self) -> (Time, Span) {
        (self.clock.now(), self.poller.sleeps().1)
    }

    /// Ends: closes the links; gives the devices back, to be closed, and the capture.
    pub fn into_parts(mut self) -> (UnitTable, Option<LinkCapture<W>>) {
        let now = self.clock.now();
        for port in &mut self.ports {
            let why = Closing::ByThisEnd("the control unit ends".to_owned());
            port.close(now, &why, &mut self.units, &mut |_| {});
        }
        (self.units, self.capture)
    }
}

/// Returns the capture of a link of port `id` of the node `name`.
fn tap<W: Write + 'static>(
    capture: Option<&LinkCapture<W>>,
    name: &str,
    id: &str,
) -> Option<Box<dyn FrameTap>> {
    capture.and_then(|capture| capture.tap(&format!("{name}.{id}"), true).ok())
}
