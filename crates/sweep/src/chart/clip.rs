//! The parts of a curve that lie on the paper.

/// A point of the paper: from (0, 0) at the lower left to (1, 1) at the upper right.
pub(super) type Point = (f64, f64);

/// Returns the pieces of the line through `points` that lie within the paper. A point that has no place breaks the
/// line.
pub(super) fn clipped(points: &[Option<Point>]) -> Vec<Vec<Point>> {
    let mut pieces: Vec<Vec<Point>> = Vec::new();
    for pair in points.windows(2) {
        let (Some(from), Some(to)) = (pair[0], pair[1]) else { continue };
        let Some((from, to)) = segment(from, to) else { continue };
        match pieces.last_mut() {
            Some(piece) if piece.last() == Some(&from) => piece.push(to),
            _ => pieces.push(vec![from, to]),
        }
    }
    pieces
}

/// Returns true when `point` lies on the paper.
pub(super) fn is_on_paper((x, y): Point) -> bool {
    (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y)
}

/// Returns the part of one segment within the paper (Liang and Barsky, ACM Transactions on Graphics 3, 1984).
fn segment(from: Point, to: Point) -> Option<(Point, Point)> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for (along, distance) in [(-dx, from.0), (dx, 1.0 - from.0), (-dy, from.1), (dy, 1.0 - from.1)] {
        if along == 0.0 {
            if distance < 0.0 {
                return None;
            }
        } else if along < 0.0 {
            enter = enter.max(distance / along);
        } else {
            leave = leave.min(distance / along);
        }
    }
    let at = |share: f64| match share {
        0.0 => from,
        1.0 => to,
        _ => (from.0 + share * dx, from.1 + share * dy),
    };
    (enter <= leave).then(|| (at(enter), at(leave)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_on_the_paper_stays_one_piece() {
        let points = [(0.0, 0.0), (0.5, 0.2), (1.0, 1.0)];
        assert_eq!(clipped(&points.map(Some)), [points.to_vec()]);
    }

    #[test]
    fn a_line_that_leaves_the_paper_ends_at_its_edge() {
        let points = [Some((0.0, 0.5)), Some((0.5, 0.5)), Some((0.75, 1.5)), Some((0.9, 3.0))];
        assert_eq!(clipped(&points), [vec![(0.0, 0.5), (0.5, 0.5), (0.625, 1.0)]]);
        let through = [Some((-1.0, 0.5)), Some((2.0, 0.5))];
        assert_eq!(clipped(&through), [vec![(0.0, 0.5), (1.0, 0.5)]]);
        assert!(clipped(&[Some((0.0, 2.0)), Some((1.0, 2.0))]).is_empty());
    }

    #[test]
    fn a_point_without_place_breaks_the_line() {
        let points = [Some((0.0, 0.0)), Some((0.1, 0.1)), None, Some((0.3, 0.3)), Some((0.4, 0.4))];
        assert_eq!(clipped(&points).len(), 2);
        assert!(clipped(&[Some((0.1, 0.1))]).is_empty());
    }
}
