//! Octets of connections, as their applications send and receive them.

use halftrack_base::Time;
use halftrack_smc::connection::{Connection, State, StreamError};
use halftrack_smc::message::AlertToken;

use crate::socket::Socket;
use crate::stack::Stack;

impl Stack {
    /// Takes octets of a connection to be sent; returns how many, none while there is no room.
    ///
    /// # Errors
    /// The connection is shut down or was reset.
    pub fn send(&mut self, connection: AlertToken, octets: &[u8]) -> Result<usize, StreamError> {
        let Some((socket, _)) = self.open_socket(connection)? else { return Ok(0) };
        let wanted = u32::try_from(octets.len()).unwrap_or(u32::MAX);
        let spans = socket.connection.as_mut().ok_or(StreamError::Reset)?.send(wanted, false)?;
        let mut taken = 0;
        for span in spans {
            let bytes = span.length_bytes as usize;
            socket.ring_octets(span).copy_from_slice(&octets[taken..taken + bytes]);
            taken += bytes;
        }
        self.is_due = true;
        Ok(taken)
    }

    /// Gives octets of a connection that came; returns how many. None come behind the end of [`Self::is_end`].
    ///
    /// # Errors
    /// The connection was reset.
    pub fn receive(&mut self, connection: AlertToken, into: &mut [u8]) -> Result<usize, StreamError> {
        let Some((socket, buffers)) = self.open_socket(connection)? else { return Ok(0) };
        let (buffer, element) = socket.element;
        let connection = socket.connection.as_mut().ok_or(StreamError::Reset)?;
        let wanted = u32::try_from(into.len()).unwrap_or(u32::MAX);
        let spans = connection.readable(wanted)?;
        let mut taken = 0;
        for span in spans {
            let bytes = span.length_bytes as usize;
            if bytes > 0 {
                let buffer = buffers.iter().find(|one| one.id == buffer).ok_or(StreamError::Reset)?;
                into[taken..taken + bytes].copy_from_slice(buffer.octets(element, span));
                taken += bytes;
            }
        }
        connection.consume(taken as u32);
        self.is_due = true;
        Ok(taken)
    }

    /// Returns a connection that is open, with the buffers; `None` before its Confirm.
    fn open_socket(
        &mut self,
        connection: AlertToken,
    ) -> Result<Option<(&mut Socket, &[crate::buffer::Buffer])>, StreamError> {
        let socket = self.sockets.get_mut(&connection).ok_or(StreamError::Reset)?;
        if socket.is_dead || socket.is_released {
            return Err(StreamError::Reset);
        }
        Ok(socket.connection.is_some().then_some((socket, &self.buffers)))
    }

    /// Returns whether the peer sends no more, and all that it sent was received.
    pub fn is_end(&self, connection: AlertToken) -> bool {
        self.connection(connection).is_some_and(Connection::is_end)
    }

    /// Returns the state of a connection; `None` once it is gone, or before its Confirm.
    pub fn connection_state(&self, connection: AlertToken) -> Option<State> {
        self.connection(connection).map(Connection::state)
    }

    fn connection(&self, token: AlertToken) -> Option<&Connection> {
        self.sockets.get(&token)?.connection.as_ref()
    }

    /// Sends no more, behind the octets taken.
    pub fn shut_down(&mut self, connection: AlertToken) {
        self.end_connection(connection, Connection::shut_down);
    }

    /// Closes a connection, behind the octets taken. It goes once the peer has closed too.
    pub fn close(&mut self, now: Time, connection: AlertToken) {
        self.end_connection(connection, Connection::close);
        self.release(now, connection);
    }

    /// Ends a connection abnormally.
    pub fn abort(&mut self, now: Time, connection: AlertToken) {
        self.end_connection(connection, Connection::abort);
        self.release(now, connection);
    }

    fn end_connection(&mut self, token: AlertToken, end: impl FnOnce(&mut Connection)) {
        if let Some(connection) = self.sockets.get_mut(&token).and_then(|socket| socket.connection.as_mut()) {
            end(connection);
        }
        self.is_due = true;
    }

    fn release(&mut self, now: Time, token: AlertToken) {
        if let Some(socket) = self.sockets.get_mut(&token) {
            socket.is_released = true;
        }
        // Without its connection a first contact is over.
        self.first.take_if(|first| first.connection == token);
        self.give_back();
        self.act(now);
    }

    /// Gives elements back whose connections have ended at both ends, and drops those whose application has closed.
    pub(crate) fn give_back(&mut self) {
        // Writes that are posted still read the rings of a group that has ended.
        let has_ended = self.end().is_some();
        let is_silent = self.is_silent();
        for (token, socket) in &mut self.sockets {
            let is_settled = socket.connection.as_ref().is_some_and(Connection::is_settled);
            let is_unopened = socket.connection.is_none() && socket.is_released;
            let is_over = if has_ended { is_silent } else { is_settled || is_unopened };
            if is_over && !socket.has_given_back {
                socket.has_given_back = true;
                let (buffer, element) = socket.element;
                if let Some(buffer) = self.buffers.iter_mut().find(|one| one.id == buffer) {
                    let is_own = buffer.elements.release(element);
                    debug_assert!(is_own, "an element is given back once");
                }
                if let Some(group) = &mut self.group {
                    group.remove(*token);
                }
            }
        }
        self.sockets.retain(|_, socket| !(socket.is_released && socket.has_given_back));
    }
}
