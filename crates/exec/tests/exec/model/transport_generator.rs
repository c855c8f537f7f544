//! Random transport-mode operations.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::model::generator::{extent, target};
use crate::model::parameters::{Locate, define_extent};
use crate::model::plan::{Count, DcwPlan, Operation};

/// Returns an operation.
pub fn operation() -> BoxedStrategy<Operation> {
    let piece = prop_oneof![1 => 1u16..64, 1 => 1u16..4097];
    let pieces = prop_oneof![1 => Just(None), 1 => vec(piece, 0..6).prop_map(Some)];
    let kind = prop_oneof![4 => tracks_read(), 3 => records(false), 2 => records(true), 2 => tracks_write(), 1 => located(), 1 => interrogation()];
    (kind, pieces, vec(prop::bool::weighted(0.1), 6), prop::bool::weighted(0.1))
        .prop_map(|((dcws, write), pieces, inserts, tccb_list)| Operation {
            dcws,
            write,
            pieces,
            inserts,
            tccb_list,
        })
        .boxed()
}

type Kind = BoxedStrategy<(Vec<DcwPlan>, bool)>;

fn control(command: u8, control: Vec<u8>) -> DcwPlan {
    DcwPlan { command, control, count: Count::Fixed(0) }
}

fn locate(operation: u8, count: u8, (track, record): (u32, u8)) -> Locate {
    Locate { operation, auxiliary: 0, imbedded: 0, count, track, record, factor: 0, extended: 0 }
}

/// Returns Prefix Read with an imbedded Read Track Data.
fn tracks_read() -> Kind {
    (target(), 1u8..4, prop_oneof![2 => Just(0u16), 1 => Just(80), 1 => 1u16..9000], any::<bool>())
        .prop_flat_map(|(target, tracks, factor, scope)| {
            extent(target.0).prop_map(move |(begin, end)| {
                let scope = if scope { 0x40 } else { 0 };
                let auxiliary = if factor == 0 { 0x28 } else { 0xA8 | scope };
                let locate = Locate { auxiliary, imbedded: 0xA6, factor, ..locate(0x0C, tracks, target) };
                let control = locate.prefix(0x40, 4096, begin, end);
                let count = if factor > 0 && scope != 0 && tracks == 1 {
                    Count::Fixed(u32::from(factor))
                } else {
                    Count::Tracks(target.0, target.1, tracks)
                };
                (vec![DcwPlan { command: 0xEA, control, count }], false)
            })
        })
        .boxed()
}

/// Returns Prefix with an imbedded Write Track Data.
fn tracks_write() -> Kind {
    (target(), 1u8..4, prop_oneof![2 => Just(0u16), 1 => 1u16..9000])
        .prop_flat_map(|(target, tracks, factor)| {
            extent(target.0).prop_map(move |(begin, end)| {
                let auxiliary = if factor == 0 { 0x30 } else { 0xF0 };
                let base = locate(0x3F, tracks, target);
                let locate = Locate { auxiliary, imbedded: 0xA5, factor, extended: 0x23, ..base };
                let count = Count::Tracks(target.0, target.1, tracks);
                (vec![DcwPlan { command: 0xE7, control: locate.prefix(0x80, 4096, begin, end), count }], true)
            })
        })
        .boxed()
}

/// Returns Prefix and record by record.
fn records(write: bool) -> Kind {
    let commands: &[u8] = if write { &[0x85, 0x85, 0x05] } else { &[0x86, 0x86, 0x06, 0x8E] };
    // An update has the length of its record, by the factor or by the block size.
    let length = select(&[(0, 80u16), (0, 80), (0, 512), (80, 0), (0, 0), (4096, 80)][..]);
    (target(), vec(select(commands), 1..4), prop::bool::weighted(0.2), length)
        .prop_flat_map(move |(target, commands, short, (block, factor))| {
            extent(target.0).prop_map(move |(begin, end)| {
                let operation = if write { 0x01 } else { 0x16 };
                let auxiliary = if factor == 0 { 0 } else { 0x80 };
                let base = locate(operation, commands.len() as u8, target);
                let locate = Locate { auxiliary, factor, ..base };
                let mask = if write { 0x80 } else { 0x40 };
                let mut dcws = vec![control(0xE7, locate.prefix(mask, block, begin, end))];
                for (index, &command) in (0u8..).zip(&commands) {
                    let key = command & 0x08 != 0;
                    let record = target.1.saturating_add(index);
                    let count = if short {
                        Count::Fixed(40)
                    } else {
                        Count::Of(target.0, record, [false, key, true])
                    };
                    dcws.push(DcwPlan { command, control: vec![], count });
                }
                (dcws, write)
            })
        })
        .boxed()
}

/// Returns an interrogation, which has no data.
fn interrogation() -> Kind {
    (0usize..4).prop_map(|more| (vec![control(0x40, vec![0; 31 + more])], false)).boxed()
}

/// Returns Define Extent, Locate Record and a read.
fn located() -> Kind {
    (target(), any::<bool>())
        .prop_map(|(target, swapped)| {
            let mut dcws = vec![
                control(0x63, define_extent(0x40, 0, target.0, target.0, false)),
                control(0x47, locate(0x06, 1, target).record()),
            ];
            if swapped {
                dcws.swap(0, 1);
            }
            let count = Count::Of(target.0, target.1, [false, false, true]);
            dcws.push(DcwPlan { command: 0x86, control: vec![], count });
            (dcws, false)
        })
        .boxed()
}
