//! The plugs of all ports of a control unit or of a director: their fibres, and notices of them.

use std::os::fd::BorrowedFd;

use halftrack_base::Time;

use crate::connection_notice::ConnectionNotice;
use crate::plug::{Plug, PlugState, Plugged};
use crate::transport::Transport;

/// The plugs, by port.
#[derive(Debug)]
pub struct Plugs<P> {
    /// The plug of each port.
    pub(crate) of_port: Vec<P>,
    /// The last failure to get a fibre, by port, which is reported once.
    failures: Vec<Option<String>>,
    /// Fibres that were given.
    fibres: u64,
}

/// Result of a poll of the plug of one port.
#[derive(Debug)]
pub enum PortPlugState<T> {
    /// A fibre for the port, and its number among all.
    Fibre(Plugged<T>, u64),
    /// Nothing; the port has a fibre, or may get one.
    Nothing,
    /// Nothing, and there will be none any more.
    Spent,
}

impl<P: Plug> Plugs<P> {
    /// Creates plugs that have given no fibre yet.
    pub fn new(plugs: Vec<P>) -> Self {
        let failures = vec![None; plugs.len()];
        Self { of_port: plugs, failures, fibres: 0 }
    }

    /// Polls for a fibre for port `number` if it `is_dark`, and otherwise turns connections to it away.
    pub fn poll(
        &mut self,
        now: Time,
        number: usize,
        is_dark: bool,
        notify: &mut dyn FnMut(ConnectionNotice<'_>),
    ) -> PortPlugState<P::Transport> {
        let plug = &mut self.of_port[number];
        if !is_dark {
            if let Some(peer) = plug.turn_away() {
                notify(ConnectionNotice::TurnedAway(&peer));
            }
            return PortPlugState::Nothing;
        }
        match plug.poll(now) {
            PlugState::New(plugged) => {
                self.fibres += 1;
                self.failures[number] = None;
                notify(ConnectionNotice::Connected(&plugged.transport.peer()));
                PortPlugState::Fibre(plugged, self.fibres)
            }
            PlugState::Waiting => PortPlugState::Nothing,
            PlugState::Failed(error) => {
                let text = error.to_string();
                if self.failures[number].as_ref() != Some(&text) {
                    notify(ConnectionNotice::NotConnected(&error));
                    self.failures[number] = Some(text);
                }
                PortPlugState::Nothing
            }
            PlugState::Spent => PortPlugState::Spent,
        }
    }

    /// Returns whether others connect to port `number`.
    pub fn is_listener(&self, number: usize) -> bool {
        self.of_port[number].is_listener()
    }

    /// Returns what becomes readable when a fibre comes.
    pub fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.of_port.iter().filter_map(Plug::fd)
    }

    /// Returns the time of the next poll for a fibre for port `number`, though nothing became readable.
    pub fn poll_timeout(&self, number: usize) -> Option<Time> {
        self.of_port[number].poll_timeout()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::io;

    use crate::in_process::InProcessTransport;

    use super::*;

    /// A plug that gives what a test put into it.
    #[derive(Default)]
    struct Script {
        states: VecDeque<PlugState<InProcessTransport>>,
        strangers: Vec<String>,
    }

    impl Plug for Script {
        type Transport = InProcessTransport;

        fn poll(&mut self, _: Time) -> PlugState<InProcessTransport> {
            self.states.pop_front().unwrap_or(PlugState::Spent)
        }

        fn turn_away(&mut self) -> Option<String> {
            self.strangers.pop()
        }
    }

    #[test]
    fn a_failure_is_told_once_until_another_or_a_fibre() {
        let failed = |words: &str| PlugState::Failed(io::Error::other(words.to_owned()));
        let (near, _far) = InProcessTransport::pair().unwrap();
        let fibre = PlugState::New(Plugged { transport: near, opened: false });
        let states =
            [failed("a"), failed("a"), failed("b"), PlugState::Waiting, failed("b"), fibre, failed("b")];
        let mut plugs =
            Plugs::new(vec![Script::default(), Script { states: states.into(), ..Script::default() }]);
        let mut told = Vec::new();
        let mut polls = Vec::new();
        for _ in 0..8 {
            let notify = &mut |notice: ConnectionNotice<'_>| told.push(notice.word().to_owned());
            polls.push(match plugs.poll(Time::ZERO, 1, true, notify) {
                PortPlugState::Fibre(_, number) => number.to_string(),
                PortPlugState::Nothing => "nothing".to_owned(),
                PortPlugState::Spent => "spent".to_owned(),
            });
        }
        assert_eq!(told, ["not-connected", "not-connected", "connected", "not-connected"]);
        assert_eq!(polls[4..], ["nothing", "1", "nothing", "spent"]);
    }

    #[test]
    fn a_port_with_a_fibre_turns_others_away() {
        let mut plugs =
            Plugs::new(vec![Script { strangers: vec!["a stranger".to_owned()], ..Script::default() }]);
        let mut told = Vec::new();
        for _ in 0..2 {
            let notify = &mut |notice: ConnectionNotice<'_>| told.push(notice.to_string());
            assert!(matches!(plugs.poll(Time::ZERO, 0, false, notify), PortPlugState::Nothing));
        }
        assert_eq!(told, ["connection from a stranger closed: the port has its fibre already"]);
    }
}
