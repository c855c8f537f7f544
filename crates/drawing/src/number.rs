//! Numbers as the page shows them: fixed decimals, a comma at the thousands.

/// Formats `value` rounded to `decimals`, the whole part in groups of three.
pub fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let (sign, text) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut out = sign.to_owned();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + fraction
}

/// Formats a count.
pub fn count(value: u128) -> String {
    grouped(value as f64, 0)
}

/// Formats a rate, with a decimal where it is small.
pub fn rate(value: f64) -> String {
    grouped(value, if value.abs() < 1000.0 { 1 } else { 0 })
}

/// Milliseconds, to the microsecond.
pub fn ms(value: f64) -> String {
    grouped(value, 3)
}

/// Formats percent with one decimal, without the sign of percent.
pub fn percent(value: f64) -> String {
    grouped(value, 1)
}

/// Formats a noun with its number.
pub fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number as u128))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_parted() {
        assert_eq!(grouped(0.0, 0), "0");
        assert_eq!(grouped(999.0, 0), "999");
        assert_eq!(grouped(302_025.0, 0), "302,025");
        assert_eq!(grouped(-1_234_567.891, 2), "-1,234,567.89");
        assert_eq!(rate(999.96), "1,000.0");
        assert_eq!(rate(1000.4), "1,000");
    }

    #[test]
    fn nouns_follow_their_number() {
        assert_eq!(counted(1, "channel"), "1 channel");
        assert_eq!(counted(2000, "channel"), "2,000 channels");
    }
}
