//! One device number for each unit address in a partition: a control unit identifies the starts of a host's subchannel
//! by its unit address, so that two subchannels of one partition would end each other's I/O.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_deck::model::DeviceRange;
use halftrack_input::messages::study as numbers;

use crate::assemble::inputs::Inputs;
use crate::assemble::logical_control_units::{LogicalControlUnits, is_disk};

/// A partition, as (CSS, name).
type Partition = (u8, String);

/// Reports disks that have two device numbers in one partition, once for two statements.
pub fn check(inputs: &Inputs<'_>, lcus: &LogicalControlUnits) {
    for machine in inputs.each() {
        let mut known = BTreeMap::<(u32, u8), Vec<(&DeviceRange, u16)>>::new();
        let mut told = BTreeSet::new();
        for statement in machine.deck.devices.iter().filter(|range| is_disk(&range.unit.value)) {
            let of_machine = |number: u16| lcus.index(machine.machine, number);
            let Some(lcu) = statement.control_units.iter().find_map(|number| of_machine(number.value)) else {
                continue;
            };
            for nth in 0..statement.count {
                let Some(number) = statement.number.value.checked_add(nth) else { break };
                let unit_address = statement.unit_address.wrapping_add(nth as u8);
                let others = known.entry((lcu, unit_address)).or_default();
                for (other, theirs) in others.iter().filter(|(_, theirs)| *theirs != number) {
                    let pair = (other.span.start, statement.span.start);
                    if let Some(partition) = in_common(&machine, other, statement)
                        && told.insert(pair)
                    {
                        report(&machine, (statement, number), (other, *theirs), unit_address, &partition);
                    }
                }
                others.push((statement, number));
            }
        }
    }
}

fn report(
    inputs: &Inputs<'_>,
    (statement, number): (&DeviceRange, u16),
    (other, theirs): (&DeviceRange, u16),
    unit_address: u8,
    (css, partition): &Partition,
) {
    let message = format!(
        "device {number:04X} is unit address {unit_address:02X} of a logical control unit that partition {partition} of \
         CSS {css} knows as device {theirs:04X} already"
    );
    let error = inputs
        .in_deck(numbers::UNIT_ADDRESS_TWICE, &statement.number.span, message)
        .other(inputs.deck_label(&other.number.span, "the other device number"))
        .fix("give the partition one of the two: by PART or NOTPART of the IODEVICE, or by access to the channels");
    inputs.report(error);
}

/// Returns a partition that may use the devices of both statements.
fn in_common(inputs: &Inputs<'_>, one: &DeviceRange, other: &DeviceRange) -> Option<Partition> {
    let others = partitions(inputs, other);
    partitions(inputs, one).into_iter().find(|partition| others.contains(partition))
}

/// Returns the partitions that may use the devices of a statement.
fn partitions(inputs: &Inputs<'_>, statement: &DeviceRange) -> BTreeSet<Partition> {
    let own = |number: u16| statement.control_units.iter().any(|one| one.value == number);
    let units = inputs.deck.control_units.iter().filter(|unit| own(unit.number.value));
    let paths = units.flat_map(|unit| &unit.paths);
    let channels = paths.flat_map(|path| {
        let leads = |channel: &&halftrack_deck::model::ChannelPath| {
            channel.chpid.value == path.chpid && channel.css.contains(&path.css)
        };
        let channels = inputs.deck.channel_paths.iter().filter(leads);
        channels.flat_map(|channel| channel.access.iter().filter(|(css, _)| *css == path.css))
    });
    let allowed =
        |partition: &&Partition| statement.candidates.is_empty() || statement.candidates.contains(partition);
    channels.filter(allowed).cloned().collect()
}
