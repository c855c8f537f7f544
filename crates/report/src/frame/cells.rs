//! Cells of a column, in memory as tables of columns have them: no conversion is needed to hand them on.

/// Cells of one column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Texts.
    Texts(Texts),
    /// Numbers.
    Numbers(Numbers),
    /// Whole numbers.
    Counts(Counts),
}

impl Cells {
    /// Returns the number of cells.
    pub fn len(&self) -> usize {
        match self {
            Self::Texts(texts) => texts.len(),
            Self::Numbers(numbers) => numbers.values.len(),
            Self::Counts(counts) => counts.values.len(),
        }
    }

    /// Returns true without any cell.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Texts one after the other, and where each begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts {
    /// The texts without anything between them; a missing one has no characters here.
    pub joined: String,
    /// Offset of each text, and that of the end, bytes.
    pub offsets: Vec<i64>,
    /// False where the text is missing.
    pub present: Vec<bool>,
}

impl Default for Texts {
    fn default() -> Self {
        Self { joined: String::new(), offsets: vec![0], present: Vec::new() }
    }
}

impl Texts {
    /// Adds a text; an empty one is missing.
    pub fn push(&mut self, text: &str) {
        self.joined.push_str(text);
        self.offsets.push(self.joined.len() as i64);
        self.present.push(!text.is_empty());
    }

    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.present.len()
    }

    /// Returns true without any text.
    pub fn is_empty(&self) -> bool {
        self.present.is_empty()
    }

    /// Returns the texts in order, `None` for each that is missing.
    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        let bounds = self.offsets.windows(2).map(|bounds| bounds[0] as usize..bounds[1] as usize);
        bounds.zip(&self.present).map(|(bounds, present)| present.then(|| &self.joined[bounds]))
    }
}

impl<T: AsRef<str>> FromIterator<T> for Texts {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        let mut all = Self::default();
        texts.into_iter().for_each(|text| all.push(text.as_ref()));
        all
    }
}

/// Numbers, some of which may be missing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Numbers {
    /// Values; 0 where one is missing.
    pub values: Vec<f64>,
    /// False where the number is missing.
    pub present: Vec<bool>,
}

impl Numbers {
    /// Adds a number; one that is not finite is missing.
    pub fn push(&mut self, value: Option<f64>) {
        let value = value.filter(|value| value.is_finite());
        self.values.push(value.unwrap_or_default());
        self.present.push(value.is_some());
    }

    /// Returns the numbers in order, `None` for each that is missing.
    pub fn iter(&self) -> impl Iterator<Item = Option<f64>> {
        self.values.iter().zip(&self.present).map(|(value, present)| present.then_some(*value))
    }
}

impl FromIterator<Option<f64>> for Numbers {
    fn from_iter<I: IntoIterator<Item = Option<f64>>>(values: I) -> Self {
        let mut all = Self::default();
        values.into_iter().for_each(|value| all.push(value));
        all
    }
}

/// Whole numbers, some of which may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// Values; 0 where one is missing.
    pub values: Vec<u64>,
    /// False where the number is missing.
    pub present: Vec<bool>,
}

impl Counts {
    /// Adds a number.
    pub fn push(&mut self, value: Option<u64>) {
        self.values.push(value.unwrap_or_default());
        self.present.push(value.is_some());
    }

    /// Returns the numbers in order, `None` for each that is missing.
    pub fn iter(&self) -> impl Iterator<Item = Option<u64>> {
        self.values.iter().zip(&self.present).map(|(value, present)| present.then_some(*value))
    }
}

impl FromIterator<Option<u64>> for Counts {
    fn from_iter<I: IntoIterator<Item = Option<u64>>>(values: I) -> Self {
        let mut all = Self::default();
        values.into_iter().for_each(|value| all.push(value));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_cells_are_told_from_others() {
        let texts: Texts = ["a", "", "bc"].into_iter().collect();
        assert_eq!(texts.iter().collect::<Vec<_>>(), [Some("a"), None, Some("bc")]);
        let numbers: Numbers = [Some(0.0), None, Some(f64::NAN)].into_iter().collect();
        assert_eq!(numbers.iter().collect::<Vec<_>>(), [Some(0.0), None, None]);
        let counts: Counts = [None, Some(0)].into_iter().collect();
        assert_eq!(counts.iter().collect::<Vec<_>>(), [None, Some(0)]);
    }
}
