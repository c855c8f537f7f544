//! A machine: paths with their lengths and directors, options, and the streams that its hosts do.

mod fcp_host;
mod files;

use std::ops::Range;

use halftrack_base::Span;
use halftrack_engine::RandomStream;

pub use self::fcp_host::FcpHost;
use crate::script::{Hosts, Part};

/// Paths on a card of channels.
pub const CHANNELS_OF_CARD: usize = 2;
/// Seed of the contents of records.
pub const CONTENTS_SEED: u64 = 1;
/// Domains of a control unit.
pub const DOMAINS: usize = 2;

/// A machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// Seed of everything that is drawn in a run.
    pub seed: u64,
    /// Distance of each path, km.
    pub km: Vec<u64>,
    /// Cascade of two directors that each path leads through. Cascades are numbered in the order of the paths.
    pub cascades: Vec<Option<usize>>,
    /// Inter-switch links of each cascade.
    pub links: usize,
    /// All have a common clock, so that old frames are recognised.
    pub has_clock: bool,
    /// The channel sets path groups.
    pub is_grouped: bool,
    /// Channel programs go in transport mode, not in command mode.
    pub is_transport: bool,
    /// Data bytes of a record.
    pub record_bytes: u16,
    /// Records of a program.
    pub records: u16,
    /// Reads among the I/Os, parts in a hundred.
    pub read_percent: u32,
    /// Jobs that do one I/O after the other.
    pub jobs: u32,
    /// Time between the end of an I/O and the next of its job; nothing where the I/Os spread over the script.
    pub think: Option<Span>,
    /// Acknowledged writes are in the files; otherwise the last writes are lost with the control unit's process.
    pub is_sync: bool,
    /// The host over FCP, if there is one. Its paths are the last; those before it are of the host over FICON.
    pub fcp: Option<FcpHost>,
}

/// One record of 1 KiB to about 54 KiB, and programs of more than 64 KiB: bytes and records.
const PROGRAMS: [(u16, u16); 8] =
    [(1024, 1), (4096, 1), (4096, 1), (4096, 4), (8906, 8), (27_998, 1), (27_998, 3), (55_000, 1)];

impl Machine {
    /// Returns the machine of a seed with the hosts that the seed has. Half of the seeds have one over FICON, a quarter one over
    /// FCP, and the others both.
    #[must_use]
    pub fn of_seed(seed: u64) -> Self {
        let mut random = RandomStream::new(seed, "hosts");
        let hosts = [Hosts::Ficon, Hosts::Ficon, Hosts::Fcp, Hosts::Both][random.below(4) as usize];
        Self::of_hosts(seed, hosts)
    }

    /// Returns the machine of a seed, with these hosts or with its own.
    #[must_use]
    pub fn new(seed: u64, hosts: Option<Hosts>) -> Self {
        hosts.map_or_else(|| Self::of_seed(seed), |hosts| Self::of_hosts(seed, hosts))
    }

    /// Returns the machine of a seed with these hosts. What a host over FCP has is drawn apart, so that the rest of the machine
    /// stays as it is without one.
    #[must_use]
    pub fn of_hosts(seed: u64, hosts: Hosts) -> Self {
        let mut machine = Self::of_ficon(seed);
        match hosts {
            Hosts::Ficon => {}
            Hosts::Fcp => machine.fcp = Some(FcpHost::of_seed(seed, 0)),
            Hosts::Both => machine.add_fcp(),
        }
        machine
    }

    /// Returns the machine of a seed with a host over FICON: two to four paths, half of the machines with directors.
    fn of_ficon(seed: u64) -> Self {
        let mut random = RandomStream::new(seed, "machine");
        let mut pick = |count: usize| random.below(count as u64) as usize;
        let paths = [2, 2, 3, 4][pick(4)];
        let far_km = [0, 0, 10, 100, 300][pick(5)];
        let is_one_near = pick(2) == 0;
        let km = (0..paths).map(|path| if path > 0 && is_one_near { 0 } else { far_km }).collect();
        let cascades = cascades_of(paths, pick(6));
        let (record_bytes, records) = PROGRAMS[pick(PROGRAMS.len())];
        Self {
            seed,
            km,
            cascades,
            links: 1 + pick(2),
            has_clock: pick(2) == 0,
            is_grouped: pick(4) > 0,
            is_transport: pick(2) == 0,
            record_bytes,
            records,
            read_percent: [40, 50, 60][pick(3)] as u32,
            jobs: [4, 8, 12][pick(3)],
            think: None,
            is_sync: pick(2) == 0,
            fcp: None,
        }
    }

    /// Adds a host over FCP with paths of its own, each beside the last of FICON or through directors with it.
    fn add_fcp(&mut self) {
        let mut random = RandomStream::new(self.seed, "fcp paths");
        let (km, cascade) = (self.km[self.km.len() - 1], self.cascades[self.cascades.len() - 1]);
        self.fcp = Some(FcpHost::of_seed(self.seed, self.paths()));
        for _ in 0..1 + random.below(2) {
            self.km.push(if random.below(2) == 0 { km } else { 0 });
            self.cascades.push(cascade.filter(|_| random.below(2) == 0));
        }
    }

    /// Returns the paths.
    #[must_use]
    pub fn paths(&self) -> usize {
        self.km.len()
    }

    /// Returns the hosts.
    #[must_use]
    pub fn hosts(&self) -> Hosts {
        match self.fcp {
            None => Hosts::Ficon,
            Some(FcpHost { first_path: 0, .. }) => Hosts::Fcp,
            Some(_) => Hosts::Both,
        }
    }

    /// Returns the paths of the host over FICON; none where there is no such host.
    #[must_use]
    pub fn ficon_paths(&self) -> Range<usize> {
        0..self.fcp.as_ref().map_or(self.paths(), |host| host.first_path)
    }

    /// Returns the paths of the host over FCP; none where there is no such host.
    #[must_use]
    pub fn fcp_paths(&self) -> Range<usize> {
        self.ficon_paths().end..self.paths()
    }

    /// Returns the cascades of directors.
    #[must_use]
    pub fn cascade_count(&self) -> usize {
        self.cascades.iter().flatten().max().map_or(0, |last| last + 1)
    }

    /// Returns all parts that a script can name, and the control unit.
    pub fn parts(&self) -> impl Iterator<Item = Part> {
        let (paths, cascades, links) = (self.paths(), self.cascade_count(), self.links);
        let channels = (0..paths).map(Part::Channel);
        let ports = (0..paths).map(Part::Port);
        let isls =
            (0..cascades).flat_map(move |cascade| (0..links).map(move |link| Part::Isl { cascade, link }));
        let directors =
            (0..cascades).flat_map(|cascade| (0..2).map(move |place| Part::Director { cascade, place }));
        let cards = (0..paths.div_ceil(CHANNELS_OF_CARD)).map(Part::Card);
        let domains = (0..DOMAINS).map(Part::Domain);
        let all = channels.chain(ports).chain(isls).chain(directors).chain(cards).chain(domains);
        all.chain([Part::ControlUnit])
    }
}

/// Returns the cascade of each path; none for half of the choices.
fn cascades_of(paths: usize, choice: usize) -> Vec<Option<usize>> {
    match (choice, paths) {
        (0..3, _) => vec![None; paths],
        (3, 4) => vec![Some(0), Some(0), Some(1), Some(1)],
        (3, _) => (0..paths).map(|path| Some(path.min(1))).collect(),
        (4, _) => (0..paths).map(|path| (path == 0).then_some(0)).collect(),
        _ => vec![Some(0); paths],
    }
}
