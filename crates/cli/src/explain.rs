//! `halftrack explain`: what messages mean, from the register of all messages.

use std::fmt::Write;

use clap::Args;
use halftrack::{explained, message_json};
use halftrack_input::messages::{Message, TOPICS};
use serde_json::Value;

use crate::failure::Failure;
use crate::standard_output::print;

/// Words at the end of `halftrack explain --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack explain HTK929E
  halftrack explain 226 ICP308I
  halftrack explain HTK929E --json | jq -r '.[].fix'
  halftrack explain | grep -i cable

A code is HTK, a number and the letter of a severity (E error, W warning, C caution, I
information, A advice); the number alone, or that of the IBM message, will do. Without a code all
messages are listed.

Exit codes: 0 fine, 2 an unknown code.";

/// Arguments of `halftrack explain`.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// Messages to explain
    #[arg(value_name = "CODE")]
    codes: Vec<String>,
    /// Print a JSON array with one object for each message instead of text
    #[arg(long)]
    json: bool,
    /// Print the page of the book about all messages
    #[arg(long, conflicts_with_all = ["codes", "json"])]
    markdown: bool,
}

/// Prints what messages mean.
///
/// # Errors
/// An unknown code; output that cannot be written.
pub fn explain(arguments: &ExplainArguments) -> Result<bool, Failure> {
    let found = explained(&arguments.codes)?;
    let text = if arguments.markdown {
        page()
    } else if arguments.json {
        format!("{:#}\n", Value::from_iter(found.into_iter().map(message_json)))
    } else if arguments.codes.is_empty() {
        found.into_iter().map(|message| format!("{:<16}  {}\n", codes(message), message.title)).collect()
    } else {
        found.into_iter().map(as_text).collect::<Vec<_>>().join("\n")
    };
    print(&text)?;
    Ok(true)
}

fn codes(message: &Message) -> String {
    message.codes().collect::<Vec<_>>().join(" ")
}

/// Formats code, title and the IBM message of the same meaning.
fn heading(message: &Message) -> String {
    let ibm = message.ibm().map(|ibm| format!(" [{ibm}]")).unwrap_or_default();
    format!("{}  {}{ibm}", codes(message), message.title)
}

/// Returns the texts of a message under their names.
fn parts(message: &Message) -> [(&'static str, &'static str); 4] {
    [("Rule", message.rule), ("Cause", message.cause), ("Example", message.example), ("Fix", message.fix)]
}

fn as_text(message: &Message) -> String {
    let mut text = heading(message) + "\n\n";
    for (name, words) in parts(message) {
        let _ = writeln!(text, "  {:<9}{words}", format!("{name}:"));
    }
    text
}

/// Formats the page of the book, from its first heading of a kind of input on.
fn page() -> String {
    let mut text = String::new();
    for topic in TOPICS {
        let _ = writeln!(text, "## {}\n", topic.title);
        for message in topic.messages {
            let _ = writeln!(text, "### {}\n", heading(message));
            for (name, words) in parts(message) {
                let words = words.replace('*', "\\*");
                let _ = if name == "Example" {
                    writeln!(text, "* {name}: `{}`", message.example.replace('`', "'"))
                } else {
                    writeln!(text, "* {name}: {words}")
                };
            }
            text.push('\n');
        }
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}
