//! A machine: paths with their lengths and directors, options, and the streams that it does.

use halftrack_base::Span;
use halftrack_engine::RandomStream;

use crate::script::Part;

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
}

/// One record of 1 KiB to about 54 KiB, and programs of more than 64 KiB: bytes and records.
const PROGRAMS: [(u16, u16); 8] =
    [(1024, 1), (4096, 1), (4096, 1), (4096, 4), (8906, 8), (27_998, 1), (27_998, 3), (55_000, 1)];

impl Machine {
    /// Returns the machine of a seed: two to four paths, half of the machines with directors.
    #[must_use]
    pub fn of_seed(seed: u64) -> Self {
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
        }
    }

    /// Returns the paths.
    #[must_use]
    pub fn paths(&self) -> usize {
        self.km.len()
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

    /// Returns the channel file of the machine.
    #[must_use]
    pub fn channel_file(&self) -> String {
        let mut text = String::from("name = \"PROD1\"\nnode = \"50:05:07:64:00:00:00:01\"\n");
        if !self.is_grouped {
            text += "path_group = false\n";
        }
        for (path, cascade) in self.cascades.iter().enumerate() {
            text += &format!(
                "[[path]]\nchpid = \"4{path}\"\nconnect = \"127.0.0.1:1\"\n\
                 wwpn = \"50:05:07:64:00:00:00:4{path}\"\n"
            );
            if cascade.is_some() {
                text += &format!("control_unit_port = \"50:05:07:63:00:00:00:3{path}\"\n");
            }
        }
        let read_share = f64::from(self.read_percent) / 100.0;
        text + &format!(
            "[[alias]]\nbase = \"00\"\naddresses = [\"80-83\"]\n[run]\nduration_s = 3600\nseed = {}\n\
             contents_seed = {CONTENTS_SEED}\n\
             [[stream]]\nname = \"s\"\ndevices = [\"00\"]\nprogram = {{ record_bytes = {}, records = {} }}\n\
             read_share = {read_share}\nprotocol = \"{}\"\nclosed = {{ jobs = {}, think_us = {} }}\n",
            self.seed,
            self.record_bytes,
            self.records,
            if self.is_transport { "transport" } else { "command" },
            self.jobs,
            self.think.unwrap_or_default().as_ps() / 1_000_000,
        )
    }

    /// Returns the control-unit file of the machine.
    #[must_use]
    pub fn control_unit_file(&self) -> String {
        let mut text = String::from("name = \"BOXA\"\nnode = \"50:05:07:63:00:00:00:01\"\n");
        for port in 0..self.paths() {
            text += &format!(
                "[[port]]\nid = \"003{port}\"\nlisten = \"127.0.0.1:322{port}\"\n\
                 wwpn = \"50:05:07:63:00:00:00:3{port}\"\n"
            );
        }
        let write = if self.is_sync { "sync" } else { "writeback" };
        text + &format!(
            "[[logical_control_unit]]\ncuadd = \"00\"\n[[logical_control_unit.volume]]\nunit_address = \"00\"\n\
             file = \"a.ckd\"\nwrite = \"{write}\"\naliases = \"80-83\"\n"
        )
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
