//! Bars of several parts, and bars side by side.

use super::{Chart, Series};

/// Half the width of a bar, and of all bars side by side at one place, in places of the x axis.
const HALF_WIDTH: f64 = 0.3;
const HALF_WIDTH_SIDE_BY_SIDE: f64 = 0.4;

/// A point in the units of the axes.
type Point = (f64, f64);

impl Chart {
    /// Replaces the curves by a bar for each point, those of one place side by side.
    #[must_use]
    pub fn with_bars_for_curves(mut self) -> Self {
        self.bars = std::mem::take(&mut self.curves);
        self.side_by_side = true;
        self
    }
}

/// Returns the rectangles of `parts`: the part's number, lower left and upper right corner. Each stands upon those
/// before it at its place, or at their right. What is not finite has none.
pub(super) fn rectangles(parts: &[Series], side_by_side: bool) -> Vec<(usize, [Point; 2])> {
    let mut found: Vec<(usize, [Point; 2])> = Vec::new();
    let width = 2.0 * HALF_WIDTH_SIDE_BY_SIDE / parts.len().max(1) as f64;
    for (number, part) in parts.iter().enumerate() {
        for &(place, height) in part.points.iter().filter(|(place, height)| (place + height).is_finite()) {
            if side_by_side {
                let left = place - HALF_WIDTH_SIDE_BY_SIDE + number as f64 * width;
                found.push((number, [(left, 0.0), (left + width, height)]));
                continue;
            }
            let below = found.iter().rev().find(|(_, [from, _])| from.0 == place - HALF_WIDTH);
            let bottom = below.map_or(0.0, |(_, [_, to])| to.1);
            found.push((number, [(place - HALF_WIDTH, bottom), (place + HALF_WIDTH, bottom + height)]));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(heights: [f64; 2]) -> Series {
        Series {
            name: String::new(),
            points: heights.into_iter().enumerate().map(|(place, height)| (place as f64, height)).collect(),
        }
    }

    #[test]
    fn parts_stand_one_upon_the_other() {
        let found = rectangles(&[part([1.0, 2.0]), part([4.0, f64::NAN]), part([0.5, 0.25])], false);
        let tops: Vec<(usize, f64, f64)> =
            found.iter().map(|(number, [from, to])| (*number, from.1, to.1)).collect();
        assert_eq!(tops, [(0, 0.0, 1.0), (0, 0.0, 2.0), (1, 1.0, 5.0), (2, 5.0, 5.5), (2, 2.0, 2.25)]);
    }

    #[test]
    fn bars_of_one_place_stand_side_by_side() {
        let found = rectangles(&[part([1.0, 2.0]), part([4.0, f64::NAN])], true);
        let corners: Vec<(f64, f64, f64)> =
            found.iter().map(|(_, [from, to])| (from.0, to.0, to.1)).collect();
        assert_eq!(corners, [(-0.4, 0.0, 1.0), (0.6, 1.0, 2.0), (0.0, 0.4, 4.0)]);
        assert!(found.iter().all(|(_, [from, _])| from.1 == 0.0));
    }
}
