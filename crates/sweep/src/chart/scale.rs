//! How values lie along an axis, and where its ticks stand.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// How values lie along an axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By their logarithms; values that are not above 0 are left out.
    Log,
    /// One place a name: value 0 is the first, 1 the second and so on.
    Named(Vec<String>),
}

/// Ticks of a linear axis, about.
const TICKS: f64 = 7.0;

/// An axis laid out: values become shares of its length, from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    log: bool,
    low: f64,
    high: f64,
    /// Share and words of each tick.
    ticks: Vec<(f64, String)>,
}

impl Layout {
    /// Creates an axis for `values`; `from` and `to` fix its ends.
    pub(super) fn new(scale: &Scale, from: Option<f64>, to: Option<f64>, values: &[f64]) -> Self {
        let usable = values.iter().copied().chain(from).chain(to);
        let usable = usable.filter(|value| value.is_finite() && (*scale != Scale::Log || *value > 0.0));
        let bounds = usable.fold(None, |bounds: Option<(f64, f64)>, value| {
            Some(bounds.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
        });
        match scale {
            Scale::Linear => Self::linear(bounds.unwrap_or((0.0, 1.0)), from, to),
            Scale::Log => Self::log(bounds.unwrap_or((1.0, 10.0)), from, to),
            Scale::Named(names) => Self::named(names),
        }
    }

    fn linear((low, high): (f64, f64), from: Option<f64>, to: Option<f64>) -> Self {
        let low = from.unwrap_or(low.min(0.0));
        let high = to.unwrap_or(high.max(0.0));
        let high = if high > low { high } else { low + 1.0 };
        let step = nice_step((high - low) / TICKS);
        let low = from.unwrap_or_else(|| (low / step).floor() * step);
        let high = to.filter(|to| *to > low).unwrap_or_else(|| (high / step).ceil() * step);
        let decimals = decimals_of(step);
        let (first, last) = ((low / step).ceil() as i64, (high / step + 1e-9).floor() as i64);
        let ticks = (first..=last).map(|count| {
            let value = count as f64 * step;
            ((value - low) / (high - low), grouped(value, decimals))
        });
        Self { log: false, low, high, ticks: ticks.collect() }
    }

    fn log((low, high): (f64, f64), from: Option<f64>, to: Option<f64>) -> Self {
        let steps = if high / low > 2000.0 { &[1.0][..] } else { &[1.0, 2.0, 5.0][..] };
        let all: Vec<f64> = (-12..=15)
            .flat_map(|power| steps.iter().map(move |step| step * libm::exp10(f64::from(power))))
            .collect();
        // A little beyond the step counts as on it: ends that were meant to be round stay.
        let below = all.iter().rev().copied().find(|step| *step <= low * (1.0 + 1e-9)).unwrap_or(low);
        let above = all.iter().copied().find(|step| *step >= high * (1.0 - 1e-9)).unwrap_or(high);
        let low = from.filter(|from| *from > 0.0).unwrap_or(below);
        let high = to.filter(|to| *to > low).unwrap_or(if above > low { above } else { low * 10.0 });
        let (log_low, log_high) = (libm::log10(low), libm::log10(high));
        let inside =
            all.into_iter().filter(|step| *step >= low * (1.0 - 1e-9) && *step <= high * (1.0 + 1e-9));
        let ticks = inside.map(|value| {
            let share = (libm::log10(value) - log_low) / (log_high - log_low);
            (share, grouped(value, decimals_of(value)))
        });
        Self { log: true, low: log_low, high: log_high, ticks: ticks.collect() }
    }

    /// Creates a scale of names; half a place is left free at both ends.
    fn named(names: &[String]) -> Self {
        let high = names.len().max(1) as f64 - 0.5;
        let ticks = names.iter().enumerate();
        let ticks = ticks.map(|(index, name)| ((index as f64 + 0.5) / (high + 0.5), name.clone()));
        Self { log: false, low: -0.5, high, ticks: ticks.collect() }
    }

    /// Returns the place of `value`: 0 at the beginning, 1 at the end; none outside the scale.
    pub(super) fn share(&self, value: f64) -> Option<f64> {
        let value = match self.log {
            true if value > 0.0 => libm::log10(value),
            true => return None,
            false => value,
        };
        Some((value - self.low) / (self.high - self.low)).filter(|share| share.is_finite())
    }

    /// Returns the number of ticks.
    pub(super) fn tick_count(&self) -> usize {
        self.ticks.len()
    }
}

/// Returns the smallest of 1, 2 and 5 times a power of ten that is not below `least`.
fn nice_step(least: f64) -> f64 {
    let decade = libm::exp10(libm::log10(least).floor());
    let step = [1.0, 2.0, 5.0].into_iter().find(|step| step * decade >= least * (1.0 - 1e-9));
    step.unwrap_or(10.0) * decade
}

/// Returns digits after the point that a multiple of `step` needs.
fn decimals_of(step: f64) -> usize {
    (-libm::log10(step) - 1e-9).ceil().clamp(0.0, 12.0) as usize
}

/// Formats `value` with `decimals` digits after the point and commas between thousands.
fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let sign = if value < 0.0 && text.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{grouped}{point}{fraction}")
}

impl Ranged for Layout {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, share: &f64, limit: (i32, i32)) -> i32 {
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.iter().map(|(share, _)| *share).collect()
    }

    fn range(&self) -> Range<f64> {
        0.0..1.0
    }
}

impl ValueFormatter<f64> for Layout {
    fn format_ext(&self, share: &f64) -> String {
        self.ticks.iter().find(|(tick, _)| tick == share).map(|(_, words)| words.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(layout: &Layout) -> Vec<&str> {
        layout.ticks.iter().map(|(_, words)| words.as_str()).collect()
    }

    #[test]
    fn a_linear_axis_begins_at_zero_and_has_round_ticks() {
        let layout = Layout::new(&Scale::Linear, None, None, &[20_000.0, 310_000.0]);
        assert_eq!(
            words(&layout),
            ["0", "50,000", "100,000", "150,000", "200,000", "250,000", "300,000", "350,000"]
        );
        assert_eq!((layout.share(0.0), layout.share(350_000.0)), (Some(0.0), Some(1.0)));
        let layout = Layout::new(&Scale::Linear, None, None, &[0.05, 0.31]);
        assert_eq!(words(&layout), ["0.00", "0.05", "0.10", "0.15", "0.20", "0.25", "0.30", "0.35"]);
        let layout = Layout::new(&Scale::Linear, Some(10.0), Some(30.0), &[0.0, 99.0]);
        assert_eq!(words(&layout), ["10", "15", "20", "25", "30"].map(|word| word));
        assert_eq!(layout.share(40.0), Some(1.5));
    }

    #[test]
    fn negative_values_lie_below_zero() {
        let layout = Layout::new(&Scale::Linear, None, None, &[-3.0, 4.0]);
        assert_eq!(words(&layout), ["-3", "-2", "-1", "0", "1", "2", "3", "4"]);
    }

    #[test]
    fn a_logarithmic_axis_has_ticks_at_one_two_and_five() {
        let layout = Layout::new(&Scale::Log, None, None, &[1.0, 60.0]);
        assert_eq!(words(&layout), ["1", "2", "5", "10", "20", "50", "100"]);
        assert_eq!((layout.share(10.0), layout.share(0.0)), (Some(0.5), None));
        let wide = Layout::new(&Scale::Log, None, None, &[0.01, 1000.0]);
        assert_eq!(words(&wide), ["0.01", "0.1", "1", "10", "100", "1,000"]);
        let single = Layout::new(&Scale::Log, None, None, &[5.0]);
        assert_eq!(words(&single), ["5", "10", "20", "50"]);
    }

    #[test]
    fn names_stand_in_the_middle_of_their_places() {
        let layout = Layout::new(&Scale::Named(vec!["4K".into(), "half-track".into()]), None, None, &[]);
        assert_eq!(layout.ticks, [(0.25, "4K".to_owned()), (0.75, "half-track".to_owned())]);
        assert_eq!(layout.share(1.0), Some(0.75));
    }

    #[test]
    fn nothing_to_show_still_has_an_axis() {
        for scale in [Scale::Linear, Scale::Log, Scale::Named(Vec::new())] {
            let layout = Layout::new(&scale, None, None, &[f64::NAN, f64::INFINITY]);
            assert!(layout.low < layout.high, "{scale:?}");
        }
        let flat = Layout::new(&Scale::Linear, None, None, &[0.0, 0.0]);
        assert_eq!((words(&flat)[0], flat.share(0.0)), ("0.0", Some(0.0)));
    }
}
