//! Share that each system has of each channel path: the PART columns of CHANNEL PATH ACTIVITY.

use halftrack_record::{ChannelInterval, Interval, Run, SystemHeader};

use super::of_table::{frame_columns, frame_of, grouped};
use super::{Frame, FrameDefinition, Framed, Grain};
use crate::Scope;
use crate::columns::channels::TABLE;
use crate::rows::Row;
use crate::table::measured_ps;

/// The frame of shares.
pub(crate) struct ChannelShares;

impl Framed for ChannelShares {
    fn frame_definition(&self) -> FrameDefinition {
        let keys = &[
            ("system", "Partition"),
            ("channel", "CSS and CHPID, of the channel subsystem of the system"),
            ("type", "Type, as RMF abbreviates it"),
        ];
        FrameDefinition { name: "channel_shares", keys, by_interval: true }
    }

    fn frame(&self, run: &Run, grain: Grain) -> Frame {
        let mut groups = Vec::new();
        let times: Vec<(&[Interval], u64)> = match grain {
            Grain::Run => vec![(&run.intervals, measured_ps(&run.intervals))],
            Grain::Interval => {
                run.intervals.iter().map(|one| (std::slice::from_ref(one), one.length_ps)).collect()
            }
        };
        for (intervals, length_ps) in times {
            let Some(first) = intervals.first() else { continue };
            let interval = (grain == Grain::Interval).then_some(first);
            for system in &run.header.systems {
                let rows = intervals.iter().flat_map(|interval| rows(run, system, interval));
                let of_system = grouped(rows, interval, length_ps);
                groups.extend(of_system.into_iter().map(|mut group| {
                    group.records.scope = Some(Scope { run, system, interval: first });
                    group
                }));
            }
        }
        let columns = TABLE.columns.iter().filter(|column| column.is_of_system);
        frame_of(&self.frame_definition(), grain, &groups, frame_columns(columns, &groups))
    }
}

/// Returns the channel paths of a system in an interval, as its CHANNEL PATH ACTIVITY has them.
fn rows<'a>(run: &'a Run, system: &'a SystemHeader, interval: &'a Interval) -> Vec<Row<'a, ChannelInterval>> {
    let is_of = |one: &&ChannelInterval| one.cpc == system.cpc && one.css.contains(&system.css);
    let row = |one: &'a ChannelInterval| {
        let channel = format!("{}{:X}.{:02X}", run.header.prefix(one.cpc), system.css, one.chpid);
        Row::new([(&system.name).into(), channel.into(), one.kind.acronym().into()], one)
    };
    interval.channels.iter().filter(is_of).map(row).collect()
}
