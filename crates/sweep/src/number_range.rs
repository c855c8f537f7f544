//! A range of decimal numbers, stepped exactly: `1..8`, `0.1..0.5:0.1`, `1..64*2`.

/// Digits after the point that a number of a range may have.
const DECIMALS_MAX: usize = 9;

/// Why a text is not a range of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotARange {
    /// It is something else.
    Text,
    /// Its step does not lead from the first number to the last.
    Endless,
    /// It has too many numbers.
    TooLong,
}

enum Step {
    Add(i128),
    Multiply(i128),
}

/// Returns the numbers of the range `text`, both ends included, at most `longest` of them. Without a step they count by
/// 1.
pub(crate) fn number_range(text: &str, longest: usize) -> Result<Vec<String>, NotARange> {
    let (first, rest) = text.split_once("..").ok_or(NotARange::Text)?;
    let (last, step) = match rest.split_once([':', '*']) {
        Some((last, step)) => (last, Some((step, rest[last.len()..].starts_with('*')))),
        None => (rest, None),
    };
    let texts = [first, last, step.map_or("1", |(step, _)| step)];
    let decimals = texts.iter().map(|text| text.split_once('.').map_or(0, |(_, digits)| digits.len())).max();
    let decimals = decimals.filter(|count| *count <= DECIMALS_MAX).ok_or(NotARange::Text)?;
    let scaled = |text: &str| scaled(text, decimals).ok_or(NotARange::Text);
    let (mut at, last) = (scaled(first)?, scaled(last)?);
    let step = match step {
        None => Step::Add(10_i128.pow(decimals as u32)),
        Some((text, false)) => Step::Add(scaled(text)?),
        Some((text, true)) => Step::Multiply(text.trim().parse().map_err(|_| NotARange::Text)?),
    };
    let leads = match step {
        Step::Add(step) => step != 0 && (last - at).signum() * step.signum() >= 0,
        Step::Multiply(factor) => factor > 1 && at > 0 && last >= at,
    };
    if !leads {
        return Err(NotARange::Endless);
    }
    let falls = last < at;
    let mut numbers = Vec::new();
    while (falls && at >= last) || (!falls && at <= last) {
        if numbers.len() == longest {
            return Err(NotARange::TooLong);
        }
        numbers.push(decimal(at, decimals));
        match step {
            Step::Add(step) => at += step,
            Step::Multiply(factor) => at = at.saturating_mul(factor),
        }
    }
    Ok(numbers)
}

/// Returns the decimal number `text` times 10 to the power of `decimals`; at most twelve digits before the point.
fn scaled(text: &str, decimals: usize) -> Option<i128> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 12 || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let padded = format!("{whole}{fraction:0<decimals$}");
    padded.parse::<i128>().ok().map(|number| sign * number)
}

/// Formats `number` / 10^`decimals` without needless zeros.
fn decimal(number: i128, decimals: usize) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", number.unsigned_abs(), width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> Result<Vec<String>, NotARange> {
        number_range(text, 100)
    }

    #[test]
    fn steps_are_exact_and_both_ends_belong() {
        assert_eq!(range("1..4").unwrap(), ["1", "2", "3", "4"]);
        assert_eq!(range("0.1..0.5:0.1").unwrap(), ["0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(range("0.75 .. 1.5").unwrap(), ["0.75"]);
        assert_eq!(range("1..64*4").unwrap(), ["1", "4", "16", "64"]);
        assert_eq!(range("0.5..5*2").unwrap(), ["0.5", "1", "2", "4"]);
        assert_eq!(range("10..-5:-5").unwrap(), ["10", "5", "0", "-5"]);
        assert_eq!(range("3..3").unwrap(), ["3"]);
    }

    #[test]
    fn what_is_no_range_is_text() {
        for text in
            ["4K", "a..b", "1..", "..2", "1..2:x", "1..2*1.5", "1000-107F", "1...2", "0.1..0.12345678901"]
        {
            assert_eq!(range(text), Err(NotARange::Text), "{text}");
        }
    }

    #[test]
    fn ranges_that_lead_nowhere_or_too_far_are_told_apart() {
        for text in ["1..5:0", "5..1", "1..5:-1", "0..5*2", "1..5*1", "8..2*2"] {
            assert_eq!(range(text), Err(NotARange::Endless), "{text}");
        }
        assert_eq!(range("1..100").map(|numbers| numbers.len()), Ok(100));
        assert_eq!(range("1..101"), Err(NotARange::TooLong));
    }
}
