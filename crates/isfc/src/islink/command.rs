//! Commands, parsed.

use std::str::FromStr;

use thiserror::Error;

use crate::designation::MAX_DEVICES;
use crate::device_number::DeviceNumber;
use crate::system_name::SystemName;

/// A command on logical links. Its user has privilege class B.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// ACTIVATE ISLINK.
    Activate(Activate),
    /// DEACTIVE ISLINK, as z/VM spells it. DEACTIVATE is accepted as well.
    Deactivate(Vec<DeviceNumber>),
    /// QUERY ISLINK, of these devices, or of all links when there are none.
    Query(Vec<DeviceNumber>),
}

/// Operands of ACTIVATE ISLINK.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Activate {
    /// Devices, as they were written.
    pub devices: Vec<DeviceNumber>,
    /// NODE.
    pub node: Option<SystemName>,
    /// BUFFERS was given. It has no effect.
    pub has_buffers: bool,
}

/// Why a command is not executed: a response of CP.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CommandError {
    /// Another command than those on logical links.
    #[error("HCP001E Unknown CP command: {0}")]
    Unknown(String),
    /// An operand that is not one.
    #[error("HCP002E Invalid operand - {0}")]
    Operand(String),
    /// More operands than the command has.
    #[error("HCP003E Invalid option - command contains extra option(s) starting with {0}")]
    Extra(String),
    /// No operand where there must be one.
    #[error("HCP026E Operand missing or invalid")]
    Missing,
}

impl FromStr for Command {
    type Err = CommandError;

    fn from_str(text: &str) -> Result<Self, CommandError> {
        let mut words = text.split_whitespace();
        let verb = words.next().ok_or(CommandError::Missing)?.to_ascii_uppercase();
        let is_query = is_abbreviation(&verb, "QUERY", 1);
        if !is_query && !matches!(verb.as_str(), "ACTIVATE" | "DEACTIVE" | "DEACTIVATE") {
            return Err(CommandError::Unknown(verb));
        }
        let object = words.next().ok_or(CommandError::Missing)?;
        if !object.eq_ignore_ascii_case("ISLINK") {
            return Err(CommandError::Operand(object.to_owned()));
        }
        match verb.as_str() {
            "ACTIVATE" => activate(words).map(Self::Activate),
            "DEACTIVE" | "DEACTIVATE" => {
                let numbers = devices(words)?;
                if numbers.is_empty() { Err(CommandError::Missing) } else { Ok(Self::Deactivate(numbers)) }
            }
            _ => devices(words).map(Self::Query),
        }
    }
}

/// Returns whether a word is `whole` or its beginning, of at least `shortest` characters.
fn is_abbreviation(word: &str, whole: &str, shortest: usize) -> bool {
    let beginning = whole.get(..word.len());
    word.len() >= shortest && beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(word))
}

fn device(word: &str) -> Result<DeviceNumber, CommandError> {
    word.parse().map_err(|_| CommandError::Operand(word.to_owned()))
}

fn devices<'a>(words: impl Iterator<Item = &'a str>) -> Result<Vec<DeviceNumber>, CommandError> {
    let mut numbers = Vec::new();
    for word in words {
        let number = device(word)?;
        if numbers.len() == MAX_DEVICES {
            return Err(CommandError::Extra(word.to_owned()));
        }
        numbers.push(number);
    }
    Ok(numbers)
}

fn activate<'a>(words: impl Iterator<Item = &'a str>) -> Result<Activate, CommandError> {
    let words: Vec<&str> = words.collect();
    let is_option = |word: &&str| is_abbreviation(word, "NODE", 3) || is_abbreviation(word, "BUFFERS", 2);
    let options_from = words.iter().position(is_option).unwrap_or(words.len());
    let mut activate =
        Activate { devices: devices(words[..options_from].iter().copied())?, ..Activate::default() };
    if activate.devices.is_empty() {
        return Err(CommandError::Missing);
    }
    let mut options = words[options_from..].iter().copied();
    while let Some(option) = options.next() {
        if !is_option(&option) {
            return Err(CommandError::Extra(option.to_owned()));
        }
        let value = options.next().ok_or(CommandError::Missing)?;
        let invalid = || CommandError::Operand(value.to_owned());
        if is_abbreviation(option, "NODE", 3) {
            activate.node = Some(value.parse().map_err(|_| invalid())?);
        } else {
            value.parse::<u32>().map_err(|_| invalid())?;
            activate.has_buffers = true;
        }
    }
    Ok(activate)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Command, CommandError> {
        text.parse()
    }

    #[test]
    fn operands_are_taken_in_small_letters_and_abbreviated() {
        let expected = Activate {
            devices: vec![DeviceNumber(0xD000), DeviceNumber(0xD001)],
            node: Some("VMB".parse().unwrap()),
            has_buffers: true,
        };
        for text in ["ACTIVATE ISLINK D000 D001 NODE VMB BUFFERS 8", "activate islink d000 d001 bu 8 nod vmb"]
        {
            assert_eq!(parse(text), Ok(Command::Activate(expected.clone())), "{text}");
        }
        let device = vec![DeviceNumber(1)];
        assert_eq!(parse("DEACTIVE ISLINK 1"), Ok(Command::Deactivate(device.clone())));
        assert_eq!(parse("DEACTIVATE ISLINK 0001"), Ok(Command::Deactivate(device.clone())));
        assert_eq!(parse("Q ISLINK"), Ok(Command::Query(vec![])));
        assert_eq!(parse("que islink 1"), Ok(Command::Query(device)));
    }

    #[test]
    fn the_seventeenth_device_is_refused() {
        let devices: Vec<String> = (0..16).map(|at| format!("{:04X}", 0xD000 + at)).collect();
        let sixteen = format!("ACTIVATE ISLINK {}", devices.join(" "));
        assert!(parse(&sixteen).is_ok());
        let refused = parse(&format!("{sixteen} D010")).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "HCP003E Invalid option - command contains extra option(s) starting with D010"
        );
    }

    #[test]
    fn each_bad_command_has_its_message() {
        for (text, message) in [
            ("", "HCP026E Operand missing or invalid"),
            ("VARY ISLINK 1", "HCP001E Unknown CP command: VARY"),
            ("ACTIVATE", "HCP026E Operand missing or invalid"),
            ("ACTIVATE LINK 1", "HCP002E Invalid operand - LINK"),
            ("ACTIVATE ISLINK", "HCP026E Operand missing or invalid"),
            ("DEACTIVE ISLINK", "HCP026E Operand missing or invalid"),
            ("ACTIVATE ISLINK XYZ", "HCP002E Invalid operand - XYZ"),
            ("ACTIVATE ISLINK 12345", "HCP002E Invalid operand - 12345"),
            ("ACTIVATE ISLINK 1 NODE", "HCP026E Operand missing or invalid"),
            ("ACTIVATE ISLINK 1 NODE A/B", "HCP002E Invalid operand - A/B"),
            ("ACTIVATE ISLINK 1 BUFFERS X", "HCP002E Invalid operand - X"),
            (
                "ACTIVATE ISLINK 1 NODE A 2",
                "HCP003E Invalid option - command contains extra option(s) starting with 2",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), message, "{text}");
        }
    }
}
