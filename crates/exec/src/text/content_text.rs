//! Data in a text: constants, blocks of parameters, addresses, files.

use std::ops::Range;

use halftrack_base::CodePage;
use halftrack_input::messages::exec as message;

use crate::content::{Content, Patch};
use crate::parameter::blocks::{
    COUNT_AREA, DEFINE_EXTENT, FIXED_BLOCK_EXTENT, FIXED_BLOCK_LOCATE, HOME_ADDRESS,
};
use crate::parameter::blocks::{LOCATE_RECORD, LOCATE_RECORD_EXTENDED, PREFIX, SEARCH_ID, SEEK};
use crate::parameter::channel_blocks::{INTERROGATE, MIDAW, TCAH, TCAT, TCW, TIDAW};
use crate::parameter::encoding::encode;
use crate::parameter::field::Block;
use crate::text::cursor::{Cursor, Read};
use crate::text::setting_text::settings;
use crate::text::token::{ConstantText, TokenKind};

/// The code page of character constants, and of what is shown.
pub(crate) const CODE_PAGE: CodePage = CodePage::Page1047;

/// Blocks that may be named among data.
static BLOCKS: [&Block; 16] = [
    &COUNT_AREA,
    &HOME_ADDRESS,
    &DEFINE_EXTENT,
    &LOCATE_RECORD,
    &LOCATE_RECORD_EXTENDED,
    &PREFIX,
    &SEEK,
    &SEARCH_ID,
    &FIXED_BLOCK_EXTENT,
    &FIXED_BLOCK_LOCATE,
    &MIDAW,
    &TIDAW,
    &TCW,
    &TCAH,
    &TCAT,
    &INTERROGATE,
];

/// Returns the block of a name.
pub(crate) fn block(name: &str) -> Option<&'static Block> {
    BLOCKS.iter().find(|block| block.name == name).copied()
}

/// Returns whether data begin here.
pub(crate) fn begins(cursor: &Cursor<'_>) -> bool {
    match cursor.kind() {
        TokenKind::Constant(_) | TokenKind::Open => true,
        TokenKind::Word(word) => match word.as_str() {
            "file" => true,
            "address" | "address64" => *cursor.next_kind() == TokenKind::Sign('('),
            word => block(word).is_some() && *cursor.next_kind() == TokenKind::Sign('('),
        },
        _ => false,
    }
}

/// Returns the data here: one piece or more, and the boundary that the first of them has to lie on.
pub(crate) fn content(cursor: &mut Cursor<'_>) -> Read<(Content, u64)> {
    let mut content = Content::default();
    let mut boundary = None;
    while boundary.is_none() || begins(cursor) {
        let (piece, wanted) = piece(cursor)?;
        content.append(piece);
        boundary.get_or_insert(wanted);
    }
    Ok((content, boundary.unwrap_or(1)))
}

/// Boundary of data that need none: a doubleword.
const DATA_BOUNDARY: u64 = 8;

fn piece(cursor: &mut Cursor<'_>) -> Read<(Content, u64)> {
    let span = cursor.span();
    match cursor.kind().clone() {
        TokenKind::Constant(constant) => {
            let octets = constant_octets(cursor, &constant, &span)?;
            cursor.advance();
            Ok((Content::of(octets), DATA_BOUNDARY))
        }
        TokenKind::Word(word) if word == "file" => {
            cursor.advance();
            Ok((Content::of(file(cursor)?), DATA_BOUNDARY))
        }
        TokenKind::Word(word) if word == "address" || word == "address64" => {
            cursor.advance();
            cursor.sign('(')?;
            cursor.take_sign('@');
            let address = cursor.address()?;
            cursor.sign(')')?;
            let width = if word == "address" { 4 } else { 8 };
            Ok((
                Content { bytes: vec![0; width], patches: vec![Patch { at: 0, width, address }] },
                DATA_BOUNDARY,
            ))
        }
        TokenKind::Word(word) => match block(&word) {
            Some(block) => {
                cursor.advance();
                let settings = settings(cursor, block)?;
                cursor.count_content(block.bytes as u64, &span)?;
                Ok((encode(block, &settings), block.boundary))
            }
            None => Err(cursor.expected("data")),
        },
        _ => Err(cursor.expected("data: X'00', C'EBCDIC', CA'ASCII', file 'name', or a block of parameters")),
    }
}

fn file(cursor: &mut Cursor<'_>) -> Read<Vec<u8>> {
    let (name, span) = cursor.text("the name of a file in apostrophes")?;
    let octets = (cursor.files)(&name).map_err(|reason| {
        let error = cursor.error(message::FILE, span.clone(), format!("{name} cannot be read: {reason}"));
        Box::new(error.fix("names are taken from the directory of the text"))
    })?;
    cursor.count_content(octets.len() as u64, &span)?;
    Ok(octets)
}

/// Returns the octets of a constant, as the assembler has them: the value, cut or padded to the length, duplicated.
fn constant_octets(cursor: &mut Cursor<'_>, constant: &ConstantText, span: &Range<usize>) -> Read<Vec<u8>> {
    let mut once = match constant.kind.as_str() {
        "X" => hexadecimal(&constant.value).map_err(|message| {
            Box::new(cursor.error(message::CONSTANT, span.clone(), message).fix("write X'00FF'"))
        })?,
        "C" => ebcdic(cursor, &constant.value, span)?,
        _ => ascii(cursor, &constant.value, span)?,
    };
    let length = constant.length.unwrap_or(once.len() as u64);
    cursor.count_content(length.saturating_mul(constant.duplication), span)?;
    let length = length as usize;
    match constant.kind.as_str() {
        // Hexadecimal constants are cut and padded on the left.
        "X" if once.len() > length => once = once.split_off(once.len() - length),
        "X" => once = [vec![0; length - once.len()], once].concat(),
        "C" => once.resize(length, EBCDIC_BLANK),
        _ => once.resize(length, b' '),
    }
    // Duplicated emptiness is empty: the count above does not limit it.
    let duplication = if once.is_empty() { 0 } else { constant.duplication };
    Ok(once.repeat(duplication as usize))
}

const EBCDIC_BLANK: u8 = 0x40;

fn hexadecimal(value: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<char> = value.chars().filter(|char| *char != ' ').collect();
    let nibble = |char: &char| char.to_digit(16).ok_or(format!("`{char}` is not a hexadecimal digit"));
    let nibbles: Vec<u32> = digits.iter().map(nibble).collect::<Result<_, _>>()?;
    if !nibbles.len().is_multiple_of(2) {
        return Err(format!("{} hexadecimal digits where an even number is expected", nibbles.len()));
    }
    Ok(nibbles.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect())
}

fn ebcdic(cursor: &Cursor<'_>, value: &str, span: &Range<usize>) -> Read<Vec<u8>> {
    let octet = |char: char| {
        CODE_PAGE.octet(char).ok_or_else(|| {
            let message = format!("code page 1047 has no character `{char}`");
            let error = cursor.error(message::CONSTANT, span.clone(), message);
            Box::new(error.fix("write its octets in hexadecimal: X'3F'"))
        })
    };
    value.chars().map(octet).collect()
}

fn ascii(cursor: &Cursor<'_>, value: &str, span: &Range<usize>) -> Read<Vec<u8>> {
    match value.chars().find(|char| !char.is_ascii()) {
        None => Ok(value.as_bytes().to_vec()),
        Some(char) => {
            let message = format!("ASCII has no character `{char}`");
            let error = cursor.error(message::CONSTANT, span.clone(), message);
            Err(Box::new(error.fix("write its octets in hexadecimal: X'3F'")))
        }
    }
}
