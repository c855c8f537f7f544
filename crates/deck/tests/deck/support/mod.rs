//! Decks for tests, written as statements without regard to columns.
#![allow(dead_code)]

pub mod pairs;

use halftrack_deck::{Reading, read};
use halftrack_input::SourceFile;

/// Lays out the cards of one statement, operand cut in mid-token at column 71.
pub fn cards(statement: &str) -> String {
    let (operation, operand) = statement.trim().split_once(' ').unwrap_or((statement.trim(), ""));
    cut(&format!("         {operation} "), operand)
}

/// Cuts `operand` into cards behind `head`, in mid-token at column 71.
pub fn cut(head: &str, operand: &str) -> String {
    let mut text = String::new();
    let mut line = head.to_owned();
    for ch in operand.chars() {
        if line.chars().count() == 71 {
            text += &format!("{line}X\n");
            line = " ".repeat(15);
        }
        line.push(ch);
    }
    text + &line + "\n"
}

/// Writes a deck of two channel subsystems with `statements`, one a line, after RESOURCE.
pub fn deck(statements: &str) -> String {
    let head = "ID SYSTEM=(3931,1),LSYSTEM=CPC1\nRESOURCE PART=((CSS(0),(A,1),(B,2),(*,9)),(CSS(1),(C,1))),MAXDEV=((CSS(0),9000),(CSS(1),9000))";
    head.lines().chain(statements.lines()).filter(|line| !line.trim().is_empty()).map(cards).collect()
}

/// Reads `text`.
pub fn reading(text: &str) -> Reading {
    read(SourceFile::new("deck.iocp", text))
}

/// Returns message numbers with their letters, in order.
pub fn codes(reading: &Reading) -> Vec<String> {
    let code = |number: u16, letter| format!("{number:03}{letter}");
    reading.diagnostics.iter().map(|message| code(message.number, message.severity.letter())).collect()
}
