//! Two directors in cascade in virtual time, with cables to the channels and control-unit ports of some paths.

use std::cell::Cell;
use std::rc::Rc;

use halftrack_base::Time;
use halftrack_config::read_director;
use halftrack_input::SourceFile;

use super::line::{Line, SharedLine, TO_CHANNEL, TO_CONTROL_UNIT};
use super::line_plug::LinePlug;
use crate::clock::HostClock;
use crate::director::Director;

/// Link address of the first port for a path.
const FIRST_AREA: usize = 0x04;
/// Link address of the first inter-switch link.
const FIRST_LINK_AREA: usize = 0xE0;

/// The parts of a cascade.
#[derive(Debug, Clone, Copy)]
pub struct CascadeOptions {
    /// Its place among the cascades of the site, which its domains and names follow from.
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

/// The two directors: that of the channels, and that of the control unit.
pub struct Cascade {
    directors: [Director<LinePlug>; 2],
    /// They do no turn before.
    stalled: [Time; 2],
    /// Cables to the channels, and to the control unit, by path of the cascade.
    pub to_channels: Vec<SharedLine>,
    pub to_control_unit: Vec<SharedLine>,
    /// The inter-switch links.
    pub links: Vec<SharedLine>,
}

impl Cascade {
    /// Returns the directors with their cables.
    pub fn new(now: &Rc<Cell<Time>>, options: CascadeOptions) -> Self {
        let cables = |count: usize, opener| (0..count).map(|_| Line::cable(now, opener)).collect::<Vec<_>>();
        let to_channels = cables(options.paths, TO_CONTROL_UNIT);
        let to_control_unit = cables(options.paths, TO_CHANNEL);
        let links = cables(options.links, TO_CONTROL_UNIT);
        let accepting = |lines: &[SharedLine]| {
            lines.iter().map(|line| LinePlug::accepting(Rc::clone(line))).collect::<Vec<_>>()
        };
        let opening = links.iter().map(|line| LinePlug::opening(Rc::clone(line)));
        let near = accepting(&to_channels).into_iter().chain(opening).collect();
        let far = accepting(&to_control_unit).into_iter().chain(accepting(&links)).collect();
        let directors = [director(&options, 1, near), director(&options, 2, far)];
        Self { directors, stalled: [Time::ZERO; 2], to_channels, to_control_unit, links }
    }

    /// Stalls a director until then.
    pub fn stall(&mut self, director: usize, until: Time) {
        self.stalled[director] = self.stalled[director].max(until);
    }

    /// Runs one turn of the directors; true when there was something to do.
    pub fn turn(&mut self, now: Time) -> bool {
        let mut worked = false;
        for (director, stalled) in self.directors.iter_mut().zip(self.stalled) {
            if now >= stalled {
                director.poll_plugs(now, &mut |_| ());
                worked |= director.work(now, &mut |_| ());
                director.handle_timeouts(now, &mut |_| ());
            }
        }
        worked
    }

    /// Returns the time of the next event after `now`.
    pub fn next(&self, now: Time) -> Option<Time> {
        let directors = self.directors.iter().zip(self.stalled);
        let dues = directors.filter_map(
            |(director, stalled)| {
                if now < stalled { Some(stalled) } else { director.poll_timeout() }
            },
        );
        let lines = [&self.to_channels, &self.to_control_unit, &self.links].into_iter().flatten();
        dues.chain(lines.filter_map(|line| line.borrow().next())).filter(|due| *due > now).min()
    }
}

/// Returns the first or second director of a cascade.
fn director(options: &CascadeOptions, place: usize, plugs: Vec<LinePlug>) -> Director<LinePlug> {
    let domain = 0x60 + 0x10 * options.number + place;
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
    Director::new(&file, plugs, options.clock).expect("few zones")
}
