//! Rows of the register of messages, and the macro that declares them with their constants.

use crate::diagnostic::Severity;

/// Severities by the letters that end message numbers.
pub(crate) mod letters {
    pub(crate) use crate::diagnostic::Severity::{
        Advice as A, Caution as C, Error as E, Info as I, Warning as W,
    };
}

/// A message number with its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// Number without severity letter.
    pub number: u16,
    /// Severities that it is reported with, the usual one first.
    pub severities: &'static [Severity],
    /// The fault that it reports.
    pub title: &'static str,
    /// The rule that must hold.
    pub rule: &'static str,
    /// How the rule comes to be broken.
    pub cause: &'static str,
    /// Input that breaks it.
    pub example: &'static str,
    /// Fix of the input.
    pub fix: &'static str,
}

impl Message {
    /// Returns the codes that it is shown with: `HTK140E`, `HTK140W`.
    pub fn codes(&self) -> impl Iterator<Item = String> {
        self.severities.iter().map(|severity| code(self.number, *severity))
    }

    /// Returns the number of the IBM message of the same meaning: `ICP226I`.
    pub fn ibm(&self) -> Option<String> {
        IBM.contains(&self.number).then(|| format!("ICP{:03}I", self.number))
    }
}

/// Numbers that are those of IBM messages.
const IBM: std::ops::Range<u16> = 100..400;

/// Returns a number as shown: `HTK226E`.
pub(crate) fn code(number: u16, severity: Severity) -> String {
    format!("HTK{number:03}{}", severity.letter())
}

/// Messages about one kind of input.
#[derive(Debug, Clone, Copy)]
pub struct Topic {
    /// The kind of input, as a heading.
    pub title: &'static str,
    /// By number.
    pub messages: &'static [Message],
}

/// Declares the messages of a topic: a constant of each number that has a name, and the rows of the register.
macro_rules! messages {
    ($topic:literal $(
        $name:tt = $number:literal $($letter:ident)+ $title:literal
            rule $rule:literal
            cause $cause:literal
            example $example:literal
            fix $fix:literal;
    )+) => {
        $(#[doc = $title] pub const $name: u16 = $number;)+

        pub(crate) const TOPIC: $crate::messages::register::Topic = $crate::messages::register::Topic {
            title: $topic,
            messages: &[$($crate::messages::register::Message {
                number: $number,
                severities: &[$($crate::messages::register::letters::$letter),+],
                title: $title,
                rule: $rule,
                cause: $cause,
                example: $example,
                fix: $fix,
            }),+],
        };
    };
}

pub(crate) use messages;
