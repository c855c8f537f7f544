//! Words of a user as filters and machines of a deck.

use halftrack_deck::model::filter::{Filter, NumberRange, Unknown};
use halftrack_deck::model::machines::Machine;

/// How many of the things that there are a message names.
const KNOWN_MAX: usize = 12;

/// Names of the lists of a filter, as [`add_words`] takes them.
pub const FILTER_NAMES: [&str; 12] =
    ["css", "chpid", "pchid", "type", "switch", "cu", "device", "unit", "lpar", "pnetid", "fid", "grep"];

/// Parses a number or a range of up to two hexadecimal digits, such as `40` or `40-4F`.
///
/// # Errors
/// A sentence about a text that is neither.
pub fn byte_range(text: &str) -> Result<NumberRange, String> {
    range(text, 0xFF)
}

/// Parses a number or a range of up to four hexadecimal digits, such as `1000-10FF`.
///
/// # Errors
/// As [`byte_range`].
pub fn word_range(text: &str) -> Result<NumberRange, String> {
    range(text, 0xFFFF)
}

fn range(text: &str, max: u16) -> Result<NumberRange, String> {
    let number = |digits: &str| {
        let number = u16::from_str_radix(digits.trim(), 16).ok().filter(|number| *number <= max);
        number.ok_or_else(|| format!("\"{digits}\" is not a hexadecimal number up to {max:X}"))
    };
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (number(first)?, number(last)?);
    if first > last {
        return Err(format!("{first:X} is beyond {last:X}"));
    }
    Ok(NumberRange { first, last })
}

/// Adds `words` to the list `name` of `filter`.
///
/// # Errors
/// A name that is not one of [`FILTER_NAMES`], words that are no number.
pub fn add_words(filter: &mut Filter, name: &str, words: &[String]) -> Result<(), String> {
    let capitals = || words.iter().map(|word| word.trim().to_uppercase());
    let bytes = || words.iter().map(|word| byte_range(word)).collect::<Result<Vec<_>, _>>();
    let numbers = || words.iter().map(|word| word_range(word)).collect::<Result<Vec<_>, _>>();
    match name {
        "css" => {
            let number = |word: &String| word.trim().parse().map_err(|_| format!("\"{word}\" is no number"));
            filter.css.extend(words.iter().map(number).collect::<Result<Vec<u8>, _>>()?);
        }
        "chpid" => filter.chpid.extend(bytes()?),
        "pchid" => filter.pchid.extend(numbers()?),
        "type" => filter.kind.extend(capitals()),
        "switch" => filter.switch.extend(bytes()?),
        "cu" => filter.control_unit.extend(numbers()?),
        "device" => filter.device.extend(numbers()?),
        "unit" => filter.unit.extend(capitals()),
        "lpar" => filter.lpar.extend(capitals()),
        "pnetid" => filter.pnetid.extend(capitals()),
        "fid" => filter.fid.extend(numbers()?),
        "grep" => filter.grep.extend_from_slice(words),
        _ => return Err(format!("a filter is one of {}", FILTER_NAMES.join(", "))),
    }
    Ok(())
}

/// Formats `lpar NOSUCH is not in the deck; it has PROD1, PROD2`.
pub fn unknown_words(unknown: &Unknown) -> String {
    let Unknown { what, value, known } = unknown;
    if known.is_empty() {
        return format!("{what} {value}: the deck has none");
    }
    let more = known.len().saturating_sub(KNOWN_MAX);
    let first = known.iter().take(KNOWN_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{what} {value} is not in the deck; it has {first}{rest}")
}

/// Parses the machine type and level `3931`, `3931,1` or `3931:1`.
///
/// # Errors
/// A sentence about a machine that is not known, or a level that is no number.
pub fn machine_words(text: &str) -> Result<(u16, Option<u8>), String> {
    let (machine_type, level) =
        text.split_once([',', ':']).map_or((text, None), |(one, two)| (one, Some(two)));
    let level =
        level.map(|level| level.trim().parse().map_err(|_| "a level is a number such as 1".to_owned()));
    let level = level.transpose()?;
    let machine = Machine::of_level(machine_type.trim().parse().unwrap_or_default(), level)?;
    Ok((machine.machine_type, level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_a_range_of_one() {
        assert_eq!(byte_range("40"), Ok(NumberRange { first: 0x40, last: 0x40 }));
        assert_eq!(word_range("1000-10ff"), Ok(NumberRange { first: 0x1000, last: 0x10FF }));
        for wrong in ["", "G", "100", "41-40", "-", "4-"] {
            assert!(byte_range(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_name_is_a_list_of_the_filter() {
        let mut filter = Filter::default();
        for name in FILTER_NAMES {
            let before = format!("{filter:?}");
            add_words(&mut filter, name, &["1".to_owned()]).unwrap();
            assert_ne!(format!("{filter:?}"), before, "{name}");
        }
        assert!(add_words(&mut filter, "colour", &[]).unwrap_err().ends_with("fid, grep"));
    }
}
