//! Settings of a block in words.

use crate::content::Base;
use crate::disassembly::data_words::constant;
use crate::parameter::field::{Block, Field, FieldKind, Names, Setting, Target, Value};
use halftrack_program::TrackAddress;

/// Writes settings as `(name value name value)`.
pub(crate) fn settings(block: &Block, settings: &[Setting]) -> String {
    let words: Vec<String> = settings.iter().map(|one| setting(block, one)).collect();
    format!("({})", words.join(" "))
}

fn setting(block: &Block, setting: &Setting) -> String {
    match (setting.target, &setting.value) {
        (Target::Byte(at), Value::Number(value)) => format!("byte {at} 0x{value:02X}"),
        (Target::Byte(at), _) => format!("byte {at} 0"),
        (Target::Field(index), value) => {
            let field = &block.fields[index];
            format!("{} {}", field.name, self::value(field, value))
        }
    }
}

fn value(field: &Field, value: &Value) -> String {
    match value {
        Value::Number(number) => self::number(field, *number),
        Value::Octets(octets) => match field.kind {
            FieldKind::Track => track(octets),
            FieldKind::Record => format!("{}/{}", track(octets), octets[4]),
            FieldKind::Extent => format!("{}-{}", track(octets), track(&octets[4..])),
            _ => constant(octets),
        },
        Value::Address(address) => match address.base {
            Base::Absolute => format!("0x{:X}", address.offset),
            Base::Label(_) | Base::Here | Base::Fragment(_) => "0".to_owned(),
        },
        Value::Block(settings) => match field.kind {
            FieldKind::Block(inner) => self::settings(inner, settings),
            _ => "()".to_owned(),
        },
    }
}

fn number(field: &Field, number: u64) -> String {
    if let Some(names) = named(number, field.names) {
        return names;
    }
    match field.kind {
        FieldKind::Hex(bytes) => format!("0x{number:0width$X}", width = 2 * bytes),
        _ => number.to_string(),
    }
}

/// Names that together are `number`, joined with `+`; nothing when it has no names.
pub(crate) fn named(number: u64, names: Names) -> Option<String> {
    if number == 0 {
        return names.iter().find(|(_, value)| *value == 0).map(|(name, _)| (*name).to_owned());
    }
    if let Some((name, _)) = names.iter().find(|(_, value)| *value == number) {
        return Some((*name).to_owned());
    }
    let mut left = number;
    let mut found = Vec::new();
    for (name, value) in names {
        if *value != 0 && left & value == *value {
            found.push(*name);
            left &= !value;
        }
    }
    (left == 0).then(|| found.join("+"))
}

/// Returns `CYLINDER/HEAD`.
pub(crate) fn track(cchh: &[u8]) -> String {
    let track = TrackAddress::from_cchh([cchh[0], cchh[1], cchh[2], cchh[3]]);
    format!("{}/{}", track.cylinder(), track.head())
}
