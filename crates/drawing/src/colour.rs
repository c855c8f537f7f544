//! Utilisation as a colour.

/// Upper ends of the colour steps, percent; what is above the last has the last colour.
const STEPS: [f64; 5] = [10.0, 30.0, 50.0, 70.0, 90.0];

/// Returns the number of the colour step of a utilisation, from 0 to 5; each is darker than the one before (lighter
/// on dark).
pub fn step(percent: f64) -> usize {
    STEPS.iter().filter(|end| percent >= **end).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_begin_at_their_lower_end() {
        let steps = [0.0, 9.99, 10.0, 49.9, 50.0, 70.0, 89.9, 90.0, 250.0].map(step);
        assert_eq!(steps, [0, 0, 1, 2, 3, 4, 4, 5, 5]);
    }
}
