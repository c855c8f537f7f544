//! A link between a channel port and a control-unit port, in virtual time, that can lose, repeat and damage frames.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};

use halftrack_base::{Span, Time};
use halftrack_engine::RandomStream;
use halftrack_exchange::{ChannelPort, ControlUnitPort, ExchangeEnd, Login, Target};
use halftrack_wire::fc_frame::{FRAME_CRC_BYTES, emit_frame};
use halftrack_wire::fc_header::{FC_HEADER_BYTES, FcHeader};
use halftrack_wire::{Eof, FcFrame, FrameSink, Sof, StartNumber};

use crate::ports::volumes::{CONTROL_UNIT_IMAGE, Unit, Volumes};

pub const CHANNEL: u32 = 0x01_0100;
pub const CONTROL_UNIT: u32 = 0x01_0200;

/// Faults per million frames.
#[derive(Debug, Clone, Copy, Default)]
pub struct Faults {
    pub lost_ppm: u32,
    pub repeated_ppm: u32,
    /// Octets are changed and the frame's CRC fits them: what a faulty port on the way does.
    pub damaged_ppm: u32,
    /// The frame comes after those that follow it.
    pub late_ppm: u32,
}

/// Frames on their way in one direction.
#[derive(Default)]
pub struct Fibre {
    pub frames: VecDeque<Vec<u8>>,
    /// A frame that is overtaken by the next.
    held: Option<Vec<u8>>,
}

impl FrameSink for Fibre {
    fn frame(&mut self, _sof: Sof, header: &FcHeader, parts: &[&[u8]], _eof: Eof) {
        let mut octets = Vec::new();
        emit_frame(header, parts, &mut octets).unwrap();
        self.frames.push_back(octets);
    }
}

/// Both ports and what is between them.
pub struct Rig {
    pub channel: ChannelPort,
    pub control_unit: ControlUnitPort<Unit>,
    pub volumes: Volumes,
    pub outbound: Fibre,
    pub inbound: Fibre,
    pub now: Time,
    pub faults: Faults,
    pub ends: Vec<ExchangeEnd>,
    /// Frames that had no effect.
    pub discarded: usize,
    random: RandomStream,
}

impl Rig {
    pub fn new(seed: u64, open_exchanges: u16, volumes: Volumes, login: Login) -> Rig {
        let mut control_unit = ControlUnitPort::new(open_exchanges);
        control_unit.log_in(CHANNEL, login);
        Rig {
            channel: ChannelPort::new(open_exchanges),
            control_unit,
            volumes,
            outbound: Fibre::default(),
            inbound: Fibre::default(),
            now: Time::ZERO,
            faults: Faults::default(),
            ends: Vec::new(),
            discarded: 0,
            random: RandomStream::new(seed, "ports"),
        }
    }

    /// Lets both ports talk until nothing is left to do but to wait.
    pub fn talk(&mut self) {
        for _ in 0..1_000_000 {
            let mut moved = false;
            // Frames of both directions are on their way at once.
            let burst = 1 + self.random.below(6);
            for _ in 0..burst {
                moved |= self.channel.poll_frame(&mut self.outbound);
                moved |= self.control_unit.poll_frame(&mut self.inbound);
            }
            let burst = 1 + self.random.below(6);
            for _ in 0..burst {
                moved |= self.deliver_outbound();
                moved |= self.deliver_inbound();
            }
            self.ends.extend(std::iter::from_fn(|| self.channel.poll_end()));
            if !moved {
                return;
            }
        }
        panic!("the ports talk without end");
    }

    /// Lets both ports send and receive this many times a frame.
    pub fn talk_for(&mut self, frames: u64) {
        for _ in 0..frames {
            self.channel.poll_frame(&mut self.outbound);
            self.control_unit.poll_frame(&mut self.inbound);
            self.deliver_outbound();
            self.deliver_inbound();
        }
    }

    /// Talks and waits until no exchange is open; at most for so long.
    pub fn run(&mut self, longest: Span) {
        let until = self.now + longest;
        loop {
            self.talk();
            let timeouts = [self.channel.poll_timeout(), self.control_unit.poll_timeout()];
            let Some(next) = timeouts.into_iter().flatten().min() else { return };
            assert!(
                next <= until,
                "exchanges are open: {} and {}",
                self.channel.open(),
                self.control_unit.open()
            );
            self.now = self.now.max(next);
            self.channel.handle_timeout(self.now);
            self.control_unit.handle_timeout(self.now, &mut self.volumes);
        }
    }

    pub fn deliver_outbound(&mut self) -> bool {
        let frames = take(&mut self.outbound, &self.faults, &mut self.random);
        let moved = frames.is_some();
        for octets in frames.into_iter().flatten() {
            let frame = FcFrame::parse(&octets).unwrap();
            let result = self.control_unit.handle_frame(self.now, &frame, &mut self.volumes);
            self.discarded += usize::from(result.is_err());
        }
        moved
    }

    pub fn deliver_inbound(&mut self) -> bool {
        let frames = take(&mut self.inbound, &self.faults, &mut self.random);
        let moved = frames.is_some();
        for octets in frames.into_iter().flatten() {
            let frame = FcFrame::parse(&octets).unwrap();
            let result = self.channel.handle_frame(self.now, &frame);
            self.discarded += usize::from(result.is_err());
        }
        moved
    }
}

/// Returns the frames that come out for the next that went in; nothing when none did.
fn take(fibre: &mut Fibre, faults: &Faults, random: &mut RandomStream) -> Option<Vec<Vec<u8>>> {
    let Some(mut octets) = fibre.frames.pop_front() else {
        return fibre.held.take().map(|held| vec![held]);
    };
    if random.chance_ppm(faults.lost_ppm) {
        return Some(Vec::new());
    }
    if random.chance_ppm(faults.damaged_ppm) {
        damage(&mut octets, random);
    }
    if fibre.held.is_none() && random.chance_ppm(faults.late_ppm) {
        fibre.held = Some(octets);
        return Some(Vec::new());
    }
    let mut frames = vec![octets];
    if random.chance_ppm(faults.repeated_ppm) {
        frames.push(frames[0].clone());
    }
    frames.extend(fibre.held.take());
    Some(frames)
}

/// Changes a bit of the payload and makes the CRC fit again.
fn damage(octets: &mut Vec<u8>, random: &mut RandomStream) {
    let end = octets.len() - FRAME_CRC_BYTES;
    if end > FC_HEADER_BYTES {
        let at = FC_HEADER_BYTES + random.below((end - FC_HEADER_BYTES) as u64) as usize;
        octets[at] ^= 1 << random.below(8);
    }
    octets.truncate(end);
    let check = halftrack_wire::crc::crc(octets);
    octets.extend_from_slice(&check.to_be_bytes());
}

/// Returns the each with a number of its own, as a subchannel counts its starts.
pub fn target(login: Login, device: u8) -> Target {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    Target {
        s_id: CHANNEL,
        d_id: CONTROL_UNIT,
        login,
        channel_image: 3,
        control_unit_image: CONTROL_UNIT_IMAGE,
        device,
        number: StartNumber::new(NUMBER.fetch_add(1, Ordering::Relaxed)),
    }
}
