//! CONFIRM RKEY with its continuations, and DELETE RKEY: buffers added to a group and taken away.

use halftrack_base::{Span, Time};

use super::buffers::{Buffer, BufferId, BufferState};
use super::flow::{Confirmation, Step};
use super::link::{Link, LinkId, PORTS_MAX};
use super::{Action, LinkGroup, Violation};
use crate::message::llc::{
    ConfirmRkey, ConfirmRkeyContinuation, DeleteRkey, LinkToken, Llc, RKEYS_OF_DELETE,
};
use crate::message::{RemoteToken, Rkey};

/// Time after which keys that the peer put off are sent again (our choice).
const KEYS_AGAIN: Span = Span::from_ms(100);
/// Links of a CONFIRM RKEY beside the one that carries it, and of a continuation.
const LINKS_OF_CONFIRM: usize = 2;
const LINKS_OF_CONTINUATION: usize = 3;

/// CONFIRM RKEY of the peer whose continuation is to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Announced {
    pub(super) carrier: LinkId,
    tokens: Vec<(LinkId, RemoteToken)>,
    /// Links that are left.
    left: u8,
}

/// Answer to keys.
enum Answer {
    Taken,
    PutOff,
    Refused,
}

impl LinkGroup {
    /// Adds an own buffer, by its place at each own port; `None` where the group has as many as it may.
    ///
    /// [`Action::Confirmed`] or [`Action::Refused`] follows.
    pub fn add_buffer(&mut self, now: Time, tokens: [RemoteToken; PORTS_MAX]) -> Option<BufferId> {
        if self.end.is_some() {
            return None;
        }
        let buffer = self.buffers.add(tokens, BufferState::Unconfirmed)?;
        self.advance(now);
        Some(buffer)
    }

    /// Deletes an own buffer that no connection uses. [`Action::Deleted`] follows.
    pub fn delete_buffer(&mut self, now: Time, id: BufferId) {
        if let Some(buffer) = self.buffers.get_mut(id) {
            buffer.state = BufferState::Unwanted;
        }
        self.advance(now);
    }

    /// Starts the flow of buffers that the peer shall get or drop; returns whether there was one.
    pub(super) fn start_keys(&mut self, now: Time, carrier: LinkId) -> bool {
        let unconfirmed = self.buffers.in_state(BufferState::Unconfirmed).next();
        if let Some(buffer) = unconfirmed.filter(|_| self.keys_at <= now) {
            let others: Vec<&Link> = self.links.active().filter(|link| link.id != carrier).collect();
            let Some(here) = self.links.get(carrier) else { return false };
            let messages = confirmations(buffer, here, &others);
            let links = others.iter().map(|link| link.id).chain([carrier]).collect();
            let (buffer, responses) = (buffer.id, messages.len());
            messages.into_iter().for_each(|message| self.send(carrier, message));
            let (is_refused, is_put_off) = (false, false);
            let confirmation = Confirmation { buffer, links, responses, is_refused, is_put_off };
            self.start(now, carrier, Step::ConfirmRkey(confirmation));
            return true;
        }
        let unwanted: Vec<BufferId> = self
            .buffers
            .in_state(BufferState::Unwanted)
            .take(RKEYS_OF_DELETE)
            .map(|buffer| buffer.id)
            .collect();
        if unwanted.is_empty() {
            return false;
        }
        self.send_delete_rkey(carrier, &unwanted);
        self.start(now, carrier, Step::DeleteRkey(unwanted));
        true
    }

    fn send_delete_rkey(&mut self, carrier: LinkId, buffers: &[BufferId]) {
        let Some(port) = self.links.get(carrier).map(|link| link.port) else { return };
        let mut rkeys = [Rkey::default(); RKEYS_OF_DELETE];
        for (rkey, &buffer) in rkeys.iter_mut().zip(buffers) {
            if let Some(buffer) = self.buffers.get(buffer) {
                *rkey = buffer.token(port).rkey;
            }
        }
        let (count, error_mask) = (buffers.len() as u8, 0);
        let message = DeleteRkey { is_response: false, is_negative: false, count, error_mask, rkeys };
        self.send(carrier, Llc::DeleteRkey(message));
    }

    /// Takes a response to CONFIRM RKEY or a continuation: negative, and for the moment only.
    pub(super) fn keys_confirmed(
        &mut self,
        now: Time,
        carrier: LinkId,
        (is_negative, is_retry): (bool, bool),
    ) -> Result<(), Violation> {
        let mut flow = self.take_flow(carrier, |step| matches!(step, Step::ConfirmRkey(_)))?;
        let Step::ConfirmRkey(confirmation) = &mut flow.step else { return Err(Violation) };
        confirmation.responses -= 1;
        confirmation.is_put_off |= is_negative && is_retry;
        confirmation.is_refused |= is_negative && !is_retry;
        if confirmation.responses > 0 {
            self.flow = Some(flow);
            return Ok(());
        }
        let has_all_links = self.links.active().all(|link| confirmation.links.contains(&link.id));
        let Some(buffer) = self.buffers.get_mut(confirmation.buffer) else { return Ok(()) };
        if confirmation.is_put_off {
            self.keys_at = now.saturating_add(KEYS_AGAIN);
        } else if confirmation.is_refused {
            self.actions.push_back(Action::Refused(buffer.id));
            self.buffers.remove(confirmation.buffer);
        } else if has_all_links && buffer.state == BufferState::Unconfirmed {
            // Otherwise a link came meanwhile: its key follows.
            buffer.state = BufferState::Confirmed;
            if !std::mem::replace(&mut buffer.is_announced, true) {
                self.actions.push_back(Action::Confirmed(confirmation.buffer));
            }
        }
        Ok(())
    }

    /// Takes CONFIRM RKEY of the peer.
    pub(super) fn confirm_keys(&mut self, carrier: LinkId, message: &ConfirmRkey) -> Result<(), Violation> {
        if self.announced.is_some() {
            return Err(Violation);
        }
        let others = usize::from(message.others);
        let tokens = vec![(carrier, message.here)];
        let entries = &message.entries[..others.min(LINKS_OF_CONFIRM)];
        let answer = match self.with_entries(carrier, tokens, entries) {
            _ if self.is_changing_links() => Answer::PutOff,
            None => Answer::PutOff,
            Some(tokens) if others > LINKS_OF_CONFIRM => {
                let left = message.others - LINKS_OF_CONFIRM as u8;
                self.announced = Some(Announced { carrier, tokens, left });
                Answer::Taken
            }
            Some(tokens) => self.take_buffer(carrier, tokens)?,
        };
        let is_retry = matches!(answer, Answer::PutOff);
        let is_negative = is_retry || matches!(answer, Answer::Refused);
        self.send(
            carrier,
            Llc::ConfirmRkey(ConfirmRkey { is_response: true, is_negative, is_retry, ..*message }),
        );
        Ok(())
    }

    /// Takes the continuation of a CONFIRM RKEY. Behind one that was put off it is refused too.
    pub(super) fn continue_keys(
        &mut self,
        carrier: LinkId,
        message: &ConfirmRkeyContinuation,
    ) -> Result<(), Violation> {
        let answer = match self.announced.take_if(|announced| announced.carrier == carrier) {
            None => Answer::Refused,
            Some(announced) if announced.left != message.left => return Err(Violation),
            Some(announced) => {
                let count = usize::from(announced.left).min(LINKS_OF_CONTINUATION);
                let left = announced.left - count as u8;
                match self.with_entries(carrier, announced.tokens, &message.entries[..count]) {
                    None => Answer::Refused,
                    Some(tokens) if left > 0 => {
                        self.announced = Some(Announced { carrier, tokens, left });
                        Answer::Taken
                    }
                    Some(tokens) => self.take_buffer(carrier, tokens)?,
                }
            }
        };
        let is_negative = !matches!(answer, Answer::Taken);
        let response = ConfirmRkeyContinuation { is_response: true, is_negative, ..*message };
        self.send(carrier, Llc::ConfirmRkeyContinuation(response));
        Ok(())
    }

    /// Returns the places with those of more links; `None` where one is no other active link, or there twice.
    fn with_entries(
        &self,
        carrier: LinkId,
        mut tokens: Vec<(LinkId, RemoteToken)>,
        entries: &[LinkToken],
    ) -> Option<Vec<(LinkId, RemoteToken)>> {
        for entry in entries {
            let link = self.links.by_number(entry.link).filter(|link| link.is_active())?.id;
            if link == carrier || tokens.iter().any(|&(other, _)| other == link) {
                return None;
            }
            tokens.push((link, entry.token));
        }
        Some(tokens)
    }

    /// Stores a buffer of the peer that has a key on every link. One that is there already may get the key of another link.
    fn take_buffer(
        &mut self,
        carrier: LinkId,
        tokens: Vec<(LinkId, RemoteToken)>,
    ) -> Result<Answer, Violation> {
        if tokens.len() != self.links.active().count() {
            return Ok(Answer::PutOff);
        }
        let rkey = tokens.iter().find(|(link, _)| *link == carrier).map(|(_, token)| token.rkey);
        let here = self.buffers.peer_by_key(carrier, rkey.ok_or(Violation)?);
        let is_of_other = |&(link, token): &(LinkId, RemoteToken)| {
            self.buffers.peer_by_key(link, token.rkey).is_some_and(|buffer| Some(buffer) != here)
        };
        if tokens.iter().any(is_of_other) {
            return Err(Violation);
        }
        let Some(buffer) = here else {
            let added = self.buffers.add_peer(tokens);
            return Ok(if added.is_some() { Answer::Taken } else { Answer::Refused });
        };
        for (link, token) in tokens {
            if !self.buffers.add_peer_token(buffer, link, token) {
                return Err(Violation);
            }
        }
        Ok(Answer::Taken)
    }

    /// Returns whether a flow under way changes the links: keys wait for its end.
    fn is_changing_links(&self) -> bool {
        let is_of_keys = |step: &Step| matches!(step, Step::ConfirmRkey(_) | Step::DeleteRkey(_));
        self.joining.is_some() || self.flow.as_ref().is_some_and(|flow| !is_of_keys(&flow.step))
    }

    /// Takes DELETE RKEY of the peer. A buffer into which a connection writes may not go.
    pub(super) fn delete_keys(&mut self, carrier: LinkId, message: &DeleteRkey) -> Result<(), Violation> {
        let count = usize::from(message.count);
        let rkeys = message.rkeys.get(..count).ok_or(Violation)?;
        let mut error_mask = 0;
        for (place, &rkey) in rkeys.iter().enumerate() {
            match self.buffers.peer_by_key(carrier, rkey) {
                None => error_mask |= 0x80 >> place,
                Some(buffer) if self.is_in_use(buffer) => return Err(Violation),
                Some(buffer) => self.buffers.remove_peer(buffer),
            }
        }
        let is_negative = error_mask != 0;
        self.send(
            carrier,
            Llc::DeleteRkey(DeleteRkey { is_response: true, is_negative, error_mask, ..*message }),
        );
        Ok(())
    }

    /// Takes the response to DELETE RKEY: keys that the peer did not have are gone as well.
    pub(super) fn keys_deleted(&mut self, carrier: LinkId) -> Result<(), Violation> {
        let flow = self.take_flow(carrier, |step| matches!(step, Step::DeleteRkey(_)))?;
        if let Step::DeleteRkey(buffers) = flow.step {
            for buffer in buffers {
                self.buffers.remove(buffer);
                self.actions.push_back(Action::Deleted(buffer));
            }
        }
        Ok(())
    }
}

/// Makes CONFIRM RKEY with its continuations, over one link for all.
pub(super) fn confirmations(buffer: &Buffer, carrier: &Link, others: &[&Link]) -> Vec<Llc> {
    let entries: Vec<LinkToken> = others
        .iter()
        .filter_map(|link| Some(LinkToken { link: link.number?, token: buffer.token(link.port) }))
        .collect();
    let (is_response, is_negative, is_retry) = (false, false, false);
    let (first, mut rest) = entries.split_at(entries.len().min(LINKS_OF_CONFIRM));
    let mut in_first = [LinkToken::default(); LINKS_OF_CONFIRM];
    in_first[..first.len()].copy_from_slice(first);
    let mut messages = vec![Llc::ConfirmRkey(ConfirmRkey {
        is_response,
        is_negative,
        is_retry,
        others: entries.len() as u8,
        here: buffer.token(carrier.port),
        entries: in_first,
    })];
    while !rest.is_empty() {
        let left = rest.len() as u8;
        let (now, later) = rest.split_at(rest.len().min(LINKS_OF_CONTINUATION));
        let mut entries = [LinkToken::default(); LINKS_OF_CONTINUATION];
        entries[..now.len()].copy_from_slice(now);
        let continuation = ConfirmRkeyContinuation { is_response, is_negative, left, entries };
        messages.push(Llc::ConfirmRkeyContinuation(continuation));
        rest = later;
    }
    messages
}
