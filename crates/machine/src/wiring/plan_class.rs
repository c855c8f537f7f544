//! The classes of paths on which a program has one plan, and by which protocol it is exchanged there.

use halftrack_config::{
    Channel, Configuration, ControlUnitPort, EndpointSecurity, Interface, Lcu, ProtocolChoice, Stream,
    Subsystem,
};
use halftrack_exchange::{Carrier, Login};
use halftrack_program::{
    DeviceFacts, EligibilityFacts, Geometry, Model, PathFacts, ProgramShape, Protocol, RequestFacts,
    eligibility,
};

use halftrack_wire::FrameProtection;
use halftrack_wire::choices::COMMAND_FRAME_PAYLOAD_BYTES;

use super::error::WiringError;

/// The values that decide the plans of a path: the login values and whether transport mode is possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PathClass {
    pub login: Login,
    /// Most payload bytes that a frame may have.
    pub receive_bytes: u32,
    /// The channel remembers the pacing window that it was granted on a logical path.
    pub remembers_pacing: bool,
    pub facts: PathGroupFacts,
}

impl PathClass {
    /// Returns the class of a path between `channel` and `port`, encrypted or not, of a group with these facts.
    pub fn new(
        (channel, port): (&Channel, &ControlUnitPort),
        encryption: Option<EndpointSecurity>,
        facts: PathGroupFacts,
    ) -> Self {
        let protection = encryption.map_or(FrameProtection::NONE, |security| security.frames);
        let receive_bytes = encryption.map_or(COMMAND_FRAME_PAYLOAD_BYTES, |security| security.payload_bytes);
        let remembers_pacing = channel.hardware.bridge.is_none();
        Self { login: login(channel, port, protection), receive_bytes, remembers_pacing, facts }
    }
}

/// The weakest of a path group, which decides for all its paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PathGroupFacts {
    zhpf: bool,
    limit_64k: u32,
}

/// Returns true when a stream has I/Os of the kind: a program that never runs need not be one that can be exchanged. Writes
/// always find cache space.
pub(super) fn occurs(stream: &Stream, write: bool, hit: bool) -> bool {
    const ALL_PPM: u32 = 1_000_000;
    if write {
        return hit && stream.read_ppm < ALL_PPM;
    }
    stream.read_ppm > 0 && stream.hit_ppms().any(|ppm| if hit { ppm > 0 } else { ppm < ALL_PPM })
}

/// Returns the protocol of one of a stream's programs over a class of paths.
pub(super) fn protocol(
    configuration: &Configuration,
    stream: &Stream,
    shape: &ProgramShape,
    class: &PathClass,
) -> Result<Protocol, WiringError> {
    match stream.protocol {
        ProtocolChoice::Always(Protocol::Command) => return Ok(Protocol::Command),
        ProtocolChoice::Fcp => return Ok(Protocol::Transport),
        ProtocolChoice::Eligible | ProtocolChoice::Always(Protocol::Transport) => {}
    }
    let devices_offer = stream.devices.iter().all(|device| configuration.devices[*device as usize].zhpf);
    let device = if devices_offer { DeviceFacts::FULL } else { DeviceFacts::from_bytes(0, &[]) };
    let paths = [PathFacts {
        transport_mode: class.facts.zhpf,
        limit_valid: true,
        limit_64k: u16::try_from(class.facts.limit_64k).unwrap_or(u16::MAX),
    }];
    let records_per_track = Geometry::of(Model::Model3).records_per_track(shape.record_bytes, 0).max(1);
    let facts = EligibilityFacts {
        zhpf: configuration.lpars[stream.lpar as usize].zhpf,
        channel_subsystem: true,
        paths: &paths,
        device,
        request: RequestFacts {
            operation: shape.operation,
            bytes: shape.data_bytes(),
            tracks: shape.records.div_ceil(u16::from(records_per_track)),
            uniform_without_keys: true,
        },
    };
    match (eligibility(&facts), stream.protocol) {
        (Ok(()), _) | (Err(_), ProtocolChoice::Fcp) => Ok(Protocol::Transport),
        (Err(_), ProtocolChoice::Eligible | ProtocolChoice::Always(Protocol::Command)) => {
            Ok(Protocol::Command)
        }
        (Err(why), ProtocolChoice::Always(Protocol::Transport)) => {
            Err(WiringError::Ineligible { stream: stream.name.clone(), reason: why.to_string() })
        }
    }
}

/// Returns the login values of `channel` and `port`, whose frames have this protection.
fn login(channel: &Channel, port: &ControlUnitPort, protection: FrameProtection) -> Login {
    Login {
        frame_payload_bytes: channel.hardware.frame_payload_bytes,
        initial_pacing: channel.initial_pacing,
        granted_pacing: channel.hardware.bridge.map_or(port.hardware.pacing, |bridge| bridge.granted_pacing),
        first_transfer_bytes: port.hardware.first_transfer_bytes,
        transfer_ready_bytes: port.hardware.transfer_ready_bytes,
        carrier: match channel.hardware.circuit.map(|circuit| circuit.interface) {
            None if channel.hardware.fcp.is_some() => Carrier::Fcp,
            None => Carrier::Ficon,
            Some(Interface::Escon | Interface::EsconFunction) => Carrier::Escon,
            Some(Interface::Block | Interface::Byte) => Carrier::Parallel,
        },
        window_bytes: channel.hardware.circuit.map_or(0, |circuit| circuit.window_bytes),
        protection,
    }
}

/// Collects the weakest facts of the paths from `subsystem` to `lcu`.
pub(super) fn group_facts(configuration: &Configuration, lcu: &Lcu, subsystem: Subsystem) -> PathGroupFacts {
    let mut facts = PathGroupFacts { zhpf: true, limit_64k: u32::MAX };
    let groups = lcu.path_groups.iter().filter(|group| group.subsystem() == subsystem);
    for path in groups.flat_map(|group| &group.paths) {
        let channel = &configuration.channels[path.channel as usize].hardware;
        let port = &configuration.ports[path.port as usize].hardware;
        facts.zhpf &= channel.zhpf && port.zhpf;
        facts.limit_64k = facts.limit_64k.min(channel.transport_limit_64k);
    }
    facts
}
