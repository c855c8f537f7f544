//! `[[send]]` and `[[receive]]`: streams of the link.

use halftrack_input::messages::toml_file as numbers;
use halftrack_input::{Expect, Fields, Located};
use halftrack_isfc::SystemName;

use crate::byte_size::byte_size;

/// Contents of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamContents {
    /// Octets of this file, beside the study's.
    File(String),
    /// So many octets, which follow from the number of the stream.
    Pattern(u64),
}

/// A stream.
#[derive(Debug, Clone)]
pub struct StreamEntry {
    /// Number of the stream, the same at both ends.
    pub stream: u32,
    /// Contents.
    pub contents: Located<StreamContents>,
}

/// Names of a file that may stand once only.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Numbers of streams.
    pub streams: Vec<Located<u32>>,
    /// Guests.
    pub guests: Vec<Located<SystemName>>,
    /// Files with the memories of guests.
    pub memories: Vec<Located<String>>,
}

/// Reads the number of a stream, which joins `names`.
pub(super) fn stream_number(table: &mut Fields<'_>, names: &mut Names) -> Option<u32> {
    let stream = table.required("stream", Expect::integer(1..=u32::MAX))?;
    names.streams.push(stream.clone());
    Some(stream.value)
}

/// Reads the streams of one direction; their numbers join `names`.
pub(super) fn read_streams(
    fields: &mut Fields<'_>,
    key: &'static str,
    names: &mut Names,
) -> Vec<StreamEntry> {
    fields.tables(key, |table| {
        let stream = stream_number(table, names);
        let file = table.optional("file", Expect::text());
        let pattern = table.optional("pattern", byte_size());
        let contents = match (file, pattern) {
            (Some(file), None) => Located::new(StreamContents::File(file.value), file.span),
            (None, Some(bytes)) => Located::new(StreamContents::Pattern(bytes.value), bytes.span),
            _ => {
                let message = "a stream needs exactly one of `file` and `pattern`";
                let fix = "give `file = \"disk.img\"`, or `pattern = \"1G\"` for octets that are made up and compared";
                table.error(numbers::CHOOSE_ONE, table.span(), message, fix);
                return None;
            }
        };
        Some(StreamEntry { stream: stream?, contents })
    })
}
