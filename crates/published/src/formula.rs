//! How the value of a figure is made of quantities: one of a fixed set of combinations.

use halftrack_catalog::Catalog;
use halftrack_input::Located;
use halftrack_input::messages::published as numbers;

use crate::computed::Computed;
use crate::curve::{crossing, deepest, first, interpolated, knee, least, slope};
use crate::dimension::Dimension;
use crate::term::Term;

/// A combination of quantities.
#[derive(Debug, Clone, PartialEq)]
pub enum Formula {
    /// One quantity of one point.
    Value(Located<Term>),
    /// The first over the second.
    Ratio(Located<Term>, Located<Term>),
    /// The first less the second.
    Difference(Located<Term>, Located<Term>),
    /// The first less the second, over the third less the fourth.
    RatioOfDifferences([Located<Term>; 4]),
    /// The first in percent of the second.
    PercentOf(Located<Term>, Located<Term>),
    /// By how many percent of the second the first is below it.
    ReductionPercent(Located<Term>, Located<Term>),
    /// By how many percent of the second the first is above it.
    IncreasePercent(Located<Term>, Located<Term>),
    /// The sum of all.
    Sum(Vec<Located<Term>>),
    /// Each so many times, and the sum of all.
    WeightedSum(Vec<(f64, Located<Term>)>),
    /// The mean of all.
    Mean(Vec<Located<Term>>),
    /// The largest.
    Max(Vec<Located<Term>>),
    /// The smallest.
    Min(Vec<Located<Term>>),
    /// The rate, along a sweep, at which the response passes `factor` times that of its first point.
    Knee {
        /// The rate.
        rate: Located<Term>,
        /// The response.
        response: Located<Term>,
        /// How many times the response of the first point.
        factor: f64,
    },
    /// The value of `y` at that rate.
    AtKnee {
        /// Quantity that is read.
        y: Located<Term>,
        /// The rate.
        rate: Located<Term>,
        /// The response.
        response: Located<Term>,
        /// How many times the response of the first point.
        factor: f64,
    },
    /// The value of `y` where `x` is `at` along a sweep, between its points in proportion.
    Interpolated {
        /// Quantity that is read.
        y: Located<Term>,
        /// Along which.
        x: Located<Term>,
        /// Where, in the unit of `x`.
        at: f64,
    },
    /// Where along a sweep `y` first comes up to a share of its largest value.
    Least {
        /// Along which.
        x: Located<Term>,
        /// Quantity that is read.
        y: Located<Term>,
        /// The share.
        share: f64,
        /// The result is divided by it, and then a ratio.
        per: Option<f64>,
    },
    /// The first point along a sweep at which `y` has come up to a share of its largest value, or has fallen below it. Things
    /// that are counted are whole.
    First {
        /// Along which.
        x: Located<Term>,
        /// Quantity that is read.
        y: Located<Term>,
        /// The share.
        share: f64,
        /// It has fallen below the share.
        is_below: bool,
    },
    /// The point along a sweep at which `y` is furthest below another curve, in proportion.
    Deepest {
        /// Along which.
        x: Located<Term>,
        /// The lower curve.
        y: Located<Term>,
        /// The other.
        beside: Located<Term>,
    },
    /// Where along a sweep two curves meet.
    Crossing {
        /// Along which.
        x: Located<Term>,
        /// One.
        a: Located<Term>,
        /// The other.
        b: Located<Term>,
    },
    /// By how much `y` grows for each unit of `x`, from the first point of a sweep to the last.
    Slope {
        /// Quantity that grows.
        y: Located<Term>,
        /// Along which.
        x: Located<Term>,
    },
    /// A number of the catalog.
    Catalog(Located<CatalogNumber>),
    /// A value that is computed without a run.
    Computed(Box<Computed>),
}

/// A number of the catalog by name: `channel/fex32s credits`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogNumber {
    /// Directory of its kind.
    pub directory: String,
    /// Id of its entry.
    pub id: String,
    /// Its key.
    pub key: String,
}

impl CatalogNumber {
    /// `channel/fex32s credits`.
    pub fn name(&self) -> String {
        format!("{}/{} {}", self.directory, self.id, self.key)
    }

    /// Returns its value in its dimension; `None` where the catalog does not have it.
    pub(crate) fn value(&self, catalog: &Catalog) -> Option<f64> {
        let known = catalog.parameters(&self.directory, &self.id);
        let (_, factor) = Dimension::of_key(&self.key);
        known.iter().find(|parameter| parameter.key == self.key).map(|parameter| parameter.value * factor)
    }
}

/// Why terms cannot be combined: where, the number of the message, and words.
pub type Misfit = (std::ops::Range<usize>, u16, String);

/// The values of a term, one for each point that it means, in its dimension.
pub type Values<'a> = dyn Fn(&Located<Term>) -> Option<Vec<f64>> + 'a;

impl Formula {
    /// Returns every term, in the order in which they are written.
    pub fn terms(&self) -> Vec<&Located<Term>> {
        match self {
            Self::Value(term) => vec![term],
            Self::Ratio(a, b)
            | Self::Difference(a, b)
            | Self::PercentOf(a, b)
            | Self::ReductionPercent(a, b)
            | Self::IncreasePercent(a, b) => vec![a, b],
            Self::RatioOfDifferences(terms) => terms.iter().collect(),
            Self::Sum(terms) | Self::Mean(terms) | Self::Max(terms) | Self::Min(terms) => {
                terms.iter().collect()
            }
            Self::WeightedSum(parts) => parts.iter().map(|(_, term)| term).collect(),
            Self::Knee { rate, response, .. } => vec![rate, response],
            Self::AtKnee { y, rate, response, .. } => vec![y, rate, response],
            Self::Interpolated { y, x, .. } | Self::Slope { y, x } => vec![y, x],
            Self::Least { x, y, .. } | Self::First { x, y, .. } => vec![y, x],
            Self::Deepest { x, y, beside } => vec![y, beside, x],
            Self::Crossing { x, a, b } => vec![a, b, x],
            Self::Catalog(_) | Self::Computed(_) => Vec::new(),
        }
    }

    /// Returns true when its terms may mean the points of a sweep.
    pub fn takes_sweeps(&self) -> bool {
        !matches!(
            self,
            Self::Value(_)
                | Self::Ratio(..)
                | Self::Difference(..)
                | Self::RatioOfDifferences(..)
                | Self::PercentOf(..)
                | Self::ReductionPercent(..)
                | Self::IncreasePercent(..)
                | Self::WeightedSum(_)
                | Self::Catalog(_)
                | Self::Computed(_)
        )
    }

    /// Returns the dimension of its value.
    ///
    /// # Errors
    /// Words about two terms that cannot be combined, or a quantity that nobody knows, and the place.
    pub fn dimension(&self) -> Result<Dimension, Misfit> {
        let of = |term: &Located<Term>| {
            let known = term.value.dimension();
            known
                .map(|(dimension, _)| dimension)
                .map_err(|said| (term.span.clone(), numbers::UNKNOWN_QUANTITY, said))
        };
        match self {
            Self::Catalog(number) => Ok(Dimension::of_key(&number.value.key).0),
            Self::Computed(computed) => Ok(computed.dimension()),
            Self::Knee { rate, response, .. } => of(response).and(of(rate)),
            Self::AtKnee { y, rate, response, .. } => of(response).and(of(rate)).and(of(y)),
            Self::Interpolated { y, x, .. } => of(x).and(of(y)),
            Self::Least { x, y, per, .. } => {
                of(y)?;
                of(x).map(|along| if per.is_some() { Dimension::Ratio } else { along })
            }
            Self::First { x, y, .. } => of(y).and(of(x)),
            Self::Crossing { x, a, b } | Self::Deepest { x, y: a, beside: b } => {
                common(&[a, b], &of).and(of(x))
            }
            Self::Slope { y, x } => {
                let (up, along) = (of(y)?, of(x)?);
                up.over(along).ok_or_else(|| {
                    let said =
                        format!("`{}` is in {up}, which is not known for each {along}", y.value.quantity);
                    (y.span.clone(), numbers::UNIT_MISMATCH, said)
                })
            }
            _ => {
                let Some(first) = common(&self.terms(), &of)? else { return Ok(Dimension::Count) };
                Ok(match self {
                    Self::Ratio(..) | Self::RatioOfDifferences(..) => Dimension::Ratio,
                    Self::PercentOf(..) | Self::ReductionPercent(..) | Self::IncreasePercent(..) => {
                        Dimension::Percent
                    }
                    _ => first,
                })
            }
        }
    }

    /// Returns its value, given the values of its terms. `None` when one of them has none, when a divisor is zero, or
    /// when a sweep does not reach so far.
    pub fn evaluate(&self, values: &Values<'_>) -> Option<f64> {
        let one = |term: &Located<Term>| values(term)?.first().copied();
        let all = |terms: &[Located<Term>]| {
            let each: Option<Vec<Vec<f64>>> = terms.iter().map(values).collect();
            each.map(|each| each.concat()).filter(|each| !each.is_empty())
        };
        let over = |a: f64, b: f64| (b != 0.0).then(|| a / b);
        match self {
            Self::Value(term) => one(term),
            Self::Ratio(a, b) => over(one(a)?, one(b)?),
            Self::Difference(a, b) => Some(one(a)? - one(b)?),
            Self::RatioOfDifferences([a, b, c, d]) => over(one(a)? - one(b)?, one(c)? - one(d)?),
            Self::PercentOf(a, b) => Some(100.0 * over(one(a)?, one(b)?)?),
            Self::ReductionPercent(a, b) => Some(100.0 * (1.0 - over(one(a)?, one(b)?)?)),
            Self::IncreasePercent(a, b) => Some(100.0 * (over(one(a)?, one(b)?)? - 1.0)),
            Self::Sum(terms) => all(terms).map(|each| each.iter().sum()),
            Self::WeightedSum(parts) => {
                let each: Option<Vec<f64>> =
                    parts.iter().map(|(times, term)| Some(times * one(term)?)).collect();
                each.map(|each| each.iter().sum())
            }
            Self::Mean(terms) => all(terms).map(|each| each.iter().sum::<f64>() / each.len() as f64),
            Self::Max(terms) => all(terms)?.into_iter().reduce(f64::max),
            Self::Min(terms) => all(terms)?.into_iter().reduce(f64::min),
            Self::Knee { rate, response, factor } => knee(&values(rate)?, &values(response)?, *factor),
            Self::AtKnee { y, rate, response, factor } => {
                let rates = values(rate)?;
                let knee = knee(&rates, &values(response)?, *factor)?;
                interpolated(&rates, &values(y)?, knee)
            }
            Self::Interpolated { y, x, at } => interpolated(&values(x)?, &values(y)?, *at),
            Self::Least { x, y, share, per } => {
                Some(least(&values(x)?, &values(y)?, *share)? / per.unwrap_or(1.0))
            }
            Self::First { x, y, share, is_below } => first(&values(x)?, &values(y)?, *share, *is_below),
            Self::Deepest { x, y, beside } => deepest(&values(x)?, &values(y)?, &values(beside)?),
            Self::Crossing { x, a, b } => crossing(&values(x)?, &values(a)?, &values(b)?),
            Self::Slope { y, x } => slope(&values(x)?, &values(y)?),
            Self::Catalog(_) | Self::Computed(_) => None,
        }
    }
}

/// Returns the one dimension of all `terms`; `None` when there are none.
fn common(
    terms: &[&Located<Term>],
    of: &impl Fn(&Located<Term>) -> Result<Dimension, Misfit>,
) -> Result<Option<Dimension>, Misfit> {
    let mut first = None;
    for term in terms {
        let dimension = of(term)?;
        let first = *first.get_or_insert(dimension);
        if dimension != first {
            let said = format!("`{}` is in {dimension}, the others in {first}", term.value.quantity);
            return Err((term.span.clone(), numbers::UNIT_MISMATCH, said));
        }
    }
    Ok(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Located<Term> {
        Located::new(Term::parse(text).expect("a term"), 0..0)
    }

    /// Evaluates a formula where a point named by a number has that value, and the sweep `s` has 1, 2 and 4.
    fn value(formula: &Formula) -> Option<f64> {
        formula.evaluate(&|term| match term.value.at.as_deref() {
            Some("s") => Some(vec![1.0, 2.0, 4.0]),
            Some(number) => number.parse().ok().map(|number| vec![number]),
            None => None,
        })
    }

    #[test]
    fn combinations() {
        let (three, four) = (at("mb_per_s@3"), at("mb_per_s@4"));
        let pair = || (three.clone(), four.clone());
        let of = |make: fn(Located<Term>, Located<Term>) -> Formula| value(&make(pair().0, pair().1));
        assert_eq!(of(Formula::Ratio), Some(0.75));
        assert_eq!(of(Formula::Difference), Some(-1.0));
        let differences = ["7", "1", "5", "2"].map(|value| at(&format!("mb_per_s@{value}")));
        assert_eq!(value(&Formula::RatioOfDifferences(differences)), Some(2.0));
        assert_eq!(of(Formula::PercentOf), Some(75.0));
        assert_eq!(of(Formula::ReductionPercent), Some(25.0));
        assert_eq!(of(Formula::IncreasePercent), Some(-25.0));
        let all = vec![at("mb_per_s@s"), three.clone()];
        assert_eq!(value(&Formula::Max(all.clone())), Some(4.0));
        assert_eq!(value(&Formula::Min(all.clone())), Some(1.0));
        assert_eq!(value(&Formula::Sum(all.clone())), Some(10.0));
        assert_eq!(value(&Formula::Mean(all)), Some(2.5));
        let machine = |last| Formula::WeightedSum(vec![(96.0, three.clone()), (160.0, last)]);
        assert_eq!(value(&machine(four.clone())), Some(96.0 * 3.0 + 160.0 * 4.0));
        assert_eq!(value(&machine(at("mb_per_s"))), None);
        assert_eq!(value(&Formula::Ratio(three.clone(), at("mb_per_s@0"))), None);
        assert_eq!(value(&Formula::Value(at("mb_per_s"))), None);
    }

    #[test]
    fn what_is_read_at_the_knee_lies_between_the_points_of_the_sweep() {
        let values = |term: &Located<Term>| {
            Some(match term.value.quantity.as_str() {
                "rate_per_s" => vec![10.0, 20.0, 22.0],
                "response_ms" => vec![1.0, 1.5, 3.5],
                _ => vec![30.0, 60.0, 68.0],
            })
        };
        let of = |factor| {
            let (rate, response) = (at("rate_per_s@s"), at("response_ms@s"));
            Formula::AtKnee { y: at("channel_bus_percent@s"), rate, response, factor }.evaluate(&values)
        };
        assert_eq!((of(2.0), of(4.0)), (Some(62.0), None));
        let formula = Formula::AtKnee {
            y: at("channel_bus_percent@s"),
            rate: at("rate_per_s@s"),
            response: at("response_ms@s"),
            factor: 2.0,
        };
        assert_eq!(formula.dimension(), Ok(Dimension::Percent));
        assert!(formula.takes_sweeps());
    }

    #[test]
    fn dimensions_are_combined_or_refused() {
        let rate = || at("rate_per_s@a");
        assert_eq!(Formula::Ratio(rate(), rate()).dimension(), Ok(Dimension::Ratio));
        let four = [rate(), rate(), rate(), rate()];
        assert_eq!(Formula::RatioOfDifferences(four).dimension(), Ok(Dimension::Ratio));
        assert_eq!(Formula::ReductionPercent(rate(), rate()).dimension(), Ok(Dimension::Percent));
        assert_eq!(Formula::Sum(vec![rate()]).dimension(), Ok(Dimension::PerSecond));
        assert_eq!(Formula::WeightedSum(vec![(2.0, rate())]).dimension(), Ok(Dimension::PerSecond));
        let knee = Formula::Knee { rate: rate(), response: at("response_ms@a"), factor: 2.0 };
        assert_eq!(knee.dimension(), Ok(Dimension::PerSecond));
        let (_, number, said) = Formula::Difference(rate(), at("mb_per_s@a")).dimension().expect_err("apart");
        assert_eq!(
            (number, said.as_str()),
            (numbers::UNIT_MISMATCH, "`mb_per_s` is in MB/s, the others in 1/s")
        );
        let km = || at("swept:km@a");
        let slope = |y| Formula::Slope { y: at(y), x: km() }.dimension();
        assert_eq!(slope("response_ms@a"), Ok(Dimension::MsPerKm));
        let each = Formula::Slope { y: at("data_bytes@a"), x: at("units_in@a") };
        assert_eq!(each.dimension(), Ok(Dimension::Bytes));
        assert_eq!(slope("swept:jobs@a").expect_err("no such unit").1, numbers::UNIT_MISMATCH);
        let least = |per| Formula::Least { x: km(), y: rate(), share: 1.0, per }.dimension();
        assert_eq!((least(None), least(Some(2.0))), (Ok(Dimension::Km), Ok(Dimension::Ratio)));
        let crossing = |b| Formula::Crossing { x: km(), a: rate(), b: at(b) }.dimension();
        assert_eq!(crossing("rate_per_s@b"), Ok(Dimension::Km));
        assert_eq!(crossing("mb_per_s@b").expect_err("apart").1, numbers::UNIT_MISMATCH);
        let (_, number, _) = Formula::Value(at("rates@a")).dimension().expect_err("unknown");
        assert_eq!(number, numbers::UNKNOWN_QUANTITY);
    }
}
