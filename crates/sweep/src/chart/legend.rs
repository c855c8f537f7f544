//! The legend beside the paper.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::style::{Area, Drawn, FONT, INK, Style};

/// Height of a line of the legend and where the first one lies, px.
const LINE_PX: i32 = 24;
const TOP_PX: i32 = 58;
/// Width of the sample of a line, and where words begin, px.
const SAMPLE_PX: i32 = 34;
const WORDS_PX: i32 = 44;
/// Mean width of a character at the size used, and the space left at the right, px.
const CHARACTER_PX: f64 = 7.8;
const MARGIN_PX: f64 = 14.0;

/// Returns the width that `entries` need, px; 0 for none.
pub(super) fn width_px(entries: &[(String, Style)]) -> u32 {
    let longest = entries.iter().map(|(words, _)| words.chars().count()).max();
    longest.map_or(0, |longest| (f64::from(WORDS_PX) + longest as f64 * CHARACTER_PX + MARGIN_PX) as u32)
}

/// Draws `entries` from the top of `area`.
pub(super) fn draw<'b>(area: &Area<'b>, entries: &[(String, Style)]) -> Drawn<'b> {
    let style = (FONT, 18).into_font().color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
    for (index, (words, look)) in entries.iter().enumerate() {
        let y = TOP_PX + LINE_PX * index as i32;
        look.draw_line(area, vec![(0, y), (SAMPLE_PX, y)])?;
        look.draw_symbol(area, (SAMPLE_PX / 2, y))?;
        area.draw(&Text::new(words.as_str(), (WORDS_PX, y), style.clone()))?;
    }
    Ok(())
}

/// Returns the height that `count` entries need, px.
pub(super) fn height_px(count: usize) -> u32 {
    TOP_PX.unsigned_abs() + LINE_PX.unsigned_abs() * u32::try_from(count).unwrap_or(u32::MAX / 64)
}
