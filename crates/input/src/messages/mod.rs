//! The register of all messages: numbers, severities, and what `halftrack explain` prints of each.
//!
//! A file stands for a kind of input. A row has a name where code reports it by name, and `_` where the number stands
//! beside the rule that it is the number of. The code of a message is its number and the letter of its severity; a code
//! has one meaning.

pub mod catalog;
pub mod compression;
pub mod conversation;
pub mod deck;
pub mod display;
pub mod exec;
pub mod faults;
pub mod generate;
pub mod iocp;
pub mod islink;
pub mod link;
pub mod plugging;
pub mod published;
mod register;
pub mod study;
pub mod sweep;
pub mod toml_file;

pub(crate) use register::code;
pub use register::{Message, Topic};

use crate::diagnostic::Severity;

/// All messages by kind of input.
pub const TOPICS: &[Topic] = &[
    iocp::syntax::TOPIC,
    iocp::partitions::TOPIC,
    iocp::channels::TOPIC,
    iocp::control_units::TOPIC,
    iocp::devices::TOPIC,
    iocp::functions::TOPIC,
    deck::cards::TOPIC,
    deck::ctc::TOPIC,
    deck::advice::TOPIC,
    plugging::TOPIC,
    toml_file::TOPIC,
    catalog::TOPIC,
    study::connections::TOPIC,
    study::islinks::TOPIC,
    study::machines::TOPIC,
    study::work::TOPIC,
    compression::TOPIC,
    conversation::TOPIC,
    link::TOPIC,
    islink::TOPIC,
    sweep::TOPIC,
    generate::TOPIC,
    published::TOPIC,
    display::TOPIC,
    exec::TOPIC,
    faults::TOPIC,
];

/// Returns all messages, by kind of input and number.
pub fn all() -> impl Iterator<Item = &'static Message> {
    TOPICS.iter().flat_map(|topic| topic.messages)
}

/// Returns the messages with a number; more than one where they differ in severity.
pub fn with_number(number: u16) -> impl Iterator<Item = &'static Message> {
    all().filter(move |message| message.number == number)
}

/// Returns the message of a code: a number and a severity.
pub fn find(number: u16, severity: Severity) -> Option<&'static Message> {
    with_number(number).find(|message| message.severities.contains(&severity))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn every_code_has_one_meaning() {
        let mut titles = BTreeMap::new();
        for message in all() {
            for code in message.codes() {
                let other = titles.insert(code.clone(), message.title);
                assert_eq!(other, None, "{code} is used twice; the other is {:?}", message.title);
            }
        }
    }

    #[test]
    fn every_message_has_its_texts_and_its_topic_is_in_order() {
        for topic in TOPICS {
            assert!(topic.messages.is_sorted_by_key(|message| message.number), "{}", topic.title);
            for message in topic.messages {
                for text in [message.rule, message.cause, message.fix] {
                    let begins = !text.starts_with(char::is_lowercase);
                    assert!(begins && text.ends_with('.'), "{}: {text}", message.number);
                }
                let is_clause = !message.title.ends_with('.') && !message.title.is_empty();
                assert!(is_clause && !message.example.is_empty(), "{}", message.number);
            }
        }
    }
}
