//! Sizes as users write them: `"512"`, `"4K"`, `"64M"`, `"1G"`.

use halftrack_input::Expect;

/// Syntax of a size, in words.
const WORDS: &str = "a number of bytes such as \"4K\", \"64M\" or \"1G\", in powers of 1024";

/// Returns a size of one byte or more, bytes.
pub(crate) fn byte_size<'e>() -> Expect<'e, u64> {
    Expect::parsed(WORDS, parse)
}

/// Returns a size of one byte to `limit_bytes`, bytes.
pub(crate) fn byte_size_to<'e>(limit_bytes: u64) -> Expect<'e, u64> {
    let words = format!("{WORDS}, at most {limit_bytes}");
    Expect::parsed(words, move |text| parse(text).filter(|bytes| *bytes <= limit_bytes))
}

fn parse(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|unit: char| unit.is_ascii_alphabetic());
    let unit: u64 = match &text[digits.len()..] {
        "" => 1,
        "K" | "k" => 1 << 10,
        "M" | "m" => 1 << 20,
        "G" | "g" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit).filter(|bytes| *bytes > 0)
}

#[test]
fn sizes_are_in_powers_of_1024() {
    for (text, bytes) in [("1", 1), ("4K", 4096), ("64m", 64 << 20), ("3G", 3 << 30)] {
        assert_eq!(parse(text), Some(bytes), "{text}");
    }
    for text in ["", "K", "0", "-1", "1.5G", "4KB", "99999999999G"] {
        assert_eq!(parse(text), None, "{text}");
    }
}
