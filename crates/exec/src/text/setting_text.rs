//! Parameters in a text: `(extent 0/0-3338/14 mask update-writes-only)`.

use std::ops::Range;

use halftrack_input::Diagnostic;
use halftrack_input::messages::exec as message;
use halftrack_program::TrackAddress;

use crate::parameter::field::{Block, Field, FieldKind, Names, Setting, Target, Value};
use crate::text::content_text::content;
use crate::text::cursor::{Cursor, Read};
use crate::text::token::TokenKind;

/// Sets one byte of any block.
const BYTE: &str = "byte";

/// Returns the settings of `block` in parentheses.
pub(crate) fn settings(cursor: &mut Cursor<'_>, block: &Block) -> Read<Vec<Setting>> {
    cursor.deeper(|cursor| settings_here(cursor, block))
}

fn settings_here(cursor: &mut Cursor<'_>, block: &Block) -> Read<Vec<Setting>> {
    let opening = cursor.span();
    cursor.sign('(')?;
    let mut found: Vec<Setting> = Vec::new();
    while !cursor.take_sign(')') {
        if cursor.is_at_end_of_text() {
            let error = cursor.error(message::PARENTHESIS, opening, "this parenthesis is not closed");
            return Err(Box::new(error.fix("write `)` behind the last parameter")));
        }
        if cursor.take_sign(',') {
            continue;
        }
        let setting = setting(cursor, block)?;
        let same = |other: &&Setting| other.target == setting.target;
        if found.iter().find(same).is_some() {
            let name = &cursor.source.text[setting.span.clone()];
            let message = format!("{name} is duplicate");
            return Err(cursor.error(message::WORD, setting.span, message));
        }
        found.push(setting);
    }
    Ok(found)
}

fn setting(cursor: &mut Cursor<'_>, block: &Block) -> Read<Setting> {
    let (name, span) = cursor.word(&format!("a field of {}", block.name))?;
    cursor.take_sign('=');
    if name == BYTE {
        let last = block.bytes as u64 - 1;
        let at = cursor.number(&format!("the offset of a byte of {}", block.name), last)? as usize;
        cursor.take_sign('=');
        let value = Value::Number(cursor.number("the value of a byte", u64::from(u8::MAX))?);
        return Ok(Setting { target: Target::Byte(at), value, span });
    }
    let Some(index) = block.field(&name) else {
        return Err(no_field(cursor, block, &name, span));
    };
    let value = value(cursor, &block.fields[index])?;
    Ok(Setting { target: Target::Field(index), value, span })
}

fn no_field(cursor: &Cursor<'_>, block: &Block, name: &str, span: Range<usize>) -> Box<Diagnostic> {
    let names: Vec<&str> = block.fields.iter().map(|field| field.name).collect();
    let error = cursor.error(message::WORD, span, format!("{} has no field `{name}`", block.name));
    let fix = format!("its fields are {}; `byte OFFSET VALUE` sets any byte", names.join(", "));
    Box::new(error.fix(fix))
}

fn value(cursor: &mut Cursor<'_>, field: &Field) -> Read<Value> {
    let what = field.name;
    match field.kind {
        FieldKind::Number(bytes) | FieldKind::Hex(bytes) => {
            let max = if bytes >= 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 };
            Ok(Value::Number(names(cursor, what, field.names, max)?))
        }
        FieldKind::Bits(mask) => {
            let span = cursor.span();
            let bits = names(cursor, what, field.names, u64::from(u8::MAX))?;
            if bits & !u64::from(mask) != 0 {
                let message =
                    format!("{what} has the bits 0x{mask:02X} of its byte; 0x{bits:02X} has others");
                return Err(cursor.error(message::NUMBER, span, message));
            }
            Ok(Value::Number(bits))
        }
        FieldKind::Track => octets(cursor, what, 4, |cursor| Ok(track(cursor)?.to_vec())),
        FieldKind::Record => octets(cursor, what, 5, |cursor| {
            let mut octets = track(cursor)?.to_vec();
            cursor.sign('/')?;
            octets.push(cursor.number("a record number", u64::from(u8::MAX))? as u8);
            Ok(octets)
        }),
        FieldKind::Extent => octets(cursor, what, 8, |cursor| {
            let begin = track(cursor)?;
            cursor.sign('-')?;
            Ok([begin, track(cursor)?].concat())
        }),
        FieldKind::Address(_) => {
            cursor.take_sign('@');
            Ok(Value::Address(cursor.address()?))
        }
        FieldKind::Block(inner) => Ok(Value::Block(settings(cursor, inner)?)),
        FieldKind::Tail => Ok(Value::Octets(content(cursor)?.0.bytes)),
    }
}

/// Returns the octets in the field's words, or as a constant of as many.
fn octets(
    cursor: &mut Cursor<'_>,
    what: &str,
    bytes: usize,
    words: impl Fn(&mut Cursor<'_>) -> Read<Vec<u8>>,
) -> Read<Value> {
    let TokenKind::Constant(_) = cursor.kind() else { return Ok(Value::Octets(words(cursor)?)) };
    let span = cursor.span();
    let (written, _) = content(cursor)?;
    if written.bytes.len() != bytes {
        let message = format!("{} bytes where {what} has {bytes}", written.bytes.len());
        return Err(cursor.error(message::CONSTANT, span, message));
    }
    Ok(Value::Octets(written.bytes))
}

/// Returns `CYLINDER/HEAD`.
fn track(cursor: &mut Cursor<'_>) -> Read<[u8; 4]> {
    let span = cursor.span();
    let cylinder = cursor.number("a cylinder", u64::from(u32::MAX))? as u32;
    cursor.sign('/')?;
    let head = cursor.number("a head", u64::from(u16::MAX))?;
    let address = u8::try_from(head).ok().and_then(|head| TrackAddress::new(cylinder, head));
    match address {
        Some(address) => Ok(address.to_cchh()),
        None => {
            let message = "a CCHH names cylinders up to 268435455 and heads up to 15";
            let error = cursor.error(message::NUMBER, span, message);
            Err(Box::new(error.fix("write other octets as a constant: X'00000010'")))
        }
    }
}

/// Returns the numbers and names, joined with `+`.
pub(crate) fn names(cursor: &mut Cursor<'_>, what: &str, known: Names, max: u64) -> Read<u64> {
    let mut sum = 0;
    loop {
        if let TokenKind::Word(word) = cursor.kind() {
            match known.iter().find(|(name, _)| name == word) {
                Some((_, value)) => sum |= value,
                None => return Err(no_name(cursor, what, known)),
            }
            cursor.advance();
        } else {
            sum |= cursor.number(what, max)?;
        }
        if !cursor.take_sign('+') {
            return Ok(sum);
        }
    }
}

fn no_name(cursor: &Cursor<'_>, what: &str, known: Names) -> Box<Diagnostic> {
    let word = cursor.peek_word().unwrap_or_default();
    let error = cursor.error(message::WORD, cursor.span(), format!("`{word}` is not a value of {what}"));
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let fix = if names.is_empty() {
        "write a number".to_owned()
    } else {
        format!("write a number, or of {}, joined with `+`", names.join(", "))
    };
    Box::new(error.fix(fix))
}
