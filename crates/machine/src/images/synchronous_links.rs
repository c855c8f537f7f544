//! zHyperLinks: each carries one request at a time.

use std::ops::Range;

use halftrack_base::{Span, Time, for_bytes};
use halftrack_config::{Directions, Disturbance, DisturbanceKind, Part, SynchronousLink};
use halftrack_engine::{MultiServer, RandomStream};
use halftrack_record::{StationInterval, SynchronousLinkInterval};

use crate::wiring::Wiring;

/// A request as the link sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinkRequest {
    pub write: bool,
    /// The box can answer it.
    pub hit: bool,
    /// Its data.
    pub bytes: u64,
}

/// Outcome of a request at its link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// The link was in use.
    Busy,
    /// The link was dark.
    Dark,
    /// It held the link until the box had answered.
    Answered,
    /// It held the link until the time was up.
    NoAnswer,
}

/// One link in a run.
#[derive(Debug)]
struct Link {
    of: SynchronousLink,
    line: MultiServer,
    counted: SynchronousLinkInterval,
    reported: Span,
    /// Disturbances by which it is dark, and by which its box halts.
    dark: u32,
    halted: u32,
}

/// Links of a partition to a logical control unit.
#[derive(Debug, Default)]
struct View {
    lpar: u32,
    /// Directions switched on at the box.
    on: Directions,
    links: Range<u32>,
}

/// The links of a run.
#[derive(Debug, Default)]
pub(super) struct SynchronousLinks {
    links: Vec<Link>,
    /// Links by view, one view after the other.
    of_views: Vec<u32>,
    views: Vec<View>,
    /// Directions switched on in each partition, as the study has them, and now.
    lpars: Vec<(Directions, Directions)>,
    /// Disturbances of synchronous I/O, by time.
    pub(super) disturbances: Vec<Disturbance>,
}

impl SynchronousLinks {
    /// Makes the links; `views` are partition and logical control unit of each view.
    pub(super) fn new(w: &Wiring, views: impl Iterator<Item = (u32, u32)>) -> Self {
        let c = &w.configuration;
        let link = |of: &SynchronousLink| Link {
            of: of.clone(),
            line: MultiServer::new(1),
            counted: SynchronousLinkInterval { name: of.name.clone(), ..SynchronousLinkInterval::default() },
            reported: Span::ZERO,
            dark: 0,
            halted: 0,
        };
        let is_any = c.streams.iter().any(|stream| stream.synchronous.is_some());
        let disturbances = c.disturbances.iter().filter(|one| is_any && is_synchronous(one.kind));
        let mut all = Self {
            links: c.synchronous.links.iter().map(link).collect(),
            lpars: c.synchronous.lpars.iter().map(|on| (*on, *on)).collect(),
            disturbances: disturbances.cloned().collect(),
            ..SynchronousLinks::default()
        };
        for (lpar, lcu) in views {
            let unit = c.lcus[lcu as usize].control_unit;
            let first = all.of_views.len() as u32;
            all.of_views.extend(c.synchronous.links(lpar, unit));
            let on = c.synchronous.control_units.get(unit as usize).copied().unwrap_or_default();
            all.views.push(View { lpar, on, links: first..all.of_views.len() as u32 });
        }
        all
    }

    /// Returns true where reads or writes of `view` are switched on.
    pub(super) fn is_on(&self, view: u32, write: bool) -> bool {
        let view = &self.views[view as usize];
        let lpar = self.lpars.get(view.lpar as usize);
        view.on.has(write) && lpar.is_some_and(|(_, now)| now.has(write))
    }

    /// Applies the begin or the end of the disturbance `index`.
    pub(super) fn disturb(&mut self, index: u32, begins: bool) {
        let change = |count: &mut u32| *count = if begins { *count + 1 } else { *count - 1 };
        let of_box = |link: &Link, part: Part| match part {
            Part::ControlUnit(unit) => link.of.control_unit == Some(unit),
            part => part == Part::Power,
        };
        match self.disturbances[index as usize].kind {
            DisturbanceKind::SetiosZHyperLink { lpar, oper } => {
                if let Some((configured, now)) = self.lpars.get_mut(lpar as usize) {
                    *now = if begins { oper } else { *configured };
                }
            }
            DisturbanceKind::ZHyperLinkLost { link } => change(&mut self.links[link as usize].dark),
            DisturbanceKind::PartLost { part } => {
                self.links
                    .iter_mut()
                    .filter(|link| of_box(link, part))
                    .for_each(|link| change(&mut link.dark));
            }
            DisturbanceKind::Stalled { part } => {
                self.links
                    .iter_mut()
                    .filter(|link| of_box(link, part))
                    .for_each(|link| change(&mut link.halted));
            }
            _ => {}
        }
    }

    /// Returns the links of `view`.
    pub(super) fn of(&self, view: u32) -> &[u32] {
        let Range { start, end } = self.views[view as usize].links;
        &self.of_views[start as usize..end as usize]
    }

    /// Has a request take one of the links of `view`, which are all alike to it: what it finds, and the time of its CP.
    pub(super) fn request(
        &mut self,
        now: Time,
        view: u32,
        choice: &mut RandomStream,
        wanted: LinkRequest,
    ) -> (Held, Span) {
        let of_view = self.of(view);
        let drawn = of_view[choice.below(of_view.len() as u64) as usize];
        let link = &mut self.links[drawn as usize];
        let is_dark = link.dark > 0;
        if is_dark || link.line.start_of(now) > now {
            link.counted.local_rejects += 1;
            return (if is_dark { Held::Dark } else { Held::Busy }, link.of.busy_reject);
        }
        let alone = if wanted.write { link.of.hold_write } else { link.of.hold_read };
        let data = if wanted.hit { for_bytes(wanted.bytes, link.of.bytes_per_s) } else { Span::ZERO };
        let hold = alone + data;
        if link.halted > 0 || hold > link.of.timeout {
            link.line.arrive(now, link.of.timeout);
            link.counted.timeouts += 1;
            return (Held::NoAnswer, link.of.timeout);
        }
        link.line.arrive(now, hold);
        match (wanted.hit, wanted.write) {
            (false, _) => link.counted.remote_rejects += 1,
            (true, false) => {
                link.counted.successes += 1;
                link.counted.read_bytes += wanted.bytes;
            }
            (true, true) => {
                link.counted.successes += 1;
                link.counted.written_bytes += wanted.bytes;
            }
        }
        (Held::Answered, hold + link.of.cpu)
    }

    /// Collects the links, and each as a station, since the last collection.
    pub(super) fn collect(&mut self, now: Time) -> (Vec<SynchronousLinkInterval>, Vec<StationInterval>) {
        let each = self.links.iter_mut().map(|link| {
            let busy = link.line.busy_before(now);
            let held_ps = (busy - std::mem::replace(&mut link.reported, busy)).as_ps();
            let empty =
                SynchronousLinkInterval { name: link.of.name.clone(), ..SynchronousLinkInterval::default() };
            let counted = SynchronousLinkInterval { held_ps, ..std::mem::replace(&mut link.counted, empty) };
            let completions = counted.successes + counted.remote_rejects + counted.timeouts;
            let name = format!("zHyperLink {}", link.of.name);
            (counted, StationInterval { name, servers: 1, busy_ps: held_ps, completions })
        });
        each.unzip()
    }
}

/// Returns true for disturbances that change synchronous I/O.
fn is_synchronous(kind: DisturbanceKind) -> bool {
    match kind {
        DisturbanceKind::SetiosZHyperLink { .. } | DisturbanceKind::ZHyperLinkLost { .. } => true,
        DisturbanceKind::PartLost { part } | DisturbanceKind::Stalled { part } => {
            matches!(part, Part::ControlUnit(_) | Part::Power)
        }
        _ => false,
    }
}
