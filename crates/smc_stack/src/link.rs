//! Link: a queue pair with the messages that wait for it.

use core::net::IpAddr;
use std::collections::VecDeque;

use halftrack_roce::packet::{Mtu, Psn, QueuePairNumber};
use halftrack_roce::queue_pair::{Message, QueuePair, Settings, Work, WorkId};
use halftrack_smc::link_group::{LinkEnd, LinkId, PortNumber};
use halftrack_smc::message::LinkMessage;

use crate::settings::{PortSettings, address_of};

/// Works of one transmission of a connection: two writes and a message.
pub(crate) const WORKS_OF_TRANSMISSION: usize = 3;
/// Work whose completion means nothing to a connection.
pub(crate) const NO_MESSAGE: WorkId = WorkId(u64::MAX);

/// Link.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) id: LinkId,
    pub(crate) port: PortNumber,
    pub(crate) peer: IpAddr,
    pub(crate) pair: QueuePair,
    /// Messages of link layer control that are not posted.
    waiting: VecDeque<LinkMessage>,
}

impl Link {
    /// Makes a link whose queue pair is ready; `None` where the ends have no path or MTU in common.
    pub(crate) fn new(
        id: LinkId,
        (number, port): (PortNumber, &PortSettings),
        (own, peer): (&LinkEnd, &LinkEnd),
        mtu: u8,
    ) -> Option<Self> {
        let address = address_of(peer.port.gid);
        let [number_here, number_there] =
            [own, peer].map(|end| QueuePairNumber::new(end.queue_pair.number.get()));
        let mut settings = Settings::new(port.path_to(address)?, number_here, number_there);
        settings.mtu = Mtu::from_code(mtu)?;
        settings.send_psn = Psn::new(own.queue_pair.psn.get());
        settings.receive_psn = Psn::new(peer.queue_pair.psn.get());
        let mut pair = QueuePair::new(settings);
        pair.post_receives(settings.receive_depth.get());
        Some(Self { id, port: number, peer: address, pair, waiting: VecDeque::new() })
    }

    /// Appends a message of link layer control.
    pub(crate) fn push(&mut self, message: LinkMessage) {
        self.waiting.push_back(message);
    }

    /// Posts messages of link layer control, as far as there is room.
    pub(crate) fn post_waiting(&mut self) {
        while self.pair.room() > 0
            && let Some(message) = self.waiting.pop_front()
        {
            self.post_message(NO_MESSAGE, &message);
        }
    }

    /// Returns whether a connection may post: no message of link layer control waits, and there is room.
    pub(crate) fn has_room(&self) -> bool {
        self.waiting.is_empty() && self.pair.room() >= WORKS_OF_TRANSMISSION && self.pair.failure().is_none()
    }

    /// Posts a message. A queue pair that has failed drops it, and its link is lost.
    pub(crate) fn post_message(&mut self, id: WorkId, message: &LinkMessage) {
        if let Some(message) = Message::new(message) {
            let _ = self.pair.post(id, Work::Send { message, immediate: None });
        }
    }

    /// Returns whether all that was posted is acknowledged.
    pub(crate) fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.pair.room() == usize::from(self.pair.settings().send_depth.get())
    }
}
