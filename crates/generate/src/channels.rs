//! Channels of a study: CHPIDs, directors and ports.
//!
//! A director for each of the paths of a control unit, or several side by side where one has too few ports. Each channel
//! leads to a host-adapter port of its own, so that what two channels move never meets.

use halftrack_deck::model::machines::PATHS_PER_CSS_MAX;

/// CHPIDs of a channel subsystem: 00 to FF.
pub const CHPIDS_PER_CSS: u32 = 256;
/// `SWITCH=` of the first director.
const FIRST_DIRECTOR: usize = 0x11;
/// Port of the first host adapter; those of channels begin at 00. FE is the director's control port.
const FIRST_ADAPTER_PORT: usize = 0x80;
/// Channels of one director.
const CHANNELS_PER_DIRECTOR: usize = 126;

/// A channel path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// Channels with one group have their CHPID in the same channel subsystems: all of them, or the one of this number.
    pub group: usize,
    /// CHPID.
    pub chpid: usize,
    /// Which of the paths of a control unit it can be, from 0.
    pub plane: usize,
    /// How many channels of its group and plane are before it.
    pub row: usize,
    /// `SWITCH=` of its director.
    pub director: usize,
    /// Director port of the channel.
    pub port: usize,
    /// Director port of its host adapter.
    pub adapter_port: usize,
}

/// The channels of a study, by CHPID and group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channels {
    /// The channels.
    pub all: Vec<Channel>,
    /// Groups: one where every channel spans all channel subsystems, else one for each of these.
    pub groups: usize,
    /// Paths that a control unit has in each channel subsystem.
    pub planes: usize,
    /// Channels of a plane in every group at least.
    pub rows: usize,
    /// Most channels of a plane in a group.
    pub rows_max: usize,
    /// `SWITCH=` of each director.
    pub directors: Vec<usize>,
}

impl Channels {
    /// Creates `count` channels in `css_count` channel subsystems: spanned as long as there are CHPIDs for that, else
    /// divided.
    pub fn new(count: u32, css_count: u8) -> Self {
        let groups = if count <= CHPIDS_PER_CSS { 1 } else { usize::from(css_count) };
        let count = count as usize;
        let least = count / groups;
        let planes = least.clamp(1, PATHS_PER_CSS_MAX);
        let mut before = vec![0; planes];
        let all: Vec<_> = (0..count)
            .map(|at| {
                let (chpid, group) = (at / groups, at % groups);
                let plane = chpid % planes;
                let place = before[plane];
                before[plane] += 1;
                let (beside, place) = (place / CHANNELS_PER_DIRECTOR, place % CHANNELS_PER_DIRECTOR);
                Channel {
                    group,
                    chpid,
                    plane,
                    row: chpid / planes,
                    director: FIRST_DIRECTOR + beside * planes + plane,
                    port: place,
                    adapter_port: FIRST_ADAPTER_PORT + place,
                }
            })
            .collect();
        let mut directors: Vec<_> = all.iter().map(|one| one.director).collect();
        directors.sort_unstable();
        directors.dedup();
        let rows_max = count.div_ceil(groups).div_ceil(planes);
        Self { all, groups, planes, rows: (least / planes).max(1), rows_max, directors }
    }

    /// Returns true when every channel is in all channel subsystems.
    pub fn are_spanned(&self) -> bool {
        self.groups == 1
    }

    /// Returns the channels in the order in which cards take them up. Of a card with several ports no two are paths of
    /// one control unit, as long as there is a choice.
    pub fn by_card(&self, ports: usize) -> Vec<usize> {
        let rows = (ports / self.groups).max(1);
        let mut order: Vec<_> = (0..self.all.len()).collect();
        order.sort_by_key(|at| {
            let Channel { row, plane, group, .. } = &self.all[*at];
            (row / rows, *plane, row % rows, *group)
        });
        order
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_channel_has_a_port_of_its_own_and_so_has_its_host_adapter() {
        for (count, css_count) in [(1, 1), (7, 2), (37, 1), (256, 2), (257, 2), (384, 2), (1536, 6)] {
            let channels = Channels::new(count, css_count);
            let ports: BTreeSet<_> = channels.all.iter().map(|one| (one.director, one.port)).collect();
            let adapters: BTreeSet<_> =
                channels.all.iter().map(|one| (one.director, one.adapter_port)).collect();
            assert_eq!((ports.len(), adapters.len()), (count as usize, count as usize), "{count}");
            let ends = channels.all.iter().map(|one| (one.chpid, one.port, one.adapter_port));
            assert!(
                ends.into_iter().all(|(chpid, port, adapter)| chpid < 256 && port < 0x80 && adapter < 0xFE)
            );
            assert!(channels.directors.iter().all(|id| *id <= 0xFF));
        }
    }

    #[test]
    fn the_paths_of_a_control_unit_are_on_as_many_cards_where_there_is_a_choice() {
        let channels = Channels::new(32, 1);
        for card in channels.by_card(2).chunks(2) {
            let planes: Vec<_> = card.iter().map(|at| channels.all[*at].plane).collect();
            assert_eq!(planes[0], planes[1]);
        }
        let divided = Channels::new(384, 2);
        for card in divided.by_card(2).chunks(2) {
            let groups: Vec<_> = card.iter().map(|at| divided.all[*at].group).collect();
            assert_eq!(groups, [0, 1]);
        }
    }
}
