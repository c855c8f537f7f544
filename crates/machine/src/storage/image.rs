//! A logical control unit's busy condition.
//!
//! A control unit that cannot take a command answers busy and owes a control-unit end, which it presents when
//! it is free again.

use halftrack_base::Span;
use halftrack_engine::Sequencer;

use super::context::Context;
use crate::events::event::StorageEvent;
use crate::events::message::Body;
use crate::wiring::Wiring;
use crate::wiring::latency::status_latency;

/// State of one image.
#[derive(Debug)]
pub(super) struct Image {
    /// Its box.
    pub control_unit: u32,
    /// It answers every command busy.
    busy: u32,
    /// It has answered busy and owes control-unit end.
    owes_end: bool,
    sequencer: Sequencer,
}

impl Image {
    pub(super) fn new(control_unit: u32, sequencer: Sequencer) -> Self {
        Self { control_unit, busy: 0, owes_end: false, sequencer }
    }

    /// Returns true while it answers every command busy.
    #[inline(always)]
    pub(super) fn is_busy(&self) -> bool {
        self.busy > 0
    }

    /// Books a busy answer of it, number `lcu`, which lasts for `hold` at least: it will present control-unit end.
    #[cold]
    pub(super) fn owe_end(&mut self, context: &mut Context, lcu: u32, hold: Span) {
        if !std::mem::replace(&mut self.owes_end, true) {
            let at = context.now() + hold;
            context.push(at, self.sequencer.next(), StorageEvent::BusyOver { lcu });
        }
    }

    /// Makes it, number `lcu`, begin or cease to answer busy.
    pub(super) fn set_busy(&mut self, context: &mut Context, w: &Wiring, lcu: u32, busy: bool) {
        self.busy = if busy { self.busy + 1 } else { self.busy - 1 };
        if self.busy == 0 {
            self.present_end(context, w, lcu);
        }
    }

    /// Presents the control-unit end that it, number `lcu`, owes, unless it is still busy: then when that is over.
    pub(super) fn present_end(&mut self, context: &mut Context, w: &Wiring, lcu: u32) {
        if self.busy > 0 || !self.owes_end {
            return;
        }
        self.owes_end = false;
        let Some(path) = w.paths.iter().find(|path| path.lcu == lcu) else { return };
        let at = context.now() + status_latency(w, path);
        context.send_to_host(at, self.sequencer.next(), Body::ControlUnitEnd { lcu });
    }
}
