//! Paths that operators take from a partition and give back: VARY PATH and CONFIG CHP.
//!
//! Work under way on a path ends on it; starts from then on avoid it. A system keeps the last path to a device: a
//! command that would take it is refused, as z/OS does, and so is the command that would undo it.

use std::collections::{BTreeMap, BTreeSet};

use super::Subchannels;
use crate::channels::Outside;
use crate::channels::channel::ChannelState;
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

/// The paths that a command is about.
#[derive(Debug, Clone, Copy)]
pub(in crate::channels) struct Target {
    /// Index of the partition.
    pub lpar: u32,
    /// Index of the channel.
    pub channel: u32,
    /// Only its paths to this logical control unit, which are varied; else the channel is configured.
    pub lcu: Option<u32>,
}

/// The paths that are off, each with how often.
#[derive(Debug, Default)]
pub(super) struct TakenOff {
    /// By partition, logical control unit and channel.
    varied: BTreeMap<(u32, u32, u32), u32>,
    /// By partition and channel.
    configured: BTreeMap<(u32, u32), u32>,
    /// Disturbances that took effect and are not over.
    in_effect: BTreeSet<u32>,
    /// Disturbances that were refused.
    refused: BTreeSet<u32>,
}

impl TakenOff {
    /// Returns true when the path that `wire` is has been taken from the partition.
    pub(super) fn has(&self, lpar: u32, lcu: u32, wire: &PathWire) -> bool {
        let varied = self.varied.contains_key(&(lpar, lcu, wire.channel));
        varied || self.is_configured_off(lpar, wire.channel)
    }

    /// Returns true when the channel is configured off for the partition.
    pub(super) fn is_configured_off(&self, lpar: u32, channel: u32) -> bool {
        self.configured.contains_key(&(lpar, channel))
    }

    /// Iterates over partitions and channels that are configured off for them.
    pub(super) fn configured(&self) -> impl Iterator<Item = (u32, u32)> {
        self.configured.keys().copied()
    }

    /// Iterates over the disturbances that were refused.
    pub(super) fn refused(&self) -> impl Iterator<Item = u32> {
        self.refused.iter().copied()
    }

    fn change(&mut self, target: Target, off: bool) {
        let Target { lpar, channel, lcu } = target;
        match lcu {
            Some(lcu) => count(&mut self.varied, (lpar, lcu, channel), off),
            None => count(&mut self.configured, (lpar, channel), off),
        }
    }
}

/// Counts one more, or one less; zero leaves the map.
fn count<K: Ord + Copy>(counts: &mut BTreeMap<K, u32>, key: K, more: bool) {
    let known = counts.entry(key).or_insert(0);
    *known = if more { *known + 1 } else { known.saturating_sub(1) };
    if *known == 0 {
        counts.remove(&key);
    }
}

impl Subchannels {
    /// Takes the paths of `target` off for disturbance `index`, or gives them back.
    pub(in crate::channels) fn take_off(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        channels: &mut [ChannelState],
        (index, target): (u32, Target),
        off: bool,
    ) {
        if off {
            if self.leaves_none(w, channels, target) {
                self.taken_off.refused.insert(index);
                return;
            }
            self.taken_off.in_effect.insert(index);
        } else if !self.taken_off.in_effect.remove(&index) {
            return;
        }
        self.taken_off.change(target, off);
        self.set_paths_online(w, channels);
        if !off {
            self.redrive_waiting_for_channel(out, w, channels);
        }
    }

    /// Returns true when a control unit would be left without a path, which now has one.
    fn leaves_none(&self, w: &Wiring, channels: &[ChannelState], target: Target) -> bool {
        let subsystem = w.configuration.lpars[target.lpar as usize].subsystem();
        let mut groups = w
            .groups
            .iter()
            .filter(|((of, lcu), _)| *of == subsystem && target.lcu.is_none_or(|wanted| wanted == *lcu));
        groups.any(|((_, lcu), group)| {
            debug_assert_eq!(w.paths[group.first_path as usize].lcu, *lcu, "its own paths");
            let mut online = (group.first_path..group.first_path + group.paths)
                .filter(|path| self.is_online(w, channels, target.lpar, *path))
                .peekable();
            online.peek().is_some() && online.all(|path| w.paths[path as usize].channel == target.channel)
        })
    }

    /// Returns true when the partition uses `path`.
    pub(super) fn is_online(&self, w: &Wiring, channels: &[ChannelState], lpar: u32, path: u32) -> bool {
        let wire = &w.paths[path as usize];
        self.is_operational(w, channels, path) && !self.taken_off.has(lpar, wire.lcu, wire)
    }

    /// Returns true while `path` works: it is lit, and its connection is not refused.
    pub(super) fn is_operational(&self, w: &Wiring, channels: &[ChannelState], path: u32) -> bool {
        !channels[w.paths[path as usize].channel as usize].is_dark() && !self.lost_paths.is_gone(w, path)
    }

    /// Returns true while neither the fibre of the channel of `path` nor every route of it is lost.
    pub(super) fn is_lit(&self, w: &Wiring, channels: &[ChannelState], path: u32) -> bool {
        !channels[w.paths[path as usize].channel as usize].is_dark() && !self.lost_paths.is_unlit(w, path)
    }

    /// Sets in every path group which paths are online.
    pub(in crate::channels) fn set_paths_online(&mut self, w: &Wiring, channels: &[ChannelState]) {
        let mut views = std::mem::take(&mut self.views);
        for view in &mut views {
            let subsystem = w.configuration.lpars[view.lpar as usize].subsystem();
            let group = &w.groups[&(subsystem, view.lcu)];
            for path in group.first_path..group.first_path + group.paths {
                let position = w.paths[path as usize].position;
                view.group.set_online(position, self.is_online(w, channels, view.lpar, path));
            }
        }
        self.views = views;
    }
}
