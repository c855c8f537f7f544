//! The channels: path groups and the choice of the path, open exchanges, channel processors and buses, and the first links
//! of the way to the control units.
//!
//! ```text
//!  SAPs ── drive ──► path group ──► exchange ──► channel processor ──► bus ──► fibre ──► storage
//!    ▲                  │  ▲                                                               │
//!    └── retry, end ◄───┘  └──────────── outcome ◄──── channel processor ◄──── bus ◄───────┘
//! ```
//!
//! How long threads take, and who gets the interrupt, is not of this room: it gets starts from the SAPs when their path is to
//! be driven, and reports what became of them.

mod ahead;
mod bus;
mod channel;
mod circuit;
mod collect;
mod condition;
mod data;
mod ended;
mod exchange;
#[cfg(test)]
mod faults;
mod held_bus;
mod io;
mod moment;
// The lane at the channel changes what this room owns; its file stands with all else of the lane.
#[path = "../express/one_chunk.rs"]
mod one_chunk;
mod outbound;
mod outside;
mod receiving;
mod sending;
mod start;
mod taken_off;
mod view;

use halftrack_subsystem::PathGroup;

pub(crate) use self::ahead::SOON;
use self::channel::ChannelState;
pub(crate) use self::ended::Ended;
use self::exchange::Exchange;
use self::io::Io;
pub(crate) use self::outside::{Outside, SapEdge};
use self::taken_off::TakenOff;
pub(crate) use self::taken_off::Target;
use self::view::LcuView;
use crate::capture::Recorder;
use crate::crossing::Start;
use crate::data::DataLedger;
use crate::group::Cargo;
use crate::law::Traffic;
use crate::link::Transmitters;
use crate::share::Shares;
use crate::slab::Slab;
use crate::storage::Answers;
use crate::wiring::{ComponentKind, Wiring};

/// All channels of all machines, with the path groups over them.
#[derive(Debug)]
pub(crate) struct Channels {
    channels: Vec<ChannelState>,
    shares: Shares,
    views: Vec<LcuView>,
    ios: Slab<Io>,
    exchanges: Slab<Exchange>,
    /// Of the plans that are one chunk each way.
    answers: Answers,
    links: Transmitters,
    /// By path: the control unit has granted its pacing window on it.
    paced: Vec<bool>,
    /// By path, where some have several ways: exchanges opened so far.
    turns: Vec<u32>,
    /// I/Os that wait for any channel of their group.
    waiting_channel: Vec<u32>,
    /// By logical control unit: I/Os that wait for control-unit end.
    waiting_control_unit: Vec<Vec<u32>>,
    /// Control-unit ends presented; by logical control unit, how many those were with its last. And how often channels
    /// have come free.
    control_unit_ends: u32,
    last_end: Vec<u32>,
    channel_frees: u32,
    traffic: Traffic,
    /// What the records of a run with real data must hold.
    data: Option<Box<DataLedger>>,
    /// What is captured at the channels, where that was asked for.
    recorder: Option<Box<Recorder>>,
    /// Paths that operators have taken off.
    taken_off: TakenOff,
    /// Room for the frames of a burst behind its first while they are cut.
    frames: Vec<Cargo>,
}

impl Channels {
    /// The channels before any start; `views` are partition and logical control unit of each view of the images.
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
        // Its paths are all online.
        let view = |(lpar, lcu): (u32, u32)| {
            let wire = &w.groups[&(configuration.lpars[lpar as usize].subsystem(), lcu)];
            LcuView::new(lpar, lcu, PathGroup::new(wire.paths as usize), wire.first_path)
        };
        Self {
            channels: configuration.channels.iter().enumerate().map(channel).collect(),
            shares: Shares::new(&configuration.shares),
            views: views.map(view).collect(),
            ios: Slab::with_capacity(1024),
            exchanges: Slab::with_capacity(1024),
            answers: Answers::new(&w.plans, &w.departures),
            links: Transmitters::new(w, |host| host),
            paced: vec![false; w.ways.paths()],
            turns: if w.ways.are_several() { vec![0; w.ways.paths()] } else { Vec::new() },
            waiting_channel: Vec::new(),
            waiting_control_unit: vec![Vec::new(); configuration.lcus.len()],
            control_unit_ends: 0,
            last_end: vec![0; configuration.lcus.len()],
            channel_frees: 0,
            traffic: Traffic::default(),
            data: w.data.as_ref().map(|layout| Box::new(DataLedger::new(layout, w.options.corrupt))),
            recorder: None,
            taken_off: TakenOff::default(),
            frames: Vec::new(),
        }
    }

    /// Takes `start`, whose path will be driven when a thread has done its part.
    #[inline(always)]
    pub(crate) fn receive_start(&mut self, start: &Start) {
        self.ios.reach(start.io).begin(start);
    }

    /// Captures frames at the channels with `recorder` from now on.
    pub(crate) fn capture(&mut self, recorder: Recorder) {
        self.recorder = Some(Box::new(recorder));
    }

    /// Captures no longer: the recorder, where there is one.
    pub(crate) fn take_recorder(&mut self) -> Option<Recorder> {
        self.recorder.take().map(|recorder| *recorder)
    }

    /// The ledger of the records of a run with real data, at its end.
    pub(crate) fn take_data(&mut self) -> Option<Box<DataLedger>> {
        self.data.take()
    }

    /// Frames and bytes sent and received.
    pub(crate) fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// The transmitters of its links.
    pub(crate) fn links(&self) -> &Transmitters {
        &self.links
    }
}
