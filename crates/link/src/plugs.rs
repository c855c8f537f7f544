//! The plugs of all ports of a control unit or of a director: who gets a fibre, and what is told of it.

use std::os::fd::BorrowedFd;

use halftrack_engine::SimTime;

use crate::connection_notice::ConnectionNotice;
use crate::plug::{Plug, PlugState, Plugged};
use crate::transport::Transport;

/// The plugs, by port.
#[derive(Debug)]
pub struct Plugs<P> {
    /// The plug of each port.
    pub(crate) of_port: Vec<P>,
    /// The last failure to get a fibre, by port, which is told once.
    failures: Vec<Option<String>>,
    /// Fibres that were given.
    fibres: u64,
}

/// What a look at the plug of one port gave.
#[derive(Debug)]
pub enum PlugsLook<T> {
    /// A fibre for the port, and its number among all.
    Fibre(Plugged<T>, u64),
    /// Nothing; the port has a fibre, or may get one.
    Nothing,
    /// Nothing, and there will be none any more.
    Spent,
}

impl<P: Plug> Plugs<P> {
    /// Plugs that have given no fibre yet.
    pub fn new(plugs: Vec<P>) -> Self {
        let failures = vec![None; plugs.len()];
        Self { of_port: plugs, failures, fibres: 0 }
    }

    /// Looks for a fibre for port `number` if it `is_dark`, and otherwise turns away what comes to it.
    pub fn look(
        &mut self,
        now: SimTime,
        number: usize,
        is_dark: bool,
        tell: &mut dyn FnMut(ConnectionNotice<'_>),
    ) -> PlugsLook<P::Transport> {
        let plug = &mut self.of_port[number];
        if !is_dark {
            if let Some(peer) = plug.turn_away() {
                tell(ConnectionNotice::TurnedAway(&peer));
            }
            return PlugsLook::Nothing;
        }
        match plug.look(now) {
            PlugState::New(plugged) => {
                self.fibres += 1;
                self.failures[number] = None;
                tell(ConnectionNotice::Connected(&plugged.transport.peer()));
                PlugsLook::Fibre(plugged, self.fibres)
            }
            PlugState::Waiting => PlugsLook::Nothing,
            PlugState::Failed(error) => {
                let text = error.to_string();
                if self.failures[number].as_ref() != Some(&text) {
                    tell(ConnectionNotice::NotConnected(&error));
                    self.failures[number] = Some(text);
                }
                PlugsLook::Nothing
            }
            PlugState::Spent => PlugsLook::Spent,
        }
    }

    /// What becomes readable when a fibre comes.
    pub fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.of_port.iter().filter_map(Plug::fd)
    }

    /// When to look again for a fibre for port `number`, though nothing became readable.
    pub fn poll_timeout(&self, number: usize) -> Option<SimTime> {
        self.of_port[number].poll_timeout()
    }
}
