//! Programs that are let in, and commands of operators.

use std::io::Write as _;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use halftrack_shared_memory::{Event, peer_of};
use halftrack_zedc::{Caller, FunctionError, SpaceId, VfNumber};

use super::{CardProcess, PROGRAMS_MAX};
use crate::connection::Connection;
use crate::message::{Command, FromCard, Refusal};
use crate::program_space::ProgramSpace;
use crate::rings::CardRings;
use crate::status::{CardStatus, FunctionStatus};

/// Application of the services (reference on zEDC, section 2: the one that is defined).
const APPLICATION: u32 = 1;

impl CardProcess {
    /// Lets a program use a function, or refuses it with the reason.
    pub(super) fn attach(&mut self, stream: UnixStream, vf: u8) {
        if let Err(refusal) = self.admit(&stream, vf) {
            // A program that is gone needs no reason.
            let _ = FromCard::Refused(refusal).send(&stream, &[]);
        }
    }

    fn admit(&mut self, stream: &UnixStream, vf: u8) -> Result<(), Refusal> {
        let peer = peer_of(stream).map_err(|_| Refusal::NotAllowed)?;
        let own = rustix::process::geteuid().as_raw();
        if peer.1 != own && !self.options.users.contains(&peer.1) {
            return Err(Refusal::NotAllowed);
        }
        let vf = self.function_of(vf)?;
        let (rings, memory) = CardRings::create().map_err(|_| Refusal::NoRoom)?;
        self.last_space += 1;
        let space = SpaceId(self.last_space);
        let partition = self.partitions.get_mut(&vf).ok_or(Refusal::NoFunction)?;
        let caller = Caller { space, application: APPLICATION, is_authorized: true };
        let token = partition.rendezvous(caller).map_err(|_| Refusal::NotAllowed)?;
        let kept = stream.try_clone().map_err(|_| Refusal::NoRoom)?;
        let event = Event::new().map_err(|_| Refusal::NoRoom)?;
        let waker = event.as_fd().try_clone_to_owned().map_err(|_| Refusal::NoRoom)?;
        self.spaces.0.insert(space, ProgramSpace::default());
        self.connections.push(Connection::new(kept, (rings, event), vf, token, space, peer));
        self.show();
        let (card, group, zero_ns) = (self.options.card.get(), self.options.group, self.clock.zero_ns());
        let welcome = FromCard::Welcome { card, group, vf: vf.get(), zero_ns };
        if welcome.send(stream, &[memory.as_fd(), waker.as_fd()]).is_err() {
            self.let_go(self.connections.len() - 1);
        }
        Ok(())
    }

    /// Returns the function of a number; for 0 the one that the fewest programs use.
    fn function_of(&self, vf: u8) -> Result<VfNumber, Refusal> {
        let programs = |vf: VfNumber| self.connections.iter().filter(|one| one.vf == vf).count();
        let candidates = self.partitions.keys().copied().filter(|one| vf == 0 || one.get() == vf);
        let chosen = candidates.min_by_key(|one| programs(*one)).ok_or(Refusal::NoFunction)?;
        if programs(chosen) < PROGRAMS_MAX { Ok(chosen) } else { Err(Refusal::NoRoom) }
    }

    /// Does a command of an operator, and shows the card as it is then.
    pub(super) fn operate(&mut self, stream: &UnixStream, command: Command) {
        let function = |vf: u8| VfNumber::new(vf).ok_or(FunctionError::NotConfigured);
        let now = self.clock.now();
        let done = match command {
            Command::Show => Ok(()),
            Command::BeginUpdate => {
                self.set_update(true);
                Ok(())
            }
            Command::EndUpdate => {
                self.set_update(false);
                Ok(())
            }
            Command::Online(vf) => function(vf).and_then(|vf| self.online(vf)),
            Command::Offline(vf) => function(vf).and_then(|vf| self.offline(vf)),
            Command::Fail(vf) => {
                function(vf).and_then(|vf| self.cpc.card_mut(self.card).fail_function(vf, now))
            }
            Command::Recover(vf) => {
                function(vf).and_then(|vf| self.cpc.card_mut(self.card).recover_function(vf))
            }
        };
        self.give_ends();
        // An operator who is gone needs no answer.
        let _ = match done {
            Ok(()) => self.send_status(stream),
            Err(_) => FromCard::NotDone.send(stream, &[]),
        };
    }

    fn send_status(&self, mut stream: &UnixStream) -> std::io::Result<()> {
        let text = serde_json::to_vec(&self.status()).map_err(std::io::Error::other)?;
        FromCard::Status(text.len() as u64).send(stream, &[])?;
        stream.write_all(&text)
    }

    fn status(&self) -> CardStatus {
        let up_s = self.clock.now().as_s_f64();
        let functions = self.partitions.keys().map(|vf| self.function_status(*vf, up_s)).collect();
        CardStatus {
            card: self.options.card.get(),
            feature: "FC 0420 zEDC Express".to_owned(),
            group: self.options.group.to_string(),
            engine: self.engine.name().to_owned(),
            firmware: self.options.firmware.clone(),
            process: std::process::id(),
            up_s,
            functions,
        }
    }

    fn function_status(&self, vf: VfNumber, up_s: f64) -> FunctionStatus {
        let card = self.cpc.card(self.card);
        let counters = card.counters(vf).unwrap_or_default();
        let mean_us = |us: f64| if counters.requests == 0 { 0.0 } else { us / counters.requests as f64 };
        let execution_us = counters.execution_time.as_us_f64();
        let state = card.state(vf).map_or_else(|error| error.to_string(), |state| state.to_string());
        FunctionStatus {
            vf: vf.get(),
            state,
            processes: self.connections.iter().filter(|one| one.vf == vf).map(|one| one.peer.0).collect(),
            requests: counters.requests,
            deflate_bytes: (counters.deflate_in_bytes, counters.deflate_out_bytes),
            inflate_bytes: (counters.inflate_in_bytes, counters.inflate_out_bytes),
            ratio: counters.ratio(),
            queue_us: mean_us(counters.queue_time.as_us_f64()),
            execution_us: mean_us(execution_us),
            busy_percent: if up_s == 0.0 { 0.0 } else { execution_us / (up_s * 1e4) },
        }
    }
}
