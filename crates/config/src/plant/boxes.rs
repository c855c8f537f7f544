//! The storage boxes of a plant: host-adapter ports and volumes.

use halftrack_catalog::cache_tracks;
use halftrack_fabric::endpoint_security::Policy;
use halftrack_input::messages::toml_file as numbers;
use halftrack_input::{Expect, Fields, Located};

use crate::device_range::DeviceRange;
use crate::place::{AdapterPort, DirectorPort, INTERFACE_WORDS, NAME_WORDS, control_unit_name, interface_id};
use crate::plant::box_identity::BoxIdentity;
use crate::plant::luns::{Luns, read_luns};
use crate::plant::security::policy;
use crate::plant::speed_setting::SpeedSetting;
use crate::plant::volser::VolserPattern;
use crate::plant::zhyperlink::{oper, read_switches};
use crate::plant::{Length, bit_error_rate, km, repeaters};
use crate::share_ppm::share_ppm;
use crate::synchronous::Directions;
use crate::unique::check_unique;
use crate::unit_range::UnitRange;

/// One `[[control_unit]]`: a storage box.
#[derive(Debug, Clone)]
pub struct ControlUnit {
    /// Name.
    pub name: Located<String>,
    /// Catalog id.
    pub kind: Located<String>,
    /// Tracks that its cache holds, where the plant gives them.
    pub cache_tracks: Option<u32>,
    /// Cache hits per million reads of the streams without a ratio of their own.
    pub hit_ppm: Option<u32>,
    /// Identity that it reports.
    pub identity: BoxIdentity,
    /// Directions of synchronous I/O that it has switched on.
    pub zhyperlink: Directions,
    /// Policy of endpoint security of its ports, unless one has a setting of its own.
    pub endpoint_security: Option<Located<Policy>>,
    /// Host-adapter ports.
    pub ports: Vec<HostAdapterPort>,
    /// Volumes of its devices, unless a range has others.
    pub volumes: Volumes,
    /// Ranges that differ, the first that holds a device wins.
    pub ranges: Vec<VolumeRange>,
    /// Logical units that FCP reaches.
    pub luns: Vec<Luns>,
}

/// Protocols of a host-adapter port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PortProtocol {
    /// FICON, command and transport mode.
    #[default]
    Ficon,
    /// FCP.
    Fcp,
}

/// One `[[control_unit.port]]`.
#[derive(Debug, Clone)]
pub struct HostAdapterPort {
    /// Interface id, four hexadecimal digits.
    pub id: Located<String>,
    /// Protocol that it serves.
    pub protocol: PortProtocol,
    /// The director port that it is cabled to; `None` when a channel's cable leads here, or none at all.
    pub to: Option<Located<DirectorPort>>,
    /// How long that fibre is; zero without one.
    pub length: Length,
    /// Share of the bits on that fibre that are wrong, each way.
    pub bit_error_rate: Option<Located<f64>>,
    /// Speed that it is set to.
    pub speed: SpeedSetting,
    /// On a bus with others: the unit addresses that it answers to.
    pub unit_addresses: Option<Located<UnitRange>>,
    /// Its policy of endpoint security; `None` as the box.
    pub endpoint_security: Option<Located<Policy>>,
}

impl HostAdapterPort {
    /// Returns the address of the port in `control_unit`.
    pub fn address(&self, control_unit: &ControlUnit) -> AdapterPort {
        AdapterPort { control_unit: control_unit.name.value.clone(), port: self.id.value.clone() }
    }
}

/// Properties of volumes in a plant; a key that is left out is inherited.
#[derive(Debug, Clone, Default)]
pub struct Volumes {
    /// Catalog id of the device model.
    pub model: Option<Located<String>>,
    /// How serials are made.
    pub volser: Option<VolserPattern>,
    /// Storage group.
    pub storage_group: Option<String>,
    /// Devices take transport mode.
    pub zhpf: Option<bool>,
}

/// One `[[control_unit.volumes]]`.
#[derive(Debug, Clone)]
pub struct VolumeRange {
    /// Devices that it describes.
    pub devices: Located<DeviceRange>,
    /// Properties of their volumes.
    pub volumes: Volumes,
    /// Directions of synchronous I/O that are on for them, of those of the box.
    pub zhyperlink: Directions,
}

impl Volumes {
    fn read(fields: &mut Fields<'_>) -> Self {
        let group_words = "a storage group of at most 8 characters";
        Self {
            model: fields.optional("model", Expect::text()),
            volser: fields
                .optional("volser", Expect::parsed(VolserPattern::WORDS, VolserPattern::parse))
                .map(|found| found.value),
            storage_group: fields
                .optional("storage_group", Expect::parsed(group_words, storage_group))
                .map(|found| found.value),
            zhpf: fields.optional("zhpf", Expect::flag()).map(|found| found.value),
        }
    }
}

fn storage_group(text: &str) -> Option<String> {
    (text.len() <= 8 && text.is_ascii()).then(|| text.to_owned())
}

pub(super) fn read_control_units(fields: &mut Fields<'_>) -> Vec<ControlUnit> {
    let (mut names, mut lun_names) = (Vec::new(), Vec::new());
    let control_units = fields.tables("control_unit", |control_unit| {
        let name = control_unit.required("name", Expect::parsed(NAME_WORDS, control_unit_name));
        names.extend(name.clone());
        let kind = control_unit.required("type", Expect::text());
        let cache_tracks = control_unit.optional("cache_tracks", cache_tracks()).map(|found| found.value);
        let hit_ppm = share_ppm(control_unit, "hit_ratio");
        let volumes = Volumes::read(control_unit);
        let identity = BoxIdentity::read(control_unit);
        let zhyperlink = read_switches(control_unit);
        let endpoint_security = control_unit.optional("endpoint_security", policy());
        let ports = read_ports(control_unit);
        let ranges = control_unit.tables("volumes", |range| {
            let devices = range.required("devices", Expect::parsed(DeviceRange::WORDS, DeviceRange::parse));
            let volumes = Volumes::read(range);
            let zhyperlink = range.or("zhyperlink", oper(), Directions::ALL);
            Some(VolumeRange { devices: devices?, volumes, zhyperlink })
        });
        let luns = read_luns(control_unit, &mut lun_names);
        Some(ControlUnit {
            name: name?,
            kind: kind?,
            cache_tracks,
            hit_ppm,
            identity,
            zhyperlink,
            endpoint_security,
            ports,
            volumes,
            ranges,
            luns,
        })
    });
    check_unique(fields, "control unit", names);
    check_unique(fields, "set of logical units", lun_names);
    control_units
}

fn read_ports(control_unit: &mut Fields<'_>) -> Vec<HostAdapterPort> {
    let ports = control_unit.tables("port", |port| {
        let id = port.required("id", Expect::parsed(INTERFACE_WORDS, interface_id));
        let protocols = [("ficon", PortProtocol::Ficon), ("fcp", PortProtocol::Fcp)];
        let protocol = port.or("protocol", Expect::one_of(protocols), PortProtocol::Ficon);
        let to = port.optional("to", Expect::parsed(DirectorPort::WORDS, DirectorPort::parse));
        let km = port.optional("km", km()).map_or(0.0, |found| found.value);
        let repeaters = port.or("repeaters", repeaters(), 0);
        if port.has("to") != port.has("km") {
            let message = "`to` and `km` of a port belong together: where its fibre leads and how long it is";
            let fix = "give both, or neither when a `[[cable]]` leads from a channel to this port";
            port.error(numbers::CHOOSE_ONE, port.span(), message, fix);
        }
        let bit_error_rate = port.optional("bit_error_rate", bit_error_rate());
        let speed = SpeedSetting::read(port, "gbps");
        let range = Expect::parsed(UnitRange::WORDS, UnitRange::parse);
        let unit_addresses = port.optional("unit_addresses", range);
        let endpoint_security = port.optional("endpoint_security", policy());
        let length = Length { km, repeaters };
        Some(HostAdapterPort {
            id: id?,
            protocol,
            to,
            length,
            bit_error_rate,
            speed,
            unit_addresses,
            endpoint_security,
        })
    });
    check_unique(control_unit, "port", ports.iter().map(|port| port.id.clone()));
    ports
}
