//! Random cases: volumes with records of all kinds, and programs that are mostly sensible, changed at random.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::model::images::Keeping;
use crate::model::parameters::{Locate, define_extent};
use crate::model::plan::{Case, Count, Layout, Mutation, Program, RecordPlan, Start, Step};
use crate::model::transport_generator::operation;

/// Tracks that get records: at the edges of cylinders and of the volume, and between.
const HOT: [u32; 10] = [0, 1, 2, 5, 13, 14, 15, 16, 28, 29];

/// Returns a whole case.
pub fn case() -> impl Strategy<Value = Case> {
    let key =
        prop_oneof![4 => Just(0x10u8), 1 => Just(0x18), 1 => Just(0x28), 1 => Just(0x20), 1 => any::<u8>()];
    let keys = prop_oneof![3 => Just(vec![]), 1 => vec((0usize..64, key), 1..3)];
    let keeping = prop_oneof![
        4 => Just(Keeping::Plain),
        2 => Just(Keeping::Journal),
        1 => Just(Keeping::WriteBack),
        1 => Just(Keeping::Compressed),
    ];
    (vec(track(), HOT.len()), keys, vec(start(), 1..4), keeping).prop_map(
        |(tracks, keys, starts, keeping)| {
            let tracks = HOT.into_iter().zip(tracks).filter(|(_, records)| !records.is_empty()).collect();
            Case { tracks, keys, starts, keeping }
        },
    )
}

fn track() -> BoxedStrategy<Vec<RecordPlan>> {
    let length = prop_oneof![
        2 => Just(0u16), 6 => 1u16..64, 6 => Just(80u16), 3 => Just(512u16), 2 => Just(4096u16), 1 => 1u16..3000,
    ];
    let key = prop_oneof![5 => Just(0u8), 2 => 1u8..12, 1 => any::<u8>()];
    let gap = prop_oneof![12 => Just(0u8), 1 => 1u8..4];
    let record = (gap, key, length, prop::bool::weighted(0.03))
        .prop_map(|(gap, key, data, elsewhere)| RecordPlan { gap, key, data, elsewhere });
    let uniform = (select(&[16u16, 80, 512, 2048, 4096][..]), 1usize..9)
        .prop_map(|(data, records)| vec![RecordPlan { gap: 0, key: 0, data, elsewhere: false }; records]);
    prop_oneof![1 => Just(vec![]), 6 => vec(record, 1..8), 4 => uniform].boxed()
}

fn start() -> impl Strategy<Value = Start> {
    let key = prop_oneof![6 => Just(0x10u8), 1 => Just(0x00), 1 => Just(0x20)];
    let four =
        (key, prop::bool::weighted(0.1)).prop_map(|(key, suspend)| key | if suspend { 0x08 } else { 0 });
    let five = (any::<bool>(), select(&[0u8, 0, 2, 3][..]), any::<bool>()).prop_map(
        |(format_1, idaws, prefetch)| {
            (if format_1 { 0x80 } else { 0 }) | idaws | if prefetch { 0x40 } else { 0 }
        },
    );
    let seven = (any::<bool>(), prop::bool::weighted(0.7))
        .prop_map(|(length, midaws)| (if length { 0x80 } else { 0 }) | if midaws { 0x40 } else { 0 });
    let mutation = (0usize..3, any::<u16>(), mask_of_bits()).prop_map(|(part, at, bits)| Mutation {
        part,
        at: usize::from(at),
        bits,
    });
    let mutations = prop_oneof![5 => Just(vec![]), 3 => vec(mutation, 1..4)];
    let program = prop_oneof![
        4 => chain().prop_map(Program::Command),
        1 => operation().prop_map(Program::Transport),
    ];
    (four, five, seven, program, mutations).prop_map(|(orb_4, orb_5, orb_7, program, mutations)| Start {
        orb_4,
        orb_5,
        orb_7,
        program,
        mutations,
    })
}

fn mask_of_bits() -> impl Strategy<Value = u8> {
    prop_oneof![3 => (0u8..8).prop_map(|bit| 1 << bit), 1 => 1u8..]
}

/// Returns a track and a record that are likely there.
pub fn target() -> impl Strategy<Value = (u32, u8)> {
    let record = prop_oneof![10 => 1u8..4, 1 => Just(0u8), 2 => 4u8..9];
    (prop_oneof![30 => select(&HOT[..]), 1 => 0u32..30], record)
}

/// Returns an extent around a track.
pub fn extent(track: u32) -> BoxedStrategy<(u32, u32)> {
    prop_oneof![
        4 => Just((0, 29)),
        3 => Just((track, track)),
        3 => Just((track, (track + 2).min(29))),
        1 => (0u32..31, 0u32..31),
    ]
    .boxed()
}

fn chain() -> BoxedStrategy<Vec<Step>> {
    let programs = prop_oneof![
        5 => domain_chain(),
        4 => classic_chain(),
        2 => walk(),
        1 => format_chain(),
        1 => reserve_chain(),
        1 => vec(any_command(), 1..4),
    ];
    let more = prop_oneof![4 => Just(vec![]), 1 => vec(any_command(), 1..3)];
    let again = prop_oneof![40 => Just(vec![]), 1 => (1u8..3).prop_map(|back| vec![Step::Tic(back)])];
    (programs, more, again).prop_map(|(steps, more, again)| [steps, more, again].concat()).boxed()
}

/// Returns the flags, layout and data chaining of a CCW.
fn dress(command: u8, out: Vec<u8>, count: Count) -> BoxedStrategy<Step> {
    let flags = prop_oneof![
        6 => Just(0u8), 5 => Just(0x20u8), 1 => Just(0x10), 1 => Just(0x30), 1 => Just(0x08), 1 => Just(0x28), 1 => Just(0x02),
    ];
    let offset = prop_oneof![3 => Just(0x40u16), 2 => 0u16..4096, 1 => 4000u16..4096];
    let piece = prop_oneof![1 => 1u16..64, 1 => 1u16..4097];
    let splits = prop_oneof![6 => Just(vec![]), 1 => vec(piece.clone(), 1..4)];
    let midaws = vec((piece, prop::bool::weighted(0.1)), 0..4).prop_map(Layout::Midaws);
    let layout = prop_oneof![5 => Just(Layout::Direct), 1 => Just(Layout::Idaws), 1 => midaws];
    let change = prop_oneof![8 => Just(0i64), 1 => -9i64..10];
    (flags, offset, splits, layout, change)
        .prop_map(move |(flags, offset, splits, layout, change)| {
            let count = match &count {
                Count::Fixed(bytes) => Count::Fixed((i64::from(*bytes) + change).clamp(0, 65_535) as u32),
                other if change == 0 => other.clone(),
                _ => Count::Fixed((80 + change) as u32),
            };
            Step::Command { command, out: out.clone(), count, flags, offset, splits, layout }
        })
        .boxed()
}

/// Returns a command with parameters, which are most often as they should be.
fn parameters(command: u8, out: Vec<u8>) -> BoxedStrategy<Step> {
    let count = Count::Fixed(out.len() as u32);
    let plain = Step::Command {
        command,
        out: out.clone(),
        count: count.clone(),
        flags: 0,
        offset: 0x40,
        splits: vec![],
        layout: Layout::Direct,
    };
    prop_oneof![12 => Just(plain), 1 => dress(command, out, count)].boxed()
}

/// Returns the octets that a write sends.
fn octets() -> impl Strategy<Value = Vec<u8>> {
    (any::<u8>(), prop_oneof![4 => Just(96usize), 1 => Just(600usize), 1 => Just(4200usize)])
        .prop_map(|(seed, length)| (0..length).map(|at| seed.wrapping_add((at * 11) as u8)).collect())
}

/// Returns a count field and octets of key and data behind it.
fn formatted((track, record): (u32, u8)) -> impl Strategy<Value = Vec<u8>> {
    let data = prop_oneof![1 => Just(0u16), 6 => 1u16..100, 2 => Just(512u16), 1 => Just(20_000u16), 1 => Just(50_000u16)];
    let key = prop_oneof![3 => Just(0u8), 1 => 1u8..20];
    (key, data, octets()).prop_map(move |(key, data, octets)| {
        let mut bytes = crate::model::volume::cchh(track.min(29)).to_vec();
        bytes.extend([record, key]);
        bytes.extend(data.to_be_bytes());
        let areas = usize::from(key) + usize::from(data);
        bytes.extend(octets.iter().copied().cycle().take(areas));
        bytes
    })
}

const READS: [u8; 14] = [0x06, 0x86, 0x0E, 0x8E, 0x12, 0x92, 0x1E, 0x9E, 0x16, 0x96, 0x1A, 0x9A, 0xDE, 0xA6];

/// Returns a whole track as count, key and data areas, with or without the end marker.
fn full_track(track: u32) -> impl Strategy<Value = Vec<u8>> {
    (vec(formatted((track, 1)), 0..3), any::<bool>()).prop_map(move |(records, marked)| {
        let zero = [&crate::model::volume::cchh(track.min(29))[..], &[0, 0, 0, 8], &[0; 8]].concat();
        let mut bytes = [vec![zero], records].concat().concat();
        bytes.truncate(60_000);
        if marked {
            bytes.extend([0xFF; 8]);
        }
        bytes
    })
}

/// Returns a read of the areas of a target.
fn read(command: u8, (track, record): (u32, u8)) -> BoxedStrategy<Step> {
    let count = match command & 0x7F {
        0x06 => Count::Of(track, record, [false, false, true]),
        0x0E => Count::Of(track, record, [false, true, true]),
        0x1E => Count::Of(track, record, [true, true, true]),
        0x16 => Count::Of(track, 0, [true, true, true]),
        0x12 => Count::Fixed(8),
        0x1A | 0x0A => Count::Fixed(5),
        0x26 => Count::Tracks(track, record, 1),
        0x02 => Count::Fixed(24),
        0x5E => Count::Fixed(5000),
        _ => Count::Fixed(32),
    };
    dress(command, vec![], count)
}

/// Returns a write to the areas of a target.
fn write(command: u8, (track, record): (u32, u8)) -> BoxedStrategy<Step> {
    if command == 0x95 {
        return full_track(track)
            .prop_flat_map(move |out| dress(command, out.clone(), Count::Fixed(out.len() as u32)))
            .boxed();
    }
    if command == 0x19 {
        let home = [vec![0], crate::model::volume::cchh(track.min(29)).to_vec()].concat();
        return dress(command, home, Count::Fixed(5));
    }
    match command & 0x7F {
        0x1D | 0x11 | 0x15 => formatted((track, record.wrapping_add(1)))
            .prop_flat_map(move |out| dress(command, out.clone(), Count::Fixed(out.len() as u32)))
            .boxed(),
        _ => {
            let count = match command & 0x7F {
                0x05 => Count::Of(track, record, [false, false, true]),
                0x0D => Count::Of(track, record, [false, true, true]),
                0x25 => Count::Tracks(track, record, 1),
                _ => Count::Fixed(64),
            };
            octets().prop_flat_map(move |out| dress(command, out, count.clone())).boxed()
        }
    }
}

/// Returns the operation of a domain, its commands, and whether the operation is one of byte 17.
fn operations() -> BoxedStrategy<(u8, u8, Vec<u8>)> {
    prop_oneof![
        4 => Just((0x06, 0, vec![0x06, 0x86, 0x86, 0x0E, 0x8E])),
        3 => Just((0x16, 0, vec![0x06, 0x86, 0x8E, 0x12, 0x92, 0x1E, 0x9E, 0x16, 0x96, 0x1A])),
        1 => Just((0x96, 0, vec![0x06, 0x86, 0x12, 0x9E])),
        1 => Just((0x56, 0, vec![0x16, 0x06, 0x92, 0x1E, 0x1A])),
        1 => Just((0xD6, 0, vec![0x1A, 0x16, 0x12, 0x9E])),
        4 => Just((0x01, 0, vec![0x05, 0x85, 0x85, 0x0D, 0x8D])),
        1 => Just((0x81, 0, vec![0x05, 0x85])),
        2 => Just((0x03, 0, vec![0x1D, 0x1D, 0x9D])),
        2 => Just((0x43, 0, vec![0x15, 0x1D, 0x19])),
        1 => Just((0xC3, 0, vec![0x19, 0x15])),
        1 => Just((0x0B, 0, vec![0x1D, 0x9D])),
        2 => Just((0x0C, 0, vec![0xDE, 0xA6])),
        1 => Just((0x4C, 0, vec![0xDE, 0xA6])),
        1 => Just((0x3F, 0x09, vec![0x05, 0x85, 0x1D])),
        1 => Just((0x3F, 0x0A, vec![0x06, 0x86, 0x1E, 0x12])),
        1 => Just((0x3F, 0x0E, vec![0xDE])),
        2 => Just((0x3F, 0x11, vec![0x95])),
        1 => Just((0x3F, 0x23, vec![0xA5])),
        1 => Just((0x00, 0, vec![0x06, 0x12])),
    ]
    .boxed()
}

/// Returns Define Extent and Locate Record, or Prefix, and the commands of the domain.
fn domain_chain() -> BoxedStrategy<Vec<Step>> {
    (target(), operations(), 0u8..4, 1u8..4, any::<bool>())
        .prop_flat_map(|(target, (operation, extended, commands), form, count, exact)| {
            let mask = prop_oneof![4 => Just(0xC0u8), 3 => Just(0x80), 3 => Just(0x00), 2 => Just(0x40)];
            let steps = vec(select(commands), 1..=usize::from(count) + usize::from(!exact));
            let factor = if operation & 0x3F == 0x01 { update_factor() } else { any_factor() };
            (mask, extent(target.0), steps, factor, prop::bool::weighted(0.1)).prop_flat_map(
                move |(mask, (begin, end), commands, (block, factor), suffix)| {
                    let auxiliary = if factor == 0 { 0 } else { 0x80 } | u8::from(suffix);
                    let locate = Locate {
                        operation,
                        auxiliary,
                        imbedded: 0,
                        count: if operation & 0x3F == 0 { 0 } else { count },
                        track: target.0,
                        record: target.1,
                        factor,
                        extended,
                    };
                    located(&locate, form, (mask, block, begin, end), &commands, target)
                },
            )
        })
        .boxed()
}

/// Returns the block size of the extent and transfer-length factor, where they matter little.
fn any_factor() -> BoxedStrategy<(u16, u16)> {
    let factor = prop_oneof![4 => Just(0u16), 2 => Just(80), 1 => Just(4096), 1 => any::<u16>()];
    (prop_oneof![8 => Just(0u16), 1 => Just(4096)], factor).boxed()
}

/// Returns the block size and factor for updates of records, which have a length in common with them.
fn update_factor() -> BoxedStrategy<(u16, u16)> {
    let common = select(&[16u16, 80, 80, 80, 80, 512, 2048, 4096][..]);
    prop_oneof![
        6 => common.clone().prop_map(|length| (0, length)),
        2 => common.prop_map(|length| (length, 0)),
        1 => (1u16..100).prop_map(|length| (0, length)),
        2 => any_factor(),
    ]
    .boxed()
}

fn located(
    locate: &Locate,
    form: u8,
    (mask, block, begin, end): (u8, u16, u32, u32),
    commands: &[u8],
    target: (u32, u8),
) -> BoxedStrategy<Vec<Step>> {
    let mut steps = match form {
        0 | 1 if locate.operation != 0x3F => vec![
            parameters(0x63, define_extent(mask, block, begin, end, form == 1)),
            parameters(0x47, locate.record()),
        ],
        2 => vec![
            parameters(0x63, define_extent(mask, block, begin, end, false)),
            parameters(0x4B, locate.extended()),
        ],
        _ => vec![parameters(0xE7, locate.prefix(mask, block, begin, end))],
    };
    for (index, &command) in commands.iter().enumerate() {
        let record = (target.0, target.1.saturating_add(index as u8));
        let write = command & 0x03 == 0x01;
        steps.push(if write { write_step(command, record) } else { read(command, record) });
    }
    steps.boxed()
}

fn write_step(command: u8, target: (u32, u8)) -> BoxedStrategy<Step> {
    write(command, target)
}

fn seek(track: u32) -> Vec<u8> {
    [vec![0, 0], crate::model::volume::cchh(track).to_vec()].concat()
}

/// Returns the begin of a classic chain.
fn introduction(track: u32) -> BoxedStrategy<Vec<BoxedStrategy<Step>>> {
    prop_oneof![
        3 => Just(vec![]),
        2 => select(&[0xC0u8, 0x00, 0x40, 0x80, 0x18, 0x08][..]).prop_map(|mask| vec![parameters(0x1F, vec![mask])]),
        3 => (select(&[0xC0u8, 0x00, 0x40, 0x80][..]), extent(track)).prop_map(|(mask, (begin, end))| {
            vec![parameters(0x63, define_extent(mask, 0, begin, end, false))]
        }),
    ]
    .boxed()
}

/// Returns the seek, search and transfer, the way of old.
fn classic_chain() -> BoxedStrategy<Vec<Step>> {
    let search = prop_oneof![
        8 => Just(0x31u8), 2 => Just(0xB1), 1 => Just(0x51), 1 => Just(0x71), 1 => Just(0xF1), 2 => Just(0x29), 1 => Just(0x69), 1 => Just(0xA9), 1 => Just(0x39),
    ];
    let command = prop_oneof![
        6 => select(&READS[..]),
        6 => select(&[0x05u8, 0x05, 0x0D, 0x1D, 0x1D, 0x11][..]),
    ];
    (target(), search, vec(command, 1..4), any::<u8>())
        .prop_flat_map(|(target, search, commands, seed)| {
            introduction(target.0).prop_flat_map(move |introduction| {
                let argument = match search & 0x7F {
                    0x29 | 0x69 => (0..6)
                        .map(|at| (target.0 as usize * 31 + 7 + (at + 100) * 3) as u8 ^ (seed & 1))
                        .collect(),
                    0x39 => crate::model::volume::cchh(target.0).to_vec(),
                    _ => [crate::model::volume::cchh(target.0).to_vec(), vec![target.1]].concat(),
                };
                let mut steps = introduction;
                steps.push(parameters(0x07, seek(target.0)));
                steps.push(parameters(search, argument));
                steps.push(Just(Step::Tic(1)).boxed());
                for &command in &commands {
                    let writes = command & 0x03 == 0x01;
                    steps.push(if writes { write(command, target) } else { read(command, target) });
                }
                steps
            })
        })
        .boxed()
}

/// Reads after a seek, without a search.
fn walk() -> BoxedStrategy<Vec<Step>> {
    (target(), vec(select(&READS[..]), 1..6))
        .prop_flat_map(|(target, commands)| {
            introduction(target.0).prop_flat_map(move |mut steps| {
                steps.push(parameters(0x07, seek(target.0)));
                for (index, &command) in commands.iter().enumerate() {
                    steps.push(read(command, (target.0, target.1.saturating_add(index as u8))));
                }
                steps
            })
        })
        .boxed()
}

/// Returns a track formatted from its home address on.
fn format_chain() -> BoxedStrategy<Vec<Step>> {
    (target(), 1usize..4, any::<bool>())
        .prop_flat_map(|((track, _), records, home)| {
            let mut steps =
                vec![parameters(0x63, define_extent(0xC0, 0, 0, 29, false)), parameters(0x07, seek(track))];
            if home {
                let home = [vec![0], crate::model::volume::cchh(track).to_vec()].concat();
                steps.push(parameters(0x19, home));
            } else {
                steps.push(parameters(0x39, crate::model::volume::cchh(track).to_vec()));
                steps.push(Just(Step::Tic(1)).boxed());
            }
            steps.push(write(0x15, (track, 0xFF)));
            for record in 0..records as u8 {
                steps.push(write(0x1D, (track, record)));
            }
            steps
        })
        .boxed()
}

/// Returns a command that reserves or releases the device, most often where it may stand.
fn reserve_chain() -> BoxedStrategy<Vec<Step>> {
    let before = prop_oneof![
        3 => Just(vec![]),
        2 => Just(vec![parameters(0x5B, vec![0])]),
        1 => Just(vec![parameters(0x5B, vec![0]), parameters(0x5B, vec![0])]),
        1 => Just(vec![parameters(0x1F, vec![0])]),
        1 => Just(vec![parameters(0x63, define_extent(0, 0, 0, 29, false))]),
        1 => Just(vec![any_command()]),
    ];
    (before, select(&[0x14u8, 0x94, 0xB4][..]))
        .prop_flat_map(|(mut steps, command)| {
            steps.push(dress(command, vec![], Count::Fixed(32)));
            steps
        })
        .boxed()
}

/// Returns the any command with any parameters.
fn any_command() -> BoxedStrategy<Step> {
    let known = select(
        &[
            0x02u8, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0B, 0x0E, 0x12, 0x13, 0x16, 0x1A, 0x1B, 0x1E, 0x1F, 0x31,
            0x39, 0x47, 0x63, 0x86, 0xE7, 0x22, 0x23, 0x14, 0x5B, 0x94, 0xB4,
        ][..],
    );
    let command = prop_oneof![8 => known, 1 => any::<u8>()];
    (command, target(), prop_oneof![2 => Just(6usize), 1 => Just(1usize), 1 => 0usize..64])
        .prop_flat_map(|(command, (track, record), length)| {
            let out = [seek(track), vec![record], vec![0; 64]].concat();
            dress(command, out, Count::Fixed(length as u32))
        })
        .boxed()
}
