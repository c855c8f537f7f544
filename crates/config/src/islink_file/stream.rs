//! `[[send]]` and `[[receive]]`: streams of the link.

use halftrack_input::messages::toml_file as numbers;
use halftrack_input::{Expect, Fields, Located};

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

/// Reads the streams of one direction; their numbers join `streams`.
pub(super) fn read_streams(
    fields: &mut Fields<'_>,
    key: &'static str,
    streams: &mut Vec<Located<String>>,
) -> Vec<StreamEntry> {
    fields.tables(key, |table| {
        let stream = table.required("stream", Expect::integer(1..=u32::MAX));
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
        let stream = stream?;
        streams.push(Located::new(stream.value.to_string(), stream.span.clone()));
        Some(StreamEntry { stream: stream.value, contents })
    })
}
