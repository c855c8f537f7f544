//! Catalog entries turned into the numbers of a configuration.

use halftrack_base::Span;
use halftrack_catalog as catalog;
use halftrack_input::Sourced;

use crate::assemble::channels::{BYTE_MULTIPLEXER, ESCON_FUNCTION, FCP};
use crate::configuration::{
    Bridge, ChannelCircuit, ChannelGuideline, ChannelHardware, ControlUnitHardware, Interface, Prices,
    UnitCircuit,
};
use crate::data_path::{DataPath, HeldBus};
use crate::fcp::FcpChannel;
use crate::share::Share;

/// Bytes per second of 1 MB/s.
const BYTES_PER_MB: f64 = 1e6;
/// Largest transfer of one SCSI command, in units of 65,536 bytes: the largest that a path has, 16 MiB.
const TRANSFER_LIMIT_64K: u32 = 255;

/// Returns the numbers of a channel card, for a channel of this type.
pub fn channel(id: &str, card: &catalog::Channel, channel_type: &str) -> ChannelHardware {
    let common = ChannelHardware {
        id: id.to_owned(),
        zhpf: false,
        open_exchanges: card.common.open_exchanges.value,
        open_exchanges_command: card.common.open_exchanges_command.value,
        command: Prices::default(),
        transport: Prices::default(),
        data_path: DataPath::Router,
        held_bus: None,
        bus_bytes_per_s: 1,
        frame_payload_bytes: card.common.frame_payload_bytes.value,
        transport_limit_64k: 0,
        circuit: card.circuit().map(|circuit| ChannelCircuit {
            interface: match (circuit.interface, channel_type) {
                (catalog::CircuitInterface::Escon, ESCON_FUNCTION) => Interface::EsconFunction,
                (catalog::CircuitInterface::Escon, _) => Interface::Escon,
                (catalog::CircuitInterface::Parallel, BYTE_MULTIPLEXER) => Interface::Byte,
                (catalog::CircuitInterface::Parallel, _) => Interface::Block,
            },
            window_bytes: circuit.window_bytes.value,
            port_busy_retry: circuit.port_busy_retry_us.as_ref().map_or(Span::ZERO, duration),
        }),
        bridge: None,
        fcp: None,
        turnaround: card.turnaround_us.as_ref().map(duration),
        guideline: card.common.guideline.as_ref().map(|guideline| ChannelGuideline {
            processor_percent: guideline.processor_percent.value,
            bus_percent: guideline.bus_percent.as_ref().map(|percent| percent.value),
        }),
    };
    match &card.work {
        catalog::ChannelWork::HeldBus(held) => {
            let held_bus = held_bus(held);
            ChannelHardware { bus_bytes_per_s: held_bus.bytes_per_s, held_bus: Some(held_bus), ..common }
        }
        catalog::ChannelWork::Priced(work) if channel_type == FCP => fcp_channel(common, work),
        catalog::ChannelWork::Priced(work) => {
            let transport = work.transport.as_ref();
            ChannelHardware {
                zhpf: transport.is_some(),
                command: prices(&work.command),
                transport: transport.map(|transport| prices(&transport.prices)).unwrap_or_default(),
                data_path: if work.moved_by_firmware { DataPath::Firmware } else { DataPath::Router },
                bus_bytes_per_s: bytes_per_s(work.bus_mb_per_s.value),
                transport_limit_64k: transport.map_or(0, |transport| transport.limit_64k.value),
                ..common
            }
        }
    }
}

/// Returns the numbers of an FCP channel: its SCSI commands are its transport mode, and it has no other.
fn fcp_channel(common: ChannelHardware, work: &catalog::PricedWork) -> ChannelHardware {
    let Some(fcp) = &work.fcp else { return common };
    ChannelHardware {
        zhpf: true,
        transport: prices(&fcp.prices),
        bus_bytes_per_s: bytes_per_s(fcp.bus_mb_per_s.value),
        transport_limit_64k: TRANSFER_LIMIT_64K,
        fcp: Some(FcpChannel { write: duration(&fcp.write_us) }),
        guideline: None,
        ..common
    }
}

/// Returns the numbers of a FICON channel card whose channel leads to `bridge`.
pub fn bridged(card: ChannelHardware, bridge: &catalog::Bridge) -> ChannelHardware {
    let most = bridge.exchanges.value;
    let units_per_command = bridge.units_per_command.value;
    ChannelHardware {
        zhpf: false,
        open_exchanges: card.open_exchanges.min(most),
        open_exchanges_command: card.open_exchanges_command.min(most),
        held_bus: card.held_bus.map(|held| HeldBus { units_per_command, ..held }),
        bridge: Some(Bridge {
            interlock: duration(&bridge.interlock_us),
            granted_pacing: bridge.granted_pacing.value,
        }),
        ..card
    }
}

/// Returns clocks at a frequency in MHz as time.
fn clocks(clocks: &Sourced<f64>, mhz: &Sourced<f64>) -> Span {
    Span::from_us_f64(clocks.value / mhz.value)
}

fn held_bus(held: &catalog::HeldBus) -> HeldBus {
    const BITS_PER_BYTE: f64 = 8.0;
    const PERMILLE_OF_PERCENT: f64 = 10.0;
    HeldBus {
        sequence: clocks(&held.sequence_clocks, &held.processor_mhz),
        units_per_command: 0,
        frame: clocks(&held.shared.frame_clocks, &held.bus_mhz),
        bytes_per_s: bytes_per_s(held.bus_mhz.value * f64::from(held.bus_bits.value) / BITS_PER_BYTE),
        idle_bus_permille: (held.shared.idle_bus_percent.value * PERMILLE_OF_PERCENT).round() as u32,
    }
}

/// Returns the share `name` with `limits`, below nothing.
pub fn share(name: String, limits: Option<&catalog::CardLimits>) -> Share {
    let rate = |rate: &Option<Sourced<f64>>| rate.as_ref().map(|rate| bytes_per_s(rate.value));
    Share {
        name,
        read_bytes_per_s: limits.and_then(|limits| rate(&limits.read_mb_per_s)),
        write_bytes_per_s: limits.and_then(|limits| rate(&limits.write_mb_per_s)),
        bytes_per_s: limits.map(|limits| bytes_per_s(limits.mb_per_s.value)),
        parent: None,
        standby_parent: None,
    }
}

/// Returns the numbers of a control unit.
pub fn control_unit(id: &str, unit: &catalog::ControlUnit) -> ControlUnitHardware {
    let transport = unit.transport.as_ref();
    ControlUnitHardware {
        id: id.to_owned(),
        zhpf: transport.is_some(),
        command: prices(&unit.command),
        transport: transport.map(|transport| prices(&transport.prices)).unwrap_or_default(),
        bus_bytes_per_s: bytes_per_s(unit.bus_mb_per_s.value),
        exchanges_per_port: unit.exchanges_per_port.value,
        pacing: unit.pacing.value,
        first_transfer_bytes: transport.map_or(0, |transport| transport.first_transfer_bytes.value),
        transfer_ready_bytes: transport.map_or(0, |transport| transport.transfer_ready_bytes.value),
        dispatch: duration(&unit.dispatch_us),
        hit: duration(&unit.hit_us),
        write: duration(&unit.write_us),
        cache_bytes_per_s: bytes_per_s(unit.cache_mb_per_s.value),
        cache_tracks: unit.cache_tracks.as_ref().map_or(0, |tracks| tracks.value),
        miss: duration(&unit.miss_us),
        staging_servers: unit.staging_servers.value,
        busy_hold: duration(&unit.busy_hold_us),
        box_io: unit.enclosure.as_ref().and_then(|one| one.io_us.as_ref()).map_or(Span::ZERO, duration),
        circuit: unit.circuit.as_ref().map(|circuit| UnitCircuit {
            reconnect: duration(&circuit.reconnect_us),
            reconnect_retry: duration(&circuit.reconnect_retry_us),
        }),
    }
}

/// Returns a catalog time in µs as virtual time.
pub fn duration(us: &Sourced<f64>) -> Span {
    Span::from_us_f64(us.value)
}

/// Returns MB/s (10^6 bytes) as bytes per second, rounded, at least one.
pub fn bytes_per_s(mb_per_s: f64) -> u64 {
    whole(mb_per_s * BYTES_PER_MB)
}

/// Returns bytes per second, rounded, at least one.
pub fn whole(bytes_per_s: f64) -> u64 {
    (bytes_per_s.round() as u64).max(1)
}

fn prices(prices: &catalog::Prices) -> Prices {
    Prices {
        program: duration(&prices.program_us),
        command: duration(&prices.command_us),
        unit: duration(&prices.unit_us),
        kib: duration(&prices.kib_us),
    }
}
