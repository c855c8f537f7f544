//! Expectations in a text: `expect device-status channel-end+device-end`.

use std::ops::Range;

use halftrack_input::messages::exec as message;

use crate::content::AddressText;
use crate::status_name::{DEVICE_STATUS, SENSE, SUBCHANNEL_STATUS};
use crate::text::content_text::content;
use crate::text::cursor::{Cursor, Read};
use crate::text::setting_text::names;
use crate::text::statement::Expectation;

/// Reads what stands behind `expect`.
pub(crate) fn expectation(cursor: &mut Cursor<'_>) -> Read<(Expectation, Option<AddressText>)> {
    let (word, span) = cursor.word("what is expected: normal, device-status, residual, sense, bytes, ...")?;
    let byte = u64::from(u8::MAX);
    let expectation = match word.as_str() {
        "normal" => Expectation::Normal,
        "suspended" => Expectation::Suspended,
        "condition-code" => Expectation::ConditionCode(cursor.number("a condition code", 3)? as u8),
        "device-status" => {
            Expectation::DeviceStatus(names(cursor, "device status", DEVICE_STATUS, byte)? as u8)
        }
        "subchannel-status" => {
            Expectation::SubchannelStatus(names(cursor, "subchannel status", SUBCHANNEL_STATUS, byte)? as u8)
        }
        "residual" => Expectation::Residual(cursor.number("a residual count", u64::from(u32::MAX))?),
        "ccw-address" => {
            cursor.take_sign('@');
            Expectation::CcwAddress(cursor.address()?)
        }
        "sense" => Expectation::Sense(names(cursor, "sense", SENSE, u64::from(u16::MAX))? as u16),
        "sense-bytes" => sense_octets(cursor)?,
        "reason" => Expectation::Reason(cursor.number("a reason code", byte)? as u8),
        "dcw-offset" => {
            Expectation::DcwOffset(cursor.number("an offset in bytes", u64::from(u16::MAX))? as u16)
        }
        "bytes" => {
            cursor.sign('@')?;
            let place = cursor.address()?;
            return Ok((Expectation::Octets(content(cursor)?.0), Some(place)));
        }
        _ => return Err(unknown(cursor, &word, span)),
    };
    Ok((expectation, None))
}

/// Returns `OFFSET DATA`.
fn sense_octets(cursor: &mut Cursor<'_>) -> Read<Expectation> {
    let at = cursor.number("the offset of a sense byte", 31)? as usize;
    let span = cursor.span();
    let octets = content(cursor)?.0.bytes;
    if at + octets.len() > 32 {
        return Err(cursor.error(message::NUMBER, span, "sense has 32 bytes; these extend beyond"));
    }
    Ok(Expectation::SenseOctets(at, octets))
}

fn unknown(cursor: &Cursor<'_>, word: &str, span: Range<usize>) -> Box<halftrack_input::Diagnostic> {
    let error = cursor.error(message::WORD, span, format!("`{word}` cannot be expected"));
    Box::new(error.fix(
        "expect normal, suspended, condition-code N, device-status NAMES, subchannel-status NAMES, residual N, \
         ccw-address ADDRESS, sense NAMES, sense-bytes OFFSET DATA, reason N, dcw-offset N, or bytes @ADDRESS DATA",
    ))
}
