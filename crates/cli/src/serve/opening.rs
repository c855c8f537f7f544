//! A control-unit file made into volumes that are open and ports that listen, or every message about it.

use std::path::Path;
use std::sync::Arc;

use halftrack_config::{ControlUnitFile, read_control_unit};
use halftrack_input::messages::study as numbers;
use halftrack_input::{Diagnostic, has_errors, read_file};
use halftrack_link::access::LinkRole;
use halftrack_link::control_unit::{LunError, LunTable, PortOptions, UnitError, UnitTable, UnitVolume};
use halftrack_link::synchronous::{Adapter, AdapterOptions};
use halftrack_shared_memory::SocketPlace;
use halftrack_volume::OpenError;

use crate::diagnostics;
use crate::failure::Failure;
use crate::link_access::{Accesses, LinkAccessReader, PortEntry};
use crate::link_port::LinkPort;
use crate::volume::opening::JournalArgument;

/// A port that is open.
pub struct OpenPort {
    /// Options of the port.
    pub options: PortOptions,
    /// Where its fibre comes from.
    pub link: LinkPort,
}

/// Parts of a control unit.
pub struct Opened {
    /// Contents of the file.
    pub file: ControlUnitFile,
    /// The volumes.
    pub units: UnitTable,
    /// The ports, in the order of the file.
    pub ports: Vec<OpenPort>,
    /// Adapters for synchronous I/O, in the order of the file.
    pub adapters: Vec<Adapter>,
}

/// Opens everything that the file at `path` names.
///
/// # Errors
/// Mistakes of the file, volumes that cannot be opened, addresses that are taken: all of them are shown.
pub fn open(path: &Path, journal: JournalArgument) -> Result<Opened, Failure> {
    let unusable = || Failure::ControlUnit { file: path.to_owned() };
    let (file, mut found) = match read_file(path) {
        Ok(source) => read_control_unit(&source),
        Err(error) => (None, vec![*error]),
    };
    let Some(file) = file.filter(|_| !has_errors(&found)) else {
        diagnostics::show(&found)?;
        return Err(unusable());
    };
    let mut units = open_volumes(&file, path, journal, &mut found);
    open_luns(&file, path, journal, &mut units, &mut found);
    let accesses = read_accesses(&file, path, &mut found);
    let ports = open_ports(&file, accesses, &mut found);
    let adapters = open_adapters(&file, path, &mut found);
    diagnostics::show(&found)?;
    if has_errors(&found) {
        return Err(unusable());
    }
    Ok(Opened { file, units, ports, adapters })
}

fn open_volumes(
    file: &ControlUnitFile,
    path: &Path,
    journal: JournalArgument,
    found: &mut Vec<Diagnostic>,
) -> UnitTable {
    let directory = path.parent().unwrap_or(Path::new(""));
    let mut units = UnitTable::default();
    if journal.discards() {
        units.discard_journals();
    }
    let entries = file.logical_control_units.iter().flat_map(|unit| &unit.volumes);
    for (volume, entry) in UnitVolume::of_file(file, directory).zip(entries) {
        if let Err(error) = units.open_volume(&volume) {
            let (source, span) = (Arc::clone(&file.source), entry.file.span.clone());
            let fix = match error {
                UnitError::Open(OpenError::OtherJournal { .. }) => {
                    "see with `halftrack volume check` what the image holds before its journal is discarded"
                }
                _ => {
                    "name the first file of a CKD volume, relative to the directory of this file; `halftrack volume \
                     create` makes one"
                }
            };
            let message = format!("the volume cannot be served: {error}");
            found.push(Diagnostic::error(numbers::NO_VOLUME_TO_SERVE, &source, span, message).fix(fix));
        }
    }
    units
}

/// Opens the logical units.
fn open_luns(
    file: &ControlUnitFile,
    path: &Path,
    journal: JournalArgument,
    units: &mut UnitTable,
    found: &mut Vec<Diagnostic>,
) {
    let directory = path.parent().unwrap_or(Path::new(""));
    match LunTable::of_file(file, directory, journal.discards()) {
        Ok(luns) => units.set_luns(luns),
        Err(failed) => {
            for (place, error) in failed {
                let fix = match error {
                    LunError::Size { .. } => {
                        "give `block_bytes = 512`, or a file whose size is a multiple of the block"
                    }
                    LunError::Tracks(_) => {
                        "serve it in a `[[logical_control_unit]]`, or name a file of blocks"
                    }
                    _ => {
                        "name an FBA image, a raw file or a block device, relative to the directory of this file; \
                         `halftrack volume create --type fba` makes an image"
                    }
                };
                let span = file.luns[place].file.span.clone();
                let message = format!("LUN {} cannot be served: {error}", file.luns[place].number);
                found.push(
                    Diagnostic::error(numbers::NO_VOLUME_TO_SERVE, &file.source, span, message).fix(fix),
                );
            }
        }
    }
}

/// Returns the requirements of each port of the file.
fn read_accesses(file: &ControlUnitFile, path: &Path, found: &mut Vec<Diagnostic>) -> Accesses {
    let mut reader =
        LinkAccessReader::new(path, &file.source, LinkRole::ControlUnit, file.tls.as_ref(), found);
    let entries = file.ports.iter().map(|port| PortEntry {
        id: &port.id,
        place: &port.place,
        port_name: port.port_name,
        hosts: port.hosts.as_deref(),
        attached: port.attached.as_ref(),
        span: &port.span,
    });
    entries.map(|entry| reader.access_of(&entry)).collect()
}

fn open_ports(file: &ControlUnitFile, accesses: Accesses, found: &mut Vec<Diagnostic>) -> Vec<OpenPort> {
    let mut ports = Vec::new();
    for (entry, access) in file.ports.iter().zip(accesses) {
        match LinkPort::open(&entry.place, &entry.id, &file.source, &entry.span) {
            Ok(link) => ports.push(OpenPort {
                options: PortOptions::of_entry(file, entry),
                link: link.with_access(access),
            }),
            Err(error) => found.push(*error),
        }
    }
    ports
}

fn open_adapters(file: &ControlUnitFile, path: &Path, found: &mut Vec<Diagnostic>) -> Vec<Adapter> {
    let directory = path.parent().unwrap_or(Path::new(""));
    let mut adapters = Vec::new();
    for entry in &file.synchronous_adapters {
        let options = AdapterOptions {
            id: entry.id.clone(),
            functions: entry.functions,
            reads: entry.reads,
            writes: entry.writes,
        };
        let place = SocketPlace::listen(&directory.join(&entry.socket.value));
        match place.and_then(|place| Adapter::new(options, place)) {
            Ok(adapter) => adapters.push(adapter),
            Err(error) => {
                let message = format!("zHyperLink {} cannot listen at its socket: {error}", entry.id);
                let fix =
                    "end the program that listens there already, or give another name of at most 107 octets";
                let span = entry.socket.span.clone();
                found.push(Diagnostic::error(numbers::CANNOT_LISTEN, &file.source, span, message).fix(fix));
            }
        }
    }
    adapters
}
