//! World-wide name: the 64-bit name of a port or a node (FC-FS).

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A world-wide name, written as eight pairs of hexadecimal digits with colons between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct WorldWideName(pub u64);

/// Why a text is no world-wide name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a world-wide name is eight pairs of hexadecimal digits, as 50:05:07:63:00:00:00:30")]
pub struct NameError;

impl fmt::Display for WorldWideName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, octet) in self.0.to_be_bytes().into_iter().enumerate() {
            let colon = if index == 0 { "" } else { ":" };
            write!(formatter, "{colon}{octet:02x}")?;
        }
        Ok(())
    }
}

impl FromStr for WorldWideName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let mut octets = [0; 8];
        let mut pairs = text.split(':');
        for octet in &mut octets {
            let pair = pairs.next().ok_or(NameError)?;
            let digits = pair.len() == 2 && pair.bytes().all(|digit| digit.is_ascii_hexdigit());
            *octet = u8::from_str_radix(pair, 16).ok().filter(|_| digits).ok_or(NameError)?;
        }
        if pairs.next().is_some() { Err(NameError) } else { Ok(Self(u64::from_be_bytes(octets))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_number_are_one() {
        let name = WorldWideName(0x5005_0763_0000_0030);
        assert_eq!(name.to_string(), "50:05:07:63:00:00:00:30");
        assert_eq!("50:05:07:63:00:00:00:30".parse(), Ok(name));
        assert_eq!("C0:50:76:00:00:00:00:01".parse(), Ok(WorldWideName(0xC050_7600_0000_0001)));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "50",
            "50:05:07:63:00:00:00",
            "50:05:07:63:00:00:00:30:1",
            "+5:05:07:63:00:00:00:30",
            "5:05:07:63:00:00:00:30",
        ] {
            assert_eq!(text.parse::<WorldWideName>(), Err(NameError), "{text}");
        }
    }
}
