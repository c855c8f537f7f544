//! The recipe: how many devices a logical link has, and on which channel each is.

use std::ops::Range;

/// Most devices of a logical link (z/VM 6.2).
pub const DEVICES_MAX: usize = 16;
/// Devices of a channel from which on it carries no more.
const SATURATION: usize = 4;
/// Devices that one direction alone is to use, beside those of both.
const ONE_WAY: usize = 2;
/// Most devices of both directions.
const BOTH_WAYS_MAX: usize = DEVICES_MAX - ONE_WAY;
/// Devices up to which a system leaves one to its partner; beyond it leaves two.
const LEAVES_ONE_MAX: usize = 8;

/// Sizes of a logical link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipe {
    /// Channels.
    pub channels: usize,
    /// Devices of both directions on each channel.
    pub per_channel: usize,
    /// Devices more on the first channel, for one direction each.
    pub one_way: usize,
}

impl Recipe {
    /// Returns the published sizes for `channels`: four devices on each, fewer where there would be more than fourteen,
    /// and two more.
    ///
    /// # Errors
    /// No channel, or more than devices; the reason.
    pub fn of(channels: usize) -> Result<Self, String> {
        if !(1..=BOTH_WAYS_MAX).contains(&channels) {
            return Err(format!(
                "{channels} channels: a logical link has {DEVICES_MAX} devices at most, of which {ONE_WAY} are for \
                 one direction; give 1 to {BOTH_WAYS_MAX} channels"
            ));
        }
        Ok(Self { channels, per_channel: SATURATION.min(BOTH_WAYS_MAX / channels), one_way: ONE_WAY })
    }

    /// Returns the sizes for `per_channel` devices on each of `channels`, and the two more where they still fit.
    ///
    /// # Errors
    /// A seventeenth device, or none.
    pub fn with(channels: usize, per_channel: usize) -> Result<Self, String> {
        let devices = channels.saturating_mul(per_channel);
        if !(1..=DEVICES_MAX).contains(&devices) {
            return Err(format!(
                "{per_channel} devices on each of {channels} channels are {devices}: a logical link has 1 to \
                 {DEVICES_MAX}"
            ));
        }
        let one_way = if devices <= BOTH_WAYS_MAX { ONE_WAY } else { 0 };
        Ok(Self { channels, per_channel, one_way })
    }

    /// Returns the number of devices.
    pub fn devices(&self) -> usize {
        self.channels * self.per_channel + self.one_way
    }

    /// Returns true when each channel has as many devices as it can use.
    pub fn is_saturated(&self) -> bool {
        self.per_channel >= SATURATION
    }

    /// Returns the channel of each device in the order of numbers. Neighbours are on different channels, where there are
    /// three or more; of two channels the last two devices are on one. The devices for one direction are the first and
    /// the last, because there either system begins and leaves the rest to the other.
    pub fn stripes(&self) -> Vec<usize> {
        let both = self.channels * self.per_channel;
        // Neither neighbour of a device for one direction is on the first channel if there is a third.
        let shift = usize::from(self.one_way > 0) * (self.channels.saturating_sub(1));
        let striped = (0..both).map(|at| (at + shift) % self.channels);
        let ends = self.one_way / 2;
        let first = std::iter::repeat_n(0, ends);
        first.chain(striped).chain(std::iter::repeat_n(0, self.one_way - ends)).collect()
    }
}

/// Returns the devices, in the order of numbers, that the system with the lower name writes to, and those of the other.
/// Those that are in one range alone are of one direction.
pub fn usable(devices: usize) -> [Range<usize>; 2] {
    let left = match devices {
        0 | 1 => 0,
        2..=LEAVES_ONE_MAX => 1,
        _ => 2,
    };
    [0..devices - left, left..devices]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference: zHyperLink and ISFC, section B2.
    #[test]
    fn the_recipe_is_the_published_one() {
        let sizes = |channels| {
            let recipe = Recipe::of(channels).expect("a recipe");
            (recipe.per_channel, recipe.devices())
        };
        let all: Vec<(usize, usize)> = (1..=7).map(sizes).collect();
        assert_eq!(all, [(4, 6), (4, 10), (4, 14), (3, 14), (2, 12), (2, 14), (2, 16)]);
        assert!((8..=14).all(|channels| sizes(channels) == (1, channels + 2)));
        assert!(Recipe::of(0).is_err() && Recipe::of(15).is_err());
        assert!(Recipe::with(1, 16).is_ok_and(|recipe| recipe.devices() == 16));
        assert!(Recipe::with(17, 1).is_err() && Recipe::with(2, 0).is_err());
    }

    #[test]
    fn stripes_are_even_and_neighbours_are_on_different_channels() {
        for channels in 1..=14 {
            for per_channel in 1..=DEVICES_MAX / channels {
                let recipe = Recipe::with(channels, per_channel).expect("sixteen or fewer");
                let stripes = recipe.stripes();
                assert_eq!(stripes.len(), recipe.devices());
                for channel in 0..channels {
                    let here = stripes.iter().filter(|&&at| at == channel).count();
                    assert_eq!(here, per_channel + if channel == 0 { recipe.one_way } else { 0 });
                }
                let same = stripes.windows(2).filter(|pair| pair[0] == pair[1]).count();
                let expected = match channels {
                    1 => stripes.len() - 1,
                    2 if recipe.one_way > 0 => 1,
                    _ => 0,
                };
                assert_eq!(same, expected, "{recipe:?}: {stripes:?}");
            }
        }
    }

    /// D000-D00F: the lower name writes to D000-D00D, the higher to D002-D00F.
    #[test]
    fn each_system_leaves_devices_to_the_other() {
        assert_eq!(usable(16), [0..14, 2..16]);
        assert_eq!(usable(8), [0..7, 1..8]);
        assert_eq!(usable(1), [0..1, 0..1]);
    }
}
