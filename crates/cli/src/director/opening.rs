//! A director file made into ports that listen, or every message about it.

use std::io;
use std::net::TcpListener;
use std::path::Path;

use halftrack_catalog::read_file;
use halftrack_config::director_file::{DirectorFilePort, DirectorPlace};
use halftrack_config::{DirectorFile, numbers, read_director};
use halftrack_deck::diagnostic::{Diagnostic, has_errors};
use halftrack_link::control_unit::TcpPlug;

use crate::diagnostics;
use crate::failure::Failure;

/// A port that is open.
pub struct OpenPort {
    /// Where its fibre comes from.
    pub plug: TcpPlug,
    /// The same in words: `listens on 127.0.0.1:4104 (this host only)`.
    pub place: String,
    /// The address that it listens on.
    pub listens: Option<String>,
}

/// What a director is made of.
pub struct Opened {
    /// What the file says.
    pub file: DirectorFile,
    /// The ports, in the order of the file.
    pub ports: Vec<OpenPort>,
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
        match open_port(port) {
            Ok(open) => ports.push(open),
            Err(error) => {
                let message = format!("port {:02X} cannot listen: {error}", port.area);
                let fix = "end what listens there already, or give the port another address";
                let span = port.span.clone();
                found.push(Diagnostic::error(numbers::CANNOT_LISTEN, &file.source, span, message).fix(fix));
            }
        }
    }
    diagnostics::show(&found)?;
    if has_errors(&found) { Err(unusable()) } else { Ok(Opened { file, ports }) }
}

fn open_port(port: &DirectorFilePort) -> io::Result<OpenPort> {
    match &port.place {
        DirectorPlace::Listen(address) => {
            let listener = TcpListener::bind(address)?;
            let address = listener.local_addr()?;
            let reach = if address.ip().is_loopback() { "this host only" } else { "open to other hosts" };
            let place = format!("listens on {address} ({reach})");
            let listens = Some(address.to_string());
            Ok(OpenPort { plug: TcpPlug::listen(listener)?, place, listens })
        }
        DirectorPlace::Connect(place) => {
            let words = format!("connects to {place}");
            Ok(OpenPort { plug: TcpPlug::connect(place), place: words, listens: None })
        }
    }
}
