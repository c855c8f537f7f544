//! Expectation of a value: its words in a message, and the test that the value must pass.

use std::fmt::Display;
use std::ops::RangeInclusive;

use toml::de::{DeFloat, DeInteger, DeValue};

/// The test of a value, giving `None` for one that fails.
type Test<'e, T> = Box<dyn Fn(&DeValue<'_>) -> Option<T> + 'e>;

/// Finder of a fix for a value that fails, better than the words of the expectation.
type Fix<'e> = Box<dyn Fn(&DeValue<'_>) -> Option<String> + 'e>;

/// An expectation of one TOML value, which gives a `T` when met.
pub struct Expect<'e, T> {
    words: String,
    test: Test<'e, T>,
    fix: Option<Fix<'e>>,
}

impl<'e, T> Expect<'e, T> {
    /// Returns an expectation described by `words` ("a number from 1 to 8") and decided by `test`.
    pub fn new(words: impl Into<String>, test: impl Fn(&DeValue<'_>) -> Option<T> + 'e) -> Self {
        Self { words: words.into(), test: Box::new(test), fix: None }
    }

    /// Adds a finder of fixes for values that fail; where `fix` finds none, the words of the expectation serve.
    #[must_use]
    pub fn or_fix(self, fix: impl Fn(&DeValue<'_>) -> Option<String> + 'e) -> Self {
        Self { fix: Some(Box::new(fix)), ..self }
    }

    /// Returns the fix for a value that fails.
    pub(crate) fn fix(&self, value: &DeValue<'_>) -> Option<String> {
        self.fix.as_ref().and_then(|fix| fix(value))
    }

    /// Returns the expected value in words, as they stand after "expected".
    pub fn words(&self) -> &str {
        &self.words
    }

    /// Returns the value, if it is what was expected.
    pub fn take(&self, value: &DeValue<'_>) -> Option<T> {
        (self.test)(value)
    }
}

impl<'e> Expect<'e, String> {
    /// Expects any string that is not empty.
    pub fn text() -> Self {
        Self::new("a string", |value| {
            value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
        })
    }
}

impl<'e, T: 'e> Expect<'e, T> {
    /// Returns a string that `parse` understands.
    pub fn parsed(words: impl Into<String>, parse: impl Fn(&str) -> Option<T> + 'e) -> Self {
        Self::new(words, move |value| value.as_str().and_then(&parse))
    }
}

impl<'e> Expect<'e, bool> {
    /// Expects `true` or `false`.
    pub fn flag() -> Self {
        Self::new("true or false", |value| value.as_bool())
    }
}

impl<'e, T> Expect<'e, T>
where
    T: TryFrom<i128> + PartialOrd + Display + Copy + 'e,
{
    /// Returns a whole number within `range`.
    pub fn integer(range: RangeInclusive<T>) -> Self {
        let words = format!("a whole number from {} to {}", range.start(), range.end());
        Self::new(words, move |value| {
            let number = T::try_from(whole(value.as_integer()?)?).ok()?;
            range.contains(&number).then_some(number)
        })
    }
}

impl<'e> Expect<'e, f64> {
    /// Returns a number within `range`, with or without a fraction; never infinite and never "not a number".
    pub fn number(range: RangeInclusive<f64>) -> Self {
        let words = format!("a number from {} to {}", range.start(), range.end());
        Self::new(words, move |value| {
            let number = match value {
                DeValue::Float(float) => fraction(float)?,
                // Whole numbers beyond 2^53 are outside every range in use, so that nothing is lost here.
                DeValue::Integer(integer) => whole(integer)? as f64,
                _ => return None,
            };
            (number.is_finite() && range.contains(&number)).then_some(number)
        })
    }

    /// Returns a number above zero and not above `limit`.
    pub fn positive(limit: f64) -> Self {
        let inner = Self::number(0.0..=limit);
        Self::new(format!("a number above 0, not above {limit}"), move |value| {
            inner.take(value).filter(|number| *number > 0.0)
        })
    }
}

impl<'e, T: Copy + 'e> Expect<'e, T> {
    /// Returns one of several words.
    pub fn one_of<const N: usize>(words: [(&'static str, T); N]) -> Self {
        let quoted: Vec<_> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        let said = match quoted.split_last() {
            Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
            _ => quoted.join(""),
        };
        Self::new(said, move |value| {
            let text = value.as_str()?;
            words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning)
        })
    }
}

fn whole(integer: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn fraction(float: &DeFloat<'_>) -> Option<f64> {
    float.as_str().parse().ok()
}

/// Returns the kind of a value, in TOML's words with an article, for "found a string".
pub(crate) fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take<T>(expect: &Expect<'_, T>, text: &str) -> Option<T> {
        expect.take(DeValue::parse(text).expect("test value is TOML").get_ref())
    }

    #[test]
    fn whole_numbers_keep_to_their_range_in_any_base() {
        let expect = Expect::<u8>::integer(1..=0x2E);
        assert_eq!(expect.words(), "a whole number from 1 to 46");
        assert_eq!(take(&expect, "0x2E"), Some(46));
        assert_eq!(take(&expect, "1_0"), Some(10));
        assert_eq!(take(&expect, "0"), None);
        assert_eq!(take(&expect, "-1"), None);
        assert_eq!(take(&expect, "99999999999999999999999999999999999999999999"), None);
        assert_eq!(take(&expect, "1.0"), None);
    }

    #[test]
    fn numbers_are_finite_and_may_be_whole() {
        let expect = Expect::number(0.0..=5.0);
        assert_eq!(take(&expect, "5"), Some(5.0));
        assert_eq!(take(&expect, "2.5e0"), Some(2.5));
        for wrong in ["nan", "inf", "5.1", "-0.1", "\"1\""] {
            assert_eq!(take(&expect, wrong), None, "{wrong}");
        }
        assert_eq!(take(&Expect::positive(5.0), "0.0"), None);
        assert_eq!(take(&Expect::positive(5.0), "0.1"), Some(0.1));
    }

    #[test]
    fn words_are_listed_in_order() {
        let expect = Expect::one_of([("YES", true), ("NO", false)]);
        assert_eq!(expect.words(), "\"YES\" or \"NO\"");
        assert_eq!(take(&expect, "\"NO\""), Some(false));
        assert_eq!(take(&expect, "\"no\""), None);
    }
}
