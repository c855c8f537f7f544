//! TLS records on a TCP connection that never waits.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;

use halftrack_wire::WorldWideName;
use rustls::Connection;

use super::access_fault::AccessFault;
use super::certificate_name::names_in;
use super::tls::TlsSettings;
use crate::buffers::{InBuffer, OutBuffer};
use crate::tcp::{READ_BYTES, is_later, receive_plain};
use crate::transport::Received;

/// Room for octets of a record, bytes: a TLS record has at most 16 KiB of them.
const RECORD_BYTES: usize = 16 * 1024;

/// TLS on a connection.
#[derive(Debug)]
pub(super) struct TlsStream {
    connection: Connection,
    raw: InBuffer,
}

impl TlsStream {
    /// Begins TLS on a connection that this end opened or accepted.
    pub(super) fn begin(settings: &TlsSettings, is_opener: bool) -> io::Result<Self> {
        let connection = settings.begin(is_opener).map_err(tls_fault)?;
        Ok(Self { connection, raw: InBuffer::new(READ_BYTES) })
    }

    /// Returns whether the names of the other end are not proven yet.
    pub(super) fn is_shaking_hands(&self) -> bool {
        self.connection.is_handshaking()
    }

    /// Returns the names in the certificate of the other end.
    pub(super) fn peer_names(&self) -> Vec<WorldWideName> {
        let certificates = self.connection.peer_certificates().unwrap_or_default();
        certificates.first().map(names_in).unwrap_or_default()
    }

    /// Sends of `out` what there is room for; true when the connection is full.
    pub(super) fn send(&mut self, stream: &mut TcpStream, out: &mut OutBuffer) -> io::Result<bool> {
        loop {
            let taken =
                if self.is_shaking_hands() { 0 } else { self.connection.writer().write(out.unsent())? };
            out.sent(taken);
            if self.push(stream)? {
                return Ok(true);
            }
            if out.is_empty() || taken == 0 {
                return Ok(false);
            }
        }
    }

    /// Sends records that wait; true when the connection is full.
    pub(super) fn push(&mut self, stream: &mut TcpStream) -> io::Result<bool> {
        while self.connection.wants_write() {
            match self.connection.write_tls(stream) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(_) => {}
                Err(error) if is_later(&error) => return Ok(true),
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    /// Takes what has come: nothing stays here that could be had without reading again.
    pub(super) fn receive(&mut self, stream: &mut TcpStream, into: &mut InBuffer) -> io::Result<Received> {
        let received = receive_plain(stream, &mut self.raw)?;
        if !matches!(received, Received::Octets(_)) {
            return Ok(received);
        }
        let mut came = 0;
        while !self.raw.as_slice().is_empty() {
            let taken = self.connection.read_tls(&mut self.raw.as_slice())?;
            self.raw.consume(taken);
            if let Err(error) = self.connection.process_new_packets() {
                // The alert, as far as the connection takes it.
                let _ = self.push(stream);
                return Err(tls_fault(error));
            }
            came += self.take_plain(into)?;
            if taken == 0 {
                return Ok(Received::Closed);
            }
        }
        Ok(if came > 0 { Received::Octets(came) } else { Received::Nothing })
    }

    fn take_plain(&mut self, into: &mut InBuffer) -> io::Result<usize> {
        let mut came = 0;
        loop {
            match self.connection.reader().read(into.room(RECORD_BYTES)) {
                Ok(0) => return Ok(came),
                Ok(count) => {
                    into.filled(count);
                    came += count;
                }
                Err(error) if is_later(&error) => return Ok(came),
                Err(error) => return Err(error),
            }
        }
    }
}

fn tls_fault(error: rustls::Error) -> io::Error {
    AccessFault::Tls(error.to_string()).into()
}
