//! Encoding of the settings of a block into octets.

use crate::content::{Content, Patch};
use crate::parameter::field::{Block, Field, FieldKind, Setting, Target, Value};

/// Returns the octets of `block` with `settings`, in its short form when no setting lies behind that.
pub(crate) fn encode(block: &Block, settings: &[Setting]) -> Content {
    let mut content = encode_over(block, Content::of(block.template_octets()), settings);
    let end = |setting: &Setting| match setting.target {
        Target::Field(index) => block.fields[index].at + block.fields[index].bytes(),
        Target::Byte(at) => at + 1,
    };
    let needed = settings.iter().map(end).max().unwrap_or(0);
    if needed <= block.short_bytes && content.bytes.len() == block.bytes {
        content.bytes.truncate(block.short_bytes);
    }
    content
}

/// Returns the octets of `block` with `settings`, the rest as in `start`.
pub(crate) fn encode_over(block: &Block, start: Content, settings: &[Setting]) -> Content {
    let mut content = start;
    let given = |name: &str| {
        let index = block.field(name);
        settings.iter().any(|setting| index.is_some_and(|index| setting.target == Target::Field(index)))
    };
    for setting in settings {
        if let Target::Field(index) = setting.target {
            put_value(&mut content, &block.fields[index], &setting.value);
        }
    }
    (block.derive)(&mut content.bytes, &given);
    for setting in settings {
        if let (Target::Byte(at), Value::Number(value)) = (setting.target, &setting.value) {
            content.put(at, Content::of(vec![*value as u8]));
            content.patches.retain(|patch| !(patch.at..patch.at + patch.width).contains(&at));
        }
    }
    content
}

fn put_value(content: &mut Content, field: &Field, value: &Value) {
    match (field.kind, value) {
        (FieldKind::Bits(mask), Value::Number(bits)) => {
            let byte = &mut content.bytes[field.at];
            *byte = *byte & !mask | *bits as u8 & mask;
        }
        (FieldKind::Number(bytes) | FieldKind::Hex(bytes), Value::Number(number)) => {
            let octets = number.to_be_bytes();
            content.put(field.at, Content::of(octets[octets.len() - bytes..].to_vec()));
        }
        (FieldKind::Tail, Value::Octets(octets)) => content.append(Content::of(octets.clone())),
        (_, Value::Octets(octets)) => content.put(field.at, Content::of(octets.clone())),
        (FieldKind::Address(width), Value::Address(address)) => {
            content.patches.retain(|patch| patch.at != field.at);
            content.patches.push(Patch { at: field.at, width, address: address.clone() });
        }
        (FieldKind::Block(inner), Value::Block(settings)) => content.put(field.at, encode(inner, settings)),
        // The reader of texts gives each kind of field its kind of value.
        _ => {}
    }
}
