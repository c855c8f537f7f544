//! The control units behind the ports: images with their busy conditions, the boxes that they are of, and the volumes of a
//! run with real data.

use std::sync::Arc;

use halftrack_base::{Span, Time};
use halftrack_exchange::TwinDevice;
use halftrack_record::{CacheInterval, StationInterval};

use super::boxes::StorageBox;
use super::context::Context;
use super::image::Image;
use crate::data::Volumes;
use crate::wiring::data_layout::volume_id;
use crate::wiring::path_wire::PathWire;
use crate::wiring::{ComponentKind, Wiring};

/// All control units, by logical control unit.
#[derive(Debug)]
pub(super) struct ControlUnits {
    images: Vec<Image>,
    boxes: Vec<StorageBox>,
    /// The volumes of a run with real data.
    volumes: Option<Volumes>,
}

impl ControlUnits {
    /// Makes the control units before any command.
    pub(super) fn new(w: &Wiring) -> Self {
        let image = |(index, lcu): (usize, &halftrack_config::Lcu)| {
            Image::new(lcu.control_unit, w.sequencer(ComponentKind::Lcu, index))
        };
        Self {
            images: w.configuration.lcus.iter().enumerate().map(image).collect(),
            boxes: StorageBox::all(w),
            volumes: w.data.as_ref().map(|_| Volumes::default()),
        }
    }

    /// Returns true while image `lcu` answers every command busy.
    #[inline(always)]
    pub(super) fn is_busy(&self, lcu: u32) -> bool {
        self.images[lcu as usize].is_busy()
    }

    /// Makes image `lcu` begin or cease to answer busy.
    pub(super) fn set_busy(&mut self, context: &mut Context, w: &Wiring, lcu: u32, busy: bool) {
        self.images[lcu as usize].set_busy(context, w, lcu, busy);
    }

    /// Books a busy answer of image `lcu`, which stays busy for `hold` at least and owes a control-unit end.
    #[cold]
    pub(super) fn owe_end(&mut self, context: &mut Context, lcu: u32, hold: Span) {
        self.images[lcu as usize].owe_end(context, lcu, hold);
    }

    /// Presents the control-unit end that image `lcu` owes, unless it is still busy.
    pub(super) fn present_end(&mut self, context: &mut Context, w: &Wiring, lcu: u32) {
        self.images[lcu as usize].present_end(context, w, lcu);
    }

    /// Stages a track for image `lcu`, which takes `miss` on average. Returns when it is there.
    #[inline]
    pub(super) fn stage(&mut self, lcu: u32, now: Time, miss: Span) -> Time {
        self.box_of(lcu).stage(now, miss)
    }

    /// Returns when the clusters behind image `lcu` have worked on an I/O that is ready at `from`.
    #[inline]
    pub(super) fn work_on(&mut self, lcu: u32, from: Time) -> Time {
        self.box_of(lcu).work_on(from)
    }

    /// Looks a `track` of a `device` up in the cache behind `path`, for a read or a write, and brings it in. Returns whether
    /// it was there.
    #[cold]
    pub(super) fn look_up(&mut self, path: &PathWire, device: u8, track: u32, write: bool) -> bool {
        // Images of one box do not share volumes.
        let volume = volume_id(path.lcu, device);
        self.box_of(path.lcu).look_up(volume << 32 | u64::from(track), write)
    }

    /// Returns the device at the unit address `device` behind `path`, in a run with real data.
    #[inline]
    pub(super) fn device(&mut self, w: &Wiring, path: &PathWire, device: u8) -> Option<TwinDevice> {
        let (volumes, layout): (_, &Arc<_>) = self.volumes.as_mut().zip(w.data.as_ref())?;
        Some(volumes.device(layout, volume_id(path.lcu, device)))
    }

    /// Returns the volumes of a run with real data.
    pub(super) fn volumes(&self) -> Option<&Volumes> {
        self.volumes.as_ref()
    }

    #[inline(always)]
    fn box_of(&mut self, lcu: u32) -> &mut StorageBox {
        &mut self.boxes[self.images[lcu as usize].control_unit as usize]
    }

    /// Collects the staging machinery of all boxes in the interval that ends at `now`.
    pub(super) fn collect_staging(&mut self, now: Time) -> impl Iterator<Item = StationInterval> {
        self.boxes.iter_mut().map(move |of_box| of_box.collect_staging(now))
    }

    /// Collects the clusters of the boxes in which they limit anything.
    pub(super) fn collect_clusters(&mut self, now: Time) -> impl Iterator<Item = StationInterval> {
        self.boxes.iter_mut().filter_map(move |of_box| of_box.collect_clusters(now))
    }

    /// Collects the reads and hits of all caches.
    pub(super) fn collect_caches(&mut self) -> impl Iterator<Item = CacheInterval> {
        self.boxes.iter_mut().map(StorageBox::collect_cache)
    }
}
