//! Common parts of the tests of this crate: ports of a channel and a control unit, and a fibre in memory.

use std::collections::VecDeque;

use halftrack_wire::els::{FcpLogin, NodeDescriptor, SbLogin};
use halftrack_wire::{Eof, FcFrame, FcHeader, FrameSink, Sof, WorldWideName};

use crate::{NPort, NPortParameters, PortEvent, PortProtocol, Role};

/// A frame on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FrameInTransit {
    pub(crate) header: FcHeader,
    pub(crate) payload: Vec<u8>,
}

impl FrameInTransit {
    pub(crate) fn view(&self) -> FcFrame<'_> {
        FcFrame { header: self.header, optional: &[], payload: &self.payload }
    }
}

/// One direction of a link.
#[derive(Debug, Default)]
pub(crate) struct Fibre(VecDeque<FrameInTransit>);

impl Fibre {
    pub(crate) fn take(&mut self) -> Option<FrameInTransit> {
        self.0.pop_front()
    }

    pub(crate) fn put(&mut self, frame: FrameInTransit) {
        self.0.push_back(frame);
    }
}

impl FrameSink for Fibre {
    fn frame(&mut self, _: Sof, header: &FcHeader, parts: &[&[u8]], _: Eof) {
        self.put(FrameInTransit { header: *header, payload: parts.concat() });
    }
}

/// Returns the page of transport mode that both offer.
pub(crate) fn transport() -> SbLogin {
    SbLogin { first_transfer_4k: 16, initiation_delay_s: 5, flags: SbLogin::TRANSPORT_MODE }
}

fn port(role: Role, name: u64) -> NPortParameters {
    NPortParameters {
        port_name: WorldWideName(name),
        node_name: WorldWideName(name | 1 << 60),
        role,
        receive_credit: 8,
        frame_payload_bytes: 2112,
        node: NodeDescriptor { tag: name as u16, ..NodeDescriptor::default() },
        protocol: PortProtocol::Ficon(Some(transport())),
        peers: Vec::new(),
        hosts: None,
    }
}

/// Returns a channel's port that logs in to `peers`.
pub(crate) fn channel(name: u64, peers: &[u64]) -> NPortParameters {
    let peers = peers.iter().copied().map(WorldWideName).collect();
    NPortParameters { peers, ..port(Role::Channel, name) }
}

/// Returns the port of a channel that is a control unit too, to `peers`.
pub(crate) fn channel_to_channel(name: u64, peers: &[u64]) -> NPortParameters {
    NPortParameters { role: Role::ChannelToChannel, ..channel(name, peers) }
}

/// Returns a control unit's port that takes `hosts`.
pub(crate) fn control_unit(name: u64, hosts: Option<&[u64]>) -> NPortParameters {
    let hosts = hosts.map(|hosts| hosts.iter().copied().map(WorldWideName).collect());
    let own = port(Role::ControlUnit, name);
    NPortParameters { receive_credit: 40, frame_payload_bytes: 2048, hosts, ..own }
}

/// Returns what a port of FCP with this function offers.
pub(crate) fn offered(function: FcpLogin) -> FcpLogin {
    function.with(FcpLogin::READ_READY_DISABLED).with(FcpLogin::RETRY)
}

/// Returns the same port with FCP as its protocol.
pub(crate) fn fcp(parameters: NPortParameters, function: FcpLogin) -> NPortParameters {
    NPortParameters { protocol: PortProtocol::Fcp(offered(function)), ..parameters }
}

/// Returns the events of a port.
pub(crate) fn drain(port: &mut NPort) -> Vec<PortEvent> {
    std::iter::from_fn(|| port.poll_event()).collect()
}
