//! The statements of a text.

use std::ops::Range;
use std::sync::Arc;

use halftrack_input::messages::exec as message;
use halftrack_input::{Diagnostic, SourceFile};

use crate::command_name::{by_name, commands};
use crate::content::AddressText;
use crate::parameter::channel_blocks::{TCAH, TCAT, TCW};
use crate::text::command_text::{boundary, command, data_use};
use crate::text::content_text::{begins, content};
use crate::text::cursor::{Cursor, Read, ReadFile};
use crate::text::expectation_text::expectation;
use crate::text::setting_text::{names, settings};
use crate::text::start_text::start;
use crate::text::statement::{Body, DataUse, Statement, UserData};
use crate::text::token::TokenKind;

/// Most bytes of storage of a text.
pub(crate) const STORAGE_BYTES_MAX: u64 = 256 << 20;

/// Reads every statement; with them, the errors of those that are left out.
pub(crate) fn statements(source: &Arc<SourceFile>, files: ReadFile<'_>) -> (Vec<Statement>, Vec<Diagnostic>) {
    let mut cursor = Cursor::new(source, files);
    let mut read = Vec::new();
    let mut found = Vec::new();
    while !cursor.is_at_end_of_text() {
        if *cursor.kind() == TokenKind::End {
            cursor.advance();
            continue;
        }
        match statement(&mut cursor) {
            Ok(statement) => read.push(statement),
            Err(error) => found.push(*error),
        }
        cursor.skip_line();
    }
    (read, found)
}

/// A statement being read.
struct Parts {
    body: Body,
    place: Option<AddressText>,
    boundary: Option<u64>,
}

impl Parts {
    fn of(body: Body) -> Self {
        Self { body, place: None, boundary: None }
    }
}

fn statement(cursor: &mut Cursor<'_>) -> Read<Statement> {
    let label = match (cursor.peek_word(), cursor.next_kind()) {
        (Some(word), TokenKind::Sign(':')) => {
            let label = (word.to_owned(), cursor.span());
            cursor.advance();
            cursor.advance();
            Some(label)
        }
        _ => None,
    };
    let start = cursor.span();
    let parts = match cursor.kind().clone() {
        // A label by itself names what follows it.
        TokenKind::End if label.is_some() => {
            return Err(cursor.expected("a statement behind the label"));
        }
        TokenKind::Number(code) if code <= u64::from(u8::MAX) => {
            cursor.advance();
            let read = command(cursor, crate::command_name::by_code(code as u8), code as u8)?;
            Parts { body: Body::Command(read.command), place: read.place, boundary: read.boundary }
        }
        TokenKind::Word(word) => {
            cursor.advance();
            worded(cursor, &word, start.clone())?
        }
        _ => return Err(cursor.expected("a statement: a command, `start`, `data`, `expect`, ...")),
    };
    if *cursor.kind() != TokenKind::End {
        return Err(cursor.expected("the end of the line"));
    }
    let span = start.start..cursor.span().start;
    Ok(Statement { label, place: parts.place, boundary: parts.boundary, body: parts.body, span })
}

fn worded(cursor: &mut Cursor<'_>, word: &str, span: Range<usize>) -> Read<Parts> {
    if let Some((known, code)) = by_name(word) {
        let read = command(cursor, Some(known), code)?;
        return Ok(Parts { body: Body::Command(read.command), place: read.place, boundary: read.boundary });
    }
    match word {
        "storage" => Ok(Parts::of(Body::Storage(cursor.number("bytes of storage", STORAGE_BYTES_MAX)?))),
        "key" => key(cursor),
        "start" => {
            let (start, place) = start(cursor)?;
            Ok(Parts { body: Body::Start(start), place, boundary: None })
        }
        "ccws" => placed(cursor, Body::Ccws),
        "raw" => raw(cursor),
        "area" => {
            let bytes = cursor.number("bytes of the area", STORAGE_BYTES_MAX)?;
            placed(cursor, Body::Area(bytes))
        }
        "data" => {
            let (data, boundary) = content(cursor)?;
            let parts = placed(cursor, Body::Data(data))?;
            Ok(Parts { boundary: parts.boundary.or(Some(boundary)), ..parts })
        }
        "input" | "output" => user_data(cursor, word == "input"),
        "tcw" => {
            let settings = settings(cursor, &TCW)?;
            placed(cursor, Body::Tcw(settings))
        }
        "tcah" => {
            let settings = settings(cursor, &TCAH)?;
            placed(cursor, Body::Tcah(settings))
        }
        "tcat" => Ok(Parts::of(Body::Tcat(settings(cursor, &TCAT)?))),
        "resume" => Ok(Parts::of(Body::Resume)),
        "halt" => Ok(Parts::of(Body::Halt)),
        "clear" => Ok(Parts::of(Body::Clear)),
        "cancel" => Ok(Parts::of(Body::Cancel)),
        "store" => {
            let (data, _) = content(cursor)?;
            placed(cursor, Body::Store(data))
        }
        "expect" => {
            let (expectation, place) = expectation(cursor)?;
            Ok(Parts { body: Body::Expect(expectation), place, boundary: None })
        }
        "show" => {
            let place = at(cursor)?;
            let bytes = cursor.number("bytes to show", STORAGE_BYTES_MAX)?;
            Ok(Parts { body: Body::Show(bytes), place: Some(place), boundary: None })
        }
        "save" => {
            let place = at(cursor)?;
            let bytes = cursor.number("bytes to save", STORAGE_BYTES_MAX)?;
            let (name, _) = cursor.text("the name of a file in apostrophes")?;
            Ok(Parts { body: Body::Save(bytes, name), place: Some(place), boundary: None })
        }
        _ => Err(unknown(cursor, word, span)),
    }
}

fn at(cursor: &mut Cursor<'_>) -> Read<AddressText> {
    cursor.sign('@')?;
    cursor.address()
}

/// Returns `body` with the place and boundary that follow.
fn placed(cursor: &mut Cursor<'_>, body: Body) -> Read<Parts> {
    let mut parts = Parts::of(body);
    while *cursor.kind() != TokenKind::End {
        if cursor.take_sign('@') {
            parts.place = Some(cursor.address()?);
        } else if cursor.peek_word() == Some("align") {
            cursor.advance();
            parts.boundary = Some(boundary(cursor)?);
        } else {
            return Err(cursor.expected("`@` and an address, `align N`, or the end of the line"));
        }
    }
    Ok(parts)
}

/// Returns `key N [fetch-protected] @ADDRESS [BYTES]`.
fn key(cursor: &mut Cursor<'_>) -> Read<Parts> {
    let key = cursor.number("a storage key", 15)? as u8;
    let fetch_protected = cursor.peek_word() == Some("fetch-protected");
    if fetch_protected {
        cursor.advance();
    }
    let place = at(cursor)?;
    let bytes = match cursor.kind() {
        TokenKind::Number(_) => cursor.number("bytes with the key", STORAGE_BYTES_MAX)?,
        _ => 1,
    };
    let body = Body::Key { key, fetch_protected, bytes };
    Ok(Parts { body, place: Some(place), boundary: None })
}

/// Returns `raw X'16 digits'`.
fn raw(cursor: &mut Cursor<'_>) -> Read<Parts> {
    let span = cursor.span();
    let (octets, _) = content(cursor)?;
    if octets.bytes.len() != 8 || !octets.patches.is_empty() {
        let message = format!("{} bytes where a CCW has 8", octets.bytes.len());
        return Err(cursor.error(message::CONSTANT, span, message));
    }
    Ok(Parts::of(Body::Raw(octets.bytes)))
}

/// Returns `input 4096 tidaws`, `output C'data' tidaws (2048 2048 insert-check-word)`.
fn user_data(cursor: &mut Cursor<'_>, is_input: bool) -> Read<Parts> {
    let mut data =
        UserData { is_input, count: None, content: None, tidaws: None, data_use: DataUse::default() };
    let mut parts = Parts::of(Body::Resume);
    while *cursor.kind() != TokenKind::End {
        match cursor.kind() {
            TokenKind::Number(_) if data.count.is_none() => {
                data.count = Some(cursor.number("a count", u64::from(u32::MAX))?);
            }
            TokenKind::Sign('@') if parts.place.is_none() => parts.place = Some(at(cursor)?),
            _ if begins(cursor) && data.content.is_none() => data.content = Some(content(cursor)?.0),
            TokenKind::Word(word) if word == "align" => {
                cursor.advance();
                parts.boundary = Some(boundary(cursor)?);
            }
            TokenKind::Word(word) if word == "tidaws" => {
                cursor.advance();
                data.tidaws = Some(if cursor.is_sign('(') { pieces(cursor)? } else { Vec::new() });
            }
            _ => {
                if !data_use(cursor, &mut data.data_use)? {
                    let what = "a count, data, `tidaws`, `align N`, an `@` address, or the end of the line";
                    return Err(cursor.expected(what));
                }
            }
        }
    }
    parts.body = Body::UserData(data);
    Ok(parts)
}

const PIECE_FLAGS: crate::parameter::field::Names =
    &[("skip", 0x40), ("data-transfer-interruption", 0x20), ("insert-check-word", 0x08)];

/// Reads `(2048 insert-check-word 4096)`: bytes and flags of pieces, each of which becomes one TIDAW for a page.
fn pieces(cursor: &mut Cursor<'_>) -> Read<Vec<(u64, u8)>> {
    cursor.sign('(')?;
    let mut pieces = Vec::new();
    while !cursor.take_sign(')') {
        if cursor.take_sign(',') {
            continue;
        }
        let bytes = cursor.number("bytes of a piece", u64::from(u32::MAX))?;
        let flags = match cursor.kind() {
            TokenKind::Word(_) => names(cursor, "the flags of a TIDAW", PIECE_FLAGS, 0xFF)? as u8,
            _ => 0,
        };
        pieces.push((bytes, flags));
    }
    Ok(pieces)
}

fn unknown(cursor: &Cursor<'_>, word: &str, span: Range<usize>) -> Box<Diagnostic> {
    let error = cursor.error(message::WORD, span, format!("`{word}` is neither a command nor a statement"));
    let near = |name: &&str| {
        let first = |text: &str| text.split('-').next().unwrap_or_default().to_ascii_lowercase();
        first(name) == first(word)
    };
    let like: Vec<&str> = commands().map(|command| command.name).filter(near).collect();
    Box::new(error.fix(if like.is_empty() {
        "write a command by name (read-data) or code (0x06), or storage, key, start, ccws, raw, area, data, input, \
         output, tcw, tcah, tcat, store, resume, halt, clear, cancel, expect, show, save"
            .to_owned()
    } else {
        format!("similar names are {}", like.join(", "))
    }))
}
