//! Initiators of FCP channels: the port name of each subchannel, and logical units that are masked from it.

use std::collections::BTreeMap;
use std::ops::Range;

use halftrack_fabric::switch::VIRTUAL_PORTS_MAX;
use halftrack_input::messages::study as numbers;
use halftrack_wire::WorldWideName;

use crate::assemble::fabric::End;
use crate::assemble::fcp_subchannels::{FcpSubchannel, definitions};
use crate::assemble::inputs::Inputs;
use crate::assemble::luns::Sources;
use crate::cpc::Lpar;
use crate::fcp::Initiator;
use crate::plant::{Luns, PortName};

/// Partitions and subchannels that streams use, by channel.
#[derive(Debug, Default)]
pub struct Initiators(BTreeMap<u32, BTreeMap<(u32, u16), Range<usize>>>);

impl Initiators {
    /// Notes that partition `lpar` uses a subchannel, for a set of logical units that a stream names there.
    pub fn add(&mut self, lpar: u32, subchannel: FcpSubchannel, named: &Range<usize>) {
        let of_channel = self.0.entry(subchannel.channel).or_default();
        of_channel.entry((lpar, subchannel.number)).or_insert_with(|| named.clone());
    }

    /// Returns the initiators of each channel that has some, with their names. Too many are reported.
    pub fn named(&self, sources: &Sources<'_, '_>) -> BTreeMap<u32, Vec<Initiator>> {
        let numbered = self.0.iter().map(|(channel, users)| {
            if let Some(named) = users.values().nth(VIRTUAL_PORTS_MAX) {
                let message = format!(
                    "{} FCP subchannels of channel {} are in use: a channel has at most {VIRTUAL_PORTS_MAX} virtual ports",
                    users.len(),
                    sources.channels.channel(*channel).name
                );
                let error = sources.inputs.in_workload(numbers::TOO_MANY_INITIATORS, named, message);
                sources.inputs.report(error.fix("spread the FCP devices over more channels"));
            }
            let initiator = |&(lpar, subchannel): &(u32, u16)| {
                let of = FcpSubchannel { number: subchannel, channel: *channel };
                let name = sources.port_name(&sources.lpars[lpar as usize], of);
                Initiator { lpar, subchannel, name }
            };
            (*channel, users.keys().map(initiator).collect())
        });
        numbered.collect()
    }
}

impl Sources<'_, '_> {
    /// Returns true when the fibre of a channel leads to a director, which gives each of its initiators an address.
    fn is_switched(&self, channel: u32) -> bool {
        let end = End::Channel(self.channels.plug(channel));
        let fibre = self.fabric.at(&end).map(|index| self.fabric.fibre(index));
        fibre.is_some_and(|fibre| matches!(fibre.other(&end), End::Director(_)))
    }

    /// Returns the port name of a subchannel of a partition: that of the channel where no director gives it an address.
    pub(super) fn port_name(&self, lpar: &Lpar, subchannel: FcpSubchannel) -> WorldWideName {
        let FcpSubchannel { number, channel } = subchannel;
        if !self.is_switched(channel) {
            let port = self.channels.channel(channel).identity.pchid().unwrap_or_default();
            return Initiator::name_of_channel(lpar.cpc, port);
        }
        let mut own = self.port_names(lpar).filter(|one| one.device.value == number);
        own.next()
            .map_or_else(|| Initiator::name_of(lpar.cpc, (lpar.css, lpar.mif), number), |one| one.name.value)
    }

    fn port_names<'p>(&'p self, lpar: &'p Lpar) -> impl Iterator<Item = &'p PortName> {
        let lpars = self.inputs.plant.lpars.iter();
        lpars.filter(|one| one.name.value == lpar.name).flat_map(|one| &one.port_names)
    }

    /// Reports port names of subchannels that the deck does not have.
    pub(super) fn check_port_names(&self) {
        for lpar in self.lpars {
            let inputs = self.inputs.of(lpar.cpc);
            for PortName { device, .. } in self.port_names(lpar) {
                if definitions(inputs.deck.devices.iter(), device.value).next().is_none() {
                    let message = format!("{:04X} is no FCP device of the deck", device.value);
                    let error = inputs.in_plant(numbers::NO_DEVICE, &device.span, message);
                    inputs.report(error.fix("name a device of an IODEVICE with UNIT=FCP"));
                }
            }
        }
    }

    /// Reports a set of logical units that is masked from every initiator of a partition, `own`.
    pub(super) fn report_masked(
        &self,
        inputs: &Inputs<'_>,
        (luns, lpar, named): (&Luns, &Lpar, &Range<usize>),
        own: &[FcpSubchannel],
    ) {
        let Some(mask) = luns.port_names.first() else { return };
        let set = &luns.name.value;
        let mut names: Vec<_> =
            own.iter().map(|one| (self.port_name(lpar, *one).to_string(), one.number)).collect();
        names.dedup_by(|one, other| one.0 == other.0);
        let message = format!("the logical units {set} are masked from {}", lpar.name);
        let error = inputs.in_workload(numbers::MASKED, named, message);
        let error = error.other(inputs.plant.label(&mask.span, "port names that see them"));
        let fix = match names.first() {
            None => format!("give {} an FCP device on an FCP channel with a card and a cable", lpar.name),
            Some((name, number)) => {
                format!("add \"{name}\", which is device {number:04X} of {}, to `wwpns` of {set}", lpar.name)
            }
        };
        inputs.report(error.fix(fix));
    }
}
