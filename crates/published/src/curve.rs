//! Reading a curve that is known at some points: straight lines between them, never beyond them.

/// The rate at which the response passes `factor` times that of the first point. `None` when it never does.
pub(crate) fn knee(rates: &[f64], responses: &[f64], factor: f64) -> Option<f64> {
    let limit = responses.first()? * factor;
    let points: Vec<(f64, f64)> = rates.iter().copied().zip(responses.iter().copied()).collect();
    points.windows(2).find_map(|pair| {
        let ((rate, response), (next_rate, next_response)) = (pair[0], pair[1]);
        let passes = response <= limit && next_response > limit;
        passes.then(|| rate + (next_rate - rate) * (limit - response) / (next_response - response))
    })
}

/// The value of `y` where `x` is `at`. `None` when no two neighbours have `at` between them.
pub(crate) fn interpolated(x: &[f64], y: &[f64], at: f64) -> Option<f64> {
    let points: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
    points.windows(2).find_map(|pair| {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let between = (x0.min(x1)..=x0.max(x1)).contains(&at);
        between.then(|| if x0 == x1 { y0 } else { y0 + (y1 - y0) * (at - x0) / (x1 - x0) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knee_is_where_the_response_passes_the_limit() {
        let (rates, responses) = ([10.0, 20.0, 22.0], [1.0, 1.5, 3.5]);
        assert_eq!(knee(&rates, &responses, 2.0), Some(20.5));
        assert_eq!(knee(&rates, &responses, 4.0), None);
        assert_eq!(knee(&[], &[], 2.0), None);
    }

    #[test]
    fn between_points_in_proportion_and_nothing_beyond_them() {
        let (x, y) = ([1.0, 3.0, 3.0], [10.0, 20.0, 40.0]);
        assert_eq!(interpolated(&x, &y, 2.0), Some(15.0));
        assert_eq!(interpolated(&x, &y, 3.0), Some(20.0));
        assert_eq!(interpolated(&x, &y, 3.5), None);
    }
}
