//! The side of the images: streams of the I/O driver, unit control blocks with their exposures, CPs, and the books of
//! response times. It is what the I/O supervisor of each operating system and the programs above it do.
//!
//! It hands starts to the SAPs and gets their interrupts (see [`crate::events::crossing`]); paths, IOPs and channels are not of
//! this room. The process that holds it has its event set.

pub(crate) mod accounting;
mod books;
mod collect;
mod compressed_stream;
mod compression;
mod compression_flow;
mod conversations;
mod driver;
mod exposure;
mod fetch;
mod io_request;
mod responses;
mod separate;
mod synchronous;
mod synchronous_links;

use std::collections::BTreeMap;

use halftrack_base::{Span, Time};
use halftrack_config::{Cpc, Lpar};
use halftrack_engine::{MultiServer, Order, Rank, Sequencer};
use halftrack_smcr_twin::NetworkEvent;

pub(crate) use self::collect::ImageCounters;
use self::compression::Compression;
use self::conversations::Conversations;
use self::driver::StreamRun;
use self::exposure::Exposures;
use self::io_request::IoRequest;
use self::responses::Responses;
pub(crate) use self::separate::SeparateImages;
use self::synchronous::Synchronous;
use self::synchronous_links::SynchronousLinks;
use crate::events::crossing::Start;
use crate::events::event::ImageEvent;
use crate::events::slab::Slab;
use crate::laws::law::Law;
use crate::wiring::{ComponentKind, Wiring};

/// The edge to the SAPs, and the context: this side's own events.
pub(crate) trait Outside {
    /// Schedules `event` for `at`.
    fn push(&mut self, at: Time, order: Order, event: ImageEvent);

    /// Hands `start` over, for which a CP has executed START SUBCHANNEL at `at`.
    fn start(&mut self, at: Time, order: Order, start: &Start);
}

/// An image's processors.
#[derive(Debug)]
struct Image {
    cps: MultiServer,
    /// CP time to start an I/O, and to take its interrupt.
    start_service: Span,
    interrupt_service: Span,
    sequencer: Sequencer,
    cps_reported_ps: u64,
}

impl Image {
    fn new(cpc: &Cpc, lpar: &Lpar, sequencer: Sequencer) -> Self {
        Self {
            cps: MultiServer::new(lpar.threads()),
            start_service: lpar.time_of_thread(cpc.cp_start),
            interrupt_service: lpar.time_of_thread(cpc.cp_interrupt),
            sequencer,
            cps_reported_ps: 0,
        }
    }
}

/// The images' side.
#[derive(Debug)]
pub(crate) struct Images {
    /// By partition.
    images: Vec<Image>,
    exposures: Exposures,
    streams: Vec<StreamRun>,
    requests: Slab<IoRequest>,
    /// Responses of SCSI commands.
    responses: Responses,
    synchronous: Synchronous,
    /// Cards and the programs that they serve; `None` where nothing is compressed.
    compression: Option<Box<Compression>>,
    /// Sockets between partitions; `None` where there are none.
    conversations: Option<Box<Conversations>>,
    /// The warm-up is over.
    measured_from: Time,
    pub(crate) additive: Law,
}

impl Images {
    pub(crate) fn new(w: &Wiring) -> Self {
        let configuration = &w.configuration;
        let image = |(index, lpar): (usize, &Lpar)| {
            let cpc = &configuration.cpcs[usize::from(lpar.cpc)];
            Image::new(cpc, lpar, w.sequencer(ComponentKind::Lpar, index))
        };
        let mut wired = Self {
            images: configuration.lpars.iter().enumerate().map(image).collect(),
            exposures: Exposures::default(),
            streams: Vec::new(),
            requests: Slab::with_capacity(1024),
            responses: Responses::default(),
            synchronous: Synchronous::default(),
            compression: Compression::new(w),
            conversations: Conversations::new(w),
            measured_from: Time::ZERO + configuration.run.warmup,
            additive: Law::new("response time is the sum of its components"),
        };
        wired.wire_devices(w);
        wired
    }

    /// Makes unit control blocks for every device that a stream uses, in canonical order.
    fn wire_devices(&mut self, w: &Wiring) {
        let configuration = &w.configuration;
        let (mut ucb_of, mut view_of) = (BTreeMap::new(), BTreeMap::new());
        for stream in &configuration.streams {
            for device in &stream.devices {
                ucb_of.insert((stream.lpar, *device), 0_u32);
            }
        }
        for ((lpar, device), ucb) in &mut ucb_of {
            let lcu = configuration.devices[*device as usize].lcu;
            let view = *view_of
                .entry((*lpar, lcu))
                .or_insert_with(|| self.exposures.add_view(configuration, *lpar, lcu));
            *ucb = self.exposures.add_ucb(configuration, view, *lpar, *device);
        }
        self.responses = Responses::new(w, self.views());
        for (index, stream) in configuration.streams.iter().enumerate() {
            let ucbs = stream.devices.iter().map(|device| ucb_of[&(stream.lpar, *device)]).collect();
            let sequencer = w.sequencer(ComponentKind::Stream, index);
            self.streams.push(StreamRun::new(w, index, ucbs, sequencer));
        }
        let links = SynchronousLinks::new(w, self.views());
        let streams = configuration.streams.iter().filter(|stream| stream.synchronous.is_some());
        let devices = streams.flat_map(|stream| stream.devices.iter().map(|device| (stream.lpar, *device)));
        let users = devices.map(|place| (ucb_of[&place], configuration.devices[place.1 as usize].zhyperlink));
        self.synchronous = Synchronous::new(links, self.exposures.ucbs.len(), users);
    }

    /// Iterates over partition and logical control unit of every view: a control unit as a partition sees it.
    pub(crate) fn views(&self) -> impl Iterator<Item = (u32, u32)> {
        self.exposures.pools.iter().map(|pool| (pool.lpar, pool.lcu))
    }

    /// Puts the first events into the event set.
    pub(crate) fn begin(&mut self, w: &Wiring, outside: &mut impl Outside) {
        self.begin_streams(w, outside);
        // As for the run itself, but beside it: a condition changes before anything else at its instant.
        let mut sequencer = Sequencer::of_second_part(Rank::from_position(0));
        self.schedule_disturbances(outside, &mut sequencer);
        if let Some(compression) = &mut self.compression {
            compression.begin(outside, &mut sequencer);
        }
        if let Some(conversations) = &mut self.conversations {
            conversations.begin(outside, &mut sequencer);
        }
    }

    /// Handles `event`.
    #[inline(always)]
    pub(crate) fn handle(&mut self, outside: &mut impl Outside, now: Time, event: ImageEvent) {
        match event {
            ImageEvent::Arrival { stream } => self.on_arrival(outside, now, stream),
            ImageEvent::Row { stream } => self.on_row(outside, now, stream),
            ImageEvent::Ready { stream, job } => self.issue(outside, now, u32::from(stream), job),
            ImageEvent::Interrupt { io } => self.on_interrupt(outside, now, io),
            ImageEvent::Response { io } => self.on_response(outside, now, io),
            ImageEvent::Complete { io } => self.on_complete(outside, now, io),
            ImageEvent::Disturbance { index, begins } => self.on_disturbance(index, begins),
            ImageEvent::Compression { flow } => self.on_compression(outside, now, flow),
            ImageEvent::Expand { stream, job } => self.expand(outside, now, u32::from(stream), job),
            ImageEvent::Compressed { slot } => self.on_compressed(outside, now, slot),
            ImageEvent::SliceEnds { place, number } => self.on_slice_end(outside, now, place, number),
            ImageEvent::CardOutage { index, begins } => {
                self.on_card_outage(outside, now, index, begins);
            }
            ImageEvent::Conversation { connection, moves, step } => {
                self.on_conversation(outside, now, NetworkEvent { connection, moves, step });
            }
            ImageEvent::FunctionOutage { index, begins } => {
                self.on_function_outage(outside, now, index, begins);
            }
            ImageEvent::Synchronous { attempt } => self.on_synchronous(outside, now, attempt),
        }
    }
}
