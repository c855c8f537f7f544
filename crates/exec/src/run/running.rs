//! Runs the functions of a program one after the other.

use halftrack_program::{
    CcwFormat, ConditionCode, Device, MainStorage, OrbProgram, Pmcw, STORAGE_BLOCK_BYTES, StorageKey,
    Subchannel,
};

use crate::assembly::program::{Function, Program, Step, View};
use crate::run::ending::ending;
use crate::run::record::{Failed, Hex, Report, Shown, StepRecord};
use crate::run::verdict::{Observed, disagreement, unexpected};
use crate::run::watcher::Watcher;

/// How a program is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunOptions {
    /// Records what the channel fetches and moves.
    pub trace: bool,
    /// Whether the device has fixed blocks: a trace then shows their parameters.
    pub fixed_blocks: bool,
}

/// A program that is being run on a device.
pub(crate) struct Running<'a, D> {
    program: &'a Program,
    device: &'a mut D,
    options: RunOptions,
    storage: MainStorage,
    subchannel: Subchannel,
    /// Format of the CCWs of the last start, which a resumed program continues in.
    format: CcwFormat,
    /// Address of the TSB of the last operation, which its cancellation fills too.
    tsb_address: Option<u64>,
}

/// Runs `program` on `device`, from fresh storage and a fresh subchannel.
pub fn run<D: Device>(program: &Program, device: &mut D, options: RunOptions) -> Report {
    Running::new(program, device, options).run().0
}

impl<'a, D: Device> Running<'a, D> {
    pub(crate) fn new(program: &'a Program, device: &'a mut D, options: RunOptions) -> Self {
        let subchannel = Subchannel::new(Pmcw::ONE_PATH);
        let (storage, format) = (loaded(program), CcwFormat::One);
        Self { program, device, options, storage, subchannel, format, tsb_address: None }
    }

    /// Runs every function; the storage that they leave comes with the report.
    pub(crate) fn run(mut self) -> (Report, MainStorage) {
        let mut steps = Vec::new();
        for (index, step) in self.program.steps.iter().enumerate() {
            let next = self.program.steps.get(index + 1).map(|next| &next.function);
            let rest = &self.program.steps[index + 1..];
            let goes_on =
                |step: &Step| matches!(step.function, Function::Resume | Function::Halt | Function::Clear);
            steps.push(self.step(step, next == Some(&Function::Cancel), rest.iter().any(goes_on)));
        }
        let as_expected = steps.iter().all(|step| step.failed.is_empty());
        (Report { steps, as_expected }, self.storage)
    }

    /// Performs one function. Status stays pending for a cancellation that follows, since it has to join it.
    fn step(&mut self, step: &Step, stays_pending: bool, is_continued: bool) -> StepRecord {
        if let Function::Start(orb) = &step.function
            && let OrbProgram::Command { ccw_format, .. } = orb.program
        {
            self.format = ccw_format;
        }
        let mut watcher = Watcher::new(self.options, self.format);
        let condition = self.function(&step.function, &mut watcher);
        self.tsb_address = watcher.tsb_address.or(self.tsb_address);
        let irb = *self.subchannel.irb();
        let done = condition == Some(ConditionCode::Done);
        let ending = done.then(|| ending(&irb, &self.storage, self.tsb_address));
        if !stays_pending && condition.is_some() {
            self.subchannel.test();
        }
        let condition_code = condition.map(code);
        let seen = Observed { condition_code, ending: ending.as_ref(), storage: &self.storage, is_continued };
        let failed = self.failed(step, &seen);
        let shown = step.views.iter().map(|view| shown(view, &self.storage, &watcher.stored)).collect();
        StepRecord {
            function: name(&step.function),
            line: self.program.source.position(step.span.start).0,
            condition_code,
            trace: watcher.records,
            trace_left_out: watcher.left_out,
            ending,
            shown,
            failed,
        }
    }

    fn function(&mut self, function: &Function, watcher: &mut Watcher) -> Option<ConditionCode> {
        let Self { device, storage, subchannel, .. } = self;
        Some(match function {
            Function::Start(orb) => subchannel.start(orb, storage, *device, watcher),
            Function::Resume => subchannel.resume(storage, *device, watcher),
            Function::Halt => subchannel.halt(),
            Function::Clear => subchannel.clear(),
            Function::Cancel => subchannel.interrogate(storage, *device, watcher),
            Function::Store { address, octets } => {
                put(storage, *address, octets);
                return None;
            }
        })
    }

    fn failed(&self, step: &Step, seen: &Observed<'_>) -> Vec<Failed> {
        let failed = |message: String, span: &std::ops::Range<usize>| {
            let line = self.program.source.position(span.start).0;
            Failed { message, begin: span.start, end: span.end, line }
        };
        let whole = unexpected(step, seen).map(|message| failed(message, &step.span));
        let checks = step.checks.iter().filter_map(|placed| {
            disagreement(&placed.check, seen).map(|message| failed(message, &placed.span))
        });
        whole.into_iter().chain(checks).collect()
    }
}

fn name(function: &Function) -> &'static str {
    match function {
        Function::Start(_) => "start",
        Function::Resume => "resume",
        Function::Halt => "halt",
        Function::Clear => "clear",
        Function::Cancel => "cancel",
        Function::Store { .. } => "store",
    }
}

fn code(condition: ConditionCode) -> u8 {
    match condition {
        ConditionCode::Done => 0,
        ConditionCode::StatusPending => 1,
        ConditionCode::Busy => 2,
        ConditionCode::NotOperational => 3,
    }
}

fn loaded(program: &Program) -> MainStorage {
    let mut storage = MainStorage::new(program.storage_bytes as usize);
    for segment in &program.segments {
        put(&mut storage, segment.address, &segment.octets);
    }
    for range in &program.keys {
        let key = StorageKey::new(range.key, range.fetch_protected);
        let block = STORAGE_BLOCK_BYTES as u64;
        let end = range.address.saturating_add(range.bytes).min(program.storage_bytes);
        for block_number in range.address / block..end.div_ceil(block) {
            // Beyond storage there are no keys: the range was cut to it.
            let _ = storage.set_key(block_number * block, key);
        }
    }
    storage
}

/// Puts octets into storage, as far as there is storage.
fn put(storage: &mut MainStorage, address: u64, octets: &[u8]) {
    let Ok(begin) = usize::try_from(address) else { return };
    if let Some(room) = storage.bytes_mut().get_mut(begin..) {
        let length = room.len().min(octets.len());
        room[..length].copy_from_slice(&octets[..length]);
    }
}

/// Returns the octets of a view: of what the function stored, up to the last of it.
fn shown(view: &View, storage: &MainStorage, stored: &[(u64, u64)]) -> Shown {
    let end = view.address.saturating_add(view.bytes);
    let within = stored.iter().filter(|(begin, behind)| *begin < end && *behind > view.address);
    let last = within.map(|(_, behind)| (*behind).min(end)).max().unwrap_or(view.address);
    let end = if view.only_stored { last } else { end };
    let size = storage.bytes().len() as u64;
    let (from, to) = (view.address.min(size) as usize, end.min(size) as usize);
    let octets = storage.bytes().get(from..to).unwrap_or(&[]).to_vec();
    Shown { address: view.address, octets: Hex(octets), file: view.file.clone() }
}
