//! The cells of the matrix: what varies from one to the next, and the study that each is.

use std::fmt;
use std::path::Path;

use halftrack_catalog::Catalog;
use halftrack_config::StudyFiles;
use halftrack_input::SourceFile;
use halftrack_sweep::{Change, change};

/// Station that is full first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bottleneck {
    /// The channel or its fibre: one channel, four ports.
    Channel,
    /// One host-adapter port for two channels.
    Port,
    /// A slow link between two directors, two channels, eight ports.
    Isl,
    /// A slow bus of one channel, four ports.
    Bus,
}

/// How much there is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Load {
    /// Poisson arrivals, percent of the most that frame by frame carries.
    Open(u32),
    /// So many jobs.
    Closed(u32),
}

/// One cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    pub bottleneck: Bottleneck,
    /// Transport mode, else command mode.
    pub transport: bool,
    /// Transfer of one I/O: its name, and the program as a workload has it.
    pub block: usize,
    /// Percent of reads.
    pub read_percent: u32,
    pub load: Load,
}

/// Blocks of an I/O: name, program, bytes.
const BLOCKS: [(&str, &str, u32); 3] = [
    ("4K", "{ block = \"4K\", records = 1, grouping = \"midaw\" }", 4096),
    ("64K", "{ block = \"4K\", records = 16, grouping = \"midaw\" }", 65_536),
    ("half-track", "{ block = \"half-track\", records = 1 }", 27_998),
];
const BOTTLENECKS: [Bottleneck; 4] =
    [Bottleneck::Channel, Bottleneck::Port, Bottleneck::Isl, Bottleneck::Bus];
const READ_PERCENTS: [u32; 3] = [100, 0, 50];
const LOADS: [Load; 9] = [
    Load::Open(50),
    Load::Open(80),
    Load::Open(95),
    Load::Closed(1),
    Load::Closed(2),
    Load::Closed(8),
    Load::Closed(32),
    Load::Closed(128),
    Load::Closed(512),
];
/// Jobs that fill any of the studies.
const FILL: Load = Load::Closed(128);

/// How long a run is.
#[derive(Debug, Clone, Copy)]
pub struct Length {
    pub warmup_us: u64,
    pub interval_us: u64,
}

impl Cell {
    /// Returns all of them.
    pub fn all() -> Vec<Self> {
        let mut cells = Vec::new();
        for bottleneck in BOTTLENECKS {
            for transport in [false, true] {
                for block in 0..BLOCKS.len() {
                    for read_percent in READ_PERCENTS {
                        let cell = |load| Self { bottleneck, transport, block, read_percent, load };
                        cells.extend(LOADS.map(cell));
                    }
                }
            }
        }
        cells
    }

    /// Returns the cell with all the work that it can carry.
    pub fn filled(self) -> Self {
        Self { load: FILL, ..self }
    }

    /// Returns the study, for a run of this `length`, with `max_per_s` as the most that it carries; and its catalog.
    pub fn study(self, catalog: &Catalog, max_per_s: f64, length: Length) -> (StudyFiles, Catalog) {
        let base = match self.bottleneck {
            Bottleneck::Channel | Bottleneck::Bus => "fex32s-one-channel",
            Bottleneck::Port => "fex32s-card",
            Bottleneck::Isl => "fex32s-100km",
        };
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/published").join(base);
        let mut files = StudyFiles::read(&directory).expect("a study of the repository");
        files.workload = SourceFile::new("workload.toml", self.workload(max_per_s, length));
        let catalog = match self.bottleneck {
            Bottleneck::Channel => catalog.clone(),
            Bottleneck::Port => {
                files.deck = SourceFile::new("deck.iocp", behind_one_port(&files.deck.text));
                catalog.clone()
            }
            Bottleneck::Isl => {
                files = with_short_isl(&files);
                // Eight bits of ten are data: 100 MB/s for each gigabaud.
                with(catalog, "link", "8gfc", "gbaud", self.slow_mb_per_s() / 100.0)
            }
            Bottleneck::Bus => with(catalog, "channel", "fex32s", "bus_mb_per_s", self.slow_mb_per_s()),
        };
        (files, catalog)
    }

    /// Returns the rate of a bus or link that is full before anything else is, MB/s.
    fn slow_mb_per_s(self) -> f64 {
        match (self.transport, self.block) {
            (true, _) => 800.0,
            (false, 0) => 60.0,
            (false, 1) => 300.0,
            (false, _) => 200.0,
        }
    }

    fn workload(self, max_per_s: f64, Length { warmup_us, interval_us }: Length) -> String {
        let program = BLOCKS[self.block].1;
        let protocol = if self.transport { "transport" } else { "command" };
        let devices = match self.bottleneck {
            Bottleneck::Channel | Bottleneck::Bus => "10,11,12,13",
            Bottleneck::Port | Bottleneck::Isl => "10,11,12,13,14,15,16,17",
        };
        let devices: Vec<_> = devices.split(',').map(|lcu| format!("\"{lcu}00-{lcu}3F\"")).collect();
        let load = match self.load {
            Load::Open(percent) => {
                format!("open = {{ rate_per_s = {:?} }}", max_per_s * f64::from(percent) / 100.0)
            }
            Load::Closed(jobs) => format!("closed = {{ jobs = {jobs} }}"),
        };
        format!(
            "[run]\nwarmup_s = {:?}\ninterval_s = {:?}\nintervals = 1\nseed = 1\n\n[[stream]]\nname = \"MAIN\"\n\
             lpar = \"PROD1\"\ndevices = [{}]\nselect = \"sequential\"\nprogram = {program}\nread_share = {:?}\n\
             hit_ratio = 1.0\nprotocol = \"{protocol}\"\n{load}\n",
            warmup_us as f64 / 1e6,
            interval_us as f64 / 1e6,
            devices.join(", "),
            f64::from(self.read_percent) / 100.0,
        )
    }
}

/// Returns the `deck` with every logical control unit behind director port 04.
fn behind_one_port(deck: &str) -> String {
    (0x05..=0x0B).fold(deck.to_owned(), |deck, port: u8| {
        deck.replace(&format!("LINK=((CSS(0),{port:02X}))"), "LINK=((CSS(0),04))")
    })
}

/// Returns the study `files` with 0.1 km of the slowest rate, and credits to spare, between its directors.
fn with_short_isl(files: &StudyFiles) -> StudyFiles {
    let set = |(key, value): (&str, &str)| Change {
        key: format!(r#"plant.isl."11.F0".{key}"#).parse().expect("a key"),
        value: value.to_owned(),
    };
    let changes = [("km", "0.1"), ("gbps", "8"), ("credits", "1000")].map(set);
    change(files, &changes).expect("an inter-switch link")
}

/// Returns `catalog` with another value of one number.
fn with(catalog: &Catalog, kind: &str, id: &str, key: &str, value: f64) -> Catalog {
    let parameters = catalog.parameters(kind, id);
    let names = || parameters.iter().map(halftrack_catalog::Parameter::name).collect::<Vec<_>>().join(", ");
    let parameter = parameters.iter().find(|parameter| parameter.name().ends_with(key));
    let parameter = parameter.unwrap_or_else(|| panic!("no {key} among {}", names()));
    catalog.with_value(parameter, value).expect("a value that can stand there")
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bottleneck = match self.bottleneck {
            Bottleneck::Channel => "channel",
            Bottleneck::Port => "port",
            Bottleneck::Isl => "isl",
            Bottleneck::Bus => "bus",
        };
        let protocol = if self.transport { "transport" } else { "command" };
        let mix = match self.read_percent {
            100 => "read",
            0 => "write",
            _ => "mix",
        };
        write!(f, "{bottleneck} {protocol} {} {mix} ", BLOCKS[self.block].0)?;
        match self.load {
            Load::Open(percent) => write!(f, "open {percent} %"),
            Load::Closed(jobs) => write!(f, "closed {jobs}"),
        }
    }
}
