//! `halftrack islink`: a system at one end of an ISFC logical link, against the other system in another process.

mod conversations;
mod devices;
mod disks;
mod notices;
mod opening;
mod outcome;
mod streams;
mod summary;

use std::path::PathBuf;

use clap::Args;
use halftrack_link::islink::{Service, ServiceProgress, ServiceSurroundings};
use halftrack_link::plug::Plug;
use halftrack_link::{Clock, StopSignal};
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;
use crate::link_capture::CaptureFile;
use crate::link_faults::{FaultsArgument, LinkFaults};
use crate::standard_error::standard_error;
use crate::standard_output::print;

use notices::NoticeLines;
use opening::Opened;
use outcome::Outcome;

/// Default number of frames of a capture.
const CAPTURE_FRAMES_DEFAULT: u64 = 1_000_000;

/// Words at the end of `halftrack islink --help`.
pub const EXAMPLES: &str = "\
SYSTEM.toml describes one of the two systems:
  deck = \"vma.iocp\"                    # its deck, with devices of UNIT=FCTC
  partition = \"VMA\"                    # its partition; `system` where its name is another one
  collection = \"DEMO\"
  [link]
  node = \"VMB\"                         # the other system; by default the one that is there
  devices = [\"D000-D003\"]              # 16 at most; by default all of its channels
  [[channel]]                          # a CHPID of the deck
  chpid = \"40\"
  wwpn = \"50:05:07:64:00:00:00:40\"
  partner = \"50:05:07:64:00:00:00:41\"  # port of the channel at the other end
  listen = \"127.0.0.1:4040\"            # or connect, to the other end or a director
  [[send]]                             # [[receive]] at the other system, with the same number
  stream = 1
  file = \"disk.img\"                    # or pattern = \"1G\": octets made up and compared
  [[relocate]]                         # a guest leaves; [[host]] at the other system
  guest = \"LINUX01\"
  stream = 2
  memory = \"linux01.mem\"               # whole pages; at [[host]] the file that it becomes
  dirty_pages_per_s = 5000             # the guest writes on its pages while it is moved
  working_set_pages = 2000
  quiesce_ms = 200                     # longest stop; passes = 8 of the running guest at most
  [[request]]                          # [[respond]] at the other system
  stream = 3
  request_bytes = 512
  response_bytes = 4096
  requests = 10000
  [disks]                              # I/O to disks over the same channels, through a director
  duration_s = 10                      # keys of [run] of a channel file; format = true first
  [[disks.stream]]                     # keys of a stream of a channel file
  name = \"oltp\"
  devices = [\"9000-9003\"]             # disks of the deck
  cylinders = \"1-10\"
  program = { block = \"4K\" }
  closed = { jobs = 4 }

A stream goes on where it was when a channel, a device or a whole system is lost; a relocation
begins again. A file that is received is FILE.part until it is whole. Both commands end when
each system has everything.

Examples:
  halftrack islink vma.toml
  halftrack islink vmb.toml --json | jq '.mb_per_s'
  halftrack islink vma.toml --capture vma.pcapng
  halftrack islink vma.toml --faults cable.toml

Exit codes: 0 every octet and guest arrived and every I/O was right, 1 a stream or an I/O did not or
a guest stays, 2 bad input.";

/// Arguments of `halftrack islink`.
#[derive(Debug, Args)]
pub struct IslinkArguments {
    /// System, its channels, its link and its streams
    #[arg(value_name = "SYSTEM.toml")]
    system: PathBuf,
    /// Write every frame of the channels to FILE, which Wireshark reads
    #[arg(long, value_name = "FILE.pcapng")]
    capture: Option<PathBuf>,
    /// Capture at most the first N frames
    #[arg(long, value_name = "N", default_value_t = CAPTURE_FRAMES_DEFAULT, requires = "capture",
          value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    capture_frames: u64,
    /// Faults.
    #[command(flatten)]
    faults: FaultsArgument,
    /// Print JSON instead of text, and no notices
    #[arg(long)]
    json: bool,
}

/// Size of the blocks up to which the C library's allocator keeps memory that is free again, bytes.
const KEPT_BYTES: usize = 16 << 20;

/// Has the allocator of the GNU C library keep the memory of blocks of a link, of which each has some 1 MiB. Otherwise each is
/// mapped anew, and the faults of its pages take longer than its transfer.
///
/// The library keeps blocks of up to the size of the largest one that was ever freed (mallopt(3), "dynamic mmap threshold"),
/// and twice as much at the end of its memory. With another allocator nothing happens.
fn keep_memory_of_blocks() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(KEPT_BYTES)));
}

/// Runs a system until both have everything; true when every octet arrived.
///
/// # Errors
/// Bad input; a link that cannot go on; output that cannot be written.
pub fn islink(arguments: &IslinkArguments) -> Result<bool, Failure> {
    keep_memory_of_blocks();
    let clock = Clock::start();
    let opened = opening::open(&arguments.system)?;
    match arguments.faults.read(&opened.parts(), clock)? {
        None => run(arguments, opened, clock, None, |plug, _| plug),
        Some(faults) => {
            let lines: Vec<_> = faults.lines().collect();
            run(arguments, opened, clock, Some(faults), |plug, place| {
                halftrack_link::faulty::FaultyPlug::new(plug, std::rc::Rc::clone(&lines[place]))
            })
        }
    }
}

fn run<P: Plug>(
    arguments: &IslinkArguments,
    opened: Opened,
    clock: Clock,
    faults: Option<LinkFaults>,
    plug: impl Fn(halftrack_link::plug::TcpPlug, usize) -> P,
) -> Result<bool, Failure> {
    let patience = opened.file.patience;
    let name = opened.file.system.clone();
    let chpids: Vec<u8> = opened.file.channels.iter().map(|channel| channel.chpid.value).collect();
    let (link, streams, disks) = opened.into_link(&arguments.system, clock, plug)?;
    let (capture_file, capture) =
        CaptureFile::begin(arguments.capture.as_deref(), arguments.capture_frames, clock)?;
    let mut lines = NoticeLines::new(&name, &chpids, arguments.json);
    let bar = Bar::new();
    let mut stop = StopSignal::listen()?;
    let mut service = Service::new(link, streams);
    if let Some(disks) = disks {
        service.set_disks(disks);
    }
    if let Some(faults) = &faults {
        faults.begin();
    }
    let ran = service.run(
        &clock,
        patience,
        &mut ServiceSurroundings {
            taps: &mut |place| {
                let name = format!("{name} {:02X}", chpids[place]);
                capture.as_ref().and_then(|capture| capture.tap(&name, false).ok())
            },
            progress: &mut |progress| bar.show(progress),
            notices: &mut |at, notice| bar.0.suspend(|| lines.show(at, notice)),
            stop: Some(&mut stop),
        },
    );
    bar.0.finish_and_clear();
    let outcome = Outcome::new(&name, &service, &ran);
    drop(service);
    capture_file.finish(capture, &mut standard_error())?;
    print(&if arguments.json { outcome.to_json() } else { summary::text(&outcome) })?;
    Ok(outcome.is_right())
}

/// A bar on standard error; nothing where that is no terminal.
struct Bar(ProgressBar);

impl Bar {
    fn new() -> Self {
        let style = ProgressStyle::with_template("{wide_bar} {msg}").expect("the template is well-formed");
        Self(ProgressBar::new(1).with_style(style))
    }

    fn show(&self, progress: &ServiceProgress) {
        let moved = progress.sent_bytes + progress.received_bytes;
        let seconds = progress.elapsed.as_s_f64().max(1e-9);
        self.0.set_length(progress.all_bytes.max(1));
        self.0.set_position(moved);
        let (rate, channels) = (moved as f64 / 1e6 / seconds, progress.channels);
        self.0.set_message(format!("{rate:.1} MB/s, {channels} channels"));
    }
}
