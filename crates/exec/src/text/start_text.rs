//! Operands of start subchannel in a text: `start format 1 midaws prefetch key 0`.

use halftrack_input::messages::exec as message;
use halftrack_program::{CcwFormat, IdawFormat, OrbFlags};

use crate::content::AddressText;
use crate::text::cursor::{Cursor, Read};
use crate::text::statement::Start;
use crate::text::token::TokenKind;

/// Words for the flags of the ORB.
pub(crate) const ORB_FLAGS: [(&str, OrbFlags); 10] = [
    ("suspend", OrbFlags::SUSPEND),
    ("streaming", OrbFlags::STREAMING),
    ("modification", OrbFlags::MODIFICATION),
    ("synchronize", OrbFlags::SYNCHRONIZE),
    ("prefetch", OrbFlags::PREFETCH),
    ("initial-status", OrbFlags::INITIAL_STATUS),
    ("address-limit", OrbFlags::ADDRESS_LIMIT),
    ("suppress-suspended", OrbFlags::SUPPRESS_SUSPENDED),
    ("suppress-length", OrbFlags::SUPPRESS_LENGTH),
    ("midaws", OrbFlags::MIDAWS),
];

impl Start {
    /// Creates a start with defaults: command mode, CCWs of format 1, IDAWs of format 2 with blocks of 4 KiB, key 0,
    /// every path.
    pub(crate) fn usual() -> Self {
        Self {
            transport: false,
            held: false,
            format: CcwFormat::One,
            idaws: IdawFormat::TwoWith4K,
            flags: OrbFlags::default(),
            key: 0,
            path_mask: 0xFF,
            interruption_parameter: 0,
            priorities: None,
            program: None,
        }
    }
}

/// Reads what stands behind `start`.
pub(crate) fn start(cursor: &mut Cursor<'_>) -> Read<(Start, Option<AddressText>)> {
    let mut start = Start::usual();
    let mut place = None;
    while *cursor.kind() != TokenKind::End {
        if cursor.take_sign('@') {
            place = Some(cursor.address()?);
        } else {
            setting(cursor, &mut start)?;
        }
    }
    Ok((start, place))
}

fn setting(cursor: &mut Cursor<'_>, start: &mut Start) -> Read<()> {
    let (word, span) = cursor.word("a word of the ORB, `@` and an address, or the end of the line")?;
    if let Some((_, flag)) = ORB_FLAGS.iter().find(|(name, _)| *name == word) {
        start.flags = start.flags | *flag;
        return Ok(());
    }
    let byte = u64::from(u8::MAX);
    match word.as_str() {
        "transport" => start.transport = true,
        "held" => start.held = true,
        "format" => {
            let format = cursor.number("0 or 1, the format of the CCWs", 1)?;
            start.format = if format == 0 { CcwFormat::Zero } else { CcwFormat::One };
        }
        "idaw-format" => {
            let format = cursor.number("1 or 2, the format of the IDAWs", 2)?;
            start.idaws = if format < 2 { IdawFormat::One } else { IdawFormat::TwoWith4K };
        }
        "idaw-blocks" => start.idaws = blocks(cursor)?,
        "key" => start.key = cursor.number("a storage key", 15)? as u8,
        "path-mask" => start.path_mask = cursor.number("a path mask", byte)? as u8,
        "parameter" => {
            let parameter = cursor.number("an interruption parameter", u64::from(u32::MAX))?;
            start.interruption_parameter = parameter as u32;
        }
        "priority" => {
            let priority = cursor.number("a priority", byte)? as u8;
            start.priorities = Some((priority, start.priorities.unwrap_or_default().1));
        }
        "control-unit-priority" => {
            let priority = cursor.number("a priority", byte)? as u8;
            start.priorities = Some((start.priorities.unwrap_or_default().0, priority));
        }
        "program" => {
            cursor.take_sign('@');
            start.program = Some(cursor.address()?);
        }
        _ => {
            let flags: Vec<&str> = ORB_FLAGS.iter().map(|(name, _)| *name).collect();
            let error = cursor.error(message::WORD, span, format!("an ORB has no `{word}`"));
            let fix = format!(
                "it has transport, held, format 0 or 1, idaw-format 1 or 2, idaw-blocks 2K or 4K, key N, path-mask N, parameter N, \
                 priority N, control-unit-priority N, program ADDRESS, and the flags {}",
                flags.join(", ")
            );
            return Err(Box::new(error.fix(fix)));
        }
    }
    Ok(())
}

/// Returns the block size of IDAWs of format 2.
fn blocks(cursor: &mut Cursor<'_>) -> Read<IdawFormat> {
    let span = cursor.span();
    match cursor.number("2K or 4K, the block size of the IDAWs", 4096)? {
        2048 => Ok(IdawFormat::TwoWith2K),
        4096 => Ok(IdawFormat::TwoWith4K),
        other => {
            let message = format!("{other} where 2K or 4K, the block size of the IDAWs, is expected");
            Err(cursor.error(message::NUMBER, span, message))
        }
    }
}
