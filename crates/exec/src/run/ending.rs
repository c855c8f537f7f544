//! The interruption-response block, and the TSB, in words.

use halftrack_program::{
    ActivityControl, DeferredCondition, FcxStatus, InterrogateAnswer, Irb, MainStorage, Scsw, TSB_BYTES,
    TransportScswFlags, Tsb, TsbArea, TsbFlags,
};

use crate::parameter::field::Names;
use crate::run::record::{Ending, Hex};
use crate::run::sense_words::sense_words;
use crate::status_name::{DEVICE_STATUS, SUBCHANNEL_STATUS, words};

const FUNCTION_CONTROL: Names = &[("start", 4), ("halt", 2), ("clear", 1)];
const ACTIVITY_CONTROL: Names = &[
    ("resume-pending", 0x40),
    ("start-pending", 0x20),
    ("halt-pending", 0x10),
    ("clear-pending", 0x08),
    ("subchannel-active", 0x04),
    ("device-active", 0x02),
    ("suspended", 0x01),
];
const STATUS_CONTROL: Names = &[
    ("alert", 0x10),
    ("intermediate", 0x08),
    ("primary", 0x04),
    ("secondary", 0x02),
    ("status-pending", 0x01),
];

/// Part of the ending that comes from the TSB.
#[derive(Debug, Default)]
struct FromTsb {
    residual: Option<u64>,
    dcw_offset: Option<u16>,
    reason: Option<u8>,
    answer: Option<InterrogateAnswer>,
}

/// Decodes the ending in `irb`, with the TSB at `tsb_address` when it is valid.
pub(crate) fn ending(irb: &Irb, storage: &MainStorage, tsb_address: Option<u64>) -> Ending {
    let (address, residual, deferred, tsb) = match &irb.scsw {
        Scsw::Command(scsw) => {
            (scsw.ccw_address, Some(u64::from(scsw.residual_count)), scsw.deferred, FromTsb::default())
        }
        Scsw::Transport(scsw) => {
            let valid = scsw.fcx_status.contains(FcxStatus::TSB_VALID);
            let tsb = tsb_address.filter(|_| valid).and_then(|address| from_tsb(storage, address));
            let tsb = tsb.unwrap_or_default();
            (scsw.tcw_address, tsb.residual, scsw.deferred, tsb)
        }
    };
    let controls = irb.scsw.controls();
    let (device, subchannel) = (irb.scsw.device_status(), irb.scsw.subchannel_status());
    let mut ending = Ending {
        summary: String::new(),
        mode: if matches!(irb.scsw, Scsw::Command(_)) { "command" } else { "transport" },
        device_status: words(u64::from(device.0), DEVICE_STATUS),
        device_status_bits: device.0,
        subchannel_status: words(u64::from(subchannel.0), SUBCHANNEL_STATUS),
        subchannel_status_bits: subchannel.0,
        deferred_condition_code: match deferred {
            DeferredCondition::Normal => 0,
            DeferredCondition::StatusPending => 1,
            DeferredCondition::NotOperational => 3,
        },
        function_control: words(u64::from(controls.function.0), FUNCTION_CONTROL),
        activity_control: words(u64::from(controls.activity.0), ACTIVITY_CONTROL),
        status_control: words(u64::from(controls.status.0), STATUS_CONTROL),
        suspended: controls.activity.contains(ActivityControl::SUSPENDED),
        address,
        residual,
        last_path: irb.last_path,
        sense: irb.sense.map(|sense| Hex(sense.to_vec())),
        sense_words: irb.sense.as_ref().map(sense_words),
        dcw_offset: tsb.dcw_offset,
        reason: tsb.reason,
        interrogation: interrogation(&irb.scsw, tsb.answer.as_ref()),
        irb: Hex(irb.emit().to_vec()),
    };
    ending.summary = summary(&ending);
    ending
}

/// Returns `channel end, device end, unit check; incorrect length; residual count 96`.
fn summary(ending: &Ending) -> String {
    if ending.suspended {
        return "suspended".to_owned();
    }
    let mut parts = Vec::new();
    if ending.device_status_bits != 0 {
        parts.push(ending.device_status.clone());
    }
    if ending.subchannel_status_bits != 0 {
        parts.push(ending.subchannel_status.clone());
    }
    if ending.deferred_condition_code != 0 {
        parts.push(format!("deferred condition code {}", ending.deferred_condition_code));
    }
    if let Some(reason) = ending.reason {
        parts.push(format!("device-detected program check, reason {reason}"));
    }
    if parts.is_empty() {
        parts.push("no status".to_owned());
    }
    if let Some(residual) = ending.residual {
        parts.push(format!("residual count {residual}"));
    }
    parts.join("; ")
}

/// Returns `answered: operation state 0x00`, with the states that are valid, or that it failed.
fn interrogation(scsw: &Scsw, answer: Option<&InterrogateAnswer>) -> Option<String> {
    let Scsw::Transport(scsw) = scsw else { return None };
    if !scsw.flags.contains(TransportScswFlags::INTERROGATE_COMPLETE) {
        return None;
    }
    if scsw.interrogate_failed {
        return Some("failed".to_owned());
    }
    let Some(answer) = answer else { return Some("complete".to_owned()) };
    let states = [
        (0x80, "control-unit", answer.control_unit_state),
        (0x40, "device", answer.device_state),
        (0x20, "operation", answer.operation_state),
    ];
    let valid = states.iter().filter(|(valid, ..)| answer.flags & valid != 0);
    let states: Vec<String> = valid.map(|(_, name, state)| format!("{name} state 0x{state:02X}")).collect();
    Some(if states.is_empty() { "answered".to_owned() } else { format!("answered: {}", states.join(", ")) })
}

fn from_tsb(storage: &MainStorage, address: u64) -> Option<FromTsb> {
    let at = usize::try_from(address).ok()?;
    let octets = storage.bytes().get(at..at.checked_add(TSB_BYTES)?)?;
    let tsb = Tsb::parse(octets).ok()?;
    let reason = match tsb.area {
        TsbArea::ProgramCheck { reason, .. } => Some(reason),
        TsbArea::None | TsbArea::Io { .. } | TsbArea::Interrogate(_) => None,
    };
    let answer = match tsb.area {
        TsbArea::Interrogate(answer) => Some(answer),
        TsbArea::None | TsbArea::Io { .. } | TsbArea::ProgramCheck { .. } => None,
    };
    let has = |flag| tsb.flags.contains(flag);
    Some(FromTsb {
        residual: has(TsbFlags::COUNT_VALID).then_some(u64::from(tsb.residual_count)),
        dcw_offset: has(TsbFlags::DCW_OFFSET_VALID).then_some(tsb.dcw_offset),
        reason,
        answer,
    })
}
