//! Two ends of a group, and links between them that keep the order of messages until they are cut.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use halftrack_base::{Span, Time};

use crate::link_group::*;
use crate::message::{AlertToken, Bits24, Gid, LinkMessage, Mac, Mtu, RemoteToken, Rkey};

/// Link of one end, as its queue pair has it.
struct Pair {
    own: Bits24,
    peer: Bits24,
}

pub struct End {
    pub group: LinkGroup,
    pairs: BTreeMap<LinkId, Pair>,
    /// Queue pairs that are stopped.
    stopped: BTreeSet<Bits24>,
    /// Messages on their way to this end, by its queue pair.
    arriving: BTreeMap<Bits24, VecDeque<LinkMessage>>,
    pub sent: Vec<LinkMessage>,
    pub confirmed: BTreeMap<BufferId, [RemoteToken; PORTS_MAX]>,
    pub pending: BTreeMap<BufferId, [RemoteToken; PORTS_MAX]>,
    pub places: BTreeMap<AlertToken, LinkId>,
    pub resets: Vec<AlertToken>,
    pub ended: Option<super::super::End>,
    ports: [bool; PORTS_MAX],
    made: u32,
}

pub struct Rig {
    pub ends: [End; 2],
    pub now: Time,
    /// Queue pairs whose messages do not arrive any more, at both ends.
    cut: BTreeSet<Bits24>,
}

fn port(at: usize, number: usize) -> Port {
    Port { mac: Mac([2, 0, 0, 0, at as u8, number as u8]), gid: Gid([(16 * at + number) as u8; 16]) }
}

fn queue_pair(at: usize, number: u32) -> QueuePairEnd {
    let number = Bits24::new((at as u32 + 1) << 16 | number);
    QueuePairEnd { number, psn: number, mtu: Mtu(3) }
}

/// Makes the places of a buffer, which differ from those of every other at every port.
pub fn tokens(at: usize, number: u32) -> [RemoteToken; PORTS_MAX] {
    [0, 1].map(|port| RemoteToken {
        rkey: Rkey((at as u32 + 1) << 24 | port << 16 | number),
        address: u64::from(number) << 20,
    })
}

impl Rig {
    /// Makes the ends of a first contact, with so many ports each.
    pub fn new(ports: [usize; 2]) -> Self {
        let first = PortNumber::First;
        let queue_pairs = [0, 1].map(|at: usize| queue_pair(at, 0));
        let ends = [0, 1].map(|at: usize| {
            let role = if at == 0 { Role::Server } else { Role::Client };
            let own_ports = [0, 1].map(|number: usize| (number < ports[at]).then(|| port(at, number)));
            let peer = LinkEnd { port: port(1 - at, 0), queue_pair: queue_pairs[1 - at] };
            let link = FirstLink {
                port: first,
                queue_pair: queue_pairs[at],
                peer,
                buffer: tokens(at, 0),
                peer_buffer: tokens(1 - at, 0)[0],
            };
            let settings = Settings { role, ports: own_ports };
            let group = LinkGroup::new(&settings, &link, Time::ZERO).expect("MTUs");
            End {
                group,
                pairs: BTreeMap::new(),
                stopped: BTreeSet::new(),
                arriving: BTreeMap::new(),
                sent: Vec::new(),
                confirmed: BTreeMap::from([(BufferId(1), tokens(at, 0))]),
                pending: BTreeMap::new(),
                places: BTreeMap::new(),
                resets: Vec::new(),
                ended: None,
                ports: [0, 1].map(|number: usize| number < ports[at]),
                made: 0,
            }
        });
        let mut rig = Self { ends, now: Time::ZERO, cut: BTreeSet::new() };
        for at in 0..2 {
            PortNumber::ALL.into_iter().for_each(|port| rig.spare(at, port));
            rig.act(at);
        }
        rig
    }

    /// Makes a group whose links are as many as its ports allow.
    pub fn settled(ports: [usize; 2]) -> Self {
        let mut rig = Self::new(ports);
        rig.settle();
        rig
    }

    fn spare(&mut self, at: usize, port: PortNumber) {
        let end = &mut self.ends[at];
        if end.ports[port.index()] {
            end.made += 1;
            end.group.handle_spare(self.now, port, queue_pair(at, end.made));
        }
    }

    /// Does what an end requires.
    pub fn act(&mut self, at: usize) {
        while let Some(action) = self.ends[at].group.poll_action() {
            let end = &mut self.ends[at];
            match action {
                Action::Connect { link, port, own, peer, .. } => {
                    let pair = Pair { own: own.queue_pair.number, peer: peer.queue_pair.number };
                    end.pairs.insert(link, pair);
                    self.spare(at, port);
                }
                Action::Send { link, message } => {
                    end.sent.push(message);
                    let pair = end.pairs.get(&link).expect("a link that is connected");
                    let (own, peer) = (pair.own, pair.peer);
                    if !self.cut.contains(&own) {
                        self.ends[1 - at].arriving.entry(peer).or_default().push_back(message);
                    }
                }
                Action::Stop(link) => {
                    let pair = end.pairs.remove(&link).expect("stopped once");
                    end.arriving.remove(&pair.own);
                    end.stopped.insert(pair.own);
                }
                Action::Move { connection, to } => {
                    assert!(end.pairs.contains_key(&to), "a link whose queue pair is not stopped");
                    *end.places.get_mut(&connection).expect("a connection") = to;
                }
                Action::Reset(connection) => {
                    end.places.remove(&connection).expect("a connection");
                    end.resets.push(connection);
                }
                Action::Confirmed(buffer) => {
                    let tokens = end.pending.remove(&buffer).expect("confirmed once");
                    end.confirmed.insert(buffer, tokens);
                }
                Action::Refused(buffer) | Action::Deleted(buffer) => {
                    end.pending.remove(&buffer);
                    end.confirmed.remove(&buffer);
                }
                Action::Ended(reason) => end.ended = Some(reason),
            }
        }
    }

    /// Delivers the first message to an end over one of its links, chosen by `choice`; returns whether there was any.
    pub fn deliver(&mut self, at: usize, choice: usize) -> bool {
        let end = &mut self.ends[at];
        // Before a queue pair is connected, messages for it are sent again.
        let is_ready =
            |(_, pair): &(&LinkId, &Pair)| end.arriving.get(&pair.own).is_some_and(|all| !all.is_empty());
        let ready: Vec<(LinkId, Bits24)> =
            end.pairs.iter().filter(is_ready).map(|(&link, pair)| (link, pair.own)).collect();
        if ready.is_empty() {
            return false;
        }
        let (link, own) = ready[choice % ready.len()];
        let message = end.arriving.get_mut(&own).and_then(VecDeque::pop_front).expect("a message");
        end.group.handle_message(self.now, link, &message);
        self.act(at);
        true
    }

    pub fn hand(&mut self, at: usize, link: LinkId, message: &LinkMessage) {
        self.ends[at].group.handle_message(self.now, link, message);
        self.act(at);
    }

    /// Cuts a link: messages on their way are lost, and neither end has found out.
    pub fn cut(&mut self, at: usize, link: LinkId) {
        if let Some(pair) = self.ends[at].pairs.get(&link) {
            let (own, peer) = (pair.own, pair.peer);
            self.cut.extend([own, peer]);
            self.ends[at].arriving.remove(&own);
            self.ends[1 - at].arriving.remove(&peer);
        }
    }

    pub fn lost(&mut self, at: usize, link: LinkId) {
        self.ends[at].group.handle_link_lost(self.now, link);
        self.act(at);
    }

    pub fn set_port(&mut self, at: usize, number: PortNumber, is_up: bool) {
        let end = &mut self.ends[at];
        if std::mem::replace(&mut end.ports[number.index()], is_up) == is_up {
            return;
        }
        if is_up {
            end.group.handle_port_up(self.now, number, port(at, number.index()));
            self.spare(at, number);
        } else {
            end.group.handle_port_down(self.now, number);
        }
        self.act(at);
    }

    pub fn add_buffer(&mut self, at: usize) {
        let end = &mut self.ends[at];
        end.made += 1;
        let tokens = tokens(at, end.made);
        if let Some(buffer) = end.group.add_buffer(self.now, tokens) {
            end.pending.insert(buffer, tokens);
        }
        self.act(at);
    }

    /// Fails queue pairs whose peers are stopped, or whose link is cut.
    pub fn fail_pairs(&mut self) {
        for at in 0..2 {
            let peer = &self.ends[1 - at];
            let is_dead = |pair: &Pair| self.cut.contains(&pair.own) || peer.stopped.contains(&pair.peer);
            let dead: Vec<LinkId> =
                self.ends[at].pairs.iter().filter(|(_, pair)| is_dead(pair)).map(|(&link, _)| link).collect();
            dead.into_iter().for_each(|link| self.lost(at, link));
        }
    }

    /// Lets time pass up to the next instant at which something is due; returns false where that is far.
    pub fn pass(&mut self, longest: Span) -> bool {
        let due = self.ends.iter().filter_map(|end| end.group.deadline()).min();
        let Some(due) = due.filter(|due| due.saturating_since(self.now) <= longest) else { return false };
        self.now = self.now.max(due);
        for at in 0..2 {
            self.ends[at].group.handle_timeout(self.now);
            self.act(at);
        }
        true
    }

    /// Moves everything, lets pairs fail and short waits end, until nothing changes.
    pub fn settle(&mut self) {
        for _ in 0..10_000 {
            let has_moved = (0..2).any(|at| self.deliver(at, 0));
            self.fail_pairs();
            if !has_moved && !self.pass(Span::from_s(6)) {
                return;
            }
        }
        panic!("the group does not settle");
    }

    pub fn states(&self) -> [GroupState; 2] {
        [0, 1].map(|at: usize| self.ends[at].group.state())
    }

    /// Makes sure that both ends have the same links, and every key on each.
    pub fn check(&self) {
        for at in 0..2 {
            let (end, peer) = (&self.ends[at], &self.ends[1 - at].group);
            for link in end.group.links() {
                let other = peer.links().find(|other| other.number == link.number).expect("a link of both");
                assert_eq!((link.own, link.peer), (other.peer, other.own));
                for tokens in end.confirmed.values() {
                    let token = tokens[link.port.index()];
                    let buffer = peer.peer_buffer(other.id, token.rkey).expect("the peer has the key");
                    assert_eq!(peer.peer_token(buffer, other.id), Some(token));
                }
            }
            for (&connection, &link) in &end.places {
                assert_eq!(end.group.link_of(connection), Some(link));
            }
        }
    }
}
