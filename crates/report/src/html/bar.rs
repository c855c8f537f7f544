//! Utilisation as a colour and as a horizontal bar.

use halftrack_drawing::colour::step;
use halftrack_drawing::number;
use maud::{Markup, html};

/// Words of the legend, one for each colour step.
const STEP_WORDS: [&str; 6] =
    ["below 10 %", "10 to 30 %", "30 to 50 %", "50 to 70 %", "70 to 90 %", "90 % and more"];

/// Returns the steps with their colours, and `unmeasured`: what the plain colour is for.
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

/// Returns a cell with a bar of `percent` (drawn up to 100) and a line at `guideline_percent`.
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

/// Returns a right-aligned cell with one decimal.
pub(super) fn percent_cell(percent: f64) -> Markup {
    html! { td { (number::percent(percent)) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_ends_at_the_edge_and_shows_its_guideline() {
        let text = cell(130.0, Some(50.0)).into_string();
        assert!(text.contains("width:100.0%") && text.contains("left:50%"), "{text}");
        assert!(!cell(10.0, None).into_string().contains("left:"));
    }
}
