//! Output of `halftrack serve`: a line when it is ready, and at the end the counts of its ports.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use halftrack_config::ControlUnitFile;
use halftrack_config::control_unit_file::LunEntry;
use halftrack_link::control_unit::{ControlUnit, PortCounters, PortOptions, UnitTable};
use halftrack_link::plug::Plug;
use halftrack_link::synchronous::{Adapter, Completion};
use serde::Serialize;

use crate::serve::opening::OpenPort;
use crate::volume::table::{Side, counted, table};

/// Report that all ports are open.
#[derive(Debug, Serialize)]
pub struct Ready {
    ready: bool,
    name: String,
    volumes: usize,
    devices: usize,
    ports: Vec<ReadyPort>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    zhyperlinks: Vec<ReadyAdapter>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    luns: Vec<ReadyLun>,
}

#[derive(Debug, Serialize)]
struct ReadyLun {
    number: u32,
    file: String,
    blocks: u64,
    block_bytes: u32,
    thin: bool,
    /// Interface ids of the ports at which it is seen.
    ports: Vec<String>,
    /// Hosts that see it; nothing when all do.
    hosts: Option<usize>,
}

impl ReadyLun {
    /// Returns the units of a file, in its order.
    fn of_file(file: &ControlUnitFile, units: &UnitTable) -> Vec<Self> {
        let opened = units.luns().units().zip(&file.luns);
        let lun = |((number, path, blocks, block_bytes), entry): ((u32, &Path, u64, u32), &LunEntry)| {
            let of_fcp = file.ports.iter().filter(|port| port.is_fcp).map(|port| &port.id);
            let is_seen = |id: &&String| entry.ports.as_ref().is_none_or(|ports| ports.contains(id));
            Self {
                number,
                file: path.display().to_string(),
                blocks,
                block_bytes,
                thin: entry.is_thin,
                ports: of_fcp.filter(is_seen).cloned().collect(),
                hosts: entry.hosts.as_ref().map(Vec::len),
            }
        };
        opened.map(lun).collect()
    }

    fn describe(&self, text: &mut String) {
        let hosts = self.hosts.map_or_else(|| "every host".to_owned(), |hosts| counted(hosts, "host"));
        let thin = if self.thin { ", thin" } else { "" };
        let Self { number, file, blocks, block_bytes, ports, .. } = self;
        let ports = ports.join(", ");
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "LUN {number} {file}: {blocks} blocks of {block_bytes} bytes{thin}, at {ports}, for {hosts}"
        );
    }
}

#[derive(Debug, Serialize)]
struct ReadyAdapter {
    id: String,
    socket: String,
    functions: u8,
    read: bool,
    write: bool,
}

#[derive(Debug, Serialize)]
struct ReadyPort {
    id: String,
    wwpn: String,
    protocol: &'static str,
    listens: Option<String>,
    #[serde(skip)]
    place: String,
    hosts: Option<usize>,
}

impl Ready {
    /// Makes the report of the control unit of `file`.
    pub fn new(file: &ControlUnitFile, ports: &[OpenPort], adapters: &[Adapter], units: &UnitTable) -> Self {
        let (volumes, devices) = units.counts();
        let ports = ports.iter().map(|port| ReadyPort {
            id: port.options.id.clone(),
            wwpn: port.options.port_name.to_string(),
            protocol: if port.options.fcp.is_some() { "fcp" } else { "ficon" },
            listens: port.link.listens.clone(),
            place: port.link.place.clone(),
            hosts: port.options.hosts.as_ref().map(Vec::len),
        });
        let zhyperlinks = adapters.iter().map(|adapter| ReadyAdapter {
            id: adapter.options().id.clone(),
            socket: adapter.place().path().display().to_string(),
            functions: adapter.options().functions,
            read: adapter.options().reads,
            write: adapter.options().writes,
        });
        Self {
            ready: true,
            name: file.name.clone(),
            volumes,
            devices,
            ports: ports.collect(),
            zhyperlinks: zhyperlinks.collect(),
            luns: ReadyLun::of_file(file, units),
        }
    }

    /// Formats a line for each port and each LUN, then the line that scripts wait for.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for port in &self.ports {
            let hosts = match port.hosts {
                Some(hosts) => counted(hosts, "host"),
                None => "every host".to_owned(),
            };
            // Writing to a string does not fail.
            let protocol = if port.protocol == "fcp" { " FCP" } else { "" };
            let _ = writeln!(text, "port {} {}{protocol} {}, for {hosts}", port.id, port.wwpn, port.place);
        }
        for lun in &self.luns {
            lun.describe(&mut text);
        }
        for adapter in &self.zhyperlinks {
            let operations = match (adapter.read, adapter.write) {
                (true, true) => "reads and writes",
                (true, false) => "reads",
                (false, true) => "writes",
                (false, false) => "nothing enabled",
            };
            let functions = counted(usize::from(adapter.functions), "function");
            let _ =
                writeln!(text, "zHyperLink {} at {}: {functions}, {operations}", adapter.id, adapter.socket);
        }
        let (volumes, devices) = (counted(self.volumes, "volume"), counted(self.devices, "device"));
        let luns = match self.luns.len() {
            0 => String::new(),
            count => format!(" and {}", counted(count, "LUN")),
        };
        let _ = writeln!(text, "ready: {} with {volumes} at {devices}{luns}; Ctrl-C ends it", self.name);
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
    seconds: f64,
    seconds_asleep: f64,
    ports: Vec<PortSummary>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    zhyperlinks: Vec<AdapterSummary>,
}

#[derive(Debug, Serialize)]
struct AdapterSummary {
    id: String,
    connections: u64,
    refused: u64,
    reads: u64,
    writes: u64,
    bytes_read: u64,
    bytes_written: u64,
    rejects: BTreeMap<String, u64>,
}

impl AdapterSummary {
    fn new(adapter: &Adapter) -> Self {
        let counters = adapter.counters();
        let rejects = counters.rejects.iter();
        let rejects = rejects.map(|(reason, count)| (Completion::Remote(*reason).to_string(), *count));
        let ([reads, writes], [bytes_read, bytes_written]) = (counters.successes, counters.bytes);
        Self {
            id: adapter.options().id.clone(),
            connections: counters.connections,
            refused: counters.refused,
            reads,
            writes,
            bytes_read,
            bytes_written,
            rejects: rejects.collect(),
        }
    }
}

#[derive(Debug, Serialize)]
struct PortSummary {
    id: String,
    connections: u64,
    frames_in: u64,
    frames_out: u64,
    bytes_in: u64,
    bytes_out: u64,
    exchanges: u64,
    refused: u64,
    abandoned: u64,
    logins_refused: u64,
    damaged_frames: u64,
    discarded: BTreeMap<&'static str, u64>,
}

impl PortSummary {
    fn new(options: &PortOptions, counters: PortCounters) -> Self {
        Self {
            id: options.id.clone(),
            connections: counters.connections,
            frames_in: counters.link.frames_in,
            frames_out: counters.link.frames_out,
            bytes_in: counters.link.bytes_in,
            bytes_out: counters.link.bytes_out,
            exchanges: counters.exchanges.completed,
            refused: counters.exchanges.refused,
            abandoned: counters.exchanges.abandoned,
            logins_refused: counters.logins_refused,
            damaged_frames: counters.link.damaged,
            discarded: counters.discarded,
        }
    }
}

impl Summary {
    /// Makes the counts of a control unit that has ended.
    pub fn new<P: Plug, W: io::Write + 'static>(control_unit: &ControlUnit<P, W>) -> Self {
        let (time, asleep) = control_unit.times();
        let ports = control_unit.counters().map(|(options, counters)| PortSummary::new(options, counters));
        Self {
            seconds: time.as_s_f64(),
            seconds_asleep: asleep.as_s_f64(),
            ports: ports.collect(),
            zhyperlinks: control_unit.adapters().iter().map(AdapterSummary::new).collect(),
        }
    }

    /// Formats a table, and the reasons of requests without effect.
    pub fn text(&self) -> String {
        let heads = [
            ("PORT", Side::Left),
            ("LINKS", Side::Right),
            ("FRAMES IN", Side::Right),
            ("FRAMES OUT", Side::Right),
            ("MB IN", Side::Right),
            ("MB OUT", Side::Right),
            ("EXCHANGES", Side::Right),
            ("REFUSED", Side::Right),
            ("ABANDONED", Side::Right),
        ];
        let mb = |bytes: u64| format!("{:.1}", bytes as f64 / 1e6);
        let rows = self.ports.iter().map(|port| {
            [
                port.id.clone(),
                port.connections.to_string(),
                port.frames_in.to_string(),
                port.frames_out.to_string(),
                mb(port.bytes_in),
                mb(port.bytes_out),
                port.exchanges.to_string(),
                port.refused.to_string(),
                port.abandoned.to_string(),
            ]
        });
        let mut text = table(heads, &rows.collect::<Vec<_>>());
        for port in &self.ports {
            let counted = [("damaged", port.damaged_frames), ("refused logins", port.logins_refused)];
            let discarded = port.discarded.iter().map(|(reason, count)| (*reason, *count));
            for (reason, count) in discarded.chain(counted).filter(|(_, count)| *count > 0) {
                // Writing to a string does not fail.
                let _ = writeln!(text, "port {}: {count} without effect: {reason}", port.id);
            }
        }
        for adapter in &self.zhyperlinks {
            let AdapterSummary { id, reads, writes, .. } = adapter;
            let _ = write!(text, "zHyperLink {id}: {reads} reads, {writes} writes");
            for (reason, count) in &adapter.rejects {
                let _ = write!(text, ", {count} rejected: {reason}");
            }
            text.push('\n');
        }
        let _ = writeln!(text, "{:.1} s, {:.1} s of them asleep", self.seconds, self.seconds_asleep);
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
