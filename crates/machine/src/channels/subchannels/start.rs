//! Start functions over path groups: what a subchannel decides is carried out here, nothing is decided.

use halftrack_base::Time;
use halftrack_subsystem::{Attempt, Ending, NextAction, StartFunction};

use super::Subchannels;
use super::io::{Io, NONE};
use super::view::LcuView;
use crate::channels::Outside;
use crate::channels::channel::ChannelState;
use crate::events::crossing::RetryCause;
use crate::events::ended::Ended;
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

impl Subchannels {
    /// Chooses the path that `io`, executed at `started`, is offered over. It is the path of its retry, or for a start the
    /// one whose turn it is; `None` where no path can be tried.
    #[inline(always)]
    pub(in crate::channels) fn choose(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        channels: &mut [ChannelState],
        io: u32,
        started: Time,
    ) -> Option<u32> {
        let path = self.ios[io].path;
        if path != NONE {
            return Some(path);
        }
        self.note_frees(w, channels, io);
        let this = &mut self.ios[io];
        let view = &mut self.views[this.view as usize];
        view.css_delay_ps += out.now().since(started).as_ps();
        let (start, action) = StartFunction::begin(out.now(), &mut view.group);
        this.details.start = start;
        let NextAction::Try(position) = action else {
            self.not_tried(out, w, channels, io, action);
            return None;
        };
        this.path = view.first_path + u32::from(position);
        Some(this.path)
    }

    /// Counts `io` on `path`, which takes it now, and returns its record. A circuit is counted when its connection is
    /// certain.
    #[inline(always)]
    pub(in crate::channels) fn taken_over(&mut self, io: u32, path: &PathWire) -> &Io {
        let this = &self.ios[io];
        self.views[this.view as usize].taken[usize::from(path.position)] += u64::from(!path.is_circuit);
        this
    }

    /// Counts the path over which the program of `io` was carried.
    #[cold]
    pub(in crate::channels) fn path_taken(&mut self, w: &Wiring, io: u32) {
        let position = usize::from(w.paths[self.ios[io].path as usize].position);
        self.view_of(io).taken[position] += 1;
    }

    /// Hands the outcome of the attempt over the path of `io` to its start function, and carries out the decision. `ended`
    /// is the end of an attempt that ended normally.
    #[inline(always)]
    pub(in crate::channels) fn follow(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        channels: &mut [ChannelState],
        io: u32,
        attempt: Attempt,
        ended: Option<Ended>,
    ) {
        let this = &mut self.ios[io];
        let position = w.paths[this.path as usize].position;
        let view = &mut self.views[this.view as usize];
        let action = this.details.start.handle_attempt(position, attempt, &mut view.group);
        let cause = match attempt {
            Attempt::ChannelBusy => RetryCause::ChannelPathBusy,
            Attempt::DirectorPortBusy => RetryCause::DirectorPortBusy,
            Attempt::ControlUnitBusy => RetryCause::ControlUnitBusy,
            Attempt::DeviceBusy => RetryCause::DeviceBusy,
            Attempt::Ended { .. } | Attempt::InterfaceControlCheck | Attempt::Cancelled => {
                RetryCause::Redrive
            }
        };
        match action {
            NextAction::Try(position) => self.retry(out, io, position, cause),
            NextAction::Wait(waiting) => self.wait(out, w, channels, io, waiting),
            NextAction::End(ending) => self.io_over(out, w, io, ending, ended),
        }
    }

    /// Carries out the decision of a start function that has found no path to try.
    #[cold]
    pub(super) fn not_tried(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        channels: &mut [ChannelState],
        io: u32,
        action: NextAction,
    ) {
        match action {
            NextAction::Try(_) => {}
            NextAction::Wait(waiting) => self.wait(out, w, channels, io, waiting),
            NextAction::End(ending) => self.io_over(out, w, io, ending, None),
        }
    }

    /// Has the SAPs drive `io` again, over the path at `position`.
    #[cold]
    pub(super) fn retry(&mut self, out: &mut impl Outside, io: u32, position: u8, cause: RetryCause) {
        let first_path = self.view_of(io).first_path;
        self.ios[io].path = first_path + u32::from(position);
        out.retry(io, cause);
    }

    /// Ends the start, with its times where they are measured.
    #[inline(always)]
    fn io_over(&mut self, out: &mut impl Outside, w: &Wiring, io: u32, ending: Ending, times: Option<Ended>) {
        debug_assert_eq!(ending.is_normal(), times.is_some());
        if self.data.is_some() {
            self.release_data(w, io, ending.is_normal());
        }
        out.end(&times.unwrap_or_else(|| Ended::failed(io, out.now())));
    }

    /// Returns when the interrupt of `io` is missing.
    pub(in crate::channels) fn missing_interrupt_at(&self, io: u32) -> Time {
        self.ios[io].details.start.poll_timeout()
    }

    /// Ends the start `io`, whose interrupt is missing.
    #[cold]
    pub(in crate::channels) fn interrupt_is_missing(&mut self, out: &mut impl Outside, w: &Wiring, io: u32) {
        if let NextAction::End(ending) = self.ios[io].details.start.handle_timeout() {
            self.io_over(out, w, io, ending, None);
        }
    }

    /// Drives `io` again, which has waited for something that has come free.
    #[cold]
    pub(super) fn redrive(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        channels: &mut [ChannelState],
        io: u32,
        cause: RetryCause,
    ) {
        self.note_frees(w, channels, io);
        let this = &mut self.ios[io];
        let view = &mut self.views[this.view as usize];
        match this.details.start.redrive(&mut view.group) {
            NextAction::Try(position) => self.retry(out, io, position, cause),
            NextAction::Wait(waiting) => self.wait(out, w, channels, io, waiting),
            NextAction::End(ending) => self.io_over(out, w, io, ending, None),
        }
    }

    /// Returns the logical control unit of `io` as its partition sees it.
    pub(super) fn view_of(&mut self, io: u32) -> &mut LcuView {
        &mut self.views[self.ios[io].view as usize]
    }
}
