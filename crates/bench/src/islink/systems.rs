//! Two systems, each a process, that move octets over a logical link and compare them.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::Pid;
use serde_json::Value;
use tempfile::TempDir;

use crate::bench_error::BenchError;
use crate::link::children::failed;
use crate::link::processors::{End, place};

/// Devices of the link.
pub(super) const DEVICES: u32 = 4;
/// Octets of the first transfer.
pub(super) const FIRST_BYTES: u64 = 256 << 20;

/// A directory with the decks of both systems, removed with it.
pub(super) struct Site(TempDir);

/// A transfer over the link.
pub(super) struct Transfer {
    /// Rate at the receiver, 10^6 bytes a second.
    pub mb_per_s: f64,
    pub bytes_verified: u64,
}

impl Site {
    /// Makes the decks.
    pub fn make() -> Result<Self, BenchError> {
        let made = tempfile::Builder::new().prefix("halftrack-bench-islink-").tempdir();
        let site = Self(made.map_err(|error| failed("no temporary directory", error))?);
        for (own, (name, other)) in [(1, ("VMA", 2)), (2, ("VMB", 1))] {
            site.write(&format!("{name}.iocp"), &deck(name, own, other))?;
        }
        Ok(site)
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf, BenchError> {
        let path = self.0.path().join(name);
        fs::write(&path, text)?;
        Ok(path)
    }

    /// Moves so many octets from one system to the other.
    pub fn transfer(&self, command: &Path, bytes: u64) -> Result<Transfer, BenchError> {
        let address = free_address()?;
        let sends = format!("[[send]]\nstream = 1\npattern = \"{bytes}\"\n");
        let receives = format!("[[receive]]\nstream = 1\npattern = \"{bytes}\"\n");
        let sender = self.write("VMA.toml", &(system("VMA", ("40", "41"), ("listen", &address)) + &sends))?;
        let receiver =
            self.write("VMB.toml", &(system("VMB", ("41", "40"), ("connect", &address)) + &receives))?;
        let sending = start(command, &sender, End::Channel)?;
        let receiving = start(command, &receiver, End::ControlUnit)?;
        let received = outcome(receiving)?;
        outcome(sending)?;
        let taken = received["received"][0]["bytes"].as_u64().unwrap_or(0);
        match received["mb_per_s"].as_f64() {
            Some(mb_per_s) if taken == bytes => Ok(Transfer { mb_per_s, bytes_verified: taken }),
            _ => Err(failed("halftrack islink", received)),
        }
    }
}

/// Returns an address that nobody listens on.
fn free_address() -> Result<String, BenchError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?.to_string())
}

fn deck(name: &str, own: u8, other: u8) -> String {
    let lines = [
        format!("         ID MSG1='{name}',SYSTEM=(3931,1)"),
        format!("         RESOURCE PARTITION=((CSS(0),({name},{own}))),MAXDEV=((CSS(0),9000,0))"),
        "         CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC".to_owned(),
        format!("         CNTLUNIT CUNUMBR=D000,PATH=((CSS(0),40)),UNITADD=((00,{DEVICES})),{:<3}*", ""),
        format!("               CUADD={other},UNIT=FCTC"),
        format!("         IODEVICE ADDRESS=(D000,{DEVICES}),UNITADD=00,CUNUMBR=(D000),UNIT=FCTC"),
        String::new(),
    ];
    lines.map(|line| continued(&line)).join("\n")
}

/// Puts the mark of a statement that goes on into column 72.
fn continued(line: &str) -> String {
    line.strip_suffix('*').map_or_else(|| line.to_owned(), |line| format!("{:<71}*", line.trim_end()))
}

fn system(name: &str, (own, partner): (&str, &str), (key, address): (&str, &str)) -> String {
    format!(
        "deck = \"{name}.iocp\"\npartition = \"{name}\"\n[[channel]]\nchpid = \"40\"\n\
         wwpn = \"50:05:07:64:00:00:00:{own}\"\npartner = \"50:05:07:64:00:00:00:{partner}\"\n\
         credits = 255\n{key} = \"{address}\"\n"
    )
}

fn start(command: &Path, file: &Path, end: End) -> Result<Child, BenchError> {
    let child = Command::new(command).arg("islink").arg(file).arg("--json").stdout(Stdio::piped()).spawn();
    let child = child.map_err(|error| failed("halftrack islink", error))?;
    place(Some(Pid::from_child(&child)), end);
    Ok(child)
}

fn outcome(child: Child) -> Result<Value, BenchError> {
    let output = child.wait_with_output().map_err(|error| failed("halftrack islink", error))?;
    let found = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    if output.status.success() { Ok(found) } else { Err(failed("halftrack islink", found)) }
}
