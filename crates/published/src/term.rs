//! What an experiment reads: a quantity at a point, `response_ms:READ@zhpf`.

use halftrack_measure::quantity_unit;

use crate::dimension::Dimension;
use crate::experiment::Point;

/// Sign between a quantity and its point.
const AT: char = '@';
/// Before the name of a key that a point sets, in place of a quantity of its run: `swept:credits@long`.
const SWEPT: &str = "swept:";

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

    /// The key whose value it reads where it is no quantity of a run but what the points are set to.
    pub fn swept(&self) -> Option<&str> {
        self.quantity.strip_prefix(SWEPT)
    }

    /// The value that `point` sets the swept key to, in its dimension; `None` when it sets no such key to a number.
    pub fn setting(&self, point: &Point) -> Option<f64> {
        let name = self.swept()?;
        let value = point.changes.iter().rev().find_map(|change| {
            let (key, value) = change.value.split_once('=')?;
            (key.trim().rsplit('.').next() == Some(name)).then(|| value.trim())
        });
        let (_, factor) = Dimension::of_key(name);
        value?.parse().ok().map(|value: f64| value * factor)
    }

    /// Its dimension and the factor to it, or why nobody knows the quantity.
    pub fn dimension(&self) -> Result<(Dimension, f64), String> {
        if let Some(key) = self.swept() {
            return Ok(Dimension::of_key(key));
        }
        quantity_unit(&self.quantity).map(Dimension::of).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use halftrack_deck::model::Located;

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

    #[test]
    fn what_a_point_is_set_to_is_a_value_too() {
        let changes = ["plant.isl.0.km=20", "plant.isl.0.credits = 400", "plant.isl.0.km=0.5"];
        let changes = changes.map(|change| Located::new(change.to_owned(), 0..0)).into();
        let point = Point { name: "long".into(), study: None, changes };
        let value = |text| Term::parse(text).setting(&point);
        assert_eq!((value("swept:km@long"), value("swept:credits@long")), (Some(0.5), Some(400.0)));
        assert_eq!((value("swept:gbps@long"), value("km@long")), (None, None));
        assert_eq!(Term::parse("swept:km@long").dimension(), Ok((Dimension::Km, 1.0)));
    }
}
