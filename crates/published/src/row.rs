//! One line of the scoreboard.

use serde::Serialize;

/// How a figure stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Comes out of numbers that were not fitted to it.
    Predicted,
    /// A number of the catalog that its study uses was fitted to it.
    Fitted,
    /// An input of the run, or true by definition; the data has the reason.
    Definition,
    /// Contradicts physics or its own document; the data shows both readings.
    Contradicted,
    /// No experiment answers it.
    NotCovered,
}

impl Status {
    /// Returns the word as printed: `not_covered`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Predicted => "predicted",
            Self::Fitted => "fitted",
            Self::Definition => "definition",
            Self::Contradicted => "contradicted",
            Self::NotCovered => "not_covered",
        }
    }
}

/// One figure with its answer. Serialises to exactly the keys that `halftrack published --json` prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Id of the figure.
    pub id: String,
    /// Id of its document.
    pub source: String,
    /// `measured`, `claim`, `limit`, `guideline` or `derived`.
    pub kind: &'static str,
    /// Subject of the figure, in words.
    pub what: String,
    /// `=`, `~`, `<`, `<=`, `>` or `>=`.
    pub relation: &'static str,
    /// The printed value; none for a range.
    pub published: Option<f64>,
    /// Lower end of a printed range.
    pub low: Option<f64>,
    /// Upper end of a printed range.
    pub high: Option<f64>,
    /// The value of the run, in `unit`.
    pub simulated: Option<f64>,
    /// Unit as printed.
    pub unit: String,
    /// Error of the value against what is printed, percent with sign.
    pub error_percent: Option<f64>,
    /// Whether the relation holds.
    pub holds: Option<bool>,
    /// How the figure stands.
    pub status: Status,
    /// The busiest station of the first run that the value is read from.
    pub bottleneck: Option<String>,
    /// The experiment that answers it.
    pub experiment: Option<String>,
    /// True for a prediction that counts and that no other figure, and no number fitted to one, states already.
    pub independent: bool,
    /// Ids of figures and names of catalog numbers that it was fitted to, is a sibling of, or restates.
    pub rests_on: Vec<String>,
    /// Other ways to read the figure; left out when there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<RowReading>,
    /// The streams that got less than they offered in a run that the value is read from; left out when there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overloaded: Vec<String>,
    /// False where figures that count state it already.
    #[serde(skip)]
    pub counted: bool,
    /// Words beneath the line in any case: readings of a contradiction, why there is no value.
    #[serde(skip)]
    pub remarks: Vec<String>,
    /// Words beneath the line on request: why it is a definition, how the value is read.
    #[serde(skip)]
    pub reasons: Vec<String>,
}

/// Another way to read a figure, and what comes out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RowReading {
    /// The reading in words.
    pub words: String,
    /// The value of the run read in this way, in the unit of the figure; none where no run answers it.
    pub simulated: Option<f64>,
    /// Error of it against what is printed, percent with sign.
    pub error_percent: Option<f64>,
    /// Whether the relation holds.
    pub holds: Option<bool>,
}

impl Row {
    /// Returns true when it counts in the ratio of predictions to fitted numbers: measured, predicted and no ratio of
    /// others.
    pub fn is_counted_prediction(&self) -> bool {
        self.counted
            && self.kind == "measured"
            && self.status == Status::Predicted
            && self.simulated.is_some()
    }
}
