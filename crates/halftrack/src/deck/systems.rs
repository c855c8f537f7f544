//! Partitions of one or two decks as their user names them, and names of the systems in them.

use std::collections::BTreeMap;
use std::str::FromStr;

use halftrack_deck::ctc::Image;
use halftrack_deck::model::Deck;

use crate::option_error::OptionError;

/// A partition as its user names it: `LP1`, `0.LP1`, `B:LP1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemName {
    deck: Option<usize>,
    css: Option<u8>,
    name: String,
}

impl FromStr for SystemName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected a partition such as LP1, 0.LP1 or B:LP1".to_owned();
        let (deck, rest) = match text.split_once(':') {
            Some(("A", rest)) => (Some(0), rest),
            Some(("B", rest)) => (Some(1), rest),
            Some(_) => return Err(expected()),
            None => (None, text),
        };
        let (css, name) = match rest.split_once('.') {
            Some((css, name)) => (Some(css.parse().map_err(|_| expected())?), name),
            None => (None, rest),
        };
        if name.trim().is_empty() {
            return Err(expected());
        }
        Ok(Self { deck, css, name: name.trim().to_uppercase() })
    }
}

impl SystemName {
    /// Finds the partition in the deck that it names, else in that of index `deck`.
    ///
    /// # Errors
    /// A name that no partition there has.
    pub fn image(&self, decks: &[&Deck], deck: usize) -> Result<Image, OptionError> {
        let at = self.deck.unwrap_or(deck);
        let Some(deck) = decks.get(at) else {
            return Err(OptionError(format!("partition B:{}: only one deck is given", self.name)));
        };
        let is_meant = |image: &Image| image.name == self.name && self.css.is_none_or(|css| css == image.css);
        Image::all(deck, at).find(is_meant).ok_or_else(|| {
            let known = listed(Image::all(deck, at));
            let name = self.css.map_or_else(String::new, |css| format!("{css}.")) + &self.name;
            OptionError(format!("{} has no partition {name}; it has {known}", deck.source.name))
        })
    }
}

/// Names of systems that are not those of their partitions.
#[derive(Debug, Clone, Default)]
pub struct NodeNames(BTreeMap<(usize, u8, String), String>);

impl NodeNames {
    /// Makes the names that `given` has; a partition without deck is in the first that has it.
    ///
    /// # Errors
    /// A partition that is in none.
    pub fn new(decks: &[&Deck], given: &[(SystemName, String)]) -> Result<Self, OptionError> {
        let mut nodes = BTreeMap::new();
        for (system, node) in given {
            let found = (0..decks.len()).find_map(|at| system.image(decks, at).ok());
            let image = found.map_or_else(|| system.image(decks, 0), Ok)?;
            nodes.insert((image.deck, image.css, image.name), node.clone());
        }
        Ok(Self(nodes))
    }

    /// Returns the name of the system in `image`: that of the partition, if no other is given.
    pub fn of(&self, image: &Image) -> String {
        let given = self.0.get(&(image.deck, image.css, image.name.clone()));
        given.unwrap_or(&image.name).clone()
    }
}

/// Parses `LP1=VMSYS1`.
///
/// # Errors
/// A sentence about a text that names no partition, or no name of 1 to 8 characters for its system.
pub fn node_words(text: &str) -> Result<(SystemName, String), String> {
    let parsed = text.split_once('=').filter(|(_, node)| (1..=8).contains(&node.len()));
    let (system, node) = parsed.ok_or("expected PARTITION=NAME with a name of 1 to 8 characters")?;
    Ok((system.parse()?, node.to_uppercase()))
}

/// Parses `LP1,B:LP2`.
///
/// # Errors
/// A sentence about a text that names no two partitions.
pub fn system_pair(text: &str) -> Result<(SystemName, SystemName), String> {
    let (near, far) = text.split_once(',').ok_or("expected two partitions such as LP1,LP2")?;
    Ok((near.parse()?, far.parse()?))
}

/// Lists partitions for a message, or `none`: the statement of a deck that has them may have been left out.
pub(super) fn listed(images: impl Iterator<Item = Image>) -> String {
    let names: Vec<String> = images.map(|image| image.to_string()).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_may_have_its_deck_and_channel_subsystem() {
        let parse = |text: &str| text.parse::<SystemName>();
        let name = |deck, css| SystemName { deck, css, name: "LP1".to_owned() };
        assert_eq!(parse("lp1"), Ok(name(None, None)));
        assert_eq!(parse("B:1.LP1"), Ok(name(Some(1), Some(1))));
        assert!(parse("C:LP1").is_err() && parse("").is_err() && parse("x.LP1").is_err());
        assert_eq!(node_words("LP1=vmb"), Ok((name(None, None), "VMB".to_owned())));
        assert!(
            node_words("LP1").is_err() && node_words("LP1=").is_err() && node_words("LP1=NINECHARS").is_err()
        );
        assert!(system_pair("LP1").is_err() && system_pair("LP1,C:LP1").is_err());
    }
}
