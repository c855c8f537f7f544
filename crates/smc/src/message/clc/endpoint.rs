//! Accept and Confirm: the sender's end of the link, and the element for the connection.

use halftrack_base::{Octets, fields};

use super::header::{Header, Kind};
use crate::message::{AlertToken, Bits24, Gid, Mac, MessageError, Mtu, PeerId, RemoteToken, Rkey};

/// Octets of the message.
const ENDPOINT_BYTES: usize = 68;

/// Contents of an Accept or a Confirm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// The link is new, and its group.
    pub is_first_contact: bool,
    /// Sender.
    pub peer: PeerId,
    /// Port of the link.
    pub gid: Gid,
    /// Port of the link.
    pub mac: Mac,
    /// Queue pair of the link.
    pub queue_pair: Bits24,
    /// Buffer, as the link reaches it.
    pub buffer: RemoteToken,
    /// Element of the buffer, from 1.
    pub element: u8,
    /// Name of the connection in messages to the sender.
    pub token: AlertToken,
    /// Size of the element: 16 KiB shifted left by it. Four bits.
    pub compressed_size: u8,
    /// Largest packet of the queue pair. Four bits.
    pub mtu: Mtu,
    /// Number of the first packet.
    pub psn: Bits24,
}

impl Endpoint {
    pub(super) fn encode(&self, kind: Kind) -> [u8; ENDPOINT_BYTES] {
        let mut octets = [0; ENDPOINT_BYTES];
        fields::put(&mut octets, 8, &self.peer.0);
        fields::put(&mut octets, 16, &self.gid.0);
        fields::put(&mut octets, 32, &self.mac.0);
        fields::put(&mut octets, 38, &self.queue_pair.octets());
        fields::put(&mut octets, 41, &self.buffer.rkey.0.to_be_bytes());
        octets[45] = self.element;
        fields::put(&mut octets, 46, &self.token.0.to_be_bytes());
        octets[50] = self.compressed_size << 4 | self.mtu.0 & 0x0F;
        fields::put(&mut octets, 52, &self.buffer.address.to_be_bytes());
        fields::put(&mut octets, 61, &self.psn.octets());
        Header::of(kind, self.is_first_contact).put(&mut octets);
        octets
    }

    pub(super) fn decode(header: &Header, body: &[u8]) -> Result<Self, MessageError> {
        let mut rest = Octets::new(body);
        let (peer, gid, mac) = (PeerId(rest.array()?), Gid(rest.array()?), Mac(rest.array()?));
        let queue_pair = Bits24::from_octets(rest.array()?);
        let rkey = Rkey(rest.word()?);
        let element = rest.byte()?;
        let token = AlertToken(rest.word()?);
        let sizes = rest.byte()?;
        rest.take(1)?;
        let buffer = RemoteToken { rkey, address: rest.double()? };
        rest.take(1)?;
        let psn = Bits24::from_octets(rest.array()?);
        rest.end()?;
        Ok(Self {
            is_first_contact: header.flag,
            peer,
            gid,
            mac,
            queue_pair,
            buffer,
            element,
            token,
            compressed_size: sizes >> 4,
            mtu: Mtu(sizes & 0x0F),
            psn,
        })
    }
}
