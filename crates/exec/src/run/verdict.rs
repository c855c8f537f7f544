//! Whether what was observed is what was expected.

use halftrack_program::{DeviceStatus, MainStorage, SubchannelStatus};

use crate::assembly::program::{Check, Function, Step};
use crate::disassembly::data_words::hexadecimal;
use crate::disassembly::setting_words::named;
use crate::parameter::field::Names;
use crate::run::record::Ending;
use crate::status_name::{DEVICE_STATUS, SENSE, SUBCHANNEL_STATUS, words};

/// Observed result of a function.
pub(crate) struct Observed<'a> {
    pub condition_code: Option<u8>,
    pub ending: Option<&'a Ending>,
    pub storage: &'a MainStorage,
    /// The text continues with what was suspended.
    pub is_continued: bool,
}

impl Observed<'_> {
    fn device_status(&self) -> u8 {
        self.ending.map_or(0, |ending| ending.device_status_bits)
    }

    /// Returns the subchannel status without the interruptions that the program requests.
    fn subchannel_status(&self) -> u8 {
        let asked_for = SubchannelStatus::PROGRAM_CONTROLLED_INTERRUPTION;
        self.ending.map_or(0, |ending| ending.subchannel_status_bits & !asked_for.0)
    }

    fn is_suspended(&self) -> bool {
        self.ending.is_some_and(|ending| ending.suspended)
    }

    fn is_normal(&self) -> bool {
        self.condition_code == Some(0)
            && !self.is_suspended()
            && self.device_status() == DeviceStatus::NORMAL_END.0
            && self.subchannel_status() == 0
            && self.ending.is_some_and(|ending| ending.deferred_condition_code == 0)
    }

    fn summary(&self) -> String {
        match (self.condition_code, self.ending) {
            (Some(code), _) if code != 0 => format!("condition code {code}"),
            (_, Some(ending)) => ending.summary.clone(),
            (_, None) => "no status".to_owned(),
        }
    }
}

/// Returns the fault of a function as a whole, when no check covers its ending.
pub(crate) fn unexpected(step: &Step, observed: &Observed<'_>) -> Option<String> {
    let about_ending = |check: &Check| {
        matches!(
            check,
            Check::Normal
                | Check::Suspended
                | Check::ConditionCode(_)
                | Check::DeviceStatus(_)
                | Check::SubchannelStatus(_)
                | Check::Sense(_)
                | Check::SenseOctets(..)
                | Check::Reason(_)
        )
    };
    let says = |is: fn(&Check) -> bool| step.checks.iter().any(|placed| is(&placed.check));
    if step.checks.iter().any(|placed| about_ending(&placed.check)) {
        // A check of the device status alone expects no other.
        let device_only = says(|check| matches!(check, Check::DeviceStatus(_)))
            && !says(|check| matches!(check, Check::SubchannelStatus(_)));
        // A command that ends with unit check has often moved less than its count.
        let checked = observed.device_status() & DeviceStatus::UNIT_CHECK.0 != 0;
        let short = if checked { SubchannelStatus::INCORRECT_LENGTH.0 } else { 0 };
        let subchannel = observed.subchannel_status() & !short;
        let words = words(u64::from(subchannel), SUBCHANNEL_STATUS);
        return (device_only && subchannel != 0)
            .then(|| format!("the subchannel status is {words}; expect it, or fix the program"));
    }
    match step.function {
        Function::Start(_) | Function::Resume => {
            let fine = observed.is_normal() || observed.is_suspended() && observed.is_continued;
            (!fine).then(|| format!("this did not end normally: {}", observed.summary()))
        }
        Function::Halt | Function::Clear | Function::Cancel => {
            (observed.condition_code != Some(0)).then(|| format!("this was refused: {}", observed.summary()))
        }
        Function::Store { .. } => None,
    }
}

/// Returns the difference between a check and the observed result.
pub(crate) fn disagreement(check: &Check, observed: &Observed<'_>) -> Option<String> {
    let ending = observed.ending;
    match check {
        Check::Normal => differs(observed.is_normal(), "a normal ending", &observed.summary()),
        Check::Suspended => differs(observed.is_suspended(), "the subchannel suspended", &observed.summary()),
        Check::ConditionCode(code) => {
            number("condition code", Some(u64::from(*code)), observed.condition_code)
        }
        Check::DeviceStatus(status) => {
            bits("device status", *status, observed.device_status(), DEVICE_STATUS)
        }
        Check::SubchannelStatus(status) => {
            let all = ending.map_or(0, |ending| ending.subchannel_status_bits);
            bits("subchannel status", *status, all, SUBCHANNEL_STATUS)
        }
        Check::Residual(count) => {
            number("residual count", Some(*count), ending.and_then(|ending| ending.residual))
        }
        Check::CcwAddress(address) => {
            let found = ending.map(|ending| u64::from(ending.address));
            let show = |address: u64| format!("CCW address 0x{address:X}");
            differs(found == Some(*address), &show(*address), &found.map_or("none".to_owned(), show))
        }
        Check::Sense(expected) => {
            let found = sense(ending).map(|sense| u64::from(sense[0]) << 8 | u64::from(sense[1]));
            let show = |bits: u64| format!("sense {}", words(bits, SENSE));
            let expected = u64::from(*expected);
            differs(found == Some(expected), &show(expected), &found.map_or("no sense".to_owned(), show))
        }
        Check::SenseOctets(at, expected) => {
            let found = sense(ending).and_then(|sense| sense.get(*at..at + expected.len()));
            let show = |octets: &[u8]| format!("sense bytes {at}: {}", hexadecimal(octets));
            let shown = found.map_or("no sense".to_owned(), show);
            differs(found == Some(expected), &show(expected), &shown)
        }
        Check::Reason(reason) => {
            number("reason", Some(u64::from(*reason)), ending.and_then(|ending| ending.reason))
        }
        Check::DcwOffset(offset) => {
            number("DCW offset", Some(u64::from(*offset)), ending.and_then(|ending| ending.dcw_offset))
        }
        Check::Octets { address, octets } => stored(*address, octets, observed.storage),
    }
}

fn sense(ending: Option<&Ending>) -> Option<&[u8]> {
    ending?.sense.as_ref().map(|sense| sense.0.as_slice())
}

fn differs(agrees: bool, expected: &str, found: &str) -> Option<String> {
    (!agrees).then(|| format!("{expected} was expected; it is {found}"))
}

fn number(what: &str, expected: Option<u64>, found: Option<impl Into<u64>>) -> Option<String> {
    let found = found.map(Into::into);
    let show = |number: Option<u64>| number.map_or("none".to_owned(), |number| number.to_string());
    differs(expected == found, &format!("{what} {}", show(expected)), &show(found))
}

fn bits(what: &str, expected: u8, found: u8, names: Names) -> Option<String> {
    let show = |bits: u8| named(u64::from(bits), names).unwrap_or_else(|| format!("0x{bits:02X}"));
    differs(expected == found, &format!("{what} {}", show(expected)), &show(found))
}

/// Octets around a difference that are shown.
const SHOWN: usize = 16;

fn stored(address: u64, expected: &[u8], storage: &MainStorage) -> Option<String> {
    let begin = usize::try_from(address).ok();
    let found = begin.and_then(|begin| storage.bytes().get(begin..begin.checked_add(expected.len())?));
    let Some(found) = found else {
        return Some(format!("{} bytes at 0x{address:X} go beyond storage", expected.len()));
    };
    let at = found.iter().zip(expected).position(|(found, expected)| found != expected)?;
    let end = expected.len().min(at + SHOWN);
    let different = found.iter().zip(expected).filter(|(found, expected)| found != expected).count();
    Some(format!(
        "{different} of {} bytes at 0x{address:X} differ, the first at offset {at}: {} was expected; it is {}",
        expected.len(),
        hexadecimal(&expected[at..end]),
        hexadecimal(&found[at..end])
    ))
}
