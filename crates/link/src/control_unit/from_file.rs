//! A control unit as its file has it.

use std::path::Path;

use halftrack_base::CodePage;
use halftrack_config::ControlUnitFile;
use halftrack_config::control_unit_file::{Descriptor, LunEntry, PortEntry, WriteMode};
use halftrack_exchange::fcp::FcpTimers;
use halftrack_volume::Mode;
use halftrack_wire::els::NodeDescriptor;

use super::PortOptions;
use super::luns::{FcpPort, LunError, LunTable, LunVolume};
use super::units::UnitVolume;

/// Class of a node that is a control unit for direct-access storage (node descriptor, first parameter octet).
const DIRECT_ACCESS: u8 = 0x01;

impl PortOptions {
    /// Returns the options of a port in the file.
    #[must_use]
    pub fn of_entry(file: &ControlUnitFile, port: &PortEntry) -> Self {
        Self {
            id: port.id.clone(),
            port_name: port.port_name,
            node_name: file.node,
            node: node_descriptor(&file.descriptor, &port.id),
            credits: port.credits,
            open_exchanges: port.open_exchanges,
            hosts: port.hosts.as_ref().map(|hosts| hosts.iter().map(|host| host.port_name).collect()),
            iu_pacing: file.iu_pacing,
            first_transfer_bytes: file.first_transfer_bytes,
            fcp: port.is_fcp.then(|| FcpTimers {
                command: file.fcp.command,
                retention: file.fcp.retention,
                ..FcpTimers::standard(true)
            }),
        }
    }
}

impl UnitVolume {
    /// Returns the volumes of a file, in its order; names of images count from `directory`.
    pub fn of_file(file: &ControlUnitFile, directory: &Path) -> impl Iterator<Item = Self> {
        let units = file.logical_control_units.iter();
        units.flat_map(move |unit| {
            unit.volumes.iter().map(move |volume| Self {
                image: unit.image,
                unit_address: volume.unit_address,
                aliases: volume.aliases.clone(),
                file: directory.join(&volume.file.value),
                mode: mode_of(volume.write),
            })
        })
    }
}

impl LunTable {
    /// Opens the logical units of a file; names of images count from `directory`.
    ///
    /// # Errors
    /// The places in the file of those that cannot be served, and why.
    pub fn of_file(
        file: &ControlUnitFile,
        directory: &Path,
        discards_journals: bool,
    ) -> Result<Self, Vec<(usize, LunError)>> {
        let ports: Vec<_> = (0..)
            .zip(&file.ports)
            .filter(|(_, port)| port.is_fcp)
            .map(|(number, port)| FcpPort { number, name: port.port_name })
            .collect();
        let is_seen = |lun: &LunEntry, number: u16| {
            let id = &file.ports[usize::from(number)].id;
            lun.ports.as_ref().is_none_or(|ports| ports.contains(id))
        };
        let volumes: Vec<_> = file
            .luns
            .iter()
            .map(|lun| LunVolume {
                number: lun.number,
                file: directory.join(&lun.file.value),
                mode: mode_of(lun.write),
                block_bytes: lun.block_bytes,
                is_thin: lun.is_thin,
                ports: ports.iter().map(|port| port.number).filter(|number| is_seen(lun, *number)).collect(),
                hosts: lun.hosts.clone(),
            })
            .collect();
        Self::open(file.node, &ports, &volumes, discards_journals)
    }
}

const fn mode_of(write: WriteMode) -> Mode {
    match write {
        WriteMode::Sync => Mode::Sync,
        WriteMode::Writeback => Mode::WriteBack,
        WriteMode::Inhibited => Mode::ReadOnly,
    }
}

/// Returns the node descriptor of the control unit at the interface `id`, four hexadecimal digits.
fn node_descriptor(descriptor: &Descriptor, id: &str) -> NodeDescriptor {
    let [high, low] = u16::from_str_radix(id, 16).unwrap_or_default().to_be_bytes();
    NodeDescriptor {
        flags: 0,
        parameters: [DIRECT_ACCESS, high, low],
        node_type: ebcdic(&descriptor.node_type),
        model: ebcdic(&descriptor.model),
        manufacturer: ebcdic(&descriptor.manufacturer),
        plant: ebcdic(&descriptor.plant),
        sequence: ebcdic(&descriptor.sequence),
        tag: u16::from_be_bytes([high, low]),
    }
}

/// Returns the first `N` characters, blanks behind fewer.
fn ebcdic<const N: usize>(text: &str) -> [u8; N] {
    let octets = CodePage::Page037.octets(text);
    std::array::from_fn(|at| octets.get(at).copied().unwrap_or(0x40))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_descriptor_is_in_ebcdic() {
        let node = node_descriptor(&Descriptor::default(), "003F");
        assert_eq!(node.interface_id(), 0x3F);
        assert_eq!(node.node_type, [0xF0, 0xF0, 0xF2, 0xF1, 0xF0, 0xF7]);
        assert_eq!(node.manufacturer, [0xC8, 0xE3, 0xD2]);
        assert_eq!(ebcdic::<3>("A"), [0xC1, 0x40, 0x40]);
    }
}
