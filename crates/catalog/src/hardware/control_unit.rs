//! A control-unit generation: `catalog/control-unit/ID.toml`.

use halftrack_fabric::endpoint_security::Protection;
use halftrack_input::{Expect, Fields, Sourced};

use crate::hardware::between::{Interpolation, Neighbours};
use crate::hardware::channel::CardLimits;
use crate::hardware::circuit::UnitCircuit;
use crate::hardware::common_numbers::sourced_or;
use crate::hardware::enclosure::Enclosure;
use crate::hardware::prices::{Prices, time_us};
use crate::hardware::security::capability;
use crate::hardware::speed::{Speed, credits, rate_mb_per_s};
use crate::shelf::{Hardware, Shelf};

/// Most tracks of a cache: the index of more would not fit the memory of this computer.
const CACHE_TRACKS_MAX: u32 = 4_194_304;

/// Expects a number of tracks that a cache holds.
pub fn cache_tracks() -> Expect<'static, u32> {
    Expect::integer(1..=CACHE_TRACKS_MAX)
}

/// One generation of storage control units with its host adapters.
#[derive(Debug, Clone, PartialEq)]
pub struct ControlUnit {
    /// Name in words.
    pub title: String,
    /// Receive buffers of a host-adapter port.
    pub credits: Sourced<u32>,
    /// Rate of a port's bus, both directions together, MB/s (10^6 bytes a second).
    pub bus_mb_per_s: Sourced<f64>,
    /// Exchanges that one port holds open.
    pub exchanges_per_port: Sourced<u32>,
    /// IU-pacing value granted in the first command response; 0 grants no change.
    pub pacing: Sourced<u8>,
    /// From a command's arrival until the control unit takes it up: before its device time begins, µs.
    pub dispatch_us: Sourced<f64>,
    /// Cache access on a hit, µs.
    pub hit_us: Sourced<f64>,
    /// Until written data are safe in the non-volatile storage of the other cluster, beyond a hit, µs.
    pub write_us: Sourced<f64>,
    /// Rate at which one exchange's data move between cache and port, MB/s (10^6 bytes a second).
    pub cache_mb_per_s: Sourced<f64>,
    /// Tracks that its cache holds; `None` when the number is unknown or left out.
    pub cache_tracks: Option<Sourced<u32>>,
    /// Mean staging time on a miss, µs.
    pub miss_us: Sourced<f64>,
    /// Staging operations in parallel.
    pub staging_servers: Sourced<u32>,
    /// From a busy answer to control-unit end, µs.
    pub busy_hold_us: Sourced<f64>,
    /// Link speeds of a port, slowest first.
    pub speeds: Vec<Speed>,
    /// Host-adapter processor prices in command mode.
    pub command: Prices,
    /// Transport mode; `None` when the control unit has none.
    pub transport: Option<ControlUnitTransport>,
    /// Properties of adapters for ESCON or the parallel interface; `None` for FICON.
    pub circuit: Option<UnitCircuit>,
    /// It takes zHyperLink cables.
    pub zhyperlink: bool,
    /// The part of its ports in Fibre Channel Endpoint Security: none, or to authenticate the far end, or to encrypt data in
    /// flight too.
    pub endpoint_security: Protection,
    /// Limits of all its host adapters together; `None` when each is limited by itself alone.
    pub enclosure: Option<Enclosure>,
    /// Data that the adapters of one bay move together: ports whose interface ids begin with the same two digits.
    pub bay: Option<CardLimits>,
    /// The two control units between whose times its own lie; `None` when it has times of its own.
    pub between: Option<Interpolation>,
}

/// Transport mode of a control unit.
#[derive(Debug, Clone, PartialEq)]
pub struct ControlUnitTransport {
    /// Host-adapter processor prices in transport mode.
    pub prices: Prices,
    /// Bytes of a write that may come with the command (first transfer ready disabled); 0 when none.
    pub first_transfer_bytes: Sourced<u32>,
    /// Largest burst of one transfer-ready, bytes.
    pub transfer_ready_bytes: Sourced<u32>,
}

impl Hardware for ControlUnit {
    const DIRECTORY: &'static str = "control-unit";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        Self::read_with(fields, &Shelf::default())
    }
}

impl ControlUnit {
    /// Reads one file. With `[between]` two of `units` give the numbers that it leaves out.
    pub(crate) fn read_with(fields: &mut Fields<'_>, units: &Shelf<Self>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let between = fields.table_if_given("between", |between| Interpolation::read(between, units));
        let neighbours = match &between {
            Some(between) => between.as_ref().and_then(|between| between.neighbours(units)),
            // Where a name is wrong, what it would have given is not missed too.
            None => Neighbours::any(units),
        };
        let times = Times::read(fields, neighbours);
        let credits = fields.sourced("credits", credits());
        let bus_mb_per_s = fields.sourced("bus_mb_per_s", rate_mb_per_s());
        let newer = |of: fn(&Self) -> &Sourced<u32>| neighbours.map(|both| of(both.newer));
        let exchanges = Expect::integer(1..=65_535);
        let exchanges_per_port =
            sourced_or(fields, "exchanges_per_port", exchanges, newer(|unit| &unit.exchanges_per_port));
        let pacing =
            sourced_or(fields, "pacing", Expect::integer(0..=255), neighbours.map(|both| &both.newer.pacing));
        let cache_tracks = fields.sourced_if_given("cache_tracks", cache_tracks());
        let servers = Expect::integer(1..=65_535);
        let staging_servers =
            sourced_or(fields, "staging_servers", servers, newer(|unit| &unit.staging_servers));
        let speeds = Speed::read_all(fields);
        let zhyperlink = fields.or("zhyperlink", Expect::flag(), false);
        let endpoint_security = fields.or("endpoint_security", capability(), Protection::None);
        let circuit = fields.table_if_given("circuit", UnitCircuit::read);
        let enclosure = fields.table_if_given("box", Enclosure::read);
        let bay = fields.table_if_given("bay", CardLimits::read);
        let times = times?;
        Some(Self {
            title: title?.value,
            credits: credits?,
            bus_mb_per_s: bus_mb_per_s?,
            exchanges_per_port: exchanges_per_port?,
            pacing: pacing?,
            dispatch_us: times.dispatch_us,
            hit_us: times.hit_us,
            write_us: times.write_us,
            cache_mb_per_s: times.cache_mb_per_s,
            cache_tracks: cache_tracks?,
            miss_us: times.miss_us,
            staging_servers: staging_servers?,
            busy_hold_us: times.busy_hold_us,
            speeds: speeds?,
            command: times.command,
            transport: times.transport,
            circuit: circuit?,
            endpoint_security,
            zhyperlink,
            enclosure: enclosure?,
            bay: bay?,
            between: between?,
        })
    }
}

/// Times of the work of a control unit.
struct Times {
    dispatch_us: Sourced<f64>,
    hit_us: Sourced<f64>,
    write_us: Sourced<f64>,
    cache_mb_per_s: Sourced<f64>,
    miss_us: Sourced<f64>,
    busy_hold_us: Sourced<f64>,
    command: Prices,
    transport: Option<ControlUnitTransport>,
}

impl Times {
    /// Reads them; what the file leaves out lies between those of `neighbours`, if it has them.
    fn read(fields: &mut Fields<'_>, neighbours: Option<Neighbours<'_>>) -> Option<Self> {
        let mut number = |key, expect, of: fn(&ControlUnit) -> &Sourced<f64>| {
            sourced_or(fields, key, expect, neighbours.map(|both| both.number(of)).as_ref())
        };
        let dispatch_us = number("dispatch_us", time_us(), |unit| &unit.dispatch_us);
        let hit_us = number("hit_us", time_us(), |unit| &unit.hit_us);
        let write_us = number("write_us", time_us(), |unit| &unit.write_us);
        let cache_mb_per_s = number("cache_mb_per_s", rate_mb_per_s(), |unit| &unit.cache_mb_per_s);
        let miss_us = number("miss_us", time_us(), |unit| &unit.miss_us);
        let busy_hold_us = number("busy_hold_us", time_us(), |unit| &unit.busy_hold_us);
        let command = match neighbours {
            Some(both) if !fields.has("command") => Some(both.command()),
            _ => fields.table("command", Prices::read),
        };
        let transport = match neighbours {
            Some(both) if !fields.has("transport") => Some(both.transport()),
            _ => fields.table_if_given("transport", ControlUnitTransport::read),
        };
        Some(Self {
            dispatch_us: dispatch_us?,
            hit_us: hit_us?,
            write_us: write_us?,
            cache_mb_per_s: cache_mb_per_s?,
            miss_us: miss_us?,
            busy_hold_us: busy_hold_us?,
            command: command?,
            transport: transport?,
        })
    }
}

impl ControlUnitTransport {
    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let first = fields.sourced("first_transfer_bytes", Expect::integer(0..=16_777_216));
        let ready = fields.sourced("transfer_ready_bytes", Expect::integer(1..=16_777_216));
        Some(Self {
            prices: Prices::read(fields)?,
            first_transfer_bytes: first?,
            transfer_ready_bytes: ready?,
        })
    }
}
