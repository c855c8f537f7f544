//! The subchannels at the channels: a record for each I/O, its start function over the path group of its partition, and the
//! lines of those that wait.
//!
//! [`halftrack_subsystem`] decides which path is tried next; here it gets the outcome of each attempt. Exchanges are not of this
//! module; of a channel it reads whether the fibre is lost and how often the path has come free.

mod collect;
mod connections;
mod fabric_logins;
mod io;
mod logins;
mod lost_paths;
mod moment;
mod start;
mod taken_off;
mod view;
mod waiting;

use halftrack_base::Time;
use halftrack_engine::Prefetch;
use halftrack_subsystem::PathGroup;

use self::connections::Connections;
use self::fabric_logins::FabricLogins;
pub(super) use self::io::{Io, NONE};
use self::lost_paths::LostPaths;
use self::taken_off::TakenOff;
pub(super) use self::taken_off::Target;
use self::view::LcuView;
use crate::data::DataLedger;
use crate::events::crossing::Start;
use crate::events::drive::Drive;
use crate::events::slab::Slab;
use crate::wiring::Wiring;
use crate::wiring::data_layout::DataLayout;

/// All I/Os at the channels, and the path groups of all partitions.
#[derive(Debug)]
pub(super) struct Subchannels {
    ios: Slab<Io>,
    views: Vec<LcuView>,
    /// I/Os that wait for any channel of their group.
    waiting_channel: Vec<u32>,
    /// By logical control unit: I/Os that wait for control-unit end.
    waiting_control_unit: Vec<Vec<u32>>,
    /// Control-unit ends presented; by logical control unit, how many those were with its last. And how often channels
    /// have come free.
    control_unit_ends: u32,
    last_end: Vec<u32>,
    channel_frees: u32,
    /// Paths that operators have taken off.
    taken_off: TakenOff,
    /// Paths that are lost with a part of them.
    pub lost_paths: LostPaths,
    /// Connections of paths, where parts of the site take part in endpoint security.
    connections: Option<Box<Connections>>,
    /// Logins of FCP.
    fabric_logins: FabricLogins,
    /// The ledger of a run with real data: what its records must hold.
    data: Option<Box<DataLedger>>,
}

impl Subchannels {
    /// Makes the path groups of `views`, each partition and logical control unit, with all their paths online.
    pub(super) fn new(w: &Wiring, views: impl Iterator<Item = (u32, u32)>) -> Self {
        let configuration = &w.configuration;
        let view = |(lpar, lcu): (u32, u32)| {
            let wire = &w.groups[&(configuration.lpars[lpar as usize].subsystem(), lcu)];
            LcuView::new(lpar, lcu, PathGroup::new(wire.paths as usize), wire.first_path)
        };
        Self {
            ios: Slab::with_capacity(1024),
            views: views.map(view).collect(),
            waiting_channel: Vec::new(),
            waiting_control_unit: vec![Vec::new(); configuration.lcus.len()],
            control_unit_ends: 0,
            last_end: vec![0; configuration.lcus.len()],
            channel_frees: 0,
            taken_off: TakenOff::default(),
            lost_paths: LostPaths::new(w),
            connections: Connections::new(w),
            fabric_logins: FabricLogins::new(w),
            data: w.data.as_ref().map(|layout| Box::new(DataLedger::new(layout, w.options.corrupt))),
        }
    }

    /// Takes `start`, whose path will be driven.
    #[inline(always)]
    pub(super) fn receive_start(&mut self, start: &Start) {
        self.ios.reach(start.io).begin(start);
    }

    /// Takes a start, executed at `started`, whose path will be driven.
    #[inline(always)]
    pub(super) fn receive_drive(&mut self, Drive { start, started }: &Drive) {
        let io = self.ios.reach(start.io);
        io.begin(start);
        io.started = *started;
    }

    /// Returns the record of `io`.
    #[inline(always)]
    pub(super) fn io(&self, io: u32) -> &Io {
        &self.ios[io]
    }

    /// Fetches the record of `io`.
    #[inline(always)]
    pub(super) fn fetch_io(&self, io: u32) {
        Prefetch::begin(&self.ios[io]);
    }

    /// Fetches all of the record of `io`.
    #[inline(always)]
    pub(super) fn fetch_whole_io(&self, io: u32) {
        Prefetch::whole(&self.ios[io]);
    }

    /// Fetches the logical control unit of `io` as its partition sees it.
    #[inline(always)]
    pub(super) fn fetch_view(&self, io: u32) {
        if let Some(view) = self.views.get(self.ios[io].view as usize) {
            Prefetch::first_lines(view, 2);
        }
    }

    /// Returns the path whose turn it is for `io`, which it takes unless another start of its logical control unit comes before,
    /// and its partition.
    #[inline(always)]
    pub(super) fn next_path(&self, io: u32) -> Option<(u32, u32)> {
        let io = &self.ios[io];
        let view = self.views.get(io.view as usize)?;
        Some((view.first_path + u32::from(view.group.peek()?), io.lpar))
    }

    /// Books that a control unit has answered `io` busy at `now`.
    pub(super) fn book_control_unit_busy(&mut self, w: &Wiring, io: u32, now: Time) {
        self.ios[io].details.busy_since = now;
        let position = usize::from(w.paths[self.ios[io].path as usize].position);
        self.view_of(io).path_busy[position].control_unit_busy += 1;
    }

    /// Books that a director has answered `io` that a port is busy.
    pub(super) fn book_port_busy(&mut self, w: &Wiring, io: u32) {
        let position = usize::from(w.paths[self.ios[io].path as usize].position);
        self.view_of(io).path_busy[position].director_port_busy += 1;
    }

    /// Returns true in a run with real data.
    #[inline(always)]
    pub(super) fn has_data(&self) -> bool {
        self.data.is_some()
    }

    /// Returns the ledger of a run with real data.
    pub(super) fn ledger(&mut self) -> Option<&mut DataLedger> {
        self.data.as_deref_mut()
    }

    /// Returns the ledger and the layout of a run with real data.
    pub(super) fn data<'a>(&'a mut self, w: &'a Wiring) -> Option<(&'a mut DataLedger, &'a DataLayout)> {
        Some((self.data.as_deref_mut()?, w.data.as_deref()?))
    }

    /// Takes the ledger of the records of a run with real data, at its end.
    pub(super) fn take_data(&mut self) -> Option<Box<DataLedger>> {
        self.data.take()
    }

    /// Frees the records of an I/O of a run with real data, which is over.
    #[cold]
    fn release_data(&mut self, w: &Wiring, io: u32, normal: bool) {
        if let Some((data, layout)) = self.data(w) {
            data.over(layout, io, normal);
        }
    }
}
