//! Two directors in cascade in virtual time, with cables to the channels and control-unit ports of some paths.

use std::rc::Rc;

use halftrack_base::Time;
use halftrack_config::read_director;
use halftrack_input::SourceFile;
use halftrack_link::{Director, HostClock};

use super::line::{Line, LineClock, SharedLine, TO_CHANNEL, TO_CONTROL_UNIT};
use super::line_plug::LinePlug;
use crate::script::domain_of;

/// Link address of the first port for a path.
const FIRST_AREA: usize = 0x04;
/// Link address of the first inter-switch link.
const FIRST_LINK_AREA: usize = 0xE0;

/// The parts of a cascade.
#[derive(Debug, Clone, Copy)]
pub struct CascadeOptions {
    /// Its place among the cascades of the machine, which its domains and names follow from.
    pub number: usize,
    /// Paths that lead through it.
    pub paths: usize,
    /// Inter-switch links.
    pub links: usize,
    /// Their length.
    pub km: u64,
    /// The host's clock.
    pub clock: Option<HostClock>,
}

/// One of the directors.
struct DirectorRun {
    /// Nothing while its process is gone.
    director: Option<Director<LinePlug>>,
    /// It does no turn before, or its process is gone until then.
    rests: Time,
}

/// The two directors: that of the channels, and that of the control unit.
pub struct Cascade {
    options: CascadeOptions,
    directors: [DirectorRun; 2],
    /// Cables to the channels, by path of the cascade.
    pub to_channels: Vec<SharedLine>,
    /// Cables to the control unit, by path of the cascade.
    pub to_control_unit: Vec<SharedLine>,
    /// The inter-switch links.
    pub links: Vec<SharedLine>,
}

impl Cascade {
    /// Returns the directors with their cables.
    pub fn new(clock: &LineClock, options: CascadeOptions) -> Self {
        let cables =
            |count: usize, opener| (0..count).map(|_| Line::cable(clock, opener)).collect::<Vec<_>>();
        let directors = [(); 2].map(|()| DirectorRun { director: None, rests: Time::ZERO });
        Self {
            options,
            directors,
            to_channels: cables(options.paths, TO_CONTROL_UNIT),
            to_control_unit: cables(options.paths, TO_CHANNEL),
            links: cables(options.links, TO_CONTROL_UNIT),
        }
    }

    /// Returns the lines of a director.
    pub fn lines_of(&self, place: usize) -> impl Iterator<Item = &SharedLine> {
        [&self.to_channels, &self.to_control_unit][place].iter().chain(&self.links)
    }

    /// Stalls a director until then.
    pub fn stall(&mut self, place: usize, until: Time) {
        let run = &mut self.directors[place];
        run.rests = run.rests.max(until);
    }

    /// Ends the process of a director, which begins anew at `until`.
    pub fn kill(&mut self, place: usize, until: Time) {
        self.directors[place].director = None;
        self.stall(place, until);
        for line in self.lines_of(place) {
            let mut line = line.borrow_mut();
            line.down = line.down.max(until);
            drop(line.take_offered());
        }
    }

    /// Runs one turn of the directors; true when there was something to do.
    pub fn turn(&mut self, now: Time) -> bool {
        let mut worked = false;
        for place in 0..self.directors.len() {
            if now < self.directors[place].rests {
                continue;
            }
            if self.directors[place].director.is_none() {
                self.directors[place].director = Some(self.director(place));
            }
            if let Some(director) = &mut self.directors[place].director {
                director.poll_plugs(now, &mut |_| ());
                worked |= director.work(now, &mut |_| ());
                director.handle_timeouts(now, &mut |_| ());
            }
        }
        worked
    }

    /// Returns the time of the next event after `now`.
    pub fn next(&self, now: Time) -> Option<Time> {
        let dues = self.directors.iter().filter_map(|run| match &run.director {
            _ if now < run.rests => Some(run.rests),
            None => Some(now),
            Some(director) => director.poll_timeout(),
        });
        let lines = [&self.to_channels, &self.to_control_unit, &self.links].into_iter().flatten();
        dues.chain(lines.filter_map(|line| line.borrow().next())).filter(|due| *due > now).min()
    }

    /// Returns a director as it begins.
    fn director(&self, place: usize) -> Director<LinePlug> {
        let options = &self.options;
        let domain = domain_of(options.number, place);
        let mut text =
            format!("name = \"D\"\nwwn = \"10:00:00:00:00:00:00:{domain:02x}\"\ndomain = \"{domain:02X}\"\n");
        for path in 0..options.paths {
            text += &format!("[[port]]\nlink = \"{:02X}\"\nlisten = \"0\"\n", FIRST_AREA + path);
        }
        for link in 0..options.links {
            let area = FIRST_LINK_AREA + link;
            text += &format!("[[isl]]\nlink = \"{area:02X}\"\nlisten = \"0\"\nkm = {}\n", options.km);
        }
        let (file, messages) = read_director(&SourceFile::new("director.toml", text));
        let file = file.unwrap_or_else(|| panic!("{messages:?}"));
        let accepting = |line: &SharedLine| LinePlug::accepting(Rc::clone(line));
        let opening = |line: &SharedLine| LinePlug::opening(Rc::clone(line));
        let plugs = if place == 0 {
            self.to_channels.iter().map(accepting).chain(self.links.iter().map(opening)).collect()
        } else {
            self.to_control_unit.iter().chain(&self.links).map(accepting).collect()
        };
        Director::new(&file, plugs, options.clock).expect("few zones")
    }
}
