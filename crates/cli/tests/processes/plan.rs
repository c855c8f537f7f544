//! A run as its seed draws it.

use std::fmt;
use std::time::Duration;

use halftrack_engine::RandomStream;

/// Record length in octets and records of an I/O: 1 to 60 KiB, and above 64.
const SHAPES: [(u16, u16); 9] = [
    (1024, 1),
    (4096, 1),
    (4096, 3),
    (8192, 2),
    (27_998, 1),
    (4096, 15),
    (56_664, 1),
    (16_384, 5),
    (4096, 32),
];
const KM: [u32; 4] = [0, 10, 100, 300];
/// Kinds of faults that the driver's script may have, with their other keys.
const LINE_FAULTS: [(&str, &str); 8] = [
    ("frames-dropped", "share = 0.05"),
    ("frames-duplicated", "share = 0.3\nlate_us = 20000"),
    ("frames-reordered", "share = 0.1\nlate_us = 300000"),
    ("frames-delayed", "late_us = 20000"),
    ("frames-corrupted", "share = 0.05"),
    ("credits-lost", "share = 0.2"),
    ("stalled", ""),
    ("channel-lost", "late_us = 400000"),
];

/// Length of the one long stop of some runs: above R_A_TOV.
const LONG_STOP: Duration = Duration::from_millis(11_500);

/// Process of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Process {
    Serve,
    Drive,
    /// The director of the channels, 0, or that of the control unit, 1.
    Director(usize),
}

/// Fault of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// SIGKILL; the process begins anew after the time.
    Kill(Process),
    /// SIGSTOP; SIGCONT after the time.
    Stop(Process),
    /// All connections through a proxy are reset.
    Reset(usize),
    /// The file system of the volume is full for the time; the control unit, which has fenced it, begins anew.
    FullDisk,
}

#[derive(Debug, Clone, Copy)]
pub struct Event {
    pub at: Duration,
    pub lasts: Duration,
    pub fault: Fault,
}

/// A run.
#[derive(Debug, Clone)]
pub struct Plan {
    pub seed: u64,
    pub directors: bool,
    pub km: u32,
    pub is_command: bool,
    pub shape: (u16, u16),
    /// Cylinders of records, and jobs that share them.
    pub cylinders: u32,
    pub jobs: u32,
    pub lasts: Duration,
    pub events: Vec<Event>,
    /// The control unit ends by SIGKILL.
    pub ends_killed: bool,
    /// Kind and other keys of the faults of both paths in the script of the driver.
    pub line_fault: Option<(&'static str, &'static str)>,
}

impl Plan {
    /// Returns the run of a seed. One seed in ten has a full disk, and one in twenty a process that stops for long.
    pub fn of_seed(seed: u64) -> Self {
        let mut random = RandomStream::new(seed, "processes");
        let mut pick = |count: usize| random.below(count as u64) as usize;
        let km = KM[pick(4)];
        let directors = km > 0 || pick(3) == 0;
        let processes: &[Process] = if directors {
            &[Process::Serve, Process::Drive, Process::Director(0), Process::Director(1)]
        } else {
            &[Process::Serve, Process::Drive]
        };
        let lasts = Duration::from_millis(3000);
        let mut events = Vec::new();
        let mut at_ms = 200 + pick(300) as u64;
        for _ in 0..2 + pick(2) {
            let process = processes[pick(processes.len())];
            let fault = match pick(3) {
                0 => Fault::Kill(process),
                1 => Fault::Stop(process),
                _ => Fault::Reset(pick(if directors { 4 } else { 2 })),
            };
            let lasts_ms = [20, 120, 300, 700, 1500, 2500][pick(6)];
            let (at, lasts) = (Duration::from_millis(at_ms), Duration::from_millis(lasts_ms));
            events.push(Event { at, lasts, fault });
            at_ms += lasts_ms + [50, 200, 600][pick(3)];
        }
        if seed % 10 == 9 {
            events[0].fault = Fault::FullDisk;
            (events[0].at, events[0].lasts) = (Duration::from_millis(50), Duration::from_millis(700));
        }
        if seed % 20 == 7 {
            let fault = Fault::Stop(processes[pick(processes.len())]);
            (events[0].fault, events[0].lasts) = (fault, LONG_STOP);
        }
        Self {
            seed,
            directors,
            km,
            is_command: pick(2) == 0,
            shape: SHAPES[pick(SHAPES.len())],
            cylinders: [1, 1, 3][pick(3)],
            jobs: [1, 8, 24, 48][pick(4)],
            lasts,
            events,
            ends_killed: pick(2) == 0,
            line_fault: seed.is_multiple_of(3).then(|| LINE_FAULTS[pick(LINE_FAULTS.len())]),
        }
    }

    /// Returns a run of a second without directors and distance, for every change: each seed another fault.
    pub fn short(seed: u64) -> Self {
        let mut plan = Self::of_seed(seed);
        (plan.directors, plan.km, plan.lasts) = (false, 0, Duration::from_millis(1000));
        let fault = match seed % 4 {
            0 => Fault::Kill(Process::Serve),
            1 => Fault::Kill(Process::Drive),
            2 => Fault::Stop(Process::Serve),
            _ => Fault::Reset(0),
        };
        plan.events =
            vec![Event { at: Duration::from_millis(300), lasts: Duration::from_millis(200), fault }];
        plan
    }

    /// Returns the script of the driver: both paths fail, one after the other.
    pub fn script(&self) -> Option<String> {
        let (kind, keys) = self.line_fault?;
        let event = |at_s, chpid| {
            format!("[[event]]\nat_s = {at_s}\nlasts_s = 1\nkind = \"{kind}\"\nchpid = \"{chpid}\"\n{keys}\n")
        };
        Some(format!("seed = {}\nduration_s = 3\n{}{}", self.seed, event(0.2, 40), event(1.0, 41)))
    }

    /// Returns whether the run has a full disk.
    pub fn has_full_disk(&self) -> bool {
        self.events.iter().any(|event| event.fault == Fault::FullDisk)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mode = if self.is_command { "command" } else { "transport" };
        let directors = if self.directors { "directors" } else { "direct" };
        let (bytes, records) = self.shape;
        let (jobs, cylinders) = (self.jobs, self.cylinders);
        write!(formatter, "{directors} {} km {mode} {records}x{bytes} {jobs} jobs {cylinders} cyl", self.km)?;
        for event in &self.events {
            let (at, lasts) = (event.at.as_millis(), event.lasts.as_millis());
            write!(formatter, ", {:?} {at}+{lasts} ms", event.fault)?;
        }
        if let Some((kind, _)) = self.line_fault {
            write!(formatter, ", {kind}")?;
        }
        if self.ends_killed { write!(formatter, ", ends killed") } else { Ok(()) }
    }
}
