//! Connection whose octets go between the memory of a program and the links.

use std::sync::Arc;

use halftrack_base::Time;
use halftrack_shared_memory::Event;
use halftrack_smc::link_group::{GroupState, PortNumber};
use halftrack_smc::message::AlertToken;
use halftrack_smc_host::{Fabric, LinkStatus, SharedEnd};
use halftrack_smc_stack::Stack;

/// Octets that are moved at once.
const PART_BYTES: usize = 64 << 10;

/// Bells of a carriage.
#[derive(Debug, Clone)]
pub struct Bells {
    /// Bell of the driver, which the program rings.
    pub driver: Arc<Event>,
    /// Bell of the program, which the driver rings.
    pub program: Arc<Event>,
}

/// Connection that is carried.
#[derive(Debug)]
pub(crate) struct Carriage {
    connection: AlertToken,
    /// End in memory that is the peer of the program's.
    inner: SharedEnd,
    program: Arc<SharedEnd>,
    bells: Bells,
    has_shut_down: bool,
    has_ended: bool,
    is_closed: bool,
}

impl Carriage {
    pub(crate) const fn new(
        connection: AlertToken,
        inner: SharedEnd,
        program: Arc<SharedEnd>,
        bells: Bells,
    ) -> Self {
        Self { connection, inner, program, bells, has_shut_down: false, has_ended: false, is_closed: false }
    }

    /// Returns the bell of the driver.
    pub(crate) fn bell(&self) -> &Event {
        &self.bells.driver
    }

    /// Returns whether both ends are closed.
    pub(crate) const fn is_over(&self) -> bool {
        self.is_closed
    }

    /// Returns the ports that an operator has taken away.
    pub(crate) fn ports_down(&self) -> impl Iterator<Item = PortNumber> {
        let down = self.program.ports_down();
        PortNumber::ALL.into_iter().filter(move |port| down & 1 << port.index() != 0)
    }

    /// Arms the driver's bell; returns whether there is something to be moved.
    pub(crate) fn arm(&self) -> bool {
        let readiness = self.inner.arm();
        readiness.readable_bytes > 0
            || (readiness.is_end && !self.has_shut_down)
            || readiness.is_peer_closed && !self.is_closed
    }

    fn ring(&self, is_to_be_rung: bool) {
        if is_to_be_rung {
            self.bells.program.set();
        }
    }

    /// Moves octets and ends both ways, as far as there is room; returns whether any were.
    pub(crate) fn move_octets(&mut self, stack: &mut Stack, now: Time, scratch: &mut Vec<u8>) -> bool {
        scratch.resize(PART_BYTES, 0);
        self.program.set_links(status_of(stack));
        let (out, into) = (self.move_out(stack, scratch), self.move_in(stack, scratch));
        let (Ok(out), Ok(into)) = (out, into) else {
            stack.abort(now, self.connection);
            self.ring(self.inner.abort());
            self.is_closed = true;
            return true;
        };
        let readiness = self.inner.readiness();
        if readiness.is_end && !self.has_shut_down {
            stack.shut_down(self.connection);
            self.has_shut_down = true;
        }
        if stack.is_end(self.connection) && !self.has_ended {
            self.ring(self.inner.shut_down_sending());
            self.has_ended = true;
        }
        let is_abandoned = readiness.is_reset;
        if is_abandoned {
            stack.abort(now, self.connection);
            self.is_closed = true;
        } else if readiness.is_peer_closed && readiness.readable_bytes == 0 {
            stack.close(now, self.connection);
            self.ring(self.inner.close());
            self.is_closed = true;
        }
        out || into
    }

    /// Moves octets of the program to the links.
    fn move_out(
        &self,
        stack: &mut Stack,
        scratch: &mut [u8],
    ) -> Result<bool, halftrack_smc::connection::StreamError> {
        let mut has_moved = false;
        loop {
            let there = match self.inner.peek(scratch) {
                Ok(there) if there > 0 && !self.has_shut_down => there,
                _ => return Ok(has_moved),
            };
            let taken = stack.send(self.connection, &scratch[..there])?;
            if taken == 0 {
                return Ok(has_moved);
            }
            let received = self.inner.receive(&mut scratch[..taken]);
            self.ring(received.is_ok_and(|(_, is_to_be_rung)| is_to_be_rung));
            has_moved = true;
        }
    }

    /// Moves octets of the links to the program.
    fn move_in(
        &self,
        stack: &mut Stack,
        scratch: &mut [u8],
    ) -> Result<bool, halftrack_smc::connection::StreamError> {
        let mut has_moved = false;
        loop {
            let readiness = self.inner.readiness();
            let room = scratch.len().min(readiness.window_bytes as usize);
            if room == 0 || readiness.is_peer_closed || readiness.is_reset {
                return Ok(has_moved);
            }
            let received = stack.receive(self.connection, &mut scratch[..room])?;
            if received == 0 {
                return Ok(has_moved);
            }
            match self.inner.send(&scratch[..received]) {
                Ok((sent, is_to_be_rung)) => {
                    debug_assert_eq!(sent, received, "there was room");
                    self.ring(is_to_be_rung);
                }
                // The program has closed meanwhile.
                Err(_) => return Ok(has_moved),
            }
            has_moved = true;
        }
    }
}

fn status_of(stack: &Stack) -> LinkStatus {
    let group_state = match stack.state() {
        GroupState::None => 0,
        GroupState::Single => 1,
        GroupState::Symmetric => 2,
        GroupState::AsymmetricLocal => 3,
        GroupState::AsymmetricPeer => 4,
    };
    LinkStatus {
        fabric: Fabric::RoceUdp,
        group_state,
        links: u8::try_from(stack.active_links()).unwrap_or(u8::MAX),
        failovers: stack.failovers(),
    }
}
