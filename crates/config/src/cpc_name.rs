//! The name of a central processor complex among several.

use std::fmt;

/// Characters of a name at most.
const CHARACTERS: usize = 8;

/// A name of 1 to 8 characters; the one complex of a plant that has no more needs none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CpcName([u8; CHARACTERS]);

impl CpcName {
    /// The name of a complex that is alone.
    pub const UNNAMED: Self = Self([0; CHARACTERS]);

    /// Syntax that [`CpcName::parse`] accepts, in words.
    pub const WORDS: &'static str = "the name of a CPC: 1 to 8 characters A-Z and 0-9";

    /// Returns a name as a plant writes it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let fits = (1..=CHARACTERS).contains(&text.len());
        let known = text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        let mut name = [0; CHARACTERS];
        (fits && known).then(|| name[..text.len()].copy_from_slice(text.as_bytes()))?;
        Some(Self(name))
    }

    /// Returns the prefix of the names of its parts: `B.`, nothing when it has no name.
    #[must_use]
    pub fn prefix(&self) -> String {
        if *self == Self::UNNAMED { String::new() } else { format!("{self}.") }
    }
}

impl fmt::Display for CpcName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.0.iter().position(|byte| *byte == 0).unwrap_or(CHARACTERS);
        f.write_str(std::str::from_utf8(&self.0[..length]).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_shown_and_ordered_by_their_letters() {
        let name = |text| CpcName::parse(text).expect("a name");
        assert_eq!((name("CPCB").to_string().as_str(), name("CPCB").prefix().as_str()), ("CPCB", "CPCB."));
        assert_eq!(
            (name("ABCDEFGH").to_string().as_str(), CpcName::UNNAMED.prefix().as_str()),
            ("ABCDEFGH", "")
        );
        assert!(CpcName::UNNAMED < name("A") && name("A") < name("AB") && name("AB") < name("B"));
        for wrong in ["", "b", "A B", "ABCDEFGHI", "É"] {
            assert_eq!(CpcName::parse(wrong), None, "{wrong}");
        }
    }
}
