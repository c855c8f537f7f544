//! TLS and the key handshake on a TCP connection. Nothing passes before the other end has proven its name.

use std::io;
use std::net::TcpStream;
use std::sync::Arc;

use ring::rand::{SecureRandom, SystemRandom};

use super::access_fault::AccessFault;
use super::handshake::{KeyHandshake, NONCE_BYTES, Progress};
use super::link_access::{Attached, LinkAccess};
use super::tls_stream::TlsStream;
use crate::buffers::{InBuffer, OutBuffer};
use crate::tcp::{receive_plain, send_plain};
use crate::transport::Received;

/// Proof of identity on a connection, and its encryption.
#[derive(Debug)]
pub(crate) struct Guard {
    access: Arc<LinkAccess>,
    tls: Option<TlsStream>,
    /// The key handshake, until it is done.
    handshake: Option<KeyHandshake>,
    /// Its messages.
    messages: OutBuffer,
    /// Octets that came before the proof.
    unproven: InBuffer,
    /// The port at the other end; none before it is proven.
    attached: Option<Attached>,
}

impl Guard {
    /// Begins on a connection that this end opened or accepted.
    pub(crate) fn begin(access: &Arc<LinkAccess>, is_opener: bool) -> io::Result<Self> {
        let tls = access.tls.as_ref().map(|tls| TlsStream::begin(tls, is_opener)).transpose()?;
        let mut messages = OutBuffer::default();
        let handshake = if access.requires_key() {
            let mut nonce = [0; NONCE_BYTES];
            SystemRandom::new().fill(&mut nonce).map_err(|_| AccessFault::NoRandom)?;
            Some(KeyHandshake::begin(access, is_opener, &nonce, messages.tail()))
        } else {
            None
        };
        Ok(Self {
            access: Arc::clone(access),
            tls,
            handshake,
            messages,
            unproven: InBuffer::default(),
            attached: None,
        })
    }

    /// Returns the port that has proven its name at the other end.
    pub(crate) fn attached(&self) -> Option<&Attached> {
        self.attached.as_ref().filter(|_| self.is_done())
    }

    fn is_done(&self) -> bool {
        self.handshake.is_none() && self.tls.as_ref().is_none_or(|_| self.attached.is_some())
    }

    /// Sends of `out` what there is room for, when the other end has proven its name; true when the connection is full.
    pub(crate) fn send(&mut self, stream: &mut TcpStream, out: &mut OutBuffer) -> io::Result<bool> {
        let is_full = self.send_octets(stream, None)?;
        if is_full || !self.is_done() { Ok(is_full) } else { self.send_octets(stream, Some(out)) }
    }

    /// Sends `out`, or else the messages of the handshake.
    fn send_octets(&mut self, stream: &mut TcpStream, out: Option<&mut OutBuffer>) -> io::Result<bool> {
        let out = out.unwrap_or(&mut self.messages);
        match &mut self.tls {
            Some(tls) => tls.send(stream, out),
            None => send_plain(stream, out),
        }
    }

    /// Takes what has come behind the handshakes; whether the connection is full, too.
    pub(crate) fn receive(
        &mut self,
        stream: &mut TcpStream,
        into: &mut InBuffer,
    ) -> io::Result<(Received, bool)> {
        if self.is_done() {
            let received = receive_octets(&mut self.tls, stream, into)?;
            let is_full = self.tls.as_mut().map(|tls| tls.push(stream)).transpose()?.unwrap_or_default();
            return Ok((received, is_full));
        }
        let received = receive_octets(&mut self.tls, stream, &mut self.unproven)?;
        let proven = self.prove();
        // The last message of a failed handshake goes out as far as the connection takes it.
        let is_full = self.send_octets(stream, None)?;
        proven?;
        if received == Received::Closed || !self.is_done() {
            return Ok((if received == Received::Closed { received } else { Received::Nothing }, is_full));
        }
        let rest = std::mem::take(&mut self.unproven);
        let count = rest.as_slice().len();
        if count == 0 {
            return Ok((Received::Nothing, is_full));
        }
        into.room(count)[..count].copy_from_slice(rest.as_slice());
        into.filled(count);
        Ok((Received::Octets(count), is_full))
    }

    /// Goes on with what has come.
    fn prove(&mut self) -> Result<(), AccessFault> {
        if let Some(tls) = self.tls.as_ref().filter(|tls| self.attached.is_none() && !tls.is_shaking_hands())
        {
            self.attached = Some(self.access.attached_by_certificate(tls.peer_names())?);
        }
        let Some(handshake) =
            self.handshake.as_mut().filter(|_| self.tls.is_none() || self.attached.is_some())
        else {
            return Ok(());
        };
        let mut taken = 0;
        let progress =
            handshake.receive(&self.access, self.unproven.as_slice(), &mut taken, self.messages.tail());
        self.unproven.consume(taken);
        if let Progress::Done(proven) = progress? {
            let claimed = proven.names.first().copied();
            let certified = self.attached.replace(proven);
            if let (Some(certified), Some(name)) = (certified, claimed)
                && !certified.names.contains(&name)
            {
                return Err(AccessFault::OtherCertificate(name));
            }
            self.handshake = None;
        }
        Ok(())
    }
}

fn receive_octets(
    tls: &mut Option<TlsStream>,
    stream: &mut TcpStream,
    into: &mut InBuffer,
) -> io::Result<Received> {
    match tls {
        Some(tls) => tls.receive(stream, into),
        None => receive_plain(stream, into),
    }
}
