//! Utilisation as a colour and as a horizontal bar.

use maud::{Markup, html};

use super::number;

/// Upper ends of the colour steps, percent; what is above the last has the last colour.
const STEPS: [f64; 5] = [10.0, 30.0, 50.0, 70.0, 90.0];

/// Words of the legend, one for each colour step.
const STEP_WORDS: [&str; 6] =
    ["below 10 %", "10 to 30 %", "30 to 50 %", "50 to 70 %", "70 to 90 %", "90 % and more"];

/// Number of the colour step of a utilisation, from 0 to 5; each is darker than the one before (lighter on dark).
pub(super) fn step(percent: f64) -> usize {
    STEPS.iter().filter(|end| percent >= **end).count()
}

/// The steps with their colours, and `unmeasured`: what the plain colour is for.
pub(super) fn legend(unmeasured: &str) -> Markup {
    html! {
        ul .legend aria-label="Colours of utilisation" {
            @for (step, words) in STEP_WORDS.iter().enumerate() {
                li { i class={ "swatch u" (step) } {} (words) }
            }
            li { i .swatch.plain {} (unmeasured) }
        }
    }
}

/// A cell with a bar of `percent` (drawn up to 100) and a line at `guideline_percent`.
pub(super) fn cell(percent: f64, guideline_percent: Option<f64>) -> Markup {
    let width = format!("width:{:.1}%", percent.clamp(0.0, 100.0));
    html! {
        td .bar {
            div .track aria-hidden="true" {
                i class={ "u" (step(percent)) } style=(width) {}
                @if let Some(guideline) = guideline_percent {
                    b style={ "left:" (format!("{guideline:.0}")) "%" } {}
                }
            }
        }
    }
}

/// A right-aligned cell with one decimal.
pub(super) fn percent_cell(percent: f64) -> Markup {
    html! { td { (number::percent(percent)) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_begin_at_their_lower_end() {
        let steps = [0.0, 9.99, 10.0, 49.9, 50.0, 70.0, 89.9, 90.0, 250.0].map(step);
        assert_eq!(steps, [0, 0, 1, 2, 3, 4, 4, 5, 5]);
    }

    #[test]
    fn a_bar_ends_at_the_edge_and_shows_its_guideline() {
        let text = cell(130.0, Some(50.0)).into_string();
        assert!(text.contains("width:100.0%") && text.contains("left:50%"), "{text}");
        assert!(!cell(10.0, None).into_string().contains("left:"));
    }
}
