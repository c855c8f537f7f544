//! Limits that host adapters share: the boxes and bays whose kind the catalog limits.

use std::collections::BTreeMap;

use halftrack_catalog as catalog;

use crate::assemble::hardware;
use crate::configuration::ControlUnitPort;
use crate::share::Share;

/// Digits of an interface id that name the bay of its adapter.
const BAY_DIGITS: usize = 2;

/// Returns the boxes and bays that limit anything, by name, and sets their index in every port behind them.
pub fn shares<'a>(
    ports: &mut [ControlUnitPort],
    kind: impl Fn(&ControlUnitPort) -> Option<&'a catalog::ControlUnit>,
) -> Vec<Share> {
    let mut shares = Vec::new();
    let mut known = BTreeMap::new();
    let mut number = |shares: &mut Vec<Share>, mut share: Share, parent| {
        *known.entry(share.name.clone()).or_insert_with(|| {
            share.parent = parent;
            shares.push(share);
            shares.len() as u32 - 1
        })
    };
    for port in ports {
        let Some(kind) = kind(port) else { continue };
        let limits = kind.enclosure.as_ref().and_then(|enclosure| enclosure.limits.as_ref());
        let of_box = limits.map(|limits| {
            let share = hardware::share(format!("box {}", port.control_unit), Some(limits));
            number(&mut shares, share, None)
        });
        let bay = kind.bay.as_ref().map(|limits| {
            let interface = port.name.rsplit(' ').next().unwrap_or_default();
            let digits = interface.get(..BAY_DIGITS).unwrap_or_default();
            let name = format!("bay {digits} of {}", port.control_unit);
            number(&mut shares, hardware::share(name, Some(limits)), of_box)
        });
        port.share = bay.or(of_box);
    }
    shares
}
