//! Lines of percentiles: every stream, and the logical control units with the longest response.

use std::cmp::Reverse;
use std::fmt::Write;

use super::{RunSummary, counted};
use crate::percentiles::{NAMES, ResponsePercentiles};

/// Logical control units with a line.
const LCUS_SHOWN: usize = 8;

/// Returns a table; nothing for a run that did not count.
pub(super) fn lines(summary: &RunSummary) -> String {
    let lcus = longest(&summary.lcu_percentiles);
    let rows: Vec<&ResponsePercentiles> = summary.stream_percentiles.iter().chain(lcus).collect();
    if rows.is_empty() {
        return String::new();
    }
    let heading = "percentiles, ms";
    let widths = rows.iter().map(|row| row.subject.chars().count());
    let width = widths.max().unwrap_or(0).max(heading.len());
    let mut text = format!("{heading:width$}  {:>9}", "mean");
    for name in NAMES {
        let _ = write!(text, "  {name:>9}");
    }
    text.push('\n');
    for row in rows {
        let _ = write!(text, "{:width$}  {:>9.3}", row.subject, row.mean_ms);
        for value in row.response_ms.all() {
            let _ = write!(text, "  {value:>9.3}");
        }
        text.push('\n');
    }
    if let Some(left_out) = summary.lcu_percentiles.len().checked_sub(LCUS_SHOWN).filter(|count| *count > 0) {
        let left_out = counted(left_out, "logical control unit");
        let _ = writeln!(text, "and {left_out} with a shorter p99");
    }
    text
}

/// Returns those with the longest 99th percentile, in their own order.
fn longest(all: &[ResponsePercentiles]) -> Vec<&ResponsePercentiles> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    // Positive numbers compare as their bits do.
    order.sort_by_key(|index| (Reverse(all[*index].response_ms.p99.to_bits()), *index));
    order.truncate(LCUS_SHOWN);
    order.sort_unstable();
    order.into_iter().map(|index| &all[index]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;

    #[test]
    fn of_many_control_units_those_with_the_longest_response_have_a_line() {
        let mut summary = RunSummary::compute(&golden::run());
        let one = summary.lcu_percentiles[0].clone();
        for number in 0..10 {
            let mut next = one.clone();
            next.subject = format!("SYN1 LCU {number:04X}");
            next.response_ms.p99 = f64::from((number * 7) % 10 + 1);
            summary.lcu_percentiles.push(next);
        }
        let text = lines(&summary);
        assert_eq!(text.lines().count(), 1 + 1 + LCUS_SHOWN + 1);
        assert!(!text.contains("LCU 0000 ") && text.contains("LCU 0007 "), "{text}");
        assert!(text.ends_with("and 5 logical control units with a shorter p99\n"), "{text}");
        summary.stream_percentiles.clear();
        summary.lcu_percentiles.clear();
        assert_eq!(lines(&summary), "");
    }
}
