//! A director file made into ports that listen, or every message about it.

use std::path::Path;

use halftrack_config::{DirectorFile, read_director};
use halftrack_input::{has_errors, read_file};

use crate::diagnostics;
use crate::failure::Failure;
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
    let mut ports = Vec::new();
    for port in &file.ports {
        match LinkPort::open(&port.place, &format!("{:02X}", port.area), &file.source, &port.span) {
            Ok(open) => ports.push(open),
            Err(error) => found.push(*error),
        }
    }
    diagnostics::show(&found)?;
    if has_errors(&found) { Err(unusable()) } else { Ok(Opened { file, ports }) }
}
