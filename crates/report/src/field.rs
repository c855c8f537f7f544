//! Placing values under headings: columns of a printed line and numbers that keep to their column.

/// Scales for numbers too wide for their column, and the letters that mark them.
const SCALES: [(f64, &str); 4] = [(1.0, ""), (1e3, "K"), (1e6, "M"), (1e9, "G")];

/// A column of numbers, aligned right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field {
    /// First print position that a value may take, from 0.
    pub left: usize,
    /// Last print position, the right edge.
    pub right: usize,
    /// Decimals printed when there is room.
    pub decimals: usize,
    /// Print the zero before the decimal point.
    pub leading_zero: bool,
}

impl Field {
    /// Creates a column whose numbers keep the zero before the decimal point.
    pub const fn new(left: usize, right: usize, decimals: usize) -> Self {
        Self { left, right, decimals, leading_zero: true }
    }

    /// Returns a narrow column of times: `.117`, `1.23`, `12.3`.
    pub const fn narrow(left: usize, right: usize, decimals: usize) -> Self {
        Self { left, right, decimals, leading_zero: false }
    }

    /// Returns the number of print positions of the column.
    pub const fn width(&self) -> usize {
        self.right + 1 - self.left
    }

    /// Returns the value in at most the column's width.
    ///
    /// A number too wide loses decimals first and is then scaled with K, M or G (10^3, 10^6, 10^9); what
    /// fits in no way, and what is no number, prints as asterisks.
    pub fn format(&self, value: f64) -> String {
        if value.is_finite() {
            for (scale, letter) in SCALES {
                for decimals in (0..=self.decimals).rev() {
                    let text = format!("{:.decimals$}{letter}", value / scale);
                    let text = match text.strip_prefix("0.") {
                        Some(fraction) if !self.leading_zero => format!(".{fraction}"),
                        _ => text,
                    };
                    if text.len() <= self.width() {
                        return text;
                    }
                }
            }
        }
        "*".repeat(self.width())
    }
}

/// A line being filled from left to right.
#[derive(Debug, Default)]
pub(crate) struct Line {
    text: String,
    width: usize,
}

impl Line {
    /// Creates an empty line.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts text at a print position, cut to `width` characters.
    pub fn text(mut self, left: usize, width: usize, text: &str) -> Self {
        self.pad_to(left);
        for character in text.chars().take(width) {
            self.text.push(if character.is_control() { ' ' } else { character });
            self.width += 1;
        }
        self
    }

    /// Puts text so that it ends at the right edge of a column, cut to the column's width.
    pub fn right(mut self, field: &Field, text: &str) -> Self {
        let length = text.chars().count().min(field.width());
        self.pad_to(field.right + 1 - length);
        self.text(field.right + 1 - length, length, text)
    }

    /// Puts a number into its column.
    pub fn number(self, field: &Field, value: f64) -> Self {
        let text = field.format(value);
        self.right(field, &text)
    }

    /// Returns the line without trailing blanks.
    pub fn finish(self) -> String {
        let kept = self.text.trim_end().len();
        let mut text = self.text;
        text.truncate(kept);
        text
    }

    fn pad_to(&mut self, position: usize) {
        debug_assert!(position >= self.width, "columns overlap at {position}: {}", self.text);
        while self.width < position {
            self.text.push(' ');
            self.width += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn narrow_columns_drop_the_leading_zero_and_then_decimals() {
        let field = Field::narrow(0, 3, 3);
        let printed = |value| field.format(value);
        assert_eq!(printed(0.0), ".000");
        assert_eq!(printed(0.117), ".117");
        assert_eq!(printed(0.9996), "1.00");
        assert_eq!(printed(1.234), "1.23");
        assert_eq!(printed(12.34), "12.3");
        assert_eq!(printed(1234.0), "1234");
        assert_eq!(printed(12_345.0), "12K");
        assert_eq!(printed(1_234_567.0), "1.2M");
    }

    #[test]
    fn wide_columns_keep_the_zero() {
        let field = Field::new(0, 6, 2);
        assert_eq!(field.format(0.0), "0.00");
        assert_eq!(field.format(12_345.678), "12345.7");
        assert_eq!(field.format(123_456_789.0), "123457K");
        assert_eq!(field.format(5e12), "5000.0G");
    }

    #[test]
    fn what_is_no_number_or_fits_nowhere_is_asterisks() {
        let field = Field::new(0, 3, 1);
        assert_eq!(field.format(f64::NAN), "****");
        assert_eq!(field.format(f64::INFINITY), "****");
        assert_eq!(field.format(1e30), "****");
    }

    #[test]
    fn text_is_cut_and_control_characters_are_blanked() {
        let line = Line::new().text(2, 4, "ABCDEF").text(8, 5, "x\ny").finish();
        assert_eq!(line, "  ABCD  x y");
    }

    proptest! {
        #[test]
        fn numbers_keep_to_their_column(
            value in prop_oneof![0.0..1e15f64, 0.0..1e4f64, Just(0.0)],
            width in 4usize..12,
            decimals in 0usize..4,
        ) {
            for leading_zero in [false, true] {
                let field = Field { left: 3, right: 2 + width, decimals, leading_zero };
                let line = Line::new().number(&field, value).finish();
                prop_assert_eq!(line.chars().count(), field.right + 1);
                prop_assert!(line.starts_with("   "));
            }
        }

        #[test]
        fn a_printed_number_is_the_value_within_a_unit_of_its_last_place(value in 0.0..9e11f64) {
            let text = Field::new(0, 7, 3).format(value);
            let scale = match text.as_bytes()[text.len() - 1] {
                b'K' => 1e3,
                b'M' => 1e6,
                b'G' => 1e9,
                _ => 1.0,
            };
            let digits = text.trim_end_matches(['K', 'M', 'G']);
            let decimals = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len());
            let unit = scale * 10f64.powi(-(decimals as i32));
            let read: f64 = digits.parse::<f64>().unwrap() * scale;
            prop_assert!((read - value).abs() <= 0.51 * unit, "{} printed {}", value, text);
        }
    }
}
