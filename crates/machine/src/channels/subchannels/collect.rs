//! The counters of the path groups in an interval as plain records.

use halftrack_record::{LcuInterval, LcuPath};

use super::Subchannels;
use super::view::{LcuView, PathBusySums};
use crate::channels::channel::ChannelState;
use crate::events::crossing::ViewCounters;
use crate::wiring::path_wire::PathWire;
use crate::wiring::{Wiring, lcu_number};

impl Subchannels {
    /// Collects the logical control units as partitions see them since the last collection; `used` are the counters of the
    /// images.
    pub(in crate::channels) fn collect(
        &mut self,
        w: &Wiring,
        channels: &[ChannelState],
        used: Vec<ViewCounters>,
    ) -> Vec<LcuInterval> {
        let mut views = std::mem::take(&mut self.views);
        let is_operational = |path| self.is_operational(w, channels, path);
        let records = views.iter_mut().zip(used);
        let records = records.map(|(view, used)| collect_lcu(w, view, used, is_operational)).collect();
        self.views = views;
        records
    }
}

fn collect_lcu(
    w: &Wiring,
    view: &mut LcuView,
    used: ViewCounters,
    is_operational: impl Fn(u32) -> bool,
) -> LcuInterval {
    let c = &w.configuration;
    let lcu = &c.lcus[view.lcu as usize];
    let lpar = &c.lpars[view.lpar as usize];
    let wires = &w.paths[view.first_path as usize..];
    let subsystem = lpar.subsystem();
    let count = w.groups[&(subsystem, view.lcu)].paths as usize;
    let number = lcu_number(lcu, subsystem);
    let sums = view.taken.iter().zip(&used.cmr_ps).zip(&view.path_busy);
    let path = |(((taken, cmr_ps), busy), wire): (((&u64, &u64), &PathBusySums), &PathWire)| LcuPath {
        chpid: c.channels[wire.channel as usize].chpid,
        taken: *taken,
        director_port_busy: busy.director_port_busy,
        control_unit_busy: busy.control_unit_busy,
        control_unit_busy_ps: busy.control_unit_busy_ps,
        cmr_ps: *cmr_ps,
        online: is_operational(view.first_path + u32::from(wire.position)),
    };
    let record = LcuInterval {
        lpar: lpar.name.clone(),
        lcu: number,
        control_units: vec![number],
        paths: sums.zip(wires).take(count).map(path).collect(),
        alias_waits: used.alias_waits,
        requests: used.requests,
        aliases_in_use_max: used.aliases_in_use_max,
        aliases: used.aliases,
        open_exchange_ps: used.open_exchange_ps,
        connect_ps: used.connect_ps,
        queued: view.queued,
        queue_sum: view.queue_sum,
        css_delay_ps: Some(view.css_delay_ps),
        response_times: used.response_times,
        luns: lcu.luns.as_ref().map(|luns| luns.name.clone()),
    };
    view.reset();
    record
}
