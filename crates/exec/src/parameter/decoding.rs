//! Decoding of the octets of a block into settings.

use crate::content::{AddressText, Content};
use crate::parameter::encoding::encode;
use crate::parameter::field::{Block, Field, FieldKind, Setting, Target, Value};

/// Length of the encoded settings, which may be shorter than the octets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    /// They are as long.
    Exact,
    /// Zeros at the end may be left out, since missing settings are zero where the octets lie.
    Padded,
}

/// Returns the settings that `octets` need as `block`, or nothing when its fields cannot express them. The result
/// encodes to exactly these octets.
pub(crate) fn decode(block: &Block, octets: &[u8], length: Length) -> Option<Vec<Setting>> {
    let short = octets.len() == block.short_bytes;
    let has_tail = block.fields.iter().any(|field| ends_open(field.kind));
    if !(short || octets.len() == block.bytes || octets.len() > block.bytes && has_tail) {
        return None;
    }
    let template = block.template_octets();
    let mut settings: Vec<Setting> = Vec::new();
    for (index, field) in block.fields.iter().enumerate() {
        let more = matches!(field.kind, FieldKind::Tail) && octets.len() > block.bytes;
        if more || differs(field, octets, &template) {
            set(&mut settings, index, field, octets)?;
        }
    }
    let encoded = encoded(block, &settings, octets, length);
    for (index, field) in block.fields.iter().enumerate() {
        if differs(field, octets, &encoded) {
            set(&mut settings, index, field, octets)?;
        }
    }
    let settings = complete(block, settings, octets, length)?;
    Some(needed(block, settings, octets, length))
}

/// Returns the settings without those that follow from others.
fn needed(block: &Block, settings: Vec<Setting>, octets: &[u8], length: Length) -> Vec<Setting> {
    let mut needed = settings;
    let mut at = 0;
    while at < needed.len() {
        let one = needed.remove(at);
        if encoded(block, &needed, octets, length) != octets {
            needed.insert(at, one);
            at += 1;
        }
    }
    needed
}

/// Returns whether the octets have the field, and another value in it than `others`.
fn differs(field: &Field, octets: &[u8], others: &[u8]) -> bool {
    let range = field.at..field.at + field.bytes();
    let Some(here) = octets.get(range.clone()) else { return false };
    match (field.kind, others.get(range)) {
        (FieldKind::Bits(mask), Some(there)) => (here[0] ^ there[0]) & mask != 0,
        (_, there) => there != Some(here),
    }
}

/// Sets the rest byte by byte.
fn complete(
    block: &Block,
    mut settings: Vec<Setting>,
    octets: &[u8],
    length: Length,
) -> Option<Vec<Setting>> {
    let before = encoded(block, &settings, octets, length);
    for (at, octet) in octets.iter().enumerate() {
        if before.get(at) != Some(octet) {
            let value = Value::Number(u64::from(*octet));
            settings.push(Setting { target: Target::Byte(at), value, span: 0..0 });
        }
    }
    (encoded(block, &settings, octets, length) == octets).then_some(settings)
}

/// Encodes the settings, to compare them with `octets`.
fn encoded(block: &Block, settings: &[Setting], octets: &[u8], length: Length) -> Vec<u8> {
    let mut encoded = resolved(&encode(block, settings));
    if length == Length::Padded && encoded.len() < octets.len() {
        encoded.resize(octets.len(), 0);
    }
    encoded
}

/// Returns a setting for every field that `octets` have, and for each byte outside all fields.
pub(crate) fn every_field(block: &Block, octets: &[u8]) -> Option<Vec<Setting>> {
    let mut settings = Vec::new();
    for (index, field) in block.fields.iter().enumerate() {
        if field.at + field.bytes() <= octets.len() {
            set(&mut settings, index, field, octets)?;
        }
    }
    complete(block, settings, octets, Length::Exact)
}

fn ends_open(kind: FieldKind) -> bool {
    match kind {
        FieldKind::Tail => true,
        FieldKind::Block(inner) => inner.fields.iter().any(|field| ends_open(field.kind)),
        _ => false,
    }
}

/// Returns the octets with absolute addresses in them.
fn resolved(content: &Content) -> Vec<u8> {
    let mut bytes = content.bytes.clone();
    for patch in &content.patches {
        let octets = (patch.address.offset as u64).to_be_bytes();
        bytes[patch.at..patch.at + patch.width].copy_from_slice(&octets[octets.len() - patch.width..]);
    }
    bytes
}

fn set(settings: &mut Vec<Setting>, index: usize, field: &Field, octets: &[u8]) -> Option<()> {
    let value = read(field, octets)?;
    let target = Target::Field(index);
    if !settings.iter().any(|setting| setting.target == target) {
        settings.push(Setting { target, value, span: 0..0 });
    }
    Some(())
}

fn read(field: &Field, octets: &[u8]) -> Option<Value> {
    let here = &octets[field.at.min(octets.len())..];
    let bytes = field.bytes();
    let number = || here.iter().take(bytes).fold(0_u64, |number, octet| number << 8 | u64::from(*octet));
    Some(match field.kind {
        FieldKind::Number(_) | FieldKind::Hex(_) => Value::Number(number()),
        FieldKind::Bits(mask) => Value::Number(number() & u64::from(mask)),
        FieldKind::Track | FieldKind::Record | FieldKind::Extent => Value::Octets(here[..bytes].to_vec()),
        FieldKind::Address(_) => Value::Address(AddressText::absolute(number())),
        FieldKind::Block(inner) if ends_open(field.kind) => {
            Value::Block(decode(inner, here, Length::Padded)?)
        }
        FieldKind::Block(inner) => Value::Block(decode(inner, &here[..bytes], Length::Padded)?),
        FieldKind::Tail => Value::Octets(here.to_vec()),
    })
}
