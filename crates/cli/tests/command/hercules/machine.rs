//! A machine of Hercules that does nothing but start channel programs on its one disk.
//!
//! A small program of ours lies high in its storage: it starts each operation-request block of a table, waits for the
//! ending by Test Subchannel, keeps the interruption-response block, and starts a Sense of its own behind each. When the
//! table is over it loads a disabled wait state; the operator of the machine, who reads its messages, then saves storage.
//! Hercules has an automatic operator too, which misses messages on a busy machine.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use halftrack_exec::{Function, Program};
use halftrack_program::Orb;

use crate::hercules::tools::Hercules;

/// Bytes of storage of a channel program, and where ours begins behind them.
const PROGRAM_BYTES: usize = 16 << 20;
const OURS: usize = PROGRAM_BYTES;
/// Offsets in our area: the subsystem identification, where the table is, the last PSW, the SCHIB, and the rest.
const SUBSYSTEM: usize = 0x100;
const TABLE_AT: usize = 0x104;
const WAIT: usize = 0x108;
const SCHIB: usize = 0x140;
const TABLE: usize = 0x200;
const BLOCKS: usize = 0x8000;
/// Bytes of an entry of the table: the addresses of ORB and IRB.
const ENTRY_BYTES: usize = 8;
/// Bytes for the ORB, the CCW and the data of a Sense, and for an IRB.
const BLOCK_BYTES: usize = 0x100;
const IRB: usize = 0x80;
const SENSE_DATA: usize = 0x40;

/// Messages of the machine: its processor waits, disabled; storage is saved.
const WAITING: &str = "HHCCP011I";
const SAVED: &str = "HHCPN170I";
/// Time between two attempts to save storage, which is refused as long as the processor has not come to its stop.
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(100);
/// Seconds until a machine that hangs is ended, and what is waited for its next message.
const LONGEST_S: &str = "180";
const LONGEST: Duration = Duration::from_secs(200);

/// How a start ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub device_status: u8,
    pub subchannel_status: u8,
    pub residual: u16,
    pub ccw_address: u32,
    /// Bytes 0, 1 and 7 of the sense, with unit check.
    pub sense: Option<[u8; 3]>,
}

/// Endings and storage of a run.
pub struct Ran {
    /// The endings of the starts of the program, in their order.
    pub ended: Vec<Ended>,
    /// Storage, that of the program first.
    pub storage: Vec<u8>,
}

/// Returns the instructions of our program, for ESA/390. Register 12 is the base.
fn instructions() -> Vec<u8> {
    const ENTRY: usize = 2;
    let base = |offset: usize| 0xC000 | (offset - ENTRY) as u16;
    let mut code = vec![0x0D, 0xC0]; // BASR 12,0
    let mut add = |first: u16, operands: &[u16]| {
        for half in [&[first], operands].concat() {
            code.extend(half.to_be_bytes());
        }
        code.len()
    };
    add(0x5810, &[base(SUBSYSTEM)]); // L 1,subsystem
    add(0xB234, &[base(SCHIB)]); // STSCH
    add(0x9680, &[base(SCHIB + 5)]); // OI enabled
    add(0xB232, &[base(SCHIB)]); // MSCH
    let next = add(0x5820, &[base(TABLE_AT)]); // L 2,table
    add(0x5840, &[0x2000]); // L 4,orb
    let end_of_table = next + 4 + 2 + 4 + 4 + 4 + 4 + 4 + 4 + 4 + 4 + 4;
    add(0x1244, &[]); // LTR 4,4
    add(0x4780, &[base(end_of_table)]); // BZ
    add(0x5850, &[0x2004]); // L 5,irb
    let wait = add(0xB233, &[0x4000]); // SSCH
    add(0xB235, &[0x5000]); // TSCH
    add(0x4770, &[base(wait)]); // BNZ
    add(0x9102, &[0x5003]); // TM secondary status
    add(0x4780, &[base(wait)]); // BZ
    add(0x4122, &[ENTRY_BYTES as u16]); // LA 2,8(2)
    let end = add(0x47F0, &[base(next)]); // B
    assert_eq!(end, end_of_table);
    add(0x8200, &[base(WAIT)]); // LPSW
    code
}

/// Makes our area of storage, with the operation-request blocks of a program and a Sense behind each.
fn ours(orbs: &[&Orb]) -> Vec<u8> {
    let mut area = vec![0; BLOCKS + 2 * orbs.len() * BLOCK_BYTES];
    let mut put = |at: usize, octets: &[u8]| area[at..at + octets.len()].copy_from_slice(octets);
    let address = |offset: usize| ((OURS + offset) as u32).to_be_bytes();
    put(0, &instructions());
    put(SUBSYSTEM, &[0, 1, 0, 0]);
    put(TABLE_AT, &address(TABLE));
    put(WAIT, &[0x00, 0x0A, 0, 0, 0x80, 0, 0, 0]);
    for (number, orb) in orbs.iter().enumerate() {
        let block = BLOCKS + 2 * number * BLOCK_BYTES;
        put(block, &orb.emit());
        let sense = block + BLOCK_BYTES;
        put(sense, &[0, 0, 0, 0, 0, 0x80, 0xFF, 0]);
        put(sense + 8, &address(sense + 0x10));
        put(sense + 0x10, &[0x04, 0x20, 0, 32]);
        put(sense + 0x14, &address(sense + SENSE_DATA));
        for (entry, block) in [block, sense].into_iter().enumerate() {
            let entry = TABLE + (2 * number + entry) * ENTRY_BYTES;
            put(entry, &address(block));
            put(entry + 4, &address(block + IRB));
        }
    }
    area
}

/// Runs the starts of a program, all in command mode, on `image`.
pub fn run(hercules: &Hercules, image: &str, program: &Program) -> Ran {
    let orbs: Vec<&Orb> = program
        .steps
        .iter()
        .map(|step| match &step.function {
            Function::Start(orb) => orb,
            other => panic!("{other:?} is not run here"),
        })
        .collect();
    assert!(TABLE + (2 * orbs.len() + 1) * ENTRY_BYTES <= BLOCKS, "too many starts");
    let end = program.segments.iter().map(|segment| segment.address as usize + segment.octets.len()).max();
    let mut storage = vec![0; end.unwrap_or_default().next_multiple_of(4096)];
    for segment in &program.segments {
        let at = segment.address as usize;
        storage[at..at + segment.octets.len()].copy_from_slice(&segment.octets);
    }
    // The PSW of a restart.
    storage[..8].copy_from_slice(&[0, 0x08, 0, 0, 0x81, 0, 0, 0]);
    let area = ours(&orbs);
    hercules.write("program", &storage);
    hercules.write("ours", &area);
    hercules.write(
        "machine.conf",
        format!("ARCHMODE ESA/390\nMAINSIZE 32\nNUMCPU 1\nOSTAILOR QUIET\n0A00 3390 {image}\n"),
    );
    let saved = hercules.path("storage.out");
    // Storage is not saved over a file that is there.
    if saved.exists() {
        fs::remove_file(&saved).expect("file");
    }
    Machine::start(hercules).run_once(&format!("savecore storage.out 0 {:X}", OURS + area.len() - 1));
    let storage = fs::read(saved).expect("storage");
    let area = &storage[OURS..];
    let ended = (0..orbs.len()).map(|number| ended(&area[BLOCKS + 2 * number * BLOCK_BYTES..])).collect();
    Ran { ended, storage }
}

/// A machine that runs, its commands and its messages.
struct Machine {
    child: Child,
    messages: Receiver<String>,
    /// Its messages so far, for the analysis of a failure.
    listing: String,
}

impl Machine {
    /// Starts the machine of `machine.conf`, which takes its commands from its standard input.
    fn start(hercules: &Hercules) -> Self {
        let mut command = Command::new("timeout");
        command.args([LONGEST_S, "hercules", "-d", "-f", "machine.conf"]).env("HERCULES_RC", "/dev/stdin");
        command
            .current_dir(hercules.path(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("hercules starts");
        let mut lines = BufReader::new(child.stdout.take().expect("standard output"));
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            let mut line = Vec::new();
            while lines.read_until(b'\n', &mut line).is_ok_and(|octets| octets > 0) {
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    break;
                }
                line.clear();
            }
        });
        Self { child, messages, listing: String::new() }
    }

    fn command(&mut self, words: &str) {
        let commands = self.child.stdin.as_mut().expect("standard input");
        writeln!(commands, "{words}").unwrap_or_else(|error| panic!("{error}\n{}", self.listing));
    }

    /// Waits for a message; false if `within` passes without it.
    fn awaits(&mut self, message: &str, within: Duration) -> bool {
        loop {
            match self.messages.recv_timeout(within) {
                Ok(line) => {
                    self.listing += &line;
                    if line.contains(message) {
                        return true;
                    }
                }
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => panic!("no {message}\n{}", self.listing),
            }
        }
    }

    /// Runs the program from its restart to its wait state, saves storage by `save`, and ends.
    fn run_once(mut self, save: &str) {
        for words in ["loadcore program 0", &format!("loadcore ours {OURS:X}"), "restart"] {
            self.command(words);
        }
        assert!(self.awaits(WAITING, LONGEST), "{}", self.listing);
        loop {
            self.command(save);
            if self.awaits(SAVED, BETWEEN_ATTEMPTS) {
                break;
            }
        }
        self.command("exit");
        self.child.wait().expect("hercules ends");
    }
}

fn ended(blocks: &[u8]) -> Ended {
    let irb = &blocks[IRB..];
    let sense = &blocks[BLOCK_BYTES + SENSE_DATA..];
    Ended {
        device_status: irb[8],
        subchannel_status: irb[9],
        residual: u16::from_be_bytes([irb[10], irb[11]]),
        ccw_address: u32::from_be_bytes([irb[4], irb[5], irb[6], irb[7]]),
        sense: (irb[8] & 0x02 != 0).then_some([sense[0], sense[1], sense[7]]),
    }
}
