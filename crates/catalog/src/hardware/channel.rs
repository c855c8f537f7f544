//! A channel card generation: `catalog/channel/ID.toml`.

use crate::catalog::Hardware;
use crate::expect::Expect;
use crate::fields::Fields;
use crate::hardware::attachment::Attachment;
use crate::hardware::held_bus::HeldBus;
use crate::hardware::prices::{Prices, time_us};
use crate::hardware::speed::{check_speeds, credits, fec, gbps, rate_mb_per_s};
use crate::sourced::Sourced;

/// One generation of FICON channel cards.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    /// Name in words.
    pub title: String,
    /// Where it belongs.
    pub attachment: Attachment,
    /// Ports of a card, each with its own PCHID.
    pub ports_per_card: Sourced<u32>,
    /// Open exchanges of a channel in all.
    pub open_exchanges: Sourced<u32>,
    /// Open exchanges in command mode at most.
    pub open_exchanges_command: Sourced<u32>,
    /// Information units that may be sent in command mode before the first command response.
    pub initial_pacing: Sourced<u8>,
    /// Payload of a full FC-2 frame, bytes.
    pub frame_payload_bytes: Sourced<u32>,
    /// Receive buffers of a port (buffer credits granted to the neighbour).
    pub credits: Sourced<u32>,
    /// What all ports of a card share; `None` when its channels never limit each other.
    pub card: Option<CardLimits>,
    /// Link speeds, slowest first, without FEC before with.
    pub speeds: Vec<ChannelSpeed>,
    /// What work costs on it.
    pub work: ChannelWork,
}

/// What work costs on a channel.
#[expect(clippy::large_enum_variant, reason = "a catalog has a few dozen channels, none of which moves")]
#[derive(Debug, Clone, PartialEq)]
pub enum ChannelWork {
    /// Prices of the processor, and a bus that moves data beside it.
    Priced(PricedWork),
    /// Firmware that stays with every transfer while the bus moves it; command mode only.
    HeldBus(HeldBus),
}

/// Prices of a channel processor, and the bus beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct PricedWork {
    /// Rate of the joint read and write bus, MB/s (10^6 bytes a second).
    pub bus_mb_per_s: Sourced<f64>,
    /// Channel-processor prices in command mode.
    pub command: Prices,
    /// Transport mode; `None` when the card has none.
    pub transport: Option<ChannelTransport>,
    /// What an ESCON channel has besides; `None` for a FICON channel.
    pub circuit: Option<ChannelCircuit>,
}

/// What a channel has whose path one program holds at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelCircuit {
    /// Receive buffer: data that may be under way unanswered, bytes.
    pub window_bytes: Sourced<u32>,
    /// From a director's port-busy answer on every path until the start is tried again, µs.
    pub port_busy_retry_us: Sourced<f64>,
}

impl ChannelCircuit {
    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let window_bytes = fields.sourced("window_bytes", Expect::integer(64..=1_048_576));
        let port_busy_retry_us = fields.sourced("port_busy_retry_us", time_us());
        Some(Self { window_bytes: window_bytes?, port_busy_retry_us: port_busy_retry_us? })
    }
}

impl ChannelWork {
    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        if fields.has("held_bus") {
            return fields.table("held_bus", HeldBus::read).map(Self::HeldBus);
        }
        PricedWork::read(fields).map(Self::Priced)
    }
}

impl PricedWork {
    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let bus_mb_per_s = fields.sourced("bus_mb_per_s", rate_mb_per_s());
        let command = fields.table("command", Prices::read);
        let transport = fields.table_if_given("transport", ChannelTransport::read);
        let circuit = fields.table_if_given("circuit", ChannelCircuit::read);
        Some(Self {
            bus_mb_per_s: bus_mb_per_s?,
            command: command?,
            transport: transport?,
            circuit: circuit?,
        })
    }
}

/// What the channels of one card, or the cards of one domain, can move together, MB/s (10^6 bytes a second).
#[derive(Debug, Clone, PartialEq)]
pub struct CardLimits {
    /// Reads; `None` when only the links limit them.
    pub read_mb_per_s: Option<Sourced<f64>>,
    /// Writes; `None` when only the links limit them.
    pub write_mb_per_s: Option<Sourced<f64>>,
    /// Both directions together.
    pub mb_per_s: Sourced<f64>,
}

impl CardLimits {
    /// Reads the rates of the table at hand.
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let mut optional = |key: &'static str| match fields.has(key) {
            true => fields.sourced(key, rate_mb_per_s()).map(Some),
            false => Some(None),
        };
        let (read_mb_per_s, write_mb_per_s) = (optional("read_mb_per_s"), optional("write_mb_per_s"));
        let mb_per_s = fields.sourced("mb_per_s", rate_mb_per_s());
        Some(Self { read_mb_per_s: read_mb_per_s?, write_mb_per_s: write_mb_per_s?, mb_per_s: mb_per_s? })
    }
}

/// Transport mode of a channel card.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelTransport {
    /// Channel-processor prices in transport mode.
    pub prices: Prices,
    /// Firmware moves the data, and no data router.
    pub moved_by_firmware: bool,
    /// Largest transfer of one program, in units of 65,536 bytes (path MDC).
    pub limit_64k: Sourced<u32>,
}

impl ChannelTransport {
    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let limit_64k = fields.sourced("limit_64k", Expect::integer(1..=255));
        let data_path = Expect::one_of([("router", false), ("firmware", true)]);
        let moved_by_firmware = fields.or("data_path", data_path, false);
        Some(Self { prices: Prices::read(fields)?, moved_by_firmware, limit_64k: limit_64k? })
    }
}

/// One speed of a channel card.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelSpeed {
    /// Nominal Gbit/s.
    pub gbps: u32,
    /// With forward error correction.
    pub fec: bool,
    /// Data rate each way, MB/s (10^6 bytes a second).
    pub mb_per_s: Sourced<f64>,
    /// Code in RMF's G column.
    pub generation: Sourced<u8>,
}

impl Hardware for Channel {
    const DIRECTORY: &'static str = "channel";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let attachment = Attachment::read(fields);
        let ports_per_card = fields.sourced("ports_per_card", Expect::integer(1..=64));
        let open_exchanges = fields.sourced("open_exchanges", Expect::integer(1..=65_535));
        let open_exchanges_command = fields.sourced("open_exchanges_command", Expect::integer(1..=65_535));
        let initial_pacing = fields.sourced("initial_pacing", Expect::integer(1..=255));
        let frame_payload_bytes = fields.sourced("frame_payload_bytes", Expect::integer(128..=2112));
        let credits = fields.sourced("credits", credits());
        let card = fields.table_if_given("card", CardLimits::read);
        let speeds = ChannelSpeed::read_all(fields);
        let work = ChannelWork::read(fields);
        Some(Self {
            title: title?.value,
            attachment: attachment?,
            ports_per_card: ports_per_card?,
            open_exchanges: open_exchanges?,
            open_exchanges_command: open_exchanges_command?,
            initial_pacing: initial_pacing?,
            frame_payload_bytes: frame_payload_bytes?,
            credits: credits?,
            card: card?,
            speeds: speeds?,
            work: work?,
        })
    }
}

impl Channel {
    /// What an ESCON channel has besides; `None` for a FICON channel.
    #[must_use]
    pub fn circuit(&self) -> Option<&ChannelCircuit> {
        match &self.work {
            ChannelWork::HeldBus(_) => None,
            ChannelWork::Priced(work) => work.circuit.as_ref(),
        }
    }
}

impl ChannelSpeed {
    fn read_all(fields: &mut Fields<'_>) -> Option<Vec<Self>> {
        let speeds = fields.tables("speed", |speed| {
            let gbps = speed.required("gbps", gbps());
            let fec = fec(speed, gbps.as_ref());
            let mb_per_s = speed.sourced("mb_per_s", rate_mb_per_s());
            let generation = speed.sourced("generation", Expect::integer(0..=255));
            let (gbps, span) = gbps.map(|gbps| (gbps.value, gbps.span))?;
            Some((span, Self { gbps, fec, mb_per_s: mb_per_s?, generation: generation? }))
        });
        let spans = speeds.iter().map(|(span, speed)| (speed.gbps, speed.fec, span.clone())).collect();
        check_speeds(fields, spans);
        let mut speeds: Vec<_> = speeds.into_iter().map(|(_, speed)| speed).collect();
        speeds.sort_by_key(|speed| (speed.gbps, speed.fec));
        (!speeds.is_empty()).then_some(speeds)
    }
}
