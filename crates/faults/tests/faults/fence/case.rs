//! The ranges that the cases of the fence are drawn from.

use halftrack_base::Span;
use halftrack_engine::RandomStream;
use halftrack_faults::{FaultEvent, FaultKind, FcpHost, Machine, Part, Script};

/// Fault of one path. Where it leads through directors, its cables and they are what fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It keeps what it has and brings it later: the line, or this director of the two.
    Stall { director: usize },
    /// Light is gone at the channel's end: what was sent until that is seen still arrives, after a stall of so long of the
    /// line or of the control unit's director.
    PullAtChannel { late: Span },
    /// Light is gone at the control unit's end.
    PullAtControlUnit,
    /// Light is gone at both.
    PullAtBoth,
    /// Light is gone on one inter-switch link, this one or the first.
    PullBetween { link: usize },
    /// Light is gone for less than R_T_TOV: frames are lost, the link stays.
    ShortPull,
    /// Frames of devices are lost, link services and probes pass.
    Hang,
    /// The channel's link ends and begins again at once: nothing waits for R_T_TOV.
    Reset,
    /// Nothing fails.
    None,
    /// Every frame comes a second time.
    Duplicate { after: Span },
}

/// The ranges that a case is drawn from.
#[derive(Debug, Clone)]
pub struct Case {
    pub seed: u64,
    pub km: Vec<u64>,
    /// The cascade of directors of each path, and the inter-switch links of each.
    pub cascades: Vec<Option<usize>>,
    pub links: usize,
    /// All have a common clock, so that old frames are known.
    pub has_clock: bool,
    pub is_grouped: bool,
    pub is_transport: bool,
    /// Bytes of a record, and records.
    pub program: (u16, u16),
    pub jobs: u32,
    pub think_us: u32,
    /// From the end of a fault to the next, or to the end.
    pub rest: Span,
    pub fault: Fault,
    pub lasts: Vec<Span>,
    /// The faults happen to every path at once.
    pub is_everywhere: bool,
    /// Bytes of an I/O over FCP; nothing where the host is one over FICON.
    pub fcp_bytes: Option<u32>,
}

/// One record of 1 KiB to about 54 KiB, and programs of more than 64 KiB.
const PROGRAMS: [(u16, u16); 6] = [(1024, 1), (4096, 1), (27_998, 1), (55_000, 1), (27_998, 3), (8906, 8)];

/// Returns where the paths lead through directors, by the number of paths: the first does.
fn cascades_of(paths: usize, choice: usize) -> Vec<Option<usize>> {
    match (paths, choice) {
        (4, 0) => vec![Some(0), Some(0), Some(1), Some(1)],
        (4, 1) => vec![Some(0), Some(1), None, None],
        (4, _) => vec![Some(0), Some(0), None, None],
        (2, 0) => vec![Some(0), Some(1)],
        (2, _) => vec![Some(0), None],
        (paths, _) => vec![Some(0); paths],
    }
}

impl Case {
    /// Creates the case of a seed: odd ones have directors, every other of them many jobs and little rest.
    pub fn of_seed(seed: u64) -> Self {
        let case = Self::of_line(seed);
        if seed.is_multiple_of(2) {
            return case;
        }
        let mut random = RandomStream::new(seed, "directors");
        let mut pick = |count: usize| random.below(count as u64) as usize;
        let lasts_ms = |choice: usize| [150, 400, 1000, 2000, 4000, 10_000, 30_000][choice];
        let fault = match pick(12) {
            choice @ 0..3 => Fault::Stall { director: choice % 2 },
            3 => Fault::PullAtChannel { late: Span::ZERO },
            9..12 => Fault::PullAtChannel { late: Span::from_ms(lasts_ms(pick(6))) },
            4 => Fault::PullAtControlUnit,
            5 => Fault::PullAtBoth,
            6 => Fault::PullBetween { link: pick(2) },
            7 => Fault::Reset,
            _ => Fault::ShortPull,
        };
        let mut lasts: Vec<u64> = (0..1 + pick(3)).map(|_| lasts_ms(pick(7))).collect();
        if matches!(fault, Fault::ShortPull | Fault::Reset) {
            lasts.iter_mut().for_each(|ms| *ms = 1 + *ms % 99);
        }
        Self {
            cascades: cascades_of(case.km.len(), pick(3)),
            links: 1 + pick(2),
            has_clock: pick(2) == 0,
            fault,
            lasts: lasts.into_iter().map(Span::from_ms).collect(),
            ..case
        }
        .hurried(seed % 4 == 3)
    }

    /// Returns this case with many jobs on few records and little rest, if wished.
    fn hurried(self, is_wished: bool) -> Self {
        if !is_wished {
            return self;
        }
        let lasts = self.lasts.iter().map(|lasts| (*lasts).min(Span::from_s(4)));
        Self { jobs: 12, think_us: 2000, rest: Span::from_ms(300), lasts: lasts.collect(), ..self }
    }

    fn of_line(seed: u64) -> Self {
        let mut random = RandomStream::new(seed, "case");
        let mut pick = |count: usize| random.below(count as u64) as usize;
        let km = [0, 10, 100, 300][pick(4)];
        let paths = [4, 2, 2, 1][pick(4)];
        let near = pick(2) == 0;
        let kms: Vec<_> = (0..paths).map(|path| if path == 0 || !near { km } else { 0 }).collect();
        let lasts = |choice: usize| [100, 150, 400, 1000, 2000, 4000, 10_000, 30_000][choice];
        let (fault, least) = match pick(4) {
            0 => (Fault::Stall { director: 0 }, 0),
            1 => (Fault::PullAtChannel { late: Span::from_ms(lasts(pick(6))) }, 1),
            2 => (Fault::PullAtControlUnit, 1),
            _ => (Fault::ShortPull, 0),
        };
        let mut lasts_ms: Vec<u64> = (0..1 + pick(3)).map(|_| lasts(least + pick(8 - least))).collect();
        if matches!(fault, Fault::ShortPull) {
            lasts_ms.iter_mut().for_each(|ms| *ms = 1 + *ms % 99);
        }
        Self {
            seed,
            cascades: vec![None; paths],
            links: 0,
            has_clock: false,
            km: kms,
            is_grouped: pick(3) > 0,
            is_transport: pick(2) == 0,
            program: PROGRAMS[pick(6)],
            jobs: [4, 8, 16][pick(3)],
            think_us: 40_000,
            rest: Span::from_s(3),
            fault,
            lasts: lasts_ms.into_iter().map(Span::from_ms).collect(),
            is_everywhere: false,
            fcp_bytes: None,
        }
    }

    /// Returns the machine.
    pub fn machine(&self) -> Machine {
        let (record_bytes, records) = self.program;
        Machine {
            seed: self.seed,
            km: self.km.clone(),
            cascades: self.cascades.clone(),
            links: self.links,
            has_clock: self.has_clock,
            is_grouped: self.is_grouped,
            is_transport: self.is_transport,
            record_bytes,
            records,
            read_percent: 40,
            jobs: self.jobs,
            think: Some(Span::from_us(u64::from(self.think_us))),
            is_sync: false,
            fcp: self.fcp_bytes.map(|io_bytes| FcpHost {
                first_path: 0,
                io_bytes,
                block_bytes: 512,
                units: 1,
                pace: 1,
                is_hasty: self.seed % 8 > 3,
            }),
        }
    }

    /// Returns the script: fault after fault, with rests between them.
    pub fn script(&self) -> Script {
        let mut at = Span::from_ms(200);
        let mut events = Vec::new();
        for &lasts in &self.lasts {
            let paths = if self.is_everywhere { self.km.len() } else { 1 };
            for path in 0..paths {
                events.extend(self.faults(path).map(|(kind, part, late)| FaultEvent {
                    at,
                    lasts,
                    kind,
                    part,
                    share_ppm: 1_000_000,
                    late,
                }));
            }
            at = at.saturating_add(lasts).saturating_add(self.rest);
        }
        Script { duration: at, events }
    }

    /// Returns what fails of a path.
    fn faults(&self, path: usize) -> impl Iterator<Item = (FaultKind, Part, Span)> + use<> {
        let (channel, port, at_once) = (Part::Channel(path), Part::Port(path), Span::ZERO);
        let cascade = self.cascades[path];
        let faults = match (self.fault, cascade) {
            (Fault::Stall { .. }, None) => vec![(FaultKind::Stalled, channel, at_once)],
            (Fault::Stall { director }, Some(cascade)) => {
                vec![(FaultKind::ProcessStopped, Part::Director { cascade, place: director }, at_once)]
            }
            (Fault::PullAtChannel { late }, _) => vec![(FaultKind::ChannelLost, channel, late)],
            (Fault::PullAtControlUnit, _) => vec![(FaultKind::HostAdapterLost, port, at_once)],
            (Fault::PullAtBoth, None) => vec![(FaultKind::LightLost, channel, at_once)],
            (Fault::PullAtBoth, Some(_)) => {
                vec![(FaultKind::LightLost, channel, at_once), (FaultKind::LightLost, port, at_once)]
            }
            (Fault::PullBetween { link }, Some(cascade)) => {
                let link = if link < self.links { link } else { 0 };
                vec![(FaultKind::IslLost, Part::Isl { cascade, link }, at_once)]
            }
            (Fault::PullBetween { .. }, None) => Vec::new(),
            (Fault::ShortPull, _) => vec![(FaultKind::LightLost, channel, at_once)],
            (Fault::Hang, _) => vec![(FaultKind::PortHung, channel, at_once)],
            (Fault::None, _) => Vec::new(),
            (Fault::Reset, _) => vec![(FaultKind::LinkReset, channel, at_once)],
            (Fault::Duplicate { after }, _) => vec![(FaultKind::FramesDuplicated, channel, after)],
        };
        faults.into_iter()
    }

    /// Returns whether a path is not touched by the faults of the first one.
    pub fn has_other_path(&self) -> bool {
        let own = self.cascades[0];
        self.cascades[1..].iter().any(|cascade| own.is_none() || *cascade != own)
    }

    /// Returns the longest that an I/O may take from the fault on, where it has another path.
    pub fn bound(&self) -> Span {
        let round_trips = Span::from_us(4 * 5 * self.km.iter().max().copied().unwrap_or(0));
        match self.fault {
            // The link that stays has its frames lost only.
            Fault::PullBetween { .. } if self.links > 1 => Span::from_s(3),
            // The other paths through a director that stalls meanwhile do so too.
            Fault::PullAtChannel { late } if self.cascades[0].is_some() && !late.is_zero() => Span::from_s(3),
            Fault::PullAtChannel { .. }
            | Fault::PullAtControlUnit
            | Fault::PullAtBoth
            | Fault::PullBetween { .. }
            | Fault::Reset => Span::from_s(1).saturating_add(round_trips),
            Fault::None | Fault::Stall { .. } | Fault::ShortPull | Fault::Hang | Fault::Duplicate { .. } => {
                Span::from_s(3)
            }
        }
    }
}
