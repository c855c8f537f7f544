//! Numbers as a person reads them: few digits, thousands apart.

/// Formats `302,000`, `1,236.9`, `33.55`, `0.087`: at least four significant digits, no more decimals than needed for
/// them.
pub(crate) fn digits(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 10_000.0 || value.fract() == 0.0 => 0,
        size if size >= 1000.0 => 1,
        size if size >= 10.0 => 2,
        size if size >= 1.0 => 3,
        _ => 4,
    };
    let text = format!("{value:.decimals$}");
    let text = if decimals > 2 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, rest)| (whole, Some(rest)));
    let mut grouped = String::from(sign);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if let Some(fraction) = fraction {
        grouped.push('.');
        grouped.push_str(fraction);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_digits_and_thousands_apart() {
        let shown = [302_000.4, 1236.94, 33.5512, 7.0, 0.0871, 0.0, -1_234_567.0, 3.5, 150.0];
        let expected = ["302,000", "1,236.9", "33.55", "7", "0.0871", "0", "-1,234,567", "3.5", "150"];
        assert_eq!(shown.map(digits), expected);
    }
}
