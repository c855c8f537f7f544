//! Devices of a study: logical control units with bases first and aliases behind them.

use halftrack_deck::model::machines::Machine;

/// Unit addresses of a logical control unit.
pub const ADDRESSES: u32 = 256;
/// Logical control units that can have the device number of their unit address 00 as their own number.
const NUMBERED_BY_ADDRESS: u32 = 256;
/// Number of the first control unit where there are more.
const FIRST_CONTROL_UNIT: u32 = 0x1000;

/// The devices of a logical control unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Devices {
    /// CUNUMBR of the logical control unit.
    pub control_unit: u32,
    /// Device number of the first base, in subchannel set 0.
    pub first_base: u32,
    /// Bases: at unit addresses from 00.
    pub bases: u32,
    /// Device number of the first alias.
    pub first_alias: u32,
    /// Aliases: at the unit addresses behind the bases.
    pub aliases: u32,
}

/// Returns the logical control units that `bases` and `aliases` need, and not fewer than `least` as long as each has a
/// base.
pub fn control_unit_count(bases: u32, aliases: u32, least: u32) -> u32 {
    let mut count = (bases + aliases).div_ceil(ADDRESSES).max(least.min(bases)).max(1);
    while bases.div_ceil(count) + aliases.div_ceil(count) > ADDRESSES {
        count += 1;
    }
    count
}

/// Returns the subchannel set of the aliases: 1, or 0 on machines that have only one.
pub fn alias_set(machine: &Machine) -> usize {
    usize::from(machine.subchannel_set_count > 1)
}

/// Divides `bases` and `aliases` evenly among `count` logical control units.
pub fn divided(bases: u32, aliases: u32, count: u32) -> Vec<Devices> {
    let part = |of: u32, at: u32| (u64::from(of) * u64::from(at) / u64::from(count)) as u32;
    let devices = |at: u32| {
        let (base, alias) = (part(bases, at), part(aliases, at));
        let (bases, aliases) = (part(bases, at + 1) - base, part(aliases, at + 1) - alias);
        let first = at * ADDRESSES;
        let (control_unit, first_base, first_alias) = match count <= NUMBERED_BY_ADDRESS {
            true => (first, first, first + bases),
            false => (FIRST_CONTROL_UNIT + at, base, alias),
        };
        Devices { control_unit, first_base, bases, first_alias, aliases }
    };
    (0..count).map(devices).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_all_there_and_fit_their_control_units() {
        for (bases, aliases, least) in
            [(1, 0, 1), (5000, 0, 5), (49_152, 16_384, 24), (257, 255, 1), (65_280, 65_535, 192), (512, 0, 8)]
        {
            let count = control_unit_count(bases, aliases, least);
            let all = divided(bases, aliases, count);
            assert_eq!(all.iter().map(|one| one.bases).sum::<u32>(), bases);
            assert_eq!(all.iter().map(|one| one.aliases).sum::<u32>(), aliases);
            assert!(all.iter().all(|one| one.bases + one.aliases <= ADDRESSES && one.bases > 0), "{all:?}");
            let ends = all.iter().zip(&all[1..]);
            assert!(ends.into_iter().all(|(one, next)| one.first_base + one.bases <= next.first_base));
        }
        assert_eq!(control_unit_count(49_152, 16_384, 24), 256);
        assert_eq!(
            divided(49_152, 16_384, 256)[1],
            Devices { control_unit: 0x100, first_base: 0x100, bases: 192, first_alias: 0x1C0, aliases: 64 }
        );
    }
}
