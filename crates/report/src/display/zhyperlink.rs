//! zHyperLink as one system sees it, now or at a moment of a run.

use halftrack_config::{Directions, Disturbance, DisturbanceKind, Part};

use super::view::View;

impl View<'_> {
    /// Returns the directions of synchronous I/O that the system has switched on: by IECIOSxx, or by SETIOS since.
    pub(super) fn zhyperlink(&self) -> Directions {
        let Some(lpar) = self.lpar else { return Directions::default() };
        let by_setios = self.disturbances().filter_map(|one| match one.kind {
            DisturbanceKind::SetiosZHyperLink { lpar: of, oper } if of == lpar => Some(oper),
            _ => None,
        });
        let by_parmlib = self.known.configuration.synchronous.lpars.get(lpar as usize).copied();
        by_setios.last().or(by_parmlib).unwrap_or_default()
    }

    /// Returns the number of zHyperLinks to a box: cables that are not dark, with a function of the system.
    pub(super) fn zhyperlinks(&self, control_unit: u32) -> usize {
        let Some(lpar) = self.lpar else { return 0 };
        let is_lit = |link: &&u32| {
            !self.disturbances().any(|one| match one.kind {
                DisturbanceKind::ZHyperLinkLost { link: lost } => lost == **link,
                DisturbanceKind::PartLost { part: Part::ControlUnit(lost) } => lost == control_unit,
                DisturbanceKind::PartLost { part } => part == Part::Power,
                _ => false,
            })
        };
        self.known.configuration.synchronous.links(lpar, control_unit).iter().filter(is_lit).count()
    }

    /// Returns true when synchronous I/O of a native system reaches a device: switched on for it and at both ends, over a link.
    pub(super) fn has_zhyperlink(&self, control_unit: u32, device: Directions) -> bool {
        let (here, boxes) = (self.zhyperlink(), &self.known.configuration.synchronous.control_units);
        let there = boxes.get(control_unit as usize).copied().unwrap_or_default();
        let is_guest =
            self.lpar.is_some_and(|lpar| self.known.configuration.synchronous.guests.contains(&lpar));
        let is_on = !is_guest
            && ((here.read && there.read && device.read) || (here.write && there.write && device.write));
        is_on && self.zhyperlinks(control_unit) > 0
    }

    /// Returns the disturbances that are under way at the moment shown.
    fn disturbances(&self) -> impl Iterator<Item = &Disturbance> {
        let at_ps = self.known.moment.map(|moment| moment.at_ps);
        let is_under_way = move |one: &&Disturbance| {
            at_ps.is_some_and(|now| one.at.as_ps() <= now && now < (one.at + one.lasts).as_ps())
        };
        self.known.configuration.disturbances.iter().filter(is_under_way)
    }
}
