//! Volume serials made from device numbers.

/// A pattern such as `PR####`: each `#` becomes a hexadecimal digit of the device number, the last `#` the last digit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolserPattern(String);

impl VolserPattern {
    /// Syntax that [`VolserPattern::parse`] accepts, in words.
    pub const WORDS: &'static str =
        "a volume serial of six characters A-Z, 0-9, $ @ and #, where # is a digit of the device number";

    /// Returns the pattern that `text` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let known = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"$@#".contains(&byte);
        (text.len() == 6 && text.bytes().all(known)).then(|| Self(text.to_owned()))
    }

    /// Returns the serial of device `number`.
    pub fn serial(&self, number: u16) -> String {
        let digits = format!("{number:04X}");
        let mut left = digits.bytes().rev();
        let serial = self.0.bytes().rev().map(|byte| match byte {
            b'#' => left.next().unwrap_or(b'0'),
            other => other,
        });
        let bytes: Vec<u8> = serial.collect();
        bytes.into_iter().rev().map(char::from).collect()
    }
}

impl Default for VolserPattern {
    /// Returns `HT####`, unique within a subchannel set.
    fn default() -> Self {
        Self("HT####".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_fill_the_pattern_from_the_right() {
        let serial = |pattern: &str| VolserPattern::parse(pattern).map(|pattern| pattern.serial(0x10AF));
        assert_eq!(serial("PR####").as_deref(), Some("PR10AF"));
        assert_eq!(serial("#X##Y#").as_deref(), Some("1X0AYF"));
        assert_eq!(serial("######").as_deref(), Some("0010AF"));
        assert_eq!(serial("PR###"), None);
        assert_eq!(serial("pr####"), None);
    }
}
