//! `[descriptor]`: contents of the node descriptor of a control unit.

use halftrack_input::{Expect, Fields};

/// Contents of the node descriptor, as characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descriptor {
    /// Type number, 6 characters.
    pub node_type: String,
    /// Model, 3 characters.
    pub model: String,
    /// Manufacturer, 3 characters.
    pub manufacturer: String,
    /// Plant of manufacture, 2 characters.
    pub plant: String,
    /// Sequence number, 12 characters.
    pub sequence: String,
}

impl Default for Descriptor {
    /// Returns a made-up box: no real one has its manufacturer.
    fn default() -> Self {
        Self {
            node_type: "002107".into(),
            model: "000".into(),
            manufacturer: "HTK".into(),
            plant: "00".into(),
            sequence: "000000000001".into(),
        }
    }
}

pub(super) fn read_descriptor(fields: &mut Fields<'_>) -> Option<Descriptor> {
    let default = Descriptor::default();
    Some(Descriptor {
        node_type: fields.or("type", characters(6), default.node_type),
        model: fields.or("model", characters(3), default.model),
        manufacturer: fields.or("manufacturer", characters(3), default.manufacturer),
        plant: fields.or("plant", characters(2), default.plant),
        sequence: fields.or("sequence", characters(12), default.sequence),
    })
}

/// Returns an expectation of `count` characters A-Z and 0-9.
fn characters<'e>(count: usize) -> Expect<'e, String> {
    Expect::parsed(format!("{count} characters A-Z and 0-9"), move |text| {
        let known = text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        (known && text.len() == count).then(|| text.to_owned())
    })
}
