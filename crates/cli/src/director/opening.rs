//! A director file made into ports that listen, or every message about it.

use std::path::Path;

use halftrack_config::director_file::DirectorFilePort;
use halftrack_config::{DirectorFile, read_director};
use halftrack_input::{Diagnostic, has_errors, read_file};
use halftrack_link::access::LinkRole;
use halftrack_link::director;

use crate::diagnostics;
use crate::failure::Failure;
use crate::link_access::{Accesses, LinkAccessReader, PortEntry};
use crate::link_port::LinkPort;

/// Parts of a director.
pub struct Opened {
    /// Contents of the file.
    pub file: DirectorFile,
    /// The ports, in the order of the file.
    pub ports: Vec<LinkPort>,
}

/// Opens everything that the file at `path` names.
///
/// # Errors
/// Mistakes of the file, addresses that are taken: all of them are shown.
pub fn open(path: &Path) -> Result<Opened, Failure> {
    let unusable = || Failure::Director { file: path.to_owned() };
    let (file, mut found) = match read_file(path) {
        Ok(source) => read_director(&source),
        Err(error) => (None, vec![*error]),
    };
    let Some(file) = file.filter(|_| !has_errors(&found)) else {
        diagnostics::show(&found)?;
        return Err(unusable());
    };
    let accesses = read_accesses(&file, path, &mut found);
    let mut ports = Vec::new();
    for (port, access) in file.ports.iter().zip(accesses) {
        match LinkPort::open(&port.place, &format!("{:02X}", port.area), &file.source, &port.span) {
            Ok(open) => ports.push(open.with_access(access)),
            Err(error) => found.push(*error),
        }
    }
    diagnostics::show(&found)?;
    if has_errors(&found) { Err(unusable()) } else { Ok(Opened { file, ports }) }
}

/// Returns the requirements of each port of the file.
fn read_accesses(file: &DirectorFile, path: &Path, found: &mut Vec<Diagnostic>) -> Accesses {
    let mut reader = LinkAccessReader::new(path, &file.source, LinkRole::Director, file.tls.as_ref(), found);
    let mut access_of = |port: &DirectorFilePort| {
        let id = format!("{:02X}", port.area);
        reader.access_of(&PortEntry {
            id: &id,
            place: &port.place,
            port_name: director::port_name(file.switch_name, port.area),
            hosts: port.hosts.as_deref(),
            attached: port.attached.as_ref(),
            span: &port.span,
        })
    };
    file.ports.iter().map(&mut access_of).collect()
}
