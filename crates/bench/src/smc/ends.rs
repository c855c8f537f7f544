//! Ends of the measurements, each a process.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;

use halftrack_base::Span;
use halftrack_link::Clock;
use serde::{Deserialize, Serialize};

use crate::bench_error::BenchError;
use crate::link::children::failed;
use crate::processor_time::process_time;
use crate::started::Started;

/// Octets of a request, and of its answer.
const MESSAGE_BYTES: usize = 1024;
/// Octets of a write of the stream.
const WRITE_BYTES: usize = 64 << 10;
/// Octets after which the pattern of the stream begins anew: no divisor of a buffer's size, so that a wrong place shows.
const PERIOD: usize = 65_521;
/// Name of the memory of an end in tools.
const CARRIED: &str = "/memfd:halftrack-smc-end";
/// Variable with the milliseconds for which an end waits for the rendezvous, and how many: one that is slow must not stay with TCP here.
const PATIENCE: (&str, &str) = ("HALFTRACK_SMC_PATIENCE_MS", "20000");
/// Variable that loads a library in front of the others.
const PRELOAD: &str = "LD_PRELOAD";

/// Part that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Requests and answers.
    RoundTrips,
    /// Octets in one direction.
    Stream,
}

/// End of a measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum End {
    /// Accepts a connection.
    Server,
    /// Connects to a server, and measures so long.
    Client {
        /// Server.
        server: SocketAddr,
        /// Time, s.
        seconds: f64,
    },
}

/// Measurement of an end.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Run {
    pub messages: u64,
    pub bytes: u64,
    pub seconds: f64,
    pub cpu_s: f64,
    pub is_carried: bool,
}

/// Is an end; `say` gets where a server listens, and at last the measurement.
///
/// # Errors
/// Errors of the operating system and of `say`; an octet that was another one.
pub fn run_end(part: Part, end: End, say: &mut dyn FnMut(&str) -> io::Result<()>) -> Result<(), BenchError> {
    // A client finds the listening socket in the registry as long as it is open.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let mut stream = match end {
        End::Server => {
            say(&listener.local_addr()?.to_string())?;
            listener.accept()?.0
        }
        End::Client { server, .. } => TcpStream::connect(server)?,
    };
    stream.set_nodelay(true)?;
    let (clock, before) = (Clock::start(), process_time());
    let mut run = match (part, end) {
        (Part::RoundTrips, End::Server) => answer(&mut stream)?,
        (Part::RoundTrips, End::Client { seconds, .. }) => request(&mut stream, &clock, seconds)?,
        (Part::Stream, End::Server) => take(&mut stream)?,
        (Part::Stream, End::Client { seconds, .. }) => give(&mut stream, &clock, seconds)?,
    };
    run.seconds = clock.now().saturating_since(halftrack_base::Time::ZERO).as_s_f64();
    run.cpu_s = (process_time() - before).as_secs_f64();
    run.is_carried = is_carried()?;
    drop(stream);
    Ok(say(&serde_json::to_string(&run).expect("numbers serialise"))?)
}

/// Returns whether this process has an end of SMC-R.
fn is_carried() -> io::Result<bool> {
    let descriptors = fs::read_dir("/proc/self/fd")?.flatten();
    let mut targets = descriptors.filter_map(|entry| fs::read_link(entry.path()).ok());
    Ok(targets.any(|target| target.to_string_lossy().starts_with(CARRIED)))
}

fn request(stream: &mut TcpStream, clock: &Clock, seconds: f64) -> Result<Run, BenchError> {
    let until = clock.now().saturating_add(Span::from_s_f64(seconds));
    let (mut question, mut answer) = ([0x5A; MESSAGE_BYTES], [0; MESSAGE_BYTES]);
    let mut run = Run::default();
    while clock.now() < until {
        question[..8].copy_from_slice(&run.messages.to_be_bytes());
        stream.write_all(&question)?;
        stream.read_exact(&mut answer)?;
        if answer != question {
            return Err(failed("round trips", "an answer is another one"));
        }
        run.messages += 1;
    }
    stream.shutdown(std::net::Shutdown::Write)?;
    run.bytes = run.messages * MESSAGE_BYTES as u64;
    Ok(run)
}

fn answer(stream: &mut TcpStream) -> Result<Run, BenchError> {
    let mut message = [0; MESSAGE_BYTES];
    while stream.read_exact(&mut message).is_ok() {
        stream.write_all(&message)?;
    }
    Ok(Run::default())
}

fn give(stream: &mut TcpStream, clock: &Clock, seconds: f64) -> Result<Run, BenchError> {
    let pattern = pattern();
    let until = clock.now().saturating_add(Span::from_s_f64(seconds));
    let mut run = Run::default();
    while clock.now() < until {
        stream.write_all(&pattern[run.bytes as usize % PERIOD..][..WRITE_BYTES])?;
        run.bytes += WRITE_BYTES as u64;
        run.messages += 1;
    }
    stream.shutdown(std::net::Shutdown::Write)?;
    // The last octet counts when the receiver has compared it.
    stream.read_exact(&mut [0])?;
    Ok(run)
}

fn take(stream: &mut TcpStream) -> Result<Run, BenchError> {
    let (pattern, mut buffer, mut run) = (pattern(), vec![0; WRITE_BYTES], Run::default());
    loop {
        let read = stream.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        if buffer[..read] != pattern[run.bytes as usize % PERIOD..][..read] {
            return Err(failed("the stream", format!("octets behind {} are others", run.bytes)));
        }
        run.bytes += read as u64;
    }
    stream.write_all(&[0])?;
    Ok(run)
}

/// Returns octets of the stream, for a write that begins anywhere in a period.
fn pattern() -> Vec<u8> {
    let octet = |at: usize| (at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes()[0];
    (0..PERIOD + WRITE_BYTES).map(|at| octet(at % PERIOD)).collect()
}

/// Starts an end.
fn start(command: &Path, library: Option<&Path>, arguments: &[&str]) -> Result<Started, BenchError> {
    let mut end = Command::new(command);
    end.args(["bench", "smc"]).args(arguments).env_remove(PRELOAD);
    if let Some(library) = library {
        end.env(PRELOAD, library).env(PATIENCE.0, PATIENCE.1);
    }
    Started::start(&mut end, "an end")
}

/// Returns what an end has measured.
fn ended(end: Started) -> Result<Run, BenchError> {
    serde_json::from_str(&end.end()?).map_err(|error| failed("an end", error))
}

/// Measures a part between two processes, with the processor time of both.
pub(super) fn measure(
    command: &Path,
    library: Option<&Path>,
    part: Part,
    seconds: f64,
) -> Result<Run, BenchError> {
    let part = if part == Part::Stream { "stream" } else { "round-trips" };
    let mut server = start(command, library, &["--end", part])?;
    let (place, seconds) = (server.line()?, seconds.to_string());
    let client = start(command, library, &["--end", part, "--server", &place, "--seconds", &seconds])?;
    let (of_client, of_server) = (ended(client)?, ended(server)?);
    let is_carried = of_client.is_carried && of_server.is_carried;
    if is_carried != library.is_some() {
        return Err(failed(
            "a connection",
            "it did not have what it was to have: SMC-R with the library, else TCP",
        ));
    }
    Ok(Run { cpu_s: of_client.cpu_s + of_server.cpu_s, ..of_client })
}
