//! A channel with its I/O driver and a control unit with real volumes in virtual time, over lines with length and faults, or
//! over real directors: the loops of `Drive`, `Director` and `ControlUnit` without threads, sockets and clock. Everything
//! follows from the seed.

mod cascade;
mod case;
mod fault;
pub mod history;
mod hung_path;
mod line;
mod line_plug;
mod tests;

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;

use halftrack_base::{Span, Time};
use halftrack_config::{read_channel, read_control_unit};
use halftrack_input::SourceFile;
use halftrack_program::Geometry;
use halftrack_volume::{NewFormat, VolumeDevice, create};
use halftrack_wire::StartNumber;

use self::cascade::{Cascade, CascadeOptions};
use self::fault::Event;
use self::line::{LEAST_DELAY, Line, LineConnector, LineEnd, SharedLine};
use self::line_plug::LinePlug;
use super::channel_path::PathChange;
use super::formatting::Formatting;
use super::io_driver::{IoDriver, Phase};
use super::{ChannelFile, PathSet};
use crate::clock::HostClock;
use crate::control_unit::{HostAdapterPort, PortOptions, UnitTable, UnitVolume};
use crate::plug::{Plug, PlugState};

/// Description of a rig.
pub struct Site<'a> {
    /// Distance of each path, km, and the cascade of directors that it leads through.
    pub km: &'a [u64],
    pub cascades: &'a [Option<usize>],
    /// Inter-switch links of each cascade.
    pub links: usize,
    /// All have a common clock.
    pub clock: Option<HostClock>,
    /// Keys of the channel file above the paths, and its rest.
    pub channel: (&'a str, &'a str),
    /// Without it the control unit admits every start, as it did before it had a fence.
    pub fenced: bool,
}

/// The whole.
pub struct Rig {
    now: Rc<Cell<Time>>,
    /// Line from the channel, by path: to the control unit, or to a director.
    lines: Vec<SharedLine>,
    cascades: Vec<Cascade>,
    /// The cascade of each path, and its place there.
    places: Vec<Option<(usize, usize)>>,
    paths: PathSet<LineConnector>,
    online: Vec<bool>,
    pub driver: Option<IoDriver>,
    formatting: Option<Formatting>,
    ports: Vec<HostAdapterPort<LineEnd>>,
    plugs: Vec<LinePlug>,
    clock: Option<HostClock>,
    pub units: UnitTable,
    faults: Vec<Event>,
    /// Lines whose ends lose the light, by time and way.
    darkens: Vec<(Time, SharedLine, usize)>,
    file: ChannelFile,
    nonce: u64,
}

fn control_unit_toml(ports: usize) -> String {
    let mut text = "name = \"BOXA\"\nnode = \"50:05:07:63:00:00:00:01\"\n".to_owned();
    for port in 0..ports {
        text += &format!(
            "[[port]]\nid = \"003{port}\"\nlisten = \"127.0.0.1:322{port}\"\n\
             wwpn = \"50:05:07:63:00:00:00:3{port}\"\n"
        );
    }
    text + "[[logical_control_unit]]\ncuadd = \"00\"\n[[logical_control_unit.volume]]\nunit_address = \"00\"\n\
        file = \"a.ckd\"\nwrite = \"writeback\"\naliases = \"80-83\"\n"
}

impl Rig {
    /// Creates a site whose volume is made in `directory`.
    pub fn new(directory: &Path, site: &Site<'_>) -> Self {
        let geometry = Geometry::with_cylinders(1).unwrap();
        create(&directory.join("a.ckd"), VolumeDevice::Ckd(geometry), NewFormat::Plain, None).unwrap();
        let count = site.km.len();
        let now = Rc::new(Cell::new(Time::ZERO));
        let (cascades, places) = cascades(&now, site);
        let (lines, plugs) = lines(&now, site, &cascades, &places);
        let text = control_unit_toml(count);
        let (file, found) = read_control_unit(&SourceFile::new("control-unit.toml", text));
        assert!(found.is_empty(), "{found:?}");
        let file = file.unwrap();
        let mut units = UnitTable::default();
        for volume in UnitVolume::of_file(&file, directory) {
            units.open_volume(&volume).unwrap();
        }
        units.set_fenced(site.fenced);
        let images = units.images().collect();
        let options = file.ports.iter().map(|port| PortOptions::of_entry(&file, port));
        let ports = (0..).zip(options).map(|(number, options)| HostAdapterPort::new(options, number, images));
        let ports = ports.collect();
        let (top, rest) = site.channel;
        let mut text = format!("name = \"PROD1\"\nnode = \"50:05:07:64:00:00:00:01\"\n{top}\n");
        for (path, place) in places.iter().enumerate() {
            text += &format!(
                "[[path]]\nchpid = \"4{path}\"\nconnect = \"127.0.0.1:1\"\n\
                 wwpn = \"50:05:07:64:00:00:00:4{path}\"\n"
            );
            if place.is_some() {
                text += &format!("control_unit_port = \"50:05:07:63:00:00:00:3{path}\"\n");
            }
        }
        let (file, found) = read_channel(&SourceFile::new("channel.toml", text + rest));
        assert!(found.is_empty(), "{found:?}");
        let file = file.unwrap();
        let connectors = lines.iter().map(|line| LineConnector(Rc::clone(line))).collect();
        Self {
            paths: PathSet::new(&file, connectors, StartNumber::new(0x00FF_FF00), site.clock),
            online: vec![false; count],
            driver: None,
            formatting: None,
            faults: Vec::new(),
            darkens: Vec::new(),
            nonce: 0,
            now,
            lines,
            cascades,
            places,
            ports,
            plugs,
            clock: site.clock,
            units,
            file,
        }
    }

    pub fn now(&self) -> Time {
        self.now.get()
    }

    /// Brings the paths up and lays the tracks out.
    pub fn bring_up(&mut self) {
        self.run_while(|rig| !rig.online.iter().all(|online| *online), Span::from_s(15));
        assert!(self.online.iter().all(|online| *online), "a path does not come online");
        let geometries = self.paths.paths[0].geometries().clone();
        let transport = self.paths.paths[0].has_transport();
        let mut driver = IoDriver::new(&self.file, &geometries, transport).unwrap();
        for path in 0..self.online.len() {
            driver.set_online(self.now(), path as u8, true, &mut self.paths);
        }
        self.formatting = Some(Formatting::new(&mut driver, self.file.run.contents_seed));
        self.driver = Some(driver);
        let done = |rig: &Rig| rig.formatting.as_ref().is_some_and(|formatting| !formatting.is_done());
        self.run_while(done, Span::from_s(30));
        self.formatting = None;
        if let Some(driver) = &mut self.driver {
            driver.formatted();
        }
    }

    /// Runs the streams with these faults, then waits until everything has come to its end and whatever was late has come.
    pub fn drive(&mut self, faults: Vec<Event>, lasts: Span) {
        self.faults = faults;
        self.faults.sort_by_key(|fault| fault.at);
        let now = self.now();
        let driver = self.driver.as_mut().unwrap();
        driver.begin(now);
        self.run_while(|_| true, lasts);
        let now = self.now();
        self.driver.as_mut().unwrap().drain(now);
        self.run_while(|rig| !rig.driver.as_ref().unwrap().is_done(), Span::from_s(90));
        assert!(self.driver.as_ref().unwrap().is_done(), "I/Os did not end");
        self.run_while(|_| true, Span::from_s(35));
    }

    fn run_while(&mut self, goes_on: impl Fn(&Rig) -> bool, at_most: Span) {
        let until = self.now().saturating_add(at_most);
        while self.now() < until && goes_on(self) {
            self.happen();
            while self.turn() {}
            let next = self.next().max(self.now().saturating_add(Span::from_us(1)));
            self.now.set(next.min(until));
        }
    }

    /// Runs one turn of all parts; true when there was something to do.
    fn turn(&mut self) -> bool {
        let now = self.now();
        let mut worked = false;
        for cascade in &mut self.cascades {
            worked |= cascade.turn(now);
        }
        for (port, plug) in self.ports.iter_mut().zip(&mut self.plugs) {
            if port.is_dark()
                && port.holds_off(now).is_none()
                && let PlugState::New(plugged) = plug.poll(now)
            {
                self.nonce += 1;
                let is_accepted = !plugged.opened;
                let fibre = port.fibre_of(now, plugged, self.nonce, self.clock);
                port.plug(fibre, is_accepted, None);
                worked = true;
            }
            port.handle_timeout(now, &mut self.units, &mut |_| ());
            worked |= port.turn(now, &mut self.units, &mut |_| ());
        }
        self.channel_turn(now) || worked
    }

    fn channel_turn(&mut self, now: Time) -> bool {
        let mut worked = false;
        for path in &mut self.paths.paths {
            if now >= path.poll_timeout() {
                path.handle_timeout(now);
            }
            worked |= path.receive(now, &mut || None);
        }
        self.paths.lose_stalled(now);
        self.paths.lose_failing(now);
        for index in 0..self.paths.paths.len() {
            while let Some(end) = self.paths.paths[index].poll_end() {
                worked = true;
                match (&mut self.formatting, &mut self.driver) {
                    (Some(formatting), _) => formatting.handle_end(&end).unwrap(),
                    (None, Some(driver)) => driver.handle_end(now, index as u8, &end, &mut self.paths),
                    (None, None) => {}
                }
                self.paths.paths[index].recycle(end.data);
            }
            if let Some(change) = self.paths.paths[index].poll_change() {
                self.online[index] = change == PathChange::Online;
                if let Some(driver) = &mut self.driver {
                    driver.set_online(now, index as u8, self.online[index], &mut self.paths);
                }
            }
        }
        if let Some(formatting) = &mut self.formatting {
            worked |= formatting.work(now, self.online.len() as u8, &mut self.paths).unwrap();
        } else if let Some(driver) = &mut self.driver {
            if self.paths.subchannels.borrow_mut().take_freed() {
                driver.handle_subchannel_free(now, &mut self.paths);
            }
            if now >= driver.poll_timeout() {
                driver.handle_timeout(now, &mut self.paths);
            }
            worked |= driver.phase() != Phase::Before && driver.work(now, &mut self.paths);
        }
        for path in &mut self.paths.paths {
            worked |= path.send(now, true);
        }
        worked
    }

    /// Returns the time at which something happens next.
    fn next(&self) -> Time {
        let now = self.now();
        let later = |at: Time| at.max(now);
        let lines = self.lines.iter().filter_map(|line| line.borrow().next());
        let cascades = self.cascades.iter().filter_map(|cascade| cascade.next(now));
        let ports = self.ports.iter().filter_map(HostAdapterPort::poll_timeout);
        let dark = self.ports.iter().zip(&self.plugs).filter(|(port, _)| port.is_dark());
        let plugs = dark.filter_map(|(port, plug)| port.holds_off(now).or_else(|| plug.poll_timeout()));
        let paths = self.paths.paths.iter().map(|path| path.poll_timeout());
        let driver = self.driver.iter().map(IoDriver::poll_timeout);
        let faults = self.faults.iter().map(|event| event.at);
        let darkens = self.darkens.iter().map(|(at, ..)| *at);
        let ends = lines.chain(cascades).chain(ports).chain(plugs).chain(paths).chain(driver);
        ends.chain(faults).chain(darkens).map(later).min().unwrap_or(Time::MAX)
    }
}

/// Returns the directors of a site; the cascade of each path, and its place there.
fn cascades(now: &Rc<Cell<Time>>, site: &Site<'_>) -> (Vec<Cascade>, Vec<Option<(usize, usize)>>) {
    let mut options: Vec<CascadeOptions> = Vec::new();
    let mut places = Vec::new();
    for (&km, cascade) in site.km.iter().zip(site.cascades) {
        places.push(cascade.map(|number| {
            if number == options.len() {
                options.push(CascadeOptions { number, paths: 0, links: site.links, km, clock: site.clock });
            }
            options[number].paths += 1;
            (number, options[number].paths - 1)
        }));
    }
    (options.into_iter().map(|options| Cascade::new(now, options)).collect(), places)
}

/// Returns the lines of the channel, and the plugs of the control unit, by path.
fn lines(
    now: &Rc<Cell<Time>>,
    site: &Site<'_>,
    cascades: &[Cascade],
    places: &[Option<(usize, usize)>],
) -> (Vec<SharedLine>, Vec<LinePlug>) {
    let of_path = |(place, km): (&Option<(usize, usize)>, &u64)| match *place {
        None => {
            let line = Line::new(now, Span::from_us(5 * km).saturating_add(LEAST_DELAY));
            (Rc::clone(&line), LinePlug::accepting(line))
        }
        Some((cascade, place)) => {
            let Cascade { to_channels, to_control_unit, .. } = &cascades[cascade];
            (Rc::clone(&to_channels[place]), LinePlug::opening(Rc::clone(&to_control_unit[place])))
        }
    };
    places.iter().zip(site.km).map(of_path).unzip()
}
