//! Output of `halftrack director`: a line when it is ready, and at the end the counts of its ports.

use std::fmt::Write as _;
use std::io;

use halftrack_config::DirectorFile;
use halftrack_link::director::Director;
use halftrack_link::plug::Plug;
use serde::Serialize;

use crate::link_port::LinkPort;
use crate::volume::table::{Side, counted, table};

/// Report that all ports are open.
#[derive(Debug, Serialize)]
pub struct Ready {
    ready: bool,
    name: String,
    domain: String,
    zones: usize,
    ports: Vec<ReadyPort>,
}

#[derive(Debug, Serialize)]
struct ReadyPort {
    link: String,
    listens: Option<String>,
    #[serde(skip)]
    place: String,
    /// Emulated distance of an inter-switch link; none for other ports.
    km: Option<f64>,
}

impl Ready {
    /// Makes the report of the director of `file`.
    pub fn new(file: &DirectorFile, ports: &[LinkPort]) -> Self {
        let ports = file.ports.iter().zip(ports).map(|(entry, port)| ReadyPort {
            link: format!("{:02X}", entry.area),
            listens: port.listens.clone(),
            place: port.place.clone(),
            km: entry.inter_switch.map(|link| link.km),
        });
        Self {
            ready: true,
            name: file.name.clone(),
            domain: format!("{:02X}", file.domain),
            zones: file.zones.len(),
            ports: ports.collect(),
        }
    }

    /// Formats a line for each port, then the line that scripts wait for.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for port in &self.ports {
            let link = port.km.map(|km| format!(", inter-switch link of {km} km")).unwrap_or_default();
            // Writing to a string does not fail.
            let _ = writeln!(text, "port {} {}{link}", port.link, port.place);
        }
        let zones = match self.zones {
            0 => "no zones: all ports see each other".to_owned(),
            zones => counted(zones, "zone"),
        };
        let _ = writeln!(text, "ready: {}, domain {}, {zones}; Ctrl-C ends it", self.name, self.domain);
        text
    }

    /// Formats one line.
    ///
    /// # Errors
    /// None in practice.
    pub fn to_json(&self) -> io::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }
}

/// Counts of the ports.
#[derive(Debug, Serialize)]
pub struct Summary {
    ports: Vec<PortSummary>,
}

#[derive(Debug, Serialize)]
struct PortSummary {
    link: String,
    frames_in: u64,
    frames_out: u64,
    bytes_in: u64,
    bytes_out: u64,
    damaged_frames: u64,
    discarded_frames: u64,
}

impl Summary {
    /// Makes the counts of a director that has ended.
    pub fn new<P: Plug, W: io::Write + 'static>(director: &Director<P, W>) -> Self {
        let ports = director.reports().map(|report| PortSummary {
            link: format!("{:02X}", report.area),
            frames_in: report.carried.frames_in,
            frames_out: report.carried.frames_out,
            bytes_in: report.carried.bytes_in,
            bytes_out: report.carried.bytes_out,
            damaged_frames: report.carried.damaged,
            discarded_frames: report.discarded,
        });
        Self { ports: ports.collect() }
    }

    /// Formats a table.
    pub fn text(&self) -> String {
        let heads = [
            ("PORT", Side::Left),
            ("FRAMES IN", Side::Right),
            ("FRAMES OUT", Side::Right),
            ("MB IN", Side::Right),
            ("MB OUT", Side::Right),
            ("DAMAGED", Side::Right),
            ("DISCARDED", Side::Right),
        ];
        let mb = |bytes: u64| format!("{:.1}", bytes as f64 / 1e6);
        let rows = self.ports.iter().map(|port| {
            [
                port.link.clone(),
                port.frames_in.to_string(),
                port.frames_out.to_string(),
                mb(port.bytes_in),
                mb(port.bytes_out),
                port.damaged_frames.to_string(),
                port.discarded_frames.to_string(),
            ]
        });
        table(heads, &rows.collect::<Vec<_>>())
    }

    /// Formats one line.
    ///
    /// # Errors
    /// None in practice.
    pub fn to_json(&self) -> io::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }
}
