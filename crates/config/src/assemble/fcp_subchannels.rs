//! FCP subchannels: devices with UNIT=FCP, by whose world-wide port names the logical units of a set are masked.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use halftrack_deck::model::DeviceRange as Statement;
use halftrack_input::Located;
use halftrack_input::messages::study as numbers;

use crate::assemble::channels::{ChannelAt, FCP, plug_of};
use crate::assemble::fabric::End;
use crate::assemble::inputs::Inputs;
use crate::assemble::luns::Sources;
use crate::cpc::Lpar;
use crate::device_range::DeviceRange;
use crate::plant::Luns;

/// An FCP subchannel that a partition may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FcpSubchannel {
    /// Its device number.
    pub number: u16,
    /// Index of its channel.
    pub channel: u32,
}

/// Outcome of looking up the channel of an FCP device for a partition.
enum Access {
    Granted(FcpSubchannel),
    /// The device or its channel is of other partitions.
    Denied,
    /// Something about it has been reported.
    Broken,
}

impl Sources<'_, '_> {
    /// Returns the FCP subchannels of a set that partition `lpar` may use, by number; `None` when there is none, which is
    /// reported. A stream names the set at `named`.
    pub(super) fn subchannels(
        &self,
        luns: &Luns,
        lpar: &Lpar,
        named: &Range<usize>,
    ) -> Option<Vec<FcpSubchannel>> {
        let inputs = self.inputs.of(lpar.cpc);
        let (mut found, mut denied, mut broken) = (Vec::new(), None, BTreeSet::new());
        for (number, range) in by_number(&inputs, luns) {
            // What is wrong with one device of a range is wrong with the next.
            if broken.contains(&range.span.start) {
                continue;
            }
            let definitions = definitions(inputs.deck.devices.iter(), number);
            for definition in definitions {
                match self.access(
                    &inputs,
                    (luns, lpar),
                    &Located::new(number, range.span.clone()),
                    definition,
                ) {
                    Access::Granted(subchannel) => found.push(subchannel),
                    Access::Denied => denied = denied.or(Some(definition)),
                    Access::Broken => {
                        broken.insert(range.span.start);
                    }
                }
            }
        }
        if let Some(other) = denied.filter(|_| found.is_empty() && broken.is_empty()) {
            let message = format!("{} has no access to an FCP device of {}", lpar.name, luns.name.value);
            let error = inputs.in_plant(numbers::NO_ACCESS, &luns.name.span, message);
            let error = error.other(inputs.deck_label(&other.span, "a device, or its channel, of others"));
            inputs.report(
                error.fix("name FCP devices that the partition may use, on channels that it may use"),
            );
        }
        let own = self.all_of(&inputs, lpar);
        let seen = |one: &FcpSubchannel| {
            let name = self.port_name(lpar, *one);
            luns.port_names.iter().any(|seen| seen.value == name)
        };
        found.extend(own.iter().copied().filter(seen));
        found.sort_by_key(|one| one.number);
        found.dedup();
        if found.is_empty() && denied.is_none() && broken.is_empty() {
            self.report_masked(&inputs, (luns, lpar, named), &own);
        }
        Some(found).filter(|found| !found.is_empty())
    }

    /// Returns every FCP subchannel of a partition whose channel is there, by number.
    fn all_of(&self, inputs: &Inputs<'_>, lpar: &Lpar) -> Vec<FcpSubchannel> {
        let mut found = Vec::new();
        for definition in inputs.deck.devices.iter().filter(|one| one.unit.value == FCP) {
            if let Some((_, ChannelAt::Known(channel, of))) = self.channel_of(inputs, lpar, definition)
                && of.channel_type.value == FCP
            {
                let first = definition.number.value;
                let numbers = (0..definition.count).filter_map(|nth| first.checked_add(nth));
                found.extend(numbers.map(|number| FcpSubchannel { number, channel }));
            }
        }
        found.sort_by_key(|one| one.number);
        found
    }

    /// Returns the CHPID of an FCP device and what is there; `None` when device or channel is of other partitions.
    fn channel_of(
        &self,
        inputs: &Inputs<'_>,
        lpar: &Lpar,
        definition: &Statement,
    ) -> Option<(u8, ChannelAt<'_>)> {
        let is_me = |one: &(u8, String)| one.0 == lpar.css && one.1 == lpar.name;
        if !definition.candidates.is_empty() && !definition.candidates.iter().any(is_me) {
            return None;
        }
        let mut paths = inputs
            .deck
            .control_units
            .iter()
            .filter(|unit| definition.control_units.iter().any(|one| one.value == unit.number.value))
            .flat_map(|unit| &unit.paths);
        let path = paths.find(|path| path.css == lpar.css)?;
        let at = self.channels.at(lpar.subsystem(), path.chpid);
        match &at {
            ChannelAt::Known(_, of) if !inputs.deck.is_basic() && !of.access.iter().any(is_me) => None,
            _ => Some((path.chpid, at)),
        }
    }

    fn access(
        &self,
        inputs: &Inputs<'_>,
        (luns, lpar): (&Luns, &Lpar),
        number: &Located<u16>,
        definition: &Statement,
    ) -> Access {
        let Some((chpid, at)) = self.channel_of(inputs, lpar, definition) else { return Access::Denied };
        let why = match at {
            ChannelAt::Known(channel, statement) if statement.channel_type.value == FCP => {
                return Access::Granted(FcpSubchannel { number: number.value, channel });
            }
            ChannelAt::Known(_, other) | ChannelAt::OtherType(other) => {
                let kind = &other.channel_type.value;
                let message = format!(
                    "FCP device {:04X} of {} is on CHPID {chpid:02X} of type {kind}",
                    number.value, luns.name.value
                );
                let error = inputs.in_plant(numbers::OTHER_PROTOCOL, &number.span, message);
                error
                    .other(inputs.deck_label(&other.channel_type.span, "its channel"))
                    .fix("write TYPE=FCP, or name other devices")
            }
            ChannelAt::Broken if !self.is_without_fibre(inputs, lpar, chpid) => return Access::Broken,
            ChannelAt::Undefined => return Access::Broken,
            ChannelAt::Broken => {
                let message = format!(
                    "FCP device {:04X} of {} is on CHPID {:02X}, for which the plant has no card with a cable",
                    number.value, luns.name.value, chpid
                );
                let error = inputs.in_plant(numbers::NO_CARD, &number.span, message);
                let error = error.other(inputs.deck_label(&definition.span, "its IODEVICE"));
                error.fix("add the PCHID of the CHPID to a `[[card]]` and a `[[cable]]`")
            }
        };
        inputs.report(why);
        Access::Broken
    }

    /// Returns true when the plant has no card for an FCP channel, or no cable, about which it may be silent.
    fn is_without_fibre(&self, inputs: &Inputs<'_>, lpar: &Lpar, chpid: u8) -> bool {
        let is_it = |one: &&halftrack_deck::model::ChannelPath| {
            one.chpid.value == chpid && one.css.contains(&lpar.css)
        };
        let plug = inputs.deck.channel_paths.iter().find(is_it).and_then(|one| plug_of(inputs, one));
        plug.is_some_and(|plug| {
            let end = End::Channel(plug.value);
            !self.fabric.is_broken(&end)
                && (self.fabric.card(plug.value).is_none() || self.fabric.at(&end).is_none())
        })
    }
}

/// Returns the device numbers of a set, each with its range. The first of a range that is no FCP device is reported, and
/// the rest of the range left out.
fn by_number<'l>(inputs: &Inputs<'_>, luns: &'l Luns) -> BTreeMap<u16, &'l Located<DeviceRange>> {
    let mut found = BTreeMap::new();
    for range in &luns.devices {
        for number in range.value.first..=range.value.last {
            if definitions(inputs.deck.devices.iter(), number).next().is_none() {
                let message = format!("{number:04X} is no FCP device of the deck");
                let error = inputs.in_plant(numbers::NO_DEVICE, &range.span, message);
                inputs.report(error.fix("name devices of an IODEVICE with UNIT=FCP"));
                break;
            }
            found.insert(number, range);
        }
    }
    found
}

/// Returns the statements of an FCP device: several where partitions share a number.
pub(super) fn definitions<'d>(
    devices: impl Iterator<Item = &'d Statement>,
    number: u16,
) -> impl Iterator<Item = &'d Statement> {
    let nth = move |one: &Statement| number.checked_sub(one.number.value);
    devices.filter(move |one| one.unit.value == FCP && nth(one).is_some_and(|nth| nth < one.count))
}
