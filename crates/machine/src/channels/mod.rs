//! The channels: path groups and the choice of the path, open exchanges, channel processors and buses, and the first links
//! of the way to the control units.
//!
//! ```text
//!  SAPs ── drive ──► path group ──► exchange ──► channel processor ──► bus ──► fibre ──► storage
//!    ▲                  │  ▲                                                               │
//!    └── retry, end ◄───┘  └──────────── outcome ◄──── channel processor ◄──── bus ◄───────┘
//! ```
//!
//! Service times of threads and the choice of the thread are not of this room: it gets starts from the SAPs when their path is to
//! be driven, and reports what became of them.

mod ahead;
mod bus;
mod channel;
mod circuit;
mod collect;
mod condition;
mod data;
mod drive;
mod exchange;
mod exchanges;
#[cfg(test)]
mod faults;
mod held_bus;
// The lane at the channel changes what this room owns; its file stands with all else of the lane.
#[path = "../express/one_chunk.rs"]
mod one_chunk;
mod outbound;
mod outside;
mod receiving;
mod recovery;
mod request_queues;
mod sending;
mod subchannels;
mod units;
mod visits;
mod write_stage;

use halftrack_base::Time;
use halftrack_record::{ConnectionChange, Moment};

pub(crate) use self::ahead::{SOON, answers_soon};
use self::channel::ChannelState;
use self::exchanges::Exchanges;
use self::outbound::OutboundLinks;
pub(crate) use self::outside::{Outside, SapEdge};
use self::request_queues::RequestQueues;
use self::subchannels::Subchannels;
use self::units::UnitLanes;
use crate::capture::Recorder;
use crate::data::DataLedger;
use crate::events::cargo::Cargo;
use crate::events::crossing::Start;
use crate::events::drive::Drive;
use crate::fabric::link::Transmitters;
use crate::fabric::share::Shares;
use crate::fabric::watches::Watches;
use crate::laws::traffic::Traffic;
use crate::wiring::{ComponentKind, Wiring};

/// All channels of all machines, with the path groups over them.
#[derive(Debug)]
pub(crate) struct Channels {
    channels: Vec<ChannelState>,
    shares: Shares,
    subchannels: Subchannels,
    exchanges: Exchanges,
    outbound: OutboundLinks,
    /// By path: the control unit has granted its pacing window on it.
    paced: Vec<bool>,
    /// By path, where some have several ways: exchanges opened so far.
    turns: Vec<u32>,
    /// Timers of exchanges that have lost frames, and of the starts that they are of.
    watches: Watches,
    missing_interrupts: Watches,
    /// Room for the frames of a burst behind its first while they are cut.
    frames: Vec<Cargo>,
    /// Lanes of channel-to-channel devices; `None` without any.
    units: Option<Box<UnitLanes>>,
    /// Request queues of FCP; `None` without it.
    request_queues: Option<Box<RequestQueues>>,
}

impl Channels {
    /// Makes the channels before any start; `views` are partition and logical control unit of each view of the images.
    pub(crate) fn new(w: &Wiring, views: impl Iterator<Item = (u32, u32)>) -> Self {
        let configuration = &w.configuration;
        let channel = |(index, channel): (usize, &halftrack_config::Channel)| {
            let sequencer = w.sequencer(ComponentKind::Channel, index);
            ChannelState::new(
                channel,
                configuration.lpars.len(),
                w.costs.of_channel[index],
                w.references[index],
                (sequencer, w.service.of_channel(&channel.name)),
            )
        };
        let channels: Vec<_> = configuration.channels.iter().enumerate().map(channel).collect();
        let mut subchannels = Subchannels::new(w, views);
        subchannels.apply_logins(w, &channels);
        let mut exchanges = Exchanges::new();
        Self {
            channels,
            shares: Shares::new(&configuration.shares),
            subchannels,
            units: Self::lanes(w, &mut exchanges),
            exchanges,
            outbound: OutboundLinks::new(w),
            paced: vec![false; w.alternatives.paths()],
            turns: if w.alternatives.are_several() { vec![0; w.alternatives.paths()] } else { Vec::new() },
            watches: Watches::default(),
            missing_interrupts: Watches::default(),
            frames: Vec::new(),
            request_queues: RequestQueues::new(w),
        }
    }

    /// Takes `start`, whose path will be driven when a thread has done its part.
    #[inline(always)]
    pub(crate) fn receive_start(&mut self, start: &Start) {
        self.subchannels.receive_start(start);
    }

    /// Takes a start from SAPs in another process, whose path will be driven.
    #[inline(always)]
    pub(crate) fn receive_drive(&mut self, drive: &Drive) {
        self.subchannels.receive_drive(drive);
    }

    /// Returns when `io` was executed, which SAPs in another process have handed over.
    #[inline(always)]
    pub(crate) fn started(&self, io: u32) -> Time {
        self.subchannels.io(io).started
    }

    /// Captures frames at the channels with `recorder` from now on.
    pub(crate) fn capture(&mut self, recorder: Recorder) {
        self.outbound.capture(recorder);
    }

    /// Captures no longer: the recorder, where there is one.
    pub(crate) fn take_recorder(&mut self) -> Option<Recorder> {
        self.outbound.take_recorder()
    }

    /// Takes the ledger of the records of a run with real data, at its end.
    pub(crate) fn take_data(&mut self) -> Option<Box<DataLedger>> {
        self.subchannels.take_data()
    }

    /// Returns the changes of connections so far.
    pub(crate) fn connection_changes(&self, w: &Wiring) -> Vec<ConnectionChange> {
        self.subchannels.connection_changes(w)
    }

    /// Returns the state of paths and channels now, `at_ps` from the start of the run.
    pub(crate) fn moment(&self, w: &Wiring, at_ps: u64) -> Moment {
        self.subchannels.moment(w, &self.channels, at_ps)
    }

    /// Drives the I/Os that wait for a control unit again, which had answered busy and is free.
    pub(crate) fn on_control_unit_end(&mut self, out: &mut impl Outside, w: &Wiring, lcu: u32) {
        self.subchannels.on_control_unit_end(out, w, &mut self.channels, lcu);
    }

    /// Tries a start again that found every director port busy: the time until then is up.
    #[cold]
    pub(crate) fn on_ports_tried_again(&mut self, out: &mut impl Outside, w: &Wiring, io: u32) {
        self.subchannels.on_ports_tried_again(out, w, &mut self.channels, io);
    }

    /// Sends the transit in `slot`, whose head is ready, over its next link.
    #[cold]
    pub(crate) fn on_hop(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        self.outbound.on_hop(out, w, slot);
    }

    /// Takes a credit of `link` back.
    #[cold]
    pub(crate) fn on_credit(&mut self, out: &mut impl Outside, w: &Wiring, link: u32) {
        if !self.outbound.on_credit(out, w, link) {
            out.forget_event();
        }
    }

    /// Returns the frames and bytes sent and received.
    pub(crate) fn traffic(&self) -> &Traffic {
        self.outbound.traffic()
    }

    /// Returns the transmitters of its links.
    pub(crate) fn links(&self) -> &Transmitters {
        self.outbound.links()
    }
}
