//! Terms of an experiment: a quantity at a point, `response_ms:READ@zhpf`.

use halftrack_report::quantity_unit;

use crate::dimension::Dimension;
use crate::experiment::Point;

/// Sign between a quantity and its point.
const AT: char = '@';
/// Between a sweep and the place along it at which a quantity is read: `rate_per_s@jobs where iop_busy_percent=70`.
pub(crate) const WHERE: &str = " where ";
/// Before the name of a key that a point sets, in place of a quantity of its run: `swept:credits@long`.
const SWEPT: &str = "swept:";

/// A quantity at a point, or at every point of a sweep, or at one place of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// Name in the vocabulary of `report::quantity`.
    pub quantity: String,
    /// Name of a point or sweep of the experiment; `None` is its only point.
    pub at: Option<String>,
    /// Where along the sweep it is read, between its points in proportion.
    pub place: Option<Place>,
}

/// Where along a sweep: where another quantity of it has a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The other quantity, at every point of the same sweep.
    pub x: Box<Term>,
    /// Its value, in its dimension.
    pub value: f64,
}

impl Term {
    /// Parses a quantity before the last `@`, and a point and the place of a `where` after it. `None` without a
    /// quantity, or when a place is none.
    pub fn parse(text: &str) -> Option<Self> {
        let (quantity, at) = match text.rsplit_once(AT) {
            Some((quantity, at)) => (quantity, Some(at)),
            None => (text, None),
        };
        let (at, place) = match at.and_then(|at| at.split_once(WHERE)) {
            Some((at, place)) => (Some(at), Some(place)),
            None => (at, None),
        };
        let at = at.map(|at| at.trim().to_owned());
        let of = |quantity: &str| {
            let quantity = quantity.trim().to_owned();
            (!quantity.is_empty()).then(|| Self { quantity, at: at.clone(), place: None })
        };
        let place = match place {
            Some(place) => {
                let (x, value) = place.split_once('=')?;
                let value = value.trim().parse().ok().filter(|value: &f64| value.is_finite())?;
                Some(Place { x: Box::new(of(x)?), value })
            }
            None => None,
        };
        Some(Self { place, ..of(quantity)? })
    }

    /// Returns the term, and the term of the place along its sweep.
    pub fn and_place(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.place.as_ref().map(|place| &*place.x))
    }

    /// Returns the key whose value it reads where it is no quantity of a run but what the points are set to.
    pub fn swept(&self) -> Option<&str> {
        self.quantity.strip_prefix(SWEPT)
    }

    /// Returns the value that `point` sets the swept key to, in its dimension; `None` when it sets no such key to a
    /// number.
    pub fn setting(&self, point: &Point) -> Option<f64> {
        let name = self.swept()?;
        let value = point.changes.iter().rev().find_map(|change| {
            let (key, value) = change.value.split_once('=')?;
            (key.trim().rsplit('.').next() == Some(name)).then(|| value.trim())
        });
        let (_, factor) = Dimension::of_key(name);
        value?.parse().ok().map(|value: f64| value * factor)
    }

    /// Returns its dimension and the factor to it, or why nobody knows the quantity.
    pub fn dimension(&self) -> Result<(Dimension, f64), String> {
        if let Some(place) = &self.place {
            place.x.dimension()?;
        }
        if let Some(key) = self.swept() {
            return Ok(Dimension::of_key(key));
        }
        quantity_unit(&self.quantity).map(Dimension::of).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use halftrack_input::Located;

    use super::*;

    fn parsed(text: &str) -> Term {
        Term::parse(text).expect("a term")
    }

    #[test]
    fn a_place_along_a_sweep_is_where_another_quantity_has_a_value() {
        let term = parsed("rate_per_s@max39 where iop_busy_percent = 70");
        let names: Vec<_> = term.and_place().map(|one| (one.quantity.as_str(), one.at.as_deref())).collect();
        assert_eq!(names, [("rate_per_s", Some("max39")), ("iop_busy_percent", Some("max39"))]);
        assert_eq!(term.place.as_ref().map(|place| place.value), Some(70.0));
        assert_eq!(term.dimension(), Ok((Dimension::PerSecond, 1.0)));
        assert!(
            parsed("rate_per_s@s where busy=70").dimension().is_err_and(|said| said.contains("\"busy\""))
        );
        for wrong in ["", "@s", "rate_per_s@s where 70", "rate_per_s@s where x=inf", "rate_per_s@s where =70"]
        {
            assert_eq!(Term::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_term_is_a_quantity_and_a_point() {
        let term = parsed("channel_bus_percent:0.40@large read");
        assert_eq!(term.quantity, "channel_bus_percent:0.40");
        assert_eq!(term.at.as_deref(), Some("large read"));
        assert_eq!(term.dimension(), Ok((Dimension::Percent, 1.0)));
        assert_eq!(parsed("mb_per_s").at, None);
        assert!(parsed("mps@x").dimension().is_err_and(|said| said.contains("\"mps\"")));
    }

    #[test]
    fn what_a_point_is_set_to_is_a_value_too() {
        let changes = ["plant.isl.0.km=20", "plant.isl.0.credits = 400", "plant.isl.0.km=0.5"];
        let changes = changes.map(|change| Located::new(change.to_owned(), 0..0)).into();
        let point = Point { name: "long".into(), study: None, changes };
        let value = |text| parsed(text).setting(&point);
        assert_eq!((value("swept:km@long"), value("swept:credits@long")), (Some(0.5), Some(400.0)));
        assert_eq!((value("swept:gbps@long"), value("km@long")), (None, None));
        assert_eq!(parsed("swept:km@long").dimension(), Ok((Dimension::Km, 1.0)));
    }
}
