//! Bars of several parts.

use super::Series;

/// Half the width of a bar, in places of the x axis.
const HALF_WIDTH: f64 = 0.3;

/// A point in the units of the axes.
type Point = (f64, f64);

/// The rectangles of `parts`, each upon those before it at its place: the part's number, lower left and upper right
/// corner. What is not finite has none.
pub(super) fn rectangles(parts: &[Series]) -> Vec<(usize, [Point; 2])> {
    let mut found: Vec<(usize, [Point; 2])> = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        for &(place, height) in part.points.iter().filter(|(place, height)| (place + height).is_finite()) {
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

    #[test]
    fn parts_stand_one_upon_the_other() {
        let part = |heights: [f64; 2]| Series {
            name: String::new(),
            points: heights.into_iter().enumerate().map(|(place, height)| (place as f64, height)).collect(),
        };
        let found = rectangles(&[part([1.0, 2.0]), part([4.0, f64::NAN]), part([0.5, 0.25])]);
        let tops: Vec<(usize, f64, f64)> =
            found.iter().map(|(number, [from, to])| (*number, from.1, to.1)).collect();
        assert_eq!(tops, [(0, 0.0, 1.0), (0, 0.0, 2.0), (1, 1.0, 5.0), (2, 5.0, 5.5), (2, 2.0, 2.25)]);
    }
}
