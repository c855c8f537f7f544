//! Independence of a prediction: whether it states something that no other figure, and no number fitted to one, states
//! already.

use halftrack_input::messages::{published as numbers, toml_file as toml_numbers};
use halftrack_input::{Expect, Fields, Located};

use crate::dimension::Dimension;
use crate::experiment::{Answer, ErrorOf};
use crate::figure::{Figure, Printed};

/// Reason why a prediction is not independent, from the data beside the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dependence {
    /// Another figure is of the same program, load and station.
    Sibling {
        /// Id of that figure.
        of: Located<String>,
        /// Why the two are alike.
        reason: String,
    },
    /// It is what a number was fitted to, or an input of the run, in other units.
    Restatement {
        /// Ids of figures and names of catalog numbers.
        of: Vec<Located<String>>,
        /// How the one follows from the other.
        reason: String,
    },
}

impl Dependence {
    /// Reads `sibling_of` or `restates` of an answer, whose reason is `reason`; `None` with messages when it is wrong.
    pub(crate) fn read(answer: &mut Fields<'_>, reason: Option<&String>) -> Option<Option<Self>> {
        let sibling = answer.optional("sibling_of", Expect::text());
        let restated = answer.optional_list("restates", Expect::text()).filter(|of| !of.is_empty());
        let (key, at) = match (&sibling, &restated) {
            (None, None) if answer.has("sibling_of") || answer.has("restates") => return None,
            (None, None) => return Some(None),
            (Some(_), Some(_)) => {
                let message = "a figure is a sibling of another or restates it";
                let fix = "keep `sibling_of` or `restates`";
                answer.error(toml_numbers::CHOOSE_ONE, answer.span(), message, fix);
                return None;
            }
            (Some(sibling), None) => ("sibling_of", sibling.span.clone()),
            (None, Some(_)) => ("restates", answer.span()),
        };
        if answer.has("status") {
            let message = format!("only a prediction is independent or not: `{key}` has no meaning here");
            answer.error(numbers::STATUS_INCOMPLETE, at, message, format!("take `{key}` or `status` out"));
            return None;
        }
        let Some(reason) = reason.cloned() else {
            let message = format!("`{key}` gives its reason");
            answer.error(numbers::STATUS_INCOMPLETE, at, message, "add `reason = \"...\"`");
            return None;
        };
        Some(match (sibling, restated) {
            (Some(of), _) => Some(Self::Sibling { of, reason }),
            (None, of) => of.map(|of| Self::Restatement { of, reason }),
        })
    }

    /// Returns the figures and numbers of the catalog that it rests on.
    pub fn rests_on(&self) -> Vec<&Located<String>> {
        match self {
            Self::Sibling { of, .. } => vec![of],
            Self::Restatement { of, .. } => of.iter().collect(),
        }
    }

    /// Returns the reason in words.
    pub(crate) fn words(&self) -> String {
        let on: Vec<&str> = self.rests_on().into_iter().map(|one| one.value.as_str()).collect();
        match self {
            Self::Sibling { reason, .. } => {
                format!("not independent, sibling of {}: {reason}", on.join(", "))
            }
            Self::Restatement { reason, .. } => {
                format!("not independent, restates {}: {reason}", on.join(", "))
            }
        }
    }
}

/// Returns true for a printed zero, and for a printed one that is a ratio or a number of things: no queueing makes it
/// different. A gain of zero percent stands for a ratio of one.
pub(crate) fn is_zero_or_one(figure: &Figure, answer: &Answer) -> bool {
    let Printed::Value(value) = figure.printed else { return false };
    let counts =
        figure.comparison.is_some_and(|one| matches!(one.dimension, Dimension::Count | Dimension::Ratio));
    answer.error_of == ErrorOf::Value && (value == 0.0 || value == 1.0 && counts)
}
