//! What an experiment reads: a quantity at a point, `response_ms:READ@zhpf`.

use halftrack_measure::quantity_unit;

use crate::dimension::Dimension;

/// Sign between a quantity and its point.
const AT: char = '@';

/// A quantity at a point, or at every point of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// Name in the vocabulary of `measure::quantity`.
    pub quantity: String,
    /// Name of a point or sweep of the experiment; `None` is its only point.
    pub at: Option<String>,
}

impl Term {
    /// What is before the last `@` is the quantity, what is after it the point.
    pub fn parse(text: &str) -> Self {
        match text.rsplit_once(AT) {
            Some((quantity, at)) => {
                Self { quantity: quantity.trim().to_owned(), at: Some(at.trim().to_owned()) }
            }
            None => Self { quantity: text.trim().to_owned(), at: None },
        }
    }

    /// Its dimension and the factor to it, or why nobody knows the quantity.
    pub fn dimension(&self) -> Result<(Dimension, f64), String> {
        quantity_unit(&self.quantity).map(Dimension::of).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_a_quantity_and_a_point() {
        let term = Term::parse("channel_bus_percent:0.40@large read");
        assert_eq!(term.quantity, "channel_bus_percent:0.40");
        assert_eq!(term.at.as_deref(), Some("large read"));
        assert_eq!(term.dimension(), Ok((Dimension::Percent, 1.0)));
        assert_eq!(Term::parse("mb_per_s").at, None);
        assert!(Term::parse("mps@x").dimension().is_err_and(|said| said.contains("\"mps\"")));
    }
}
