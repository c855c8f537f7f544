//! Buffers in memory: their elements, and writes of the peer into them.

use halftrack_roce::packet::Rkey;
use halftrack_roce::queue_pair::{AccessError, Memory};
use halftrack_smc::buffer::{ElementIndex, ElementSize, ElementSpan, Elements};
use halftrack_smc::link_group::{BufferId, PORTS_MAX, PortNumber};
use halftrack_smc::message::RemoteToken;

/// Buffer.
#[derive(Debug)]
pub(crate) struct Buffer {
    pub(crate) id: BufferId,
    /// Place at each own port.
    pub(crate) tokens: [RemoteToken; PORTS_MAX],
    pub(crate) size: ElementSize,
    pub(crate) elements: Elements,
    /// The peer has the keys.
    pub(crate) is_confirmed: bool,
    octets: Vec<u8>,
}

/// Memory that the peer may write into over the links of a port.
pub(crate) struct PeerMemory<'a> {
    pub(crate) buffers: &'a mut [Buffer],
    pub(crate) port: PortNumber,
}

impl Buffer {
    pub(crate) fn new(
        id: BufferId,
        tokens: [RemoteToken; PORTS_MAX],
        size: ElementSize,
        elements: u8,
    ) -> Self {
        let octets = vec![0; usize::from(elements) * size.bytes() as usize];
        let elements = Elements::new(elements);
        Self { id, tokens, size, elements, is_confirmed: false, octets }
    }

    /// Returns octets of an element.
    pub(crate) fn octets(&self, element: ElementIndex, span: ElementSpan) -> &[u8] {
        let first = element.offset_bytes(self.size.bytes()) as usize + span.offset as usize;
        &self.octets[first..first + span.length_bytes as usize]
    }
}

impl PeerMemory<'_> {
    fn place(&self, rkey: Rkey, address: u64, length_bytes: u32) -> Result<(usize, usize), AccessError> {
        let port = self.port.index();
        let has_key = |buffer: &Buffer| buffer.tokens[port].rkey.0 == rkey.0;
        let at = self.buffers.iter().position(has_key).ok_or(AccessError::Key)?;
        let buffer = &self.buffers[at];
        let offset = address.checked_sub(buffer.tokens[port].address).ok_or(AccessError::Bounds)?;
        let bytes = buffer.octets.len() as u64;
        let is_inside = offset <= bytes && u64::from(length_bytes) <= bytes - offset;
        if is_inside { Ok((at, offset as usize)) } else { Err(AccessError::Bounds) }
    }
}

impl Memory for PeerMemory<'_> {
    fn check(&self, rkey: Rkey, address: u64, length_bytes: u32) -> Result<(), AccessError> {
        self.place(rkey, address, length_bytes).map(|_| ())
    }

    fn write(&mut self, rkey: Rkey, address: u64, octets: &[u8]) -> Result<(), AccessError> {
        let (at, offset) = self.place(rkey, address, octets.len() as u32)?;
        self.buffers[at].octets[offset..offset + octets.len()].copy_from_slice(octets);
        Ok(())
    }
}
