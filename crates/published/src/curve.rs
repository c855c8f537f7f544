//! Reading a curve that is known at some points: straight lines between them, never beyond them.

/// Returns the rate at which the response passes `factor` times that of the first point. `None` when it never does.
pub(crate) fn knee(rates: &[f64], responses: &[f64], factor: f64) -> Option<f64> {
    let limit = responses.first()? * factor;
    let points: Vec<(f64, f64)> = rates.iter().copied().zip(responses.iter().copied()).collect();
    points.windows(2).find_map(|pair| {
        let ((rate, response), (next_rate, next_response)) = (pair[0], pair[1]);
        let passes = response <= limit && next_response > limit;
        passes.then(|| rate + (next_rate - rate) * (limit - response) / (next_response - response))
    })
}

/// Returns the value of `y` where `x` is `at`. `None` when no two neighbours have `at` between them.
pub(crate) fn interpolated(x: &[f64], y: &[f64], at: f64) -> Option<f64> {
    let points: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
    points.windows(2).find_map(|pair| {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let between = (x0.min(x1)..=x0.max(x1)).contains(&at);
        between.then(|| if x0 == x1 { y0 } else { y0 + (y1 - y0) * (at - x0) / (x1 - x0) })
    })
}

/// Returns the first place along `x` where the value of `y` comes up to `share` of its largest. `None` when it is there
/// from the first point on: nothing shows how little would do.
pub(crate) fn least(x: &[f64], y: &[f64], share: f64) -> Option<f64> {
    let limit = share * y.iter().copied().reduce(f64::max)?;
    let points: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
    points.windows(2).find_map(|pair| {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        (y0 < limit && y1 >= limit).then(|| x0 + (x1 - x0) * (limit - y0) / (y1 - y0))
    })
}

/// Returns the first of the places `x` at which `y` has come up to `share` of its largest, or with `is_below` has fallen below
/// it. `None` when it is so from the first point on, or never.
pub(crate) fn first(x: &[f64], y: &[f64], share: f64, is_below: bool) -> Option<f64> {
    let limit = share * y.iter().copied().reduce(f64::max)?;
    let at = y.iter().position(|value| (*value < limit) == is_below)?;
    (at > 0).then(|| x.get(at).copied()).flatten()
}

/// Returns which of the places `x` has `y` furthest below `beside`, in proportion. `None` when it is below nowhere.
pub(crate) fn deepest(x: &[f64], y: &[f64], beside: &[f64]) -> Option<f64> {
    let ratios = x.iter().zip(y.iter().zip(beside)).filter(|(_, (_, beside))| **beside > 0.0);
    let ratios = ratios.map(|(x, (y, beside))| (*x, y / beside));
    let (x, ratio) = ratios.reduce(|least, one| if one.1 < least.1 { one } else { least })?;
    (ratio < 1.0).then_some(x)
}

/// Returns the place along `x` where the curves `a` and `b` meet. `None` when they do not.
pub(crate) fn crossing(x: &[f64], a: &[f64], b: &[f64]) -> Option<f64> {
    let apart: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    // Curves that begin together have not met: they part.
    let first = apart.iter().position(|apart| *apart != 0.0)?;
    interpolated(&apart[first..], x.get(first..)?, 0.0)
}

/// Returns the growth of `y` for each unit of `x` from the first point to the last.
pub(crate) fn slope(x: &[f64], y: &[f64]) -> Option<f64> {
    let along = x.last()? - x.first()?;
    (along != 0.0 && x.len() == y.len()).then_some((y.last()? - y.first()?) / along)
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

    #[test]
    fn the_least_is_where_a_share_of_the_largest_is_reached() {
        let (x, y) = ([40.0, 50.0, 60.0], [80.0, 99.0, 100.0]);
        assert_eq!(least(&x, &y, 0.99), Some(50.0));
        assert_eq!(least(&x, &y, 0.895), Some(45.0));
        assert_eq!(least(&x, &y, 0.8), None, "the first point has it already");
        // Downwards: the longest way at which it is still reached.
        assert_eq!(least(&[60.0, 50.0, 40.0], &[50.0, 100.0, 100.0], 1.0), Some(50.0));
        assert_eq!(least(&[], &[], 0.5), None);
    }

    #[test]
    fn whole_things_are_the_first_point_that_has_enough_or_too_little() {
        let (x, y) = ([1.0, 2.0, 3.0, 4.0], [70.0, 92.0, 99.0, 100.0]);
        assert_eq!(first(&x, &y, 0.98, false), Some(3.0));
        assert_eq!(first(&x, &y, 0.5, false), None, "the first point has it already");
        assert_eq!(first(&x, &[100.0, 99.0, 97.0, 80.0], 0.98, true), Some(3.0));
        assert_eq!(first(&x, &[100.0; 4], 0.98, true), None);
    }

    #[test]
    fn the_deepest_is_where_a_curve_is_furthest_below_another() {
        let x = [1.0, 2.0, 3.0];
        assert_eq!(deepest(&x, &[10.0, 18.0, 29.0], &[10.0, 20.0, 30.0]), Some(2.0));
        assert_eq!(deepest(&x, &[10.0, 20.0, 30.0], &[10.0, 20.0, 30.0]), None);
    }

    #[test]
    fn curves_cross_between_the_points_where_one_overtakes_the_other() {
        let x = [100.0, 150.0, 200.0];
        assert_eq!(crossing(&x, &[100.0, 80.0, 60.0], &[70.0, 70.0, 70.0]), Some(175.0));
        assert_eq!(crossing(&x, &[100.0, 80.0, 70.0], &[70.0, 70.0, 70.0]), Some(200.0));
        assert_eq!(crossing(&x, &[70.0, 80.0, 90.0], &[70.0, 70.0, 70.0]), None, "they part and never meet");
    }

    #[test]
    fn the_slope_is_from_the_first_point_to_the_last() {
        assert_eq!(slope(&[0.0, 10.0, 20.0], &[1.0, 7.0, 3.0]), Some(0.1));
        assert_eq!(slope(&[5.0, 5.0], &[1.0, 2.0]), None);
    }
}
