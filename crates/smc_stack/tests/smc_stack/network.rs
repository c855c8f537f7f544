//! Two ends and the paths between their ports.

use core::net::{IpAddr, Ipv4Addr};
use std::collections::BTreeMap;

use halftrack_base::{Span, Time};
use halftrack_roce::packet::PACKET_BYTES_MAX;
use halftrack_smc::buffer::ElementSize;
use halftrack_smc::link_group::{PortNumber, Role};
use halftrack_smc::message::{AlertToken, Mac, Mtu, PeerId};
use halftrack_smc_stack::{PortSettings, Settings, Stack};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Seeded choices.
pub struct Chance(Xoshiro256PlusPlus);

/// Faults of paths in thousandths of packets, and the longest delay beyond the shortest.
#[derive(Debug, Clone, Copy, Default)]
pub struct Faults {
    pub lost: u64,
    pub duplicated: u64,
    pub jitter_us: u64,
    /// Packets that come much later than others.
    pub late: u64,
}

/// Arrival: end, its port, the sender, and octets.
type Arrival = (usize, PortNumber, (IpAddr, u16), Vec<u8>);

/// Ends and the packets between them.
pub struct Network {
    pub ends: [Stack; 2],
    pub now: Time,
    pub chance: Chance,
    pub faults: Faults,
    /// Paths that carry nothing, by the port of either end.
    pub is_pulled: [[bool; 2]; 2],
    /// Ends that do nothing any more.
    pub is_killed: [bool; 2],
    /// Packets from end and port that are kept back.
    pub kept_from: Vec<(usize, PortNumber)>,
    kept: Vec<Arrival>,
    link: BTreeMap<(Time, u64), Arrival>,
    number: u64,
}

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.next_u64() % bound
    }

    pub fn happens(&mut self, thousandths: u64) -> bool {
        self.below(1000) < thousandths
    }

    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

fn address(at: usize, port: PortNumber) -> IpAddr {
    Ipv4Addr::new(10, port.index() as u8, 0, at as u8 + 1).into()
}

/// Finds end and port of an address.
fn place(address: IpAddr) -> (usize, PortNumber) {
    let IpAddr::V4(address) = address else { panic!("{address}") };
    let [_, port, _, at] = address.octets();
    (usize::from(at) - 1, PortNumber::ALL[usize::from(port)])
}

/// Returns the settings of a port.
pub fn port_settings(at: usize, port: PortNumber) -> PortSettings {
    let mac = Mac([2, 0, 0, 0, at as u8, port.index() as u8]);
    PortSettings { mac, address: address(at, port), source_port: 50_000 + at as u16, mtu: Mtu(3) }
}

impl Network {
    /// Makes ends with so many ports.
    pub fn new(seed: u64, ports: [usize; 2], elements: u8) -> Self {
        let ends = [0, 1].map(|at: usize| {
            let port = |port: PortNumber| (port.index() < ports[at]).then(|| port_settings(at, port));
            Stack::new(Settings {
                role: if at == 0 { Role::Server } else { Role::Client },
                peer: PeerId([at as u8; 8]),
                ports: PortNumber::ALL.map(port),
                size: ElementSize::default(),
                elements,
                seed: 7 + at as u32,
            })
        });
        Self {
            ends,
            now: Time::ZERO,
            chance: Chance::new(seed),
            faults: Faults::default(),
            is_pulled: [[false; 2]; 2],
            is_killed: [false; 2],
            kept_from: Vec::new(),
            kept: Vec::new(),
            link: BTreeMap::new(),
            number: 0,
        }
    }

    /// Connects; returns the names of the connection at both ends.
    pub fn connect(&mut self) -> Option<[AlertToken; 2]> {
        let accept = self.ends[0].accept(self.now).ok()?;
        let Ok(confirm) = self.ends[1].confirm(self.now, &accept) else {
            self.ends[0].abort(self.now, accept.token);
            return None;
        };
        if self.ends[0].confirmed(self.now, accept.token, &confirm).is_err() {
            self.ends[1].abort(self.now, confirm.token);
            return None;
        }
        Some([accept.token, confirm.token])
    }

    /// Puts packets that are due on their paths.
    pub fn transmit(&mut self) {
        let mut buffer = [0xEE; PACKET_BYTES_MAX];
        for at in 0..2 {
            while !self.is_killed[at]
                && let Some(datagram) = self.ends[at].poll_transmit(self.now, &mut buffer)
            {
                let source = (address(at, datagram.port), 50_000 + at as u16);
                let (to, port) = place(datagram.destination);
                assert_eq!(to, 1 - at);
                let is_pulled = self.is_pulled[at][datagram.port.index()] || self.is_pulled[to][port.index()];
                if self.kept_from.contains(&(at, datagram.port)) {
                    self.kept.push((to, port, source, buffer[..datagram.bytes].to_vec()));
                } else if !is_pulled {
                    self.carry((to, port, source, buffer[..datagram.bytes].to_vec()));
                }
            }
        }
    }

    fn carry(&mut self, arrival: Arrival) {
        let copies = 1 + usize::from(self.chance.happens(self.faults.duplicated));
        for _ in 0..copies {
            if self.chance.happens(self.faults.lost) {
                continue;
            }
            let mut delay_us = 5 + self.chance.below(self.faults.jitter_us + 1);
            if self.chance.happens(self.faults.late) {
                delay_us += self.chance.below(400_000);
            }
            self.number += 1;
            self.link.insert((self.now + Span::from_us(delay_us), self.number), arrival.clone());
        }
    }

    /// Returns whether no packet is on its way.
    pub fn is_quiet(&self) -> bool {
        self.link.is_empty()
    }

    /// Hands over all packets that were kept back.
    pub fn release_kept(&mut self) {
        self.kept_from.clear();
        for (to, port, source, octets) in std::mem::take(&mut self.kept) {
            self.ends[to].handle_datagram(self.now, port, source, &octets);
        }
    }

    /// Moves on to the next arrival or deadline; returns false where nothing is due within `longest`.
    pub fn step(&mut self, longest: Span) -> bool {
        self.transmit();
        let arrival = self.link.first_key_value().map(|(&(time, _), _)| time);
        let ends = self.ends.iter().zip(self.is_killed).filter(|(_, is_killed)| !is_killed);
        let due = ends.filter_map(|(end, _)| end.poll_timeout()).min();
        let Some(next) = [arrival, due].into_iter().flatten().min() else { return false };
        if next.saturating_since(self.now) > longest {
            return false;
        }
        self.now = self.now.max(next);
        if arrival.is_some_and(|arrival| arrival <= self.now) {
            let (_, (to, port, from, octets)) = self.link.pop_first().expect("an arrival");
            if !self.is_killed[to] {
                self.ends[to].handle_datagram(self.now, port, from, &octets);
            }
        } else {
            for at in 0..2 {
                if !self.is_killed[at] {
                    self.ends[at].handle_timeout(self.now);
                }
            }
        }
        true
    }
}
