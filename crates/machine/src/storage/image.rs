//! A logical control unit's busy condition.
//!
//! A control unit that cannot take a command answers busy and owes a control-unit end, which it presents when
//! it is free again.

use halftrack_engine::{Sequencer, SimTime};

use super::StorageState;
use crate::events::event::StorageEvent;
use crate::events::message::Body;
use crate::wiring::Wiring;

/// State of one image.
#[derive(Debug)]
pub(crate) struct Image {
    /// Its box.
    pub control_unit: u32,
    /// It answers every command busy.
    pub busy: u32,
    /// It has answered busy and owes control-unit end.
    owes_end: bool,
    sequencer: Sequencer,
}

impl Image {
    pub(crate) fn new(control_unit: u32, sequencer: Sequencer) -> Self {
        Self { control_unit, busy: 0, owes_end: false, sequencer }
    }
}

impl StorageState {
    /// `lcu` has answered busy at `port`: it will present control-unit end.
    #[cold]
    pub(super) fn owe_end(&mut self, lcu: u32, port: u32) {
        let image = &mut self.images[lcu as usize];
        if !std::mem::replace(&mut image.owes_end, true) {
            let at = self.context.now + self.ports[port as usize].busy_hold;
            self.context.push(at, image.sequencer.next(), StorageEvent::BusyOver { lcu });
        }
    }

    /// The image begins or ceases to answer busy.
    pub(crate) fn set_image_busy(&mut self, w: &Wiring, lcu: u32, busy: bool) {
        let image = &mut self.images[lcu as usize];
        image.busy = if busy { image.busy + 1 } else { image.busy - 1 };
        if image.busy == 0 {
            self.on_busy_over(w, lcu);
        }
    }

    /// Control-unit end is due, unless the image is still busy: then when that is over.
    pub(super) fn on_busy_over(&mut self, w: &Wiring, lcu: u32) {
        let now: SimTime = self.context.now;
        let image = &mut self.images[lcu as usize];
        if image.busy > 0 || !image.owes_end {
            return;
        }
        image.owes_end = false;
        let Some(path) = w.paths.iter().find(|path| path.lcu == lcu) else { return };
        let at = now + crate::run::process::status_latency(w, path);
        let order = image.sequencer.next();
        self.context.send_to_host(at, order, Body::ControlUnitEnd { lcu });
    }
}
