//! Messages with what they mean, by their codes.

use halftrack_input::messages::{self, Message};
use halftrack_input::nearest;
use serde_json::{Value, json};

use crate::option_error::OptionError;

/// Returns the messages of `codes`, in their order; all messages without any. A code is `HTK929E`, its number alone, or that of the
/// IBM message of the same meaning.
///
/// # Errors
/// A code that no message has.
pub fn explained(codes: &[String]) -> Result<Vec<&'static Message>, OptionError> {
    if codes.is_empty() {
        return Ok(messages::all().collect());
    }
    let found: Vec<_> = codes.iter().map(|code| of_code(code)).collect::<Result<_, _>>()?;
    Ok(found.concat())
}

/// Returns the messages of a code, or of a number alone.
fn of_code(text: &str) -> Result<Vec<&'static Message>, OptionError> {
    let code = text.trim().to_ascii_uppercase();
    let is_meant = |message: &&Message| {
        let number = message.number.to_string();
        message.codes().any(|own| own == code || own.strip_prefix("HTK") == Some(&code))
            || number == code
            || code.strip_prefix("HTK") == Some(&number)
            || message.ibm().is_some_and(|ibm| ibm == code)
    };
    let found: Vec<_> = messages::all().filter(is_meant).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let known: Vec<String> = messages::all().flat_map(Message::codes).collect();
    let same_number = known.iter().find(|own| own[..6] == code[..code.floor_char_boundary(6)]);
    let near = same_number.map(String::as_str).or_else(|| nearest(&code, known.iter().map(String::as_str)));
    let fix = near.map_or("`halftrack explain` lists all".to_owned(), |near| format!("did you mean {near}?"));
    Err(OptionError(format!("no message has the code {text:?}; {fix}")))
}

/// Formats a message as JSON: its codes, rule, cause, an example and the fix.
pub fn message_json(message: &Message) -> Value {
    json!({
        "codes": message.codes().collect::<Vec<_>>(),
        "number": message.number,
        "ibm": message.ibm(),
        "title": message.title,
        "rule": message.rule,
        "cause": message.cause,
        "example": message.example,
        "fix": message.fix,
    })
}
