//! One published figure: what a document printed, and how closely a value agrees with it.

use halftrack_input::{FreeTable, Label};

use crate::units::Comparison;

/// Largest error at which a value that a document prints as equal or about equal holds, percent.
pub const TOLERANCE_PERCENT: f64 = 5.0;
/// The other of two of which the one is so many percent, or more by a gain, percent.
pub(crate) const WHOLE_PERCENT: f64 = 100.0;
/// Below this a value prints as zero in the reports, which show at most three decimals.
const PRINTS_AS_ZERO: f64 = 0.0005;

/// One published figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Its id, unique over all files.
    pub id: String,
    /// Id of its document.
    pub source: String,
    /// Where in the document.
    pub place: String,
    /// Subject of the figure, in words.
    pub what: String,
    /// How the value is related to what was observed.
    pub relation: Relation,
    /// The value or the range printed, in `unit`.
    pub printed: Printed,
    /// Unit as printed.
    pub unit: String,
    /// How the unit is compared with a run; `None` where no run yields anything of the kind.
    pub comparison: Option<Comparison>,
    /// Kind of statement.
    pub kind: Kind,
    /// Circumstances in the writer's words.
    pub params: FreeTable,
    /// Section of the errata that explains the reading, if one does.
    pub erratum: Option<String>,
    /// Where the figure stands in its file.
    pub at: Label,
}

/// Printed value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Printed {
    /// One value.
    Value(f64),
    /// A range, its ends included.
    Range {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
}

/// How a printed value is related to what was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// A stated number.
    Equal,
    /// About.
    About,
    /// Less than.
    Below,
    /// Up to, a ceiling.
    AtMost,
    /// Over, more than.
    Above,
    /// At least, a floor.
    AtLeast,
}

/// Kind of statement that a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Measured and printed.
    Measured,
    /// Said without a measurement beside it.
    Claim,
    /// A property of the hardware.
    Limit,
    /// Advice.
    Guideline,
    /// Arithmetic on printed values.
    Derived,
}

/// The words of [`Relation`].
pub(crate) const RELATIONS: [(&str, Relation); 6] = [
    ("=", Relation::Equal),
    ("~", Relation::About),
    ("<", Relation::Below),
    ("<=", Relation::AtMost),
    (">", Relation::Above),
    (">=", Relation::AtLeast),
];

/// The words of [`Kind`].
pub(crate) const KINDS: [(&str, Kind); 5] = [
    ("measured", Kind::Measured),
    ("claim", Kind::Claim),
    ("limit", Kind::Limit),
    ("guideline", Kind::Guideline),
    ("derived", Kind::Derived),
];

impl Relation {
    /// Returns the relation as printed: `=`, `~`, `<`, `<=`, `>`, `>=`.
    pub fn word(self) -> &'static str {
        RELATIONS.iter().find(|(_, relation)| *relation == self).map_or("", |(word, _)| word)
    }
}

impl Kind {
    /// Returns the word of the figures file: `measured`.
    pub fn word(self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self).map_or("", |(word, _)| word)
    }
}

impl Figure {
    /// Returns the figure that a gain in percent stands for: how many percent of the other the one is.
    #[must_use]
    pub fn as_ratio(&self) -> Self {
        let printed = match self.printed {
            Printed::Value(gain) => Printed::Value(WHOLE_PERCENT + gain),
            Printed::Range { low, high } => {
                Printed::Range { low: WHOLE_PERCENT + low, high: WHOLE_PERCENT + high }
            }
        };
        Self { printed, ..self.clone() }
    }

    /// Returns the distance of `value` from the printed value, percent of it with sign. It is measured from the nearer
    /// end of a range, 0 within. `None` against a printed zero, unless `value` prints as zero too.
    pub fn error_percent(&self, value: f64) -> Option<f64> {
        let target = match self.printed {
            Printed::Value(printed) => printed,
            Printed::Range { low, high } => value.clamp(low, high),
        };
        if target == 0.0 {
            return (value.abs() < PRINTS_AS_ZERO).then_some(0.0);
        }
        Some(100.0 * (value - target) / target.abs())
    }

    /// Returns true when `value` agrees with what is printed. An inequality is taken strictly. A stated value holds
    /// within [`TOLERANCE_PERCENT`], a range from end to end.
    pub fn holds(&self, value: f64) -> bool {
        let (low, high) = match self.printed {
            Printed::Value(printed) => (printed, printed),
            Printed::Range { low, high } => (low, high),
        };
        match (self.relation, self.printed) {
            (Relation::Equal | Relation::About, Printed::Value(_)) => {
                self.error_percent(value).is_some_and(|error| error.abs() <= TOLERANCE_PERCENT)
            }
            (Relation::Equal | Relation::About, Printed::Range { .. }) => (low..=high).contains(&value),
            (Relation::Below, _) => value < high,
            (Relation::AtMost, _) => value <= high,
            (Relation::Above, _) => value > low,
            (Relation::AtLeast, _) => value >= low,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use halftrack_input::SourceFile;

    use super::*;

    pub(crate) fn figure(relation: Relation, printed: Printed) -> Figure {
        Figure {
            id: "f".into(),
            source: "s".into(),
            place: "p".into(),
            what: "w".into(),
            relation,
            printed,
            unit: "%".into(),
            comparison: None,
            kind: Kind::Measured,
            params: FreeTable::new(),
            erratum: None,
            at: Label::new(&SourceFile::new("f.toml", ""), 0..0, ""),
        }
    }

    #[test]
    fn the_printed_value_is_the_target_of_a_one_sided_figure() {
        let over = figure(Relation::Above, Printed::Value(6000.0));
        assert_eq!(over.error_percent(6060.0), Some(1.0));
        assert!(over.holds(6000.1) && !over.holds(6000.0));
        let below = figure(Relation::Below, Printed::Value(12.0));
        assert_eq!(below.error_percent(9.0), Some(-25.0));
        assert!(below.holds(9.0) && !below.holds(12.0));
    }

    #[test]
    fn stated_values_hold_within_the_tolerance() {
        for relation in [Relation::Equal, Relation::About] {
            let stated = figure(relation, Printed::Value(100.0));
            assert!(stated.holds(105.0) && stated.holds(95.0) && !stated.holds(105.1));
        }
        let negative = figure(Relation::Equal, Printed::Value(-2.0));
        assert_eq!(negative.error_percent(-1.0), Some(50.0));
    }

    #[test]
    fn a_gain_is_compared_as_the_ratio_that_it_stands_for() {
        let gain = figure(Relation::Equal, Printed::Value(25.0));
        assert_eq!((gain.error_percent(30.0), gain.holds(30.0)), (Some(20.0), false));
        let ratio = gain.as_ratio();
        assert_eq!((ratio.error_percent(130.0), ratio.holds(130.0)), (Some(4.0), true));
        let range = figure(Relation::About, Printed::Range { low: 30.0, high: 50.0 }).as_ratio();
        assert!(range.holds(150.0) && !range.holds(151.0));
    }

    #[test]
    fn a_range_has_no_error_within_it() {
        let knee = figure(Relation::About, Printed::Range { low: 20.0, high: 24.0 });
        assert_eq!((knee.error_percent(22.0), knee.error_percent(18.0)), (Some(0.0), Some(-10.0)));
        assert!(knee.holds(20.0) && knee.holds(24.0) && !knee.holds(24.1));
    }

    #[test]
    fn a_printed_zero_is_met_by_what_prints_as_zero() {
        let zero = figure(Relation::Equal, Printed::Value(0.0));
        assert_eq!((zero.error_percent(0.0004), zero.error_percent(0.01)), (Some(0.0), None));
        assert!(zero.holds(0.0) && !zero.holds(0.01));
    }

    #[test]
    fn words_are_those_of_the_files() {
        assert_eq!((Relation::AtLeast.word(), Kind::Guideline.word()), (">=", "guideline"));
    }
}
