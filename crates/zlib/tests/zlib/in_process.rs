//! An engine in the process in the place of a card, whose requests can be made to fail.

use std::cell::Cell;
use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

use halftrack_zedc::{Answer, Engine, EngineFault, Inflated, Position, SLICE_BYTES_MAX, ZlibRs};
use z::{Accelerator, CheckValues};

/// Requests of the process that fail: a number, or `N+` for that and all behind it; a `!` in front has the answer be wrong
/// instead.
const FAULTS: &str = "HALFTRACK_ZEDC_FAULTS";
/// File in the directory of the cards with a line for each request.
const LOG: &str = "requests";

/// Requests that fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Faults {
    /// The first of them; 0 for none.
    pub first: usize,
    /// All behind it fail too.
    pub is_all_behind: bool,
    /// The answer is good, and of data that are not those of the request.
    pub is_wrong: bool,
}

impl Faults {
    fn of_process() -> Self {
        let text = env::var(FAULTS).unwrap_or_default();
        let rest = text.trim_start_matches('!');
        let number = rest.trim_end_matches('+');
        Self {
            first: number.parse().unwrap_or(0),
            is_all_behind: rest.ends_with('+'),
            is_wrong: text.starts_with('!'),
        }
    }

    fn is_at(self, request: usize) -> bool {
        self.first != 0 && (request == self.first || self.is_all_behind && request > self.first)
    }
}

thread_local! {
    /// Faults of the requests of a test, which runs in a thread of its own.
    static OF_THREAD: Cell<Option<(Faults, usize)>> = const { Cell::new(None) };
}

/// Sets the faults of the requests of this thread, and has them counted from 0.
pub fn set_faults(faults: Faults) {
    OF_THREAD.set(Some((faults, 0)));
}

/// Returns how many requests this thread has made since the faults were set.
pub fn requests() -> usize {
    OF_THREAD.get().map_or(0, |(_, requests)| requests)
}

/// Counts a request; returns the faults when it fails.
fn fault_of_request() -> Option<Faults> {
    static REQUESTS: AtomicUsize = AtomicUsize::new(0);
    let (faults, request) = match OF_THREAD.get() {
        Some((faults, requests)) => {
            OF_THREAD.set(Some((faults, requests + 1)));
            (faults, requests + 1)
        }
        None => (Faults::of_process(), REQUESTS.fetch_add(1, Ordering::Relaxed) + 1),
    };
    faults.is_at(request).then_some(faults)
}

/// Engine in the process.
struct InProcess {
    engine: ZlibRs,
    log: Option<PathBuf>,
    process_id: u32,
}

/// Directory without cards.
pub const NO_CARDS: &str = "no cards";

/// Makes one. Requests are logged where the directory is one.
pub fn connect(directory: &Path) -> Option<Box<dyn Accelerator + Send>> {
    if directory == Path::new(NO_CARDS) {
        return None;
    }
    let log = directory.is_dir().then(|| directory.join(LOG));
    Some(Box::new(InProcess { engine: ZlibRs::default(), log, process_id: process::id() }))
}

impl InProcess {
    fn log(&self, operation: &str, input_bytes: usize, result: &str) {
        assert_eq!(self.process_id, process::id(), "a child uses no connection of its parent");
        let Some(log) = &self.log else { return };
        let mut file =
            OpenOptions::new().create(true).append(true).open(log).expect("the log can be written");
        let line = format!("{} {operation} {input_bytes} {result}\n", self.process_id);
        file.write_all(line.as_bytes()).expect("the log can be written");
    }

    fn values(&self, data: &[u8]) -> CheckValues {
        CheckValues { crc32: self.engine.crc32(0, data), adler32: self.engine.adler32(1, data) }
    }
}

/// Writes a slice as a stored block, as a card does with one that would grow.
fn store(slice: &[u8], is_last: bool, output: &mut Vec<u8>) {
    let length = slice.len() as u16;
    output.push(u8::from(is_last));
    output.extend_from_slice(&length.to_le_bytes());
    output.extend_from_slice(&(!length).to_le_bytes());
    output.extend_from_slice(slice);
}

impl Accelerator for InProcess {
    fn deflate(&mut self, input: &[u8], is_last: bool, output: &mut Vec<u8>) -> Result<CheckValues, Answer> {
        assert!(!input.is_empty() && input.len() <= 1 << 20, "1 octet to 1 MiB, not {}", input.len());
        let fault = fault_of_request();
        if fault.is_some_and(|faults| !faults.is_wrong) {
            self.log("deflate", input.len(), "lost");
            return Err(Answer::DeviceLost);
        }
        let mut input = input.to_vec();
        if fault.is_some() {
            input[0] ^= 1;
        }
        let mut scratch = [0; 2 * SLICE_BYTES_MAX];
        let slices = input.len().div_ceil(SLICE_BYTES_MAX);
        for (at, slice) in input.chunks(SLICE_BYTES_MAX).enumerate() {
            let is_last = is_last && at + 1 == slices;
            let position = if is_last { Position::Last } else { Position::Inner };
            match self.engine.deflate(slice, position, &mut scratch) {
                Ok(bytes) if bytes <= slice.len() + 5 => output.extend_from_slice(&scratch[..bytes]),
                _ => store(slice, is_last, output),
            }
        }
        let values = self.values(&input);
        self.log("deflate", input.len(), if fault.is_some() { "wrong" } else { "done" });
        Ok(values)
    }

    fn inflate(&mut self, input: &[u8], output: &mut [u8]) -> Result<(Inflated, CheckValues), Answer> {
        assert!(input.len() <= 1 << 20, "at most 1 MiB, not {}", input.len());
        let fault = fault_of_request();
        let inflated = self.engine.inflate(input, output);
        let result = match (inflated, fault) {
            (_, Some(Faults { is_wrong: false, .. })) => {
                // The contents are undefined then.
                output.fill(0xA5);
                Err(Answer::DeviceLost)
            }
            (Err(EngineFault::OutputFull), _) => Err(Answer::OutputTooSmall),
            (Err(EngineFault::Truncated), _) => Err(Answer::Truncated),
            (Err(EngineFault::Corrupt), _) => Err(Answer::Corrupt),
            (Ok(inflated), wrong) => {
                let data = &mut output[..inflated.produced_bytes];
                if let (Some(first), Some(_)) = (data.first_mut(), wrong) {
                    *first ^= 1;
                }
                Ok((inflated, self.values(data)))
            }
        };
        let text = match (&result, fault) {
            (Ok(_), None) => "done",
            (Ok(_), Some(_)) => "wrong",
            (Err(Answer::DeviceLost), _) => "lost",
            (Err(_), _) => "refused",
        };
        self.log("inflate", input.len(), text);
        result
    }
}
