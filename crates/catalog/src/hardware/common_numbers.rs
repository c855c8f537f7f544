//! Numbers of a channel card that cards of one time have in common.

use halftrack_input::{Expect, Fields, Sourced};

use crate::hardware::speed::credits;

/// Numbers that a card may take from the family of its firmware.
#[derive(Debug, Clone, PartialEq)]
pub struct CommonNumbers {
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
    /// Highest advised utilisations; `None` where nothing is advised.
    pub guideline: Option<Guideline>,
}

impl CommonNumbers {
    /// Reads them; what the file leaves out is that of `family`, if there is one.
    pub(crate) fn read(fields: &mut Fields<'_>, family: Option<&Self>) -> Option<Self> {
        let exchanges = || Expect::integer(1..=65_535);
        let of = |get: fn(&Self) -> &Sourced<u32>| family.map(get);
        let ports_per_card =
            sourced_or(fields, "ports_per_card", Expect::integer(1..=64), of(|all| &all.ports_per_card));
        let open_exchanges = sourced_or(fields, "open_exchanges", exchanges(), of(|all| &all.open_exchanges));
        let open_exchanges_command =
            sourced_or(fields, "open_exchanges_command", exchanges(), of(|all| &all.open_exchanges_command));
        let pacing = family.map(|all| &all.initial_pacing);
        let initial_pacing = sourced_or(fields, "initial_pacing", Expect::integer(1..=255), pacing);
        let payload = Expect::integer(128..=2112);
        let frame_payload_bytes =
            sourced_or(fields, "frame_payload_bytes", payload, of(|all| &all.frame_payload_bytes));
        let credits = sourced_or(fields, "credits", credits(), of(|all| &all.credits));
        let guideline = fields.table_if_given("guideline", Guideline::read);
        let of_family = || family.and_then(|all| all.guideline.clone());
        Some(Self {
            guideline: guideline?.or_else(of_family),
            ports_per_card: ports_per_card?,
            open_exchanges: open_exchanges?,
            open_exchanges_command: open_exchanges_command?,
            initial_pacing: initial_pacing?,
            frame_payload_bytes: frame_payload_bytes?,
            credits: credits?,
        })
    }
}

/// Reads a number of the file, or takes that of the family where the file leaves it out.
pub(crate) fn sourced_or<T: Clone>(
    fields: &mut Fields<'_>,
    key: &'static str,
    expect: Expect<'_, T>,
    family: Option<&Sourced<T>>,
) -> Option<Sourced<T>> {
    match family {
        Some(number) if !fields.has(key) => Some(number.clone()),
        _ => fields.sourced(key, expect),
    }
}

/// Highest advised utilisations of a channel, percent.
#[derive(Debug, Clone, PartialEq)]
pub struct Guideline {
    /// Of its processor, or of the path that one program holds at a time.
    pub processor_percent: Sourced<u8>,
    /// Of its bus; `None` where nothing is advised.
    pub bus_percent: Option<Sourced<u8>>,
}

impl Guideline {
    /// Reads the table at hand.
    pub(crate) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let percent = || Expect::integer(1..=100);
        let processor_percent = fields.sourced("processor_percent", percent());
        let bus_percent = fields.sourced_if_given("bus_percent", percent());
        Some(Self { processor_percent: processor_percent?, bus_percent: bus_percent? })
    }
}
