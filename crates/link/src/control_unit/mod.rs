//! A control unit: volumes behind host-adapter ports, worked by one thread.
//!
//! ```text
//! fibre ─ frames ─► logins (ELS) │ logical paths (link control) │ exchanges ─► devices ─► volumes
//! ```

mod from_file;
mod notice;
mod plug;
mod port;
mod port_counters;
mod shared_volume;
mod unit_device;
mod units;

use std::io::{self, Write};

use halftrack_engine::{SimDuration, SimTime};

use crate::capture::LinkCapture;
use crate::clock::Clock;
use crate::fibre::Closing;
use crate::poller::Poller;
use crate::stop::StopSignal;
use crate::transport::Transport;

pub use notice::{Happening, Notice};
pub use plug::{OneFibre, Plug, PlugState, Plugged, TcpPlug};
pub use port::{HostAdapterPort, Notices, PortOptions};
pub use port_counters::PortCounters;
pub use units::{UnitError, UnitTable, UnitVolume};

/// How often plugs and timers are looked at while frames keep coming.
const LOOK_AGAIN: SimDuration = SimDuration::from_ms(5);
/// How long exchanges have to end when the control unit is told to.
const ENDING_MAX: SimDuration = SimDuration::from_s(1);

/// A control unit.
pub struct ControlUnit<P: Plug, W: Write = io::Sink> {
    name: String,
    ports: Vec<(HostAdapterPort<P::Transport>, P)>,
    units: UnitTable,
    clock: Clock,
    poller: Poller,
    capture: Option<LinkCapture<W>>,
    /// When plugs and timers are looked at next.
    look: SimTime,
    fibres: u64,
    /// The last failure to get a fibre, by port, which is told once.
    failures: Vec<Option<String>>,
}

impl<P: Plug, W: Write + 'static> ControlUnit<P, W> {
    /// A control unit of this name with these devices and ports.
    pub fn new(name: &str, units: UnitTable, ports: Vec<(PortOptions, P)>, clock: Clock) -> Self {
        let images = units.images().collect();
        let failures = vec![None; ports.len()];
        let ports = ports.into_iter().enumerate().map(|(number, (options, plug))| {
            (HostAdapterPort::new(options, u16::try_from(number).unwrap_or(u16::MAX), images), plug)
        });
        Self {
            name: name.to_owned(),
            ports: ports.collect(),
            units,
            clock,
            poller: Poller::default(),
            capture: None,
            look: SimTime::ZERO,
            fibres: 0,
            failures,
        }
    }

    /// Captures every frame of every port.
    pub fn set_capture(&mut self, capture: LinkCapture<W>) {
        self.capture = Some(capture);
    }

    /// Works until `stop` is wished, or until no port has a fibre or will get one.
    ///
    /// # Errors
    /// What the operating system says of waiting; nothing that a peer does.
    pub fn run(&mut self, stop: Option<&StopSignal>, notices: Notices<'_>) -> io::Result<()> {
        while !stop.is_some_and(StopSignal::is_wished) {
            if !self.turn(stop, notices)? {
                return Ok(());
            }
        }
        self.units.begin_ending();
        let until = self.clock.now().saturating_add(ENDING_MAX);
        while self.ports.iter().any(|(port, _)| port.open_exchanges() > 0) && self.clock.now() < until {
            self.work(notices);
        }
        self.log_out(notices);
        Ok(())
    }

    /// One turn of the loop; false when no port has a fibre or will get one.
    fn turn(&mut self, stop: Option<&StopSignal>, notices: Notices<'_>) -> io::Result<bool> {
        let (now, worked) = self.work(notices);
        let sleeps = self.poller.is_time_to_sleep(worked, now);
        if !sleeps && now < self.look {
            return Ok(true);
        }
        self.look = now.saturating_add(LOOK_AGAIN);
        if !self.look_at_plugs(now, notices) {
            return Ok(false);
        }
        for (port, _) in &mut self.ports {
            port.handle_timeout(now, &mut self.units, notices);
        }
        self.tell_troubles(now, notices);
        // A new fibre or a timer may have brought work.
        if sleeps && !self.work(notices).1 {
            self.sleep(stop)?;
        }
        Ok(true)
    }

    fn work(&mut self, notices: Notices<'_>) -> (SimTime, bool) {
        let now = self.clock.now();
        let mut worked = false;
        for (port, _) in &mut self.ports {
            worked |= port.turn(now, &mut self.units, notices);
        }
        (now, worked)
    }

    /// Gives fibres to ports that have none, and turns away what comes to the others.
    fn look_at_plugs(&mut self, now: SimTime, notices: Notices<'_>) -> bool {
        let mut lives = false;
        for (number, (port, plug)) in self.ports.iter_mut().enumerate() {
            let id = port.options().id.clone();
            let mut tell = |what| notices(&Notice { at: now, port: &id, what });
            if port.fibre_mut().is_some() {
                lives = true;
                if let Some(peer) = plug.turn_away() {
                    tell(Happening::TurnedAway(&peer));
                }
                continue;
            }
            match plug.look(now) {
                PlugState::New(plugged) => {
                    lives = true;
                    self.fibres += 1;
                    self.failures[number] = None;
                    tell(Happening::Connected(&plugged.transport.peer()));
                    let name = format!("{}.{id}", self.name);
                    let tap = self.capture.as_ref().and_then(|capture| capture.tap(&name, true).ok());
                    port.plug(now, plugged, self.fibres, tap);
                }
                PlugState::Waiting => lives = true,
                PlugState::Failed(error) => {
                    lives = true;
                    let text = error.to_string();
                    if self.failures[number].as_ref() != Some(&text) {
                        tell(Happening::NotConnected(&error));
                        self.failures[number] = Some(text);
                    }
                }
                PlugState::Spent => {}
            }
        }
        lives
    }

    fn tell_troubles(&mut self, at: SimTime, notices: Notices<'_>) {
        self.units.take_troubles(|file, error| {
            let text = format!("{}: {error}", file.display());
            notices(&Notice { at, port: "", what: Happening::VolumeFailed(text) });
        });
    }

    fn sleep(&mut self, stop: Option<&StopSignal>) -> io::Result<()> {
        let Self { ports, poller, clock, .. } = self;
        let timers = ports.iter().filter_map(|(port, _)| port.poll_timeout());
        let plugs =
            ports.iter().filter(|(port, _)| port.is_dark()).filter_map(|(_, plug)| plug.poll_timeout());
        let until = timers.chain(plugs).min();
        let mut others: Vec<_> = stop.iter().map(|stop| stop.fd()).collect();
        let mut transports: Vec<&mut dyn Transport> = Vec::new();
        for (port, plug) in ports {
            others.extend(plug.fd());
            if let Some(fibre) = port.fibre_mut() {
                transports.push(fibre.transport());
            }
        }
        poller.sleep(clock, until, &mut transports, &others)
    }

    /// Says LOGO to every host and closes the links.
    fn log_out(&mut self, notices: Notices<'_>) {
        let now = self.clock.now();
        for (port, _) in &mut self.ports {
            port.log_out(now);
            port.turn(now, &mut self.units, notices);
            let why = Closing::ByThisEnd("the control unit ends".to_owned());
            port.close(now, &why, &mut self.units, notices);
        }
    }

    /// The ports with what they did.
    pub fn counters(&self) -> impl Iterator<Item = (&PortOptions, PortCounters)> {
        self.ports.iter().map(|(port, _)| (port.options(), port.counters()))
    }

    /// Volumes and devices, aliases counted.
    pub fn unit_counts(&self) -> (usize, usize) {
        self.units.counts()
    }

    /// Time the control unit has been there, and how long of it it slept.
    pub fn times(&self) -> (SimTime, SimDuration) {
        (self.clock.now(), self.poller.sleeps().1)
    }

    /// Ends: closes the links; gives the devices back, to be closed, and the capture.
    pub fn into_parts(mut self) -> (UnitTable, Option<LinkCapture<W>>) {
        let now = self.clock.now();
        for (port, _) in &mut self.ports {
            let why = Closing::ByThisEnd("the control unit ends".to_owned());
            port.close(now, &why, &mut self.units, &mut |_| {});
        }
        (self.units, self.capture)
    }
}
