//! Identity that a storage box or director reports: node descriptors, worldwide names. Only displays show it.

use halftrack_input::{Expect, Fields};

/// Identity that a box reports, as far as the plant gives it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BoxIdentity {
    /// Node descriptor without its tag: `002107.996.IBM.75.0000000ZIO0A`.
    pub nd: Option<String>,
    /// Node-element descriptor of its images and devices, without its tag.
    pub ned: Option<String>,
    /// Worldwide node name, 16 hexadecimal digits.
    pub wwnn: Option<String>,
}

/// Words for a node descriptor.
const ND_WORDS: &str =
    "a node descriptor of type, model, maker, plant and serial such as \"002107.996.IBM.75.0000000ZIO0A\"";

impl BoxIdentity {
    /// Reads `nd`, `ned` and `wwnn`.
    pub(super) fn read(fields: &mut Fields<'_>) -> Self {
        let wwnn_words = "a worldwide node name of 16 hexadecimal digits";
        let wwnn = fields.optional("wwnn", Expect::parsed(wwnn_words, worldwide_name));
        Self { nd: read_nd(fields, "nd"), ned: read_nd(fields, "ned"), wwnn: wwnn.map(|found| found.value) }
    }
}

/// Returns a node descriptor under `key`.
pub(super) fn read_nd(fields: &mut Fields<'_>, key: &'static str) -> Option<String> {
    fields.optional(key, Expect::parsed(ND_WORDS, node_descriptor)).map(|found| found.value)
}

/// Returns the type, model, maker, plant and serial, as wide as the architecture has them (node descriptors of ESCON
/// and FICON).
fn node_descriptor(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('.').collect();
    let widths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let known = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'.';
    (widths == [6, 3, 3, 2, 12]).then_some(())?;
    text.bytes().all(known).then(|| text.to_owned())
}

fn worldwide_name(text: &str) -> Option<String> {
    let is_name = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_name.then(|| text.to_ascii_uppercase())
}
