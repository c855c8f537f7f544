//! Numbers in operands: hexadecimal identifiers (R126) and decimal counts (R140).
//!
//! Reference: IOCP, section 1, number bases; traps 8 and 11.

use std::ops::RangeInclusive;

use crate::syntax::findings::Findings;
use crate::syntax::operand::Value;

/// A kind of hexadecimal number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hex {
    /// Its name with an article, for messages.
    pub(crate) what: &'static str,
    /// How many digits it may have.
    pub(crate) digits: (usize, usize),
    /// Largest value.
    pub(crate) max: u16,
    /// Message number when it is something else.
    pub(crate) number: u16,
    /// A count may stand behind it, as in `(1000,16)`.
    pub(crate) counted: bool,
}

/// A channel path identifier: exactly two digits.
pub(crate) const CHPID: Hex =
    Hex { what: "a CHPID of two hex digits", digits: (2, 2), max: 0xFF, number: 126, counted: false };
/// A physical or virtual channel identifier; a leading zero is legal.
pub(crate) const PCHID: Hex = Hex {
    what: "a channel number of 1-3 hex digits",
    digits: (1, 4),
    max: 0xFFF,
    number: 126,
    counted: false,
};
/// The adapter of a coupling link: exactly two digits.
pub(crate) const ADAPTER: Hex = Hex {
    what: "an adapter number of two hex digits",
    digits: (2, 2),
    max: 0xFF,
    number: 126,
    counted: false,
};
/// A function identifier.
pub(crate) const FUNCTION: Hex = Hex {
    what: "a function identifier of 1-4 hex digits",
    digits: (1, 4),
    max: 0xFFFF,
    number: 126,
    counted: true,
};
/// A user identifier of a function.
pub(crate) const USER: Hex =
    Hex { what: "a UID of 1-4 hex digits", digits: (1, 4), max: 0xFFFF, number: 126, counted: true };
/// A logical switch number: exactly two digits.
pub(crate) const SWITCH: Hex =
    Hex { what: "a switch number of two hex digits", digits: (2, 2), max: 0xFF, number: 126, counted: false };
/// A control unit number; FFFF is none (R117).
pub(crate) const CONTROL_UNIT: Hex =
    Hex { what: "a control unit number 0000-FFFE", digits: (1, 4), max: 0xFFFE, number: 117, counted: false };
/// A device number.
pub(crate) const DEVICE: Hex =
    Hex { what: "a device number 0000-FFFF", digits: (1, 4), max: 0xFFFF, number: 126, counted: true };
/// A unit address.
pub(crate) const UNIT_ADDRESS: Hex =
    Hex { what: "a unit address 00-FF", digits: (1, 2), max: 0xFF, number: 126, counted: true };
/// A control unit image.
pub(crate) const CUADD: Hex =
    Hex { what: "a CUADD 00-FF", digits: (1, 2), max: 0xFF, number: 126, counted: false };
/// The hexadecimal digits of CHPARM and OS.
pub(crate) const PARAMETER: Hex =
    Hex { what: "two hex digits", digits: (2, 2), max: 0xFF, number: 126, counted: false };

/// Reads the hex number that `value` holds.
pub(crate) fn hex(value: &Value, kind: Hex, findings: &mut Findings) -> Option<u16> {
    let parsed = value.atom().and_then(|word| {
        let fits = (kind.digits.0..=kind.digits.1).contains(&word.len());
        let hex = word.chars().all(|ch| ch.is_ascii_hexdigit());
        if fits && hex { u16::from_str_radix(word, 16).ok() } else { None }
    });
    let parsed = parsed.filter(|number| *number <= kind.max);
    if parsed.is_none() {
        let mut message =
            findings.error(kind.number, &value.span, format!("\"{value}\" is not {}", kind.what));
        message.fix = hint(value, kind);
        findings.report(message);
    }
    parsed
}

/// Returns the likely intent of a malformed number, as a fix.
fn hint(value: &Value, kind: Hex) -> Option<String> {
    let word = value.atom()?;
    let digits = |word: &str| !word.is_empty() && word.chars().all(|ch| ch.is_ascii_hexdigit());
    let zeros = word.replace('O', "0");
    if zeros != word && digits(&zeros) {
        return Some(format!("write {zeros}: the letter O is in the place of a zero"));
    }
    if let Some((first, last)) = word.split_once('-').filter(|(first, last)| digits(first) && digits(last)) {
        let number = |word: &str| u32::from_str_radix(word, 16).ok();
        let count = number(last)?.checked_sub(number(first)?)? + 1;
        return Some(match kind.counted {
            true => format!("write ({first},{count}): the first number and how many, in decimal"),
            false => format!("write {first} and code the other {} in the same way, one by one", count - 1),
        });
    }
    let short = digits(word) && word.len() < kind.digits.0;
    short.then(|| format!("write {word:0>width$}", width = kind.digits.0))
}

/// Reads a hex number of at most two digits.
pub(crate) fn hex_byte(value: &Value, kind: Hex, findings: &mut Findings) -> Option<u8> {
    hex(value, kind, findings).and_then(|number| u8::try_from(number).ok())
}

/// Reads the decimal number that `value` holds, without message.
pub(crate) fn plain_decimal(value: &Value) -> Option<u32> {
    let word = value.atom().filter(|word| word.chars().all(|ch| ch.is_ascii_digit()))?;
    word.parse().ok()
}

/// Reads the decimal number in `range` that `value` holds; leading zeros are legal.
pub(crate) fn decimal(
    value: &Value,
    what: &str,
    range: RangeInclusive<u32>,
    findings: &mut Findings,
) -> Option<u32> {
    let parsed = plain_decimal(value).filter(|number| range.contains(number));
    if parsed.is_none() {
        let mut message = findings.error(
            140,
            &value.span,
            format!("\"{value}\" is not {what} of {}-{} in decimal", range.start(), range.end()),
        );
        let hex = value.atom().and_then(|word| u32::from_str_radix(word, 16).ok());
        if let Some(number) = hex.filter(|number| plain_decimal(value).is_none() && range.contains(number)) {
            message = message.fix(format!("write {number}: {value} is hexadecimal"));
        }
        findings.report(message);
    }
    parsed
}

/// Reports R140: `value` is not of the shape `expected`.
pub(crate) fn malformed(value: &Value, expected: &str, findings: &mut Findings) {
    let shown = value.to_string();
    let shown = if shown.chars().count() > 20 {
        format!("{}...", shown.chars().take(20).collect::<String>())
    } else {
        shown
    };
    let message =
        findings.error(140, &value.span, format!("\"{shown}\" was found where {expected} was expected"));
    findings.report(message);
}

#[cfg(test)]
mod tests {
    use halftrack_input::SourceFile;

    use super::*;
    use crate::syntax::operand::Form;

    fn value(word: &str) -> Value {
        Value { form: Form::Atom(word.to_owned()), span: 0..word.len() }
    }

    #[test]
    fn leading_zeros_change_nothing_where_the_number_of_digits_is_free() {
        let mut findings = Findings::new(&SourceFile::new("x", ""));
        assert_eq!(hex(&value("1E5"), PCHID, &mut findings), hex(&value("01E5"), PCHID, &mut findings));
        assert_eq!(hex(&value("1"), CUADD, &mut findings), Some(1));
        assert_eq!(decimal(&value("008"), "a count", 1..=256, &mut findings), Some(8));
        assert_eq!(findings.errors(), 0);
    }

    #[test]
    fn a_wrong_number_gives_the_rule_of_its_kind() {
        let mut findings = Findings::new(&SourceFile::new("x", ""));
        assert_eq!(hex(&value("4"), CHPID, &mut findings), None);
        assert_eq!(hex(&value("FFFF"), CONTROL_UNIT, &mut findings), None);
        assert_eq!(decimal(&value("257"), "a count", 1..=256, &mut findings), None);
        assert_eq!(hex(&value("+1"), CUADD, &mut findings), None);
        let numbers: Vec<u16> = findings.into_list().iter().map(|message| message.number).collect();
        assert_eq!(numbers, [126, 117, 140, 126]);
    }
}
