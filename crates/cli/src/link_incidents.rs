//! `--incidents` of a working link: link incidents appended to a file, a JSON object a line.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use halftrack_base::Time;
use halftrack_link::Clock;
use halftrack_wire::WorldWideName;
use halftrack_wire::els::{LinkIncident, qualifier};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

const NS_PER_S: f64 = 1e9;

/// Option of the commands that record link incidents.
#[derive(Debug, Clone, Args)]
pub struct IncidentsArgument {
    /// Append the link incidents to FILE, a JSON object a line; `halftrack link incidents` shows them
    #[arg(long, value_name = "FILE.jsonl")]
    incidents: Option<PathBuf>,
}

/// Record of a link incident.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IncidentLine {
    /// When it was recorded, seconds since 1970 UTC.
    pub unix_s: f64,
    /// Name of the channel, control unit or director that recorded it.
    pub recorder: String,
    /// Its port: channel-path id, interface id, or link address.
    pub port: String,
    /// Kind of incident.
    pub incident: String,
    /// Incident code.
    pub code: u8,
    /// Severity: information, degraded, or not operational.
    pub severity: String,
    /// Name of the port that had the incident.
    pub incident_port: String,
    /// Address of that port.
    pub address: String,
    /// Name of the port at the other end of its link, when it is known.
    pub connected_port: Option<String>,
    /// Number of the incident at that port's node.
    pub transaction: u32,
}

impl IncidentLine {
    fn new(unix_s: f64, recorder: &str, port: String, incident: &LinkIncident) -> Self {
        let severity = if incident.qualifier & qualifier::NOT_OPERATIONAL != 0 {
            "not operational"
        } else if incident.qualifier & qualifier::DEGRADED != 0 {
            "degraded"
        } else {
            "information"
        };
        let connected = incident.connected.port_name;
        Self {
            unix_s,
            recorder: recorder.to_owned(),
            port,
            incident: incident.code.words().to_owned(),
            code: incident.code.code(),
            severity: severity.to_owned(),
            incident_port: incident.incident.port_name.to_string(),
            address: format!("{:06X}", incident.address),
            connected_port: (connected != WorldWideName::default()).then(|| connected.to_string()),
            transaction: incident.transaction,
        }
    }

    /// Returns the date and time of day, to the millisecond.
    pub fn utc(&self) -> String {
        let milliseconds = (self.unix_s * 1e3).round() as i64;
        match jiff::Timestamp::from_millisecond(milliseconds) {
            Ok(timestamp) => timestamp.strftime("%Y-%m-%d %H:%M:%S%.3f").to_string(),
            Err(_) => format!("{:.3} s", self.unix_s),
        }
    }
}

/// File of link incidents; nothing without the option.
#[derive(Debug)]
pub struct IncidentFile {
    file: Option<File>,
    recorder: String,
    clock: Clock,
}

impl IncidentFile {
    /// Opens the file of the option, to which records of `recorder` are appended.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn open(argument: &IncidentsArgument, recorder: &str, clock: Clock) -> Result<Self, Failure> {
        let open = |path: &Path| {
            let opened = OpenOptions::new().append(true).create(true).open(path);
            opened.map_err(|source| Failure::output(path.to_owned(), source))
        };
        let file = argument.incidents.as_deref().map(open).transpose()?;
        Ok(Self { file, recorder: recorder.to_owned(), clock })
    }

    /// Appends a record in one write. An error there is ignored: the link goes on.
    pub fn record(&mut self, at: Time, port: String, incident: &LinkIncident) {
        let Some(file) = &mut self.file else { return };
        let unix_s = self.clock.unix_ns(at) as f64 / NS_PER_S;
        let line = IncidentLine::new(unix_s, &self.recorder, port, incident);
        let _ = serde_json::to_string(&line)
            .map_err(io::Error::other)
            .and_then(|line| file.write_all((line + "\n").as_bytes()));
    }
}
