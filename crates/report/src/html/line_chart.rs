//! A small line chart over time.

use halftrack_drawing::number;
use maud::{Markup, html};

/// Size of the picture and of its plot, in units of the view box.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 230.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 40.0;
/// Ticks of an axis, about.
const TICKS: f64 = 4.0;
/// Lines that have a style of their own.
pub(super) const LINES_MAX: usize = 6;

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    /// Name of its quantity.
    pub name: String,
    /// One value for each moment.
    pub values: Vec<f64>,
}

/// A chart of values that are not negative.
#[derive(Debug)]
pub(super) struct LineChart<'a> {
    /// Heading, with the unit.
    pub title: &'a str,
    /// Moments, s after the start of measuring, ascending.
    pub times_s: &'a [f64],
    /// At most [`LINES_MAX`] lines.
    pub lines: &'a [Line],
    /// Top of the scale when the values stay below it.
    pub at_least: f64,
}

impl LineChart<'_> {
    /// Returns the figure: legend and picture.
    pub fn render(&self) -> Markup {
        let values = self.lines.iter().flat_map(|line| &line.values);
        let highest = values.copied().fold(self.at_least, f64::max);
        let (step, top) = scale(highest);
        let ticks = (top / step).round() as usize;
        html! {
            figure .chart {
                figcaption { (self.title) }
                svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(self.words()) {
                    @for tick in 0..=ticks {
                        @let value = step * tick as f64;
                        @let y = format!("{:.1}", y_of(value, top));
                        line .grid x1=(LEFT) x2=(WIDTH - RIGHT) y1=(y) y2=(y) {}
                        text .tick x=(LEFT - 8.0) y=(y) dy="4" text-anchor="end" { (tick_words(value, step)) }
                    }
                    (self.time_axis())
                    @for (place, line) in self.lines.iter().enumerate() {
                        polyline class={ "line l" (place) } points=(self.points(line, top)) {
                            title { (line.name) }
                        }
                    }
                }
                ul .legend {
                    @for (place, line) in self.lines.iter().enumerate() {
                        li {
                            svg .key width="34" height="12" aria-hidden="true" {
                                line class={ "line l" (place) } x1="1" x2="33" y1="6" y2="6" {}
                            }
                            (line.name)
                        }
                    }
                }
            }
        }
    }

    fn words(&self) -> String {
        let ranges = self.lines.iter().map(|line| {
            let low = line.values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = line.values.iter().copied().fold(0.0, f64::max);
            format!("{} from {} to {}", line.name, number::grouped(low, 3), number::grouped(high, 3))
        });
        format!("{}: {}", self.title, ranges.collect::<Vec<_>>().join("; "))
    }

    fn span_s(&self) -> (f64, f64) {
        let first = self.times_s.first().copied().unwrap_or(0.0);
        (first, self.times_s.last().copied().unwrap_or(first))
    }

    fn x_of(&self, time_s: f64) -> f64 {
        let (first, last) = self.span_s();
        let share = if last > first { (time_s - first) / (last - first) } else { 0.0 };
        LEFT + share * (WIDTH - LEFT - RIGHT)
    }

    fn points(&self, line: &Line, top: f64) -> String {
        let points = self.times_s.iter().zip(&line.values);
        let points = points.map(|(time, value)| format!("{:.1},{:.1}", self.x_of(*time), y_of(*value, top)));
        points.collect::<Vec<_>>().join(" ")
    }

    fn time_axis(&self) -> Markup {
        let (first, last) = self.span_s();
        let middle = (first + last) / 2.0;
        let decimals = if last - first < 10.0 { 3 } else { 0 };
        html! {
            @for (time, anchor) in [(first, "start"), (middle, "middle"), (last, "end")] {
                text .tick x=(format!("{:.1}", self.x_of(time))) y=(HEIGHT - 22.0) text-anchor=(anchor) {
                    (number::grouped(time, decimals))
                }
            }
            text .tick x=((LEFT + WIDTH - RIGHT) / 2.0) y=(HEIGHT - 5.0) text-anchor="middle" {
                "s after the start of measuring"
            }
        }
    }
}

fn y_of(value: f64, top: f64) -> f64 {
    TOP + (1.0 - value / top) * (HEIGHT - TOP - BOTTOM)
}

/// Returns the distance of the ticks and the top of an axis from 0 to at least `highest`. The distance is 1, 2 or 5
/// times a power of ten.
pub(super) fn scale(highest: f64) -> (f64, f64) {
    if highest <= 0.0 || !highest.is_finite() {
        return (1.0, 1.0);
    }
    let mut step = 1.0;
    while step * TICKS < highest {
        step *= 10.0;
    }
    while step * TICKS / 10.0 >= highest {
        step /= 10.0;
    }
    let finer = [step / 5.0, step / 2.0].into_iter().find(|finer| finer * TICKS >= highest);
    let step = finer.unwrap_or(step);
    (step, step * (highest / step).ceil())
}

pub(super) fn tick_words(value: f64, step: f64) -> String {
    let mut decimals = 0;
    let mut unit = 1.0;
    while unit > step * 1.000_001 && decimals < 6 {
        unit /= 10.0;
        decimals += 1;
    }
    number::grouped(value, decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_round_and_reach_the_highest() {
        for (highest, step) in [(100.0, 50.0), (7.9, 2.0), (0.31, 0.1), (130_000.0, 50_000.0), (4.0, 1.0)] {
            let (found, top) = scale(highest);
            assert!((found / step - 1.0).abs() < 1e-9, "{highest}: {found}");
            assert!(top >= highest * (1.0 - 1e-12) && top < highest + found, "{highest}: {top}");
        }
        assert_eq!(scale(0.0), (1.0, 1.0));
        assert_eq!(scale(f64::NAN), (1.0, 1.0));
    }

    #[test]
    fn ticks_have_the_decimals_of_their_step() {
        assert_eq!(tick_words(0.2, 0.1), "0.2");
        assert_eq!(tick_words(0.05, 0.05), "0.05");
        assert_eq!(tick_words(100_000.0, 50_000.0), "100,000");
    }

    #[test]
    fn lines_stay_within_the_plot() {
        let lines = [Line { name: "a".into(), values: vec![0.0, 5.0, 8.0] }];
        let chart = LineChart { title: "x", times_s: &[0.0, 1.0, 2.0], lines: &lines, at_least: 0.0 };
        let points = chart.points(&lines[0], 8.0);
        assert_eq!(points, "76.0,190.0 352.0,80.0 628.0,14.0");
        assert!(chart.render().into_string().contains("a from 0.000 to 8.000"));
    }
}
