//! A CCW or DCW in a text: `read-data CC SLI 4096 @buffer`.

use halftrack_input::messages::exec as message;

use crate::command_name::{CommandName, TIC};
use crate::content::{AddressText, Content};
use crate::parameter::encoding::encode;
use crate::text::content_text::{begins, content};
use crate::text::cursor::{Cursor, Read};
use crate::text::setting_text::settings;
use crate::text::statement::{Command, DataUse, ListKind};
use crate::text::token::TokenKind;

/// CCW flags as they are written.
pub(crate) const FLAGS: [(&str, u8); 8] = [
    ("CD", 0x80),
    ("CC", 0x40),
    ("SLI", 0x20),
    ("SKIP", 0x10),
    ("PCI", 0x08),
    ("IDA", 0x04),
    ("SUSPEND", 0x02),
    ("MIDA", 0x01),
];

const IDA: u8 = 0x04;
const MIDA: u8 = 0x01;

/// A command, where it or its data lie, and its boundary.
pub(crate) struct CommandText {
    pub command: Command,
    pub place: Option<AddressText>,
    pub boundary: Option<u64>,
}

/// Reads what stands behind the name of a command.
pub(crate) fn command(
    cursor: &mut Cursor<'_>,
    known: Option<&'static CommandName>,
    code: u8,
) -> Read<CommandText> {
    let command = Command {
        code,
        flags: 0,
        count: None,
        usual_count: known.and_then(|known| known.read_bytes),
        content: None,
        list: None,
        data_use: DataUse::default(),
    };
    let mut read = CommandText { command, place: None, boundary: None };
    if known.is_some_and(|known| known.name == TIC) && *cursor.kind() != TokenKind::End {
        cursor.take_sign('@');
        read.place = Some(cursor.address()?);
    }
    while *cursor.kind() != TokenKind::End {
        operand(cursor, known, &mut read)?;
    }
    Ok(read)
}

fn operand(cursor: &mut Cursor<'_>, known: Option<&'static CommandName>, read: &mut CommandText) -> Read<()> {
    let span = cursor.span();
    let command = &mut read.command;
    match cursor.kind().clone() {
        TokenKind::Number(_) if command.count.is_none() => {
            command.count = Some(cursor.number("a count", u64::from(u32::MAX))?);
        }
        TokenKind::Sign('@') if read.place.is_none() => {
            cursor.advance();
            read.place = Some(cursor.address()?);
        }
        TokenKind::Sign('(') if command.content.is_none() => {
            command.content = Some(parameters(cursor, known)?);
        }
        _ if begins(cursor) && command.content.is_none() => {
            let (data, boundary) = content(cursor)?;
            command.content = Some(data);
            read.boundary.get_or_insert(boundary);
        }
        TokenKind::Word(word) => {
            if let Some((_, bit)) = FLAGS.iter().find(|(name, _)| name.eq_ignore_ascii_case(&word)) {
                cursor.advance();
                command.flags |= bit;
            } else if word == "align" {
                cursor.advance();
                read.boundary = Some(boundary(cursor)?);
            } else if let Some((kind, bit)) = list_kind(&word) {
                cursor.advance();
                command.list = Some(kind);
                command.flags |= bit;
            } else if !data_use(cursor, &mut command.data_use)? {
                let message = format!("`{word}` is not an operand of a command");
                return Err(Box::new(cursor.error(message::WORD, span, message).fix(OPERANDS)));
            }
        }
        _ => {
            return Err(
                cursor.expected("a flag, a count, data, parameters, an `@` address, or the end of the line")
            );
        }
    }
    Ok(())
}

const OPERANDS: &str = "a command has flags (CC CD SLI SKIP PCI IDA MIDA SUSPEND), a count, data or parameters, an \
                        address behind `@`, `idaws` or `midaws`, `align N`, `show`, `save 'FILE'`, `expect DATA`";

fn list_kind(word: &str) -> Option<(ListKind, u8)> {
    match word {
        "idaws" => Some((ListKind::Idaws, IDA)),
        "midaws" => Some((ListKind::Midaws, MIDA)),
        _ => None,
    }
}

/// Returns a power of two.
pub(crate) fn boundary(cursor: &mut Cursor<'_>) -> Read<u64> {
    let span = cursor.span();
    let boundary = cursor.number("a boundary in bytes", 1 << 20)?;
    if boundary.is_power_of_two() {
        Ok(boundary)
    } else {
        let message = format!("{boundary} where a boundary, a power of two, is expected");
        Err(cursor.error(message::NUMBER, span, message))
    }
}

fn parameters(cursor: &mut Cursor<'_>, known: Option<&'static CommandName>) -> Read<Content> {
    match known.and_then(|known| known.parameters) {
        Some(block) => Ok(encode(block, &settings(cursor, block)?)),
        None => {
            let message = "this command has no parameters with names";
            let error = cursor.error(message::PARAMETERS, cursor.span(), message);
            Err(Box::new(error.fix(
                "write its data as constants, or name a block: count-area(record 0/0/1 data-length 80)",
            )))
        }
    }
}

/// Returns `show`, `save 'FILE'` or `expect DATA`; false when none of them is here.
pub(crate) fn data_use(cursor: &mut Cursor<'_>, data_use: &mut DataUse) -> Read<bool> {
    match cursor.peek_word() {
        Some("show") => {
            cursor.advance();
            data_use.show = true;
        }
        Some("save") => {
            cursor.advance();
            data_use.save = Some(cursor.text("the name of a file in apostrophes")?.0);
        }
        Some("expect") => {
            cursor.advance();
            data_use.expect = Some(content(cursor)?.0);
        }
        _ => return Ok(false),
    }
    Ok(true)
}
