//! Names of systems.

use std::fmt;
use std::str::FromStr;

use halftrack_base::CodePage;
use thiserror::Error;

/// Most characters of a name of a system.
const CHARACTERS_MAX: usize = 8;
/// EBCDIC blank, with which names are filled up.
const BLANK: u8 = 0x40;
/// Characters beside letters and digits. They are those of user IDs of z/VM; a list for names of systems was not found.
const SPECIAL: &str = "@#$_-+:";

/// Name of a system (node) of a collection: 1 to 8 characters, in capitals.
///
/// Names are ordered as EBCDIC has their characters: letters before digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SystemName([u8; CHARACTERS_MAX]);

/// Why a text is no name of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SystemNameError {
    /// It has no character, or more than eight.
    #[error("a name of a system has 1 to 8 characters, and here are {0}")]
    Length(usize),
    /// It has a character that names do not have.
    #[error("a name of a system has letters, digits and {SPECIAL}, and not `{0}`")]
    Character(char),
}

impl SystemName {
    /// Octets of a name in EBCDIC, filled up with blanks.
    pub const BYTES: usize = CHARACTERS_MAX;

    /// Returns the name in EBCDIC, filled up with blanks.
    pub const fn as_ebcdic(self) -> [u8; Self::BYTES] {
        self.0
    }

    /// Makes a name of octets in EBCDIC.
    ///
    /// # Errors
    /// The octets are no name.
    pub fn from_ebcdic(octets: [u8; Self::BYTES]) -> Result<Self, SystemNameError> {
        let end = octets.iter().rposition(|octet| *octet != BLANK).map_or(0, |last| last + 1);
        CodePage::Page1047.text(&octets[..end]).parse()
    }
}

impl FromStr for SystemName {
    type Err = SystemNameError;

    /// Makes a name of a text, whose small letters are taken for capitals.
    fn from_str(text: &str) -> Result<Self, SystemNameError> {
        let characters = text.chars().count();
        if !(1..=CHARACTERS_MAX).contains(&characters) {
            return Err(SystemNameError::Length(characters));
        }
        let mut octets = [BLANK; CHARACTERS_MAX];
        for (octet, character) in octets.iter_mut().zip(text.chars()) {
            let is_allowed = character.is_ascii_alphanumeric() || SPECIAL.contains(character);
            let known = CodePage::Page1047.octet(character.to_ascii_uppercase()).filter(|_| is_allowed);
            *octet = known.ok_or(SystemNameError::Character(character))?;
        }
        Ok(Self(octets))
    }
}

impl fmt::Display for SystemName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(CodePage::Page1047.text(&self.0).trim_end())
    }
}

impl fmt::Debug for SystemName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> SystemName {
        text.parse().unwrap()
    }

    #[test]
    fn names_are_ordered_as_ebcdic() {
        assert!(name("SYSA") < name("SYSB"));
        assert!(name("SYS") < name("SYSA"), "a shorter name is before its longer ones");
        assert!(name("SYSZ") < name("SYS1"), "letters are before digits, other than in ASCII");
        assert_eq!(name("sys1"), name("SYS1"));
    }

    #[test]
    fn a_name_has_one_to_eight_characters_of_its_set() {
        let parse = |text: &str| text.parse::<SystemName>();
        assert_eq!(parse(""), Err(SystemNameError::Length(0)));
        assert_eq!(parse("NINECHARS"), Err(SystemNameError::Length(9)));
        assert_eq!(parse("A B"), Err(SystemNameError::Character(' ')));
        assert_eq!(parse("ÄTNA"), Err(SystemNameError::Character('Ä')));
        assert_eq!(name("@LAS#1$_").to_string(), "@LAS#1$_");
        assert_eq!(format!("[{:8}]", name("VM1")), "[VM1     ]");
    }

    #[test]
    fn a_name_is_itself_after_its_octets() {
        assert_eq!(SystemName::from_ebcdic(name("VM-A").as_ebcdic()), Ok(name("VM-A")));
        assert_eq!(SystemName::from_ebcdic([BLANK; 8]), Err(SystemNameError::Length(0)));
        assert!(SystemName::from_ebcdic([0; 8]).is_err());
    }
}
