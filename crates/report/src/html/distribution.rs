//! Response times of one stream by size: bars over a linear scale, with lines at its percentiles.

use halftrack_drawing::number;
use maud::{Markup, html};

use super::line_chart::{scale, tick_words};
use crate::percentiles::{Distribution, NAMES, PERMILLES};

/// Size of the picture and of its plot, in units of the view box.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 12.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 40.0;
/// Bars, at most.
const BARS: usize = 96;

/// Returns the figure of what `of` experienced; its scale ends behind the last of the percentiles.
pub(super) fn figure(name: &str, of: &Distribution) -> Markup {
    let percentiles = PERMILLES.map(|permille| of.percentile_ms(permille));
    let (step, full_ms) = scale(1.02 * percentiles[PERMILLES.len() - 1]);
    let ticks = (full_ms / step).round() as usize;
    let (bars, beyond) = bars(of, full_ms);
    let highest = bars.iter().copied().max().unwrap_or(0).max(1);
    let x_of = |ms: f64| format!("{:.1}", LEFT + ms / full_ms * (WIDTH - LEFT - RIGHT));
    let bottom = HEIGHT - BOTTOM;
    let bar_width = (WIDTH - LEFT - RIGHT) / BARS as f64;
    let words: Vec<String> =
        NAMES.iter().zip(percentiles).map(|(name, ms)| format!("{name} {} ms", number::ms(ms))).collect();
    html! {
        figure .chart {
            figcaption { (name) ": " (number::count(of.counted().into())) " I/Os, " (words.join(", "))
                @if beyond > 0 { "; " (number::count(beyond.into())) " beyond the scale" } }
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label={ (name) ": " (words.join(", ")) } {
                @for (place, count) in bars.iter().enumerate().filter(|(_, count)| **count > 0) {
                    @let height = (*count as f64 / highest as f64 * (bottom - TOP)).max(0.5);
                    rect .bars x=(format!("{:.1}", LEFT + place as f64 * bar_width)) y=(format!("{:.1}", bottom - height))
                         width=(format!("{bar_width:.1}")) height=(format!("{height:.1}")) {}
                }
                @for (place, (name, ms)) in NAMES.iter().zip(percentiles).enumerate() {
                    line .grid x1=(x_of(ms)) x2=(x_of(ms)) y1=(TOP - 4.0) y2=(bottom) {}
                    // Every other name higher, so that neighbours can be read.
                    text .tick x=(x_of(ms)) y=(if place % 2 == 0 { TOP - 6.0 } else { TOP - 18.0 }) text-anchor=(anchor(ms, full_ms)) {
                        (name)
                    }
                }
                line .grid x1=(LEFT) x2=(WIDTH - RIGHT) y1=(bottom) y2=(bottom) {}
                @for tick in 0..=ticks {
                    @let value = step * tick as f64;
                    text .tick x=(x_of(value)) y=(HEIGHT - 22.0) text-anchor=(anchor(value, full_ms)) {
                        (tick_words(value, step))
                    }
                }
                text .tick x=(WIDTH / 2.0) y=(HEIGHT - 5.0) text-anchor="middle" { "response, ms" }
            }
        }
    }
}

/// Returns I/Os by part of the scale to `full_ms`, and those beyond.
fn bars(of: &Distribution, full_ms: f64) -> (Vec<u64>, u64) {
    let (mut bars, mut beyond) = (vec![0; BARS], 0);
    for (ms, count) in of.buckets() {
        match bars.get_mut((ms / full_ms * BARS as f64) as usize) {
            Some(bar) => *bar += count,
            None => beyond += count,
        }
    }
    (bars, beyond)
}

/// Returns the anchor that keeps a text at `value` within the picture.
fn anchor(value: f64, full: f64) -> &'static str {
    match value / full {
        share if share < 0.05 => "start",
        share if share > 0.95 => "end",
        _ => "middle",
    }
}

#[cfg(test)]
mod tests {
    use halftrack_record::ResponseTimes;

    use super::*;

    #[test]
    fn every_io_is_in_a_bar_or_beyond_the_scale() {
        let ms = |ms: u64| ms * 1_000_000_000;
        let values_ps = vec![ms(1), ms(4), ms(50)];
        let of = Distribution::of([&ResponseTimes { values_ps, counts: vec![5000, 1000, 1] }]);
        let (bars, beyond) = bars(&of, 4.75);
        assert_eq!((bars[20], bars[80], beyond, bars.iter().sum::<u64>()), (5000, 1000, 1, 6000));
        let text = figure("<b>", &of).into_string();
        assert!(
            text.contains("&lt;b&gt;: 6,001 I/Os, p50 ") && text.contains("; 1 beyond the scale"),
            "{text}"
        );
        assert!(!text.contains("NaN"));
    }
}
