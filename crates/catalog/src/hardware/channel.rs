//! A channel card generation: `catalog/channel/ID.toml`.

use std::ops::Range;

use halftrack_input::messages::{catalog as catalog_numbers, toml_file as numbers};
use halftrack_input::{Expect, Fields, Origin, Sourced, nearest_or_all};

use crate::hardware::attachment::Attachment;
use crate::hardware::by_unit::{ByUnit, Maxima};
use crate::hardware::circuit::ChannelCircuit;
use crate::hardware::common_numbers::{CommonNumbers, sourced_or};
use crate::hardware::fcp::ChannelFcp;
use crate::hardware::firmware::Firmware;
use crate::hardware::held_bus::HeldBus;
use crate::hardware::prices::{Prices, time_us};
use crate::hardware::shares::{CCWS, DCWS, Shares};
use crate::hardware::speed::{check_speeds, fec, gbps, own_rate, rate_mb_per_s, read_4k_per_s};
use crate::shelf::{Hardware, Shelf};

/// One generation of channel cards.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    /// Name in words.
    pub title: String,
    /// The family that gives what its file leaves out.
    pub firmware: Option<String>,
    /// Where it belongs.
    pub attachment: Attachment,
    /// Numbers that cards of one family have in common.
    pub common: CommonNumbers,
    /// Limits of all ports of a card together; `None` when its channels never limit each other.
    pub card: Option<CardLimits>,
    /// Limits of its FICON channels together, beside those of all; `None` when they have none of their own.
    pub ficon_card: Option<CardLimits>,
    /// Shortest time between two blocks of a channel-to-channel device, µs; `None` where nothing is given.
    pub turnaround_us: Option<Sourced<f64>>,
    /// Link speeds, slowest first, without FEC before with.
    pub speeds: Vec<ChannelSpeed>,
    /// Prices of work on it.
    pub work: ChannelWork,
}

/// Prices of work on a channel.
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
    /// Rate of reads alone, MB/s; `None` when only both together limit it.
    pub bus_read_mb_per_s: Option<Sourced<f64>>,
    /// Rate of writes alone, MB/s; `None` when only both together limit it.
    pub bus_write_mb_per_s: Option<Sourced<f64>>,
    /// Firmware moves the data, and no data router: its prices are of every information unit sent or received.
    pub moved_by_firmware: bool,
    /// Channel-processor prices in command mode.
    pub command: Prices,
    /// Transport mode; `None` when the card has none.
    pub transport: Option<ChannelTransport>,
    /// A port that is an FCP channel; `None` where nothing is known of it.
    pub fcp: Option<ChannelFcp>,
    /// Properties of an ESCON or parallel channel; `None` for a FICON channel.
    pub circuit: Option<ChannelCircuit>,
}

impl ChannelWork {
    fn read(fields: &mut Fields<'_>, family: Option<&Firmware>) -> Option<Self> {
        if fields.has("held_bus") {
            let shared = family.and_then(|family| family.held_bus.as_ref());
            return fields.table("held_bus", |held| HeldBus::read(held, shared)).map(Self::HeldBus);
        }
        PricedWork::read(fields, family).map(Self::Priced)
    }
}

impl PricedWork {
    fn read(fields: &mut Fields<'_>, family: Option<&Firmware>) -> Option<Self> {
        let bus_mb_per_s = fields.sourced("bus_mb_per_s", rate_mb_per_s());
        let bus_read_mb_per_s = fields.sourced_if_given("bus_read_mb_per_s", rate_mb_per_s());
        let bus_write_mb_per_s = fields.sourced_if_given("bus_write_mb_per_s", rate_mb_per_s());
        let fcp = fields.table_if_given("fcp", ChannelFcp::read);
        if let Some(by_unit) = family.and_then(|family| family.by_unit.as_ref()) {
            let (command, transport) = read_by_unit(fields, family, by_unit)?;
            return Some(Self {
                bus_mb_per_s: bus_mb_per_s?,
                bus_read_mb_per_s: bus_read_mb_per_s?,
                bus_write_mb_per_s: bus_write_mb_per_s?,
                moved_by_firmware: true,
                command,
                transport,
                fcp: fcp?,
                circuit: None,
            });
        }
        let shares = family.and_then(|family| family.firmware.as_ref());
        let command = fields.table("command", |command| prices(command, shares, CCWS));
        let transport = fields.table_if_given("transport", |one| ChannelTransport::read(one, family));
        let circuit = fields.table_if_given("circuit", ChannelCircuit::read);
        let transport = transport?;
        Some(Self {
            bus_mb_per_s: bus_mb_per_s?,
            bus_read_mb_per_s: bus_read_mb_per_s?,
            bus_write_mb_per_s: bus_write_mb_per_s?,
            moved_by_firmware: transport.as_ref().is_some_and(|transport| transport.moved_by_firmware),
            command: command?,
            transport,
            fcp: fcp?,
            circuit: circuit?,
        })
    }
}

/// Reads prices of firmware with one price for every information unit. They are those of command mode, and of
/// transport mode if the card has it.
fn read_by_unit(
    fields: &mut Fields<'_>,
    family: Option<&Firmware>,
    by_unit: &ByUnit,
) -> Option<(Prices, Option<ChannelTransport>)> {
    let most = |table: &mut Fields<'_>| table.sourced_if_given("read_4k_per_s", read_4k_per_s());
    let command = fields.table_if_given("command", most);
    let transport = fields.table_if_given("transport", |table| {
        let limit = family.and_then(|family| family.limit_64k.as_ref());
        let limit_64k = sourced_or(table, "limit_64k", Expect::integer(1..=255), limit);
        table.or("data_path", Expect::one_of([("firmware", true)]), true);
        let most = most(table);
        Some((limit_64k?, most?))
    });
    let kib_us = fields.sourced_if_given("kib_us", time_us());
    let (limit_64k, of_transport) = transport?.unzip();
    let given = Maxima { command: command?.flatten(), transport: of_transport.flatten(), kib_us: kib_us? };
    let prices = by_unit.prices(fields, &given)?;
    let transport = limit_64k.map(|limit_64k| ChannelTransport {
        prices: prices.transport,
        moved_by_firmware: true,
        limit_64k,
    });
    Some((prices.command, transport))
}

/// Reads the four prices, or derives them from the maximum of 4 KiB reads of so many CCWs or DCWs.
fn prices(fields: &mut Fields<'_>, shares: Option<&Shares>, commands: f64) -> Option<Prices> {
    if !fields.has("read_4k_per_s") {
        return Prices::read(fields);
    }
    let most = fields.sourced("read_4k_per_s", read_4k_per_s())?;
    let Some(shares) = shares else {
        let message = "a maximum alone leaves open how its time divides among program, units and data";
        let fix = "name a `firmware` that has the shares, such as \"ficon-2023\", or give the four prices";
        fields.error(numbers::CHOOSE_ONE, most.span, message, fix);
        return None;
    };
    Some(shares.prices(&most, commands))
}

/// The data that the channels of one card, or the cards of one domain, can move together, MB/s (10^6 bytes a second).
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
        let mut optional = |key| fields.sourced_if_given(key, rate_mb_per_s());
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
    fn read(fields: &mut Fields<'_>, family: Option<&Firmware>) -> Option<Self> {
        let limit = family.and_then(|family| family.limit_64k.as_ref());
        let limit_64k = sourced_or(fields, "limit_64k", Expect::integer(1..=255), limit);
        let data_path = Expect::one_of([("router", false), ("firmware", true)]);
        let moved_by_firmware = fields.or("data_path", data_path, false);
        let shares = family.and_then(|family| match moved_by_firmware {
            true => family.firmware.as_ref(),
            false => family.router.as_ref(),
        });
        Some(Self { prices: prices(fields, shares, DCWS)?, moved_by_firmware, limit_64k: limit_64k? })
    }
}

/// One speed of a channel card.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelSpeed {
    /// Nominal Gbit/s; 0 where it is not Fibre Channel.
    pub gbps: u32,
    /// With forward error correction.
    pub fec: bool,
    /// Data rate each way, MB/s (10^6 bytes a second), where it is not Fibre Channel; `None` where it is, whose rate
    /// follows from the link generation.
    pub mb_per_s: Option<Sourced<f64>>,
    /// Code in RMF's G column.
    pub generation: Sourced<u8>,
    /// Where it stands.
    pub(crate) span: Range<usize>,
}

impl Hardware for Channel {
    const DIRECTORY: &'static str = "channel";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        Self::read_with(fields, &Shelf::default())
    }
}

impl Channel {
    /// Reads one file; `families` give what it leaves out if it names one of them.
    pub(crate) fn read_with(fields: &mut Fields<'_>, families: &Shelf<Firmware>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let attachment = Attachment::read(fields);
        let named = fields.optional("firmware", Expect::text());
        let family = named.as_ref().and_then(|named| families.get(&named.value));
        let unknown = named.as_ref().filter(|_| family.is_none());
        // Where the name is wrong, what it would have given is not missed too.
        let holds = fields.has("held_bus");
        let alike = |family: &&Firmware| family.held_bus.is_some() == holds;
        let any = || families.ids().filter_map(|id| families.get(id)).find(alike);
        let family = if unknown.is_some() { any() } else { family };
        let common = CommonNumbers::read(fields, family.map(|family| &family.common));
        let card = fields.table_if_given("card", CardLimits::read);
        let ficon_card = fields.table_if_given("ficon_card", CardLimits::read);
        let turnaround_us =
            fields.table_if_given("channel_to_channel", |table| table.sourced("turnaround_us", time_us()));
        let speeds = ChannelSpeed::read_all(fields, family.is_some());
        let work = ChannelWork::read(fields, family);
        if let Some(unknown) = unknown {
            let message = format!("firmware `{}` is unknown", unknown.value);
            let fix = nearest_or_all(&unknown.value, families.ids());
            fields.error(catalog_numbers::UNKNOWN_FIRMWARE, unknown.span.clone(), message, fix);
            return None;
        }
        Some(Self {
            title: title?.value,
            attachment: attachment?,
            firmware: named.map(|named| named.value),
            common: common?,
            card: card?,
            ficon_card: ficon_card?,
            turnaround_us: turnaround_us?,
            speeds: speeds?,
            work: work?,
        })
    }
}

impl Channel {
    /// Returns the properties of an ESCON or parallel channel; `None` for a FICON channel.
    #[must_use]
    pub fn circuit(&self) -> Option<&ChannelCircuit> {
        match &self.work {
            ChannelWork::HeldBus(_) => None,
            ChannelWork::Priced(work) => work.circuit.as_ref(),
        }
    }
}

impl ChannelSpeed {
    fn read_all(fields: &mut Fields<'_>, of_family: bool) -> Option<Vec<Self>> {
        let mut speeds = fields.tables("speed", |speed| {
            let gbps = speed.required("gbps", gbps());
            let fec = fec(speed, gbps.as_ref());
            let unknown = of_family.then(|| no_code(speed));
            let generation = sourced_or(speed, "generation", Expect::integer(0..=255), unknown.as_ref());
            let gbps = gbps?;
            let mb_per_s = own_rate(speed, gbps.value);
            Some(Self {
                gbps: gbps.value,
                fec,
                mb_per_s: mb_per_s?,
                generation: generation?,
                span: gbps.span,
            })
        });
        let spans = speeds.iter().map(|speed| (speed.gbps, speed.fec, speed.span.clone())).collect();
        check_speeds(fields, spans);
        speeds.sort_by_key(|speed| (speed.gbps, speed.fec));
        (!speeds.is_empty()).then_some(speeds)
    }
}

/// Returns the code of a card of which none is known.
fn no_code(speed: &Fields<'_>) -> Sourced<u8> {
    let reason = "no code of RMF's G column is known".to_owned();
    Sourced {
        value: 0,
        origin: Origin::Assumed { reason },
        note: String::new(),
        range: None,
        span: speed.span(),
    }
}
