//! Values that no run of a study gives: a limit of the deck checker, properties of plugged cards, an operator's display, a count,
//! the rate of cards that compress.

use halftrack_catalog::Catalog;
use halftrack_input::Located;

use crate::compressed::Compressed;
use crate::counted::Count;
use crate::dimension::Dimension;
use crate::displayed::Displayed;
use crate::formula::CatalogNumber;
use crate::plant_limit::PlantLimit;
use crate::plugged::Plugged;
use crate::rule::Rule;

/// A value that is computed without a run of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Computed {
    /// Question that has the value.
    pub of: Located<Question>,
    /// Subtrahend.
    pub less: Option<Located<Question>>,
    /// Divisor of the difference.
    pub over: Option<Located<Question>>,
    /// The result is taken so many times.
    pub times: f64,
}

/// Question about a deck, hardware or a study.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// How far a number in a deck may go.
    Rule(Rule),
    /// How far a number of a study may go.
    Limit(Box<PlantLimit>),
    /// Plugged cards.
    Plug(Plugged),
    /// An operator's display.
    Display(Displayed),
    /// How many there are.
    Count(Count),
    /// A number of the catalog.
    Catalog(CatalogNumber),
    /// The rate of cards that compress.
    Compressed(Compressed),
}

impl Computed {
    /// Returns its value.
    ///
    /// # Errors
    /// Where in the file of experiments there is none, and why.
    pub fn value(&self, catalog: &Catalog) -> Result<f64, (std::ops::Range<usize>, String)> {
        let of = |question: &Located<Question>| {
            question.value.value(catalog).map_err(|said| (question.span.clone(), said))
        };
        let less = self.less.as_ref().map_or(Ok(0.0), of)?;
        let value = (of(&self.of)? - less) * self.times;
        match &self.over {
            None => Ok(value),
            Some(over) => match of(over)? {
                0.0 => Err((over.span.clone(), "there is none to divide by".to_owned())),
                divisor => Ok(value / divisor),
            },
        }
    }

    /// Returns the dimension of its value.
    pub fn dimension(&self) -> Dimension {
        match (&self.over, &self.of.value) {
            (Some(_), _) => Dimension::Ratio,
            (None, Question::Plug(plugged)) => plugged.dimension(),
            (None, Question::Limit(limit)) => limit.dimension(),
            (None, Question::Catalog(number)) => Dimension::of_key(&number.key).0,
            (None, Question::Compressed(_)) => Dimension::MbPerSecond,
            (None, _) => Dimension::Count,
        }
    }
}

impl Question {
    fn value(&self, catalog: &Catalog) -> Result<f64, String> {
        match self {
            Self::Rule(rule) => rule.value(catalog),
            Self::Limit(limit) => limit.value(catalog),
            Self::Plug(plugged) => plugged.value(catalog),
            Self::Display(displayed) => displayed.value(catalog),
            Self::Count(count) => count.value(catalog),
            Self::Compressed(compressed) => compressed.value(catalog),
            Self::Catalog(number) => {
                number.value(catalog).ok_or_else(|| format!("the catalog has no {}", number.name()))
            }
        }
    }
}
