//! A recorded trace as text: a CSV file with one I/O a line.
//!
//! ```text
//! # what was recorded, and where
//! at_us,device,track,op,bytes
//! 0,1000,17,read,4096
//! 12.5,1001,4,write,8192
//! ```

use std::ops::Range;
use std::sync::Arc;

use halftrack_input::messages::study::TRACE_LINE;
use halftrack_input::{Diagnostic, SourceFile};

use crate::device_range::DeviceRange;
use crate::workload_file::RUN_MAX_S;

/// The columns in their order.
pub(crate) const COLUMNS: [&str; 5] = ["at_us", "device", "track", "op", "bytes"];
/// Columns that contradictions with the stream are shown at.
pub(crate) const DEVICE: usize = 1;
pub(crate) const TRACK: usize = 2;
pub(crate) const BYTES: usize = 4;
/// Most messages about one trace: what is wrong with a file is mostly wrong with all its lines.
pub(crate) const MESSAGES_MAX: usize = 10;

/// Digits behind the point of a time: picoseconds.
const FRACTION_DIGITS: usize = 6;
/// The latest time, ps.
const AT_MAX_PS: u64 = RUN_MAX_S as u64 * 1_000_000_000_000;

/// One line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceLine {
    /// When the I/O started, from the beginning of the trace, ps.
    pub at_ps: u64,
    /// Subchannel set and number of its device.
    pub device: (u8, u16),
    /// Its first track, from 0.
    pub track: u32,
    /// A write; else a read.
    pub write: bool,
    /// How much it moved.
    pub bytes: u32,
    /// Where the line begins in the text.
    pub start: u32,
}

/// Reads a trace: its lines, in the order of their times, and the messages about them.
pub fn read_trace(source: &Arc<SourceFile>) -> (Vec<TraceLine>, Vec<Diagnostic>) {
    let mut reader = Reader { source, lines: Vec::new(), found: Vec::new(), has_header: false };
    if u32::try_from(source.text.len()).is_err() {
        reader.wrong(0..0, "the trace is larger than 4 GiB".into(), "split it among several streams");
        return (Vec::new(), reader.found);
    }
    let mut start = 0;
    for line in source.text.split_inclusive('\n') {
        reader.line(start, line.trim_end());
        start += line.len();
        if reader.found.len() >= MESSAGES_MAX {
            break;
        }
    }
    (reader.lines, reader.found)
}

/// Returns the place of column `index` of the line at `start`.
pub(crate) fn column(source: &SourceFile, start: u32, index: usize) -> Range<usize> {
    let start = start as usize;
    let line = source.text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    fields(start, line).nth(index).map_or(start..start, |(span, _)| span)
}

/// Returns the fields of `line` without the blanks around them, and where they stand.
fn fields(start: usize, line: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    line.split(',').scan(start, |at, field| {
        let text = field.trim();
        let begin = *at + (field.len() - field.trim_start().len());
        *at += field.len() + 1;
        Some((begin..begin + text.len(), text))
    })
}

struct Reader<'a> {
    source: &'a Arc<SourceFile>,
    lines: Vec<TraceLine>,
    found: Vec<Diagnostic>,
    has_header: bool,
}

impl Reader<'_> {
    fn line(&mut self, start: usize, line: &str) {
        if line.trim_start().is_empty() || line.trim_start().starts_with('#') {
            return;
        }
        if !self.has_header {
            self.has_header = true;
            if !fields(start, line).map(|(_, text)| text).eq(COLUMNS) {
                let message = "a trace begins with the names of its columns";
                let fix = format!("put the line `{}` before the first I/O", COLUMNS.join(","));
                self.wrong(start..start + line.len(), message.into(), fix);
            }
            return;
        }
        let Some(row) = self.row(start, line) else { return };
        if self.lines.last().is_some_and(|last| last.at_ps > row.at_ps) {
            let span = column(self.source, row.start, 0);
            self.wrong(span, "earlier than the line before it".into(), "sort the lines by `at_us`");
        }
        self.lines.push(row);
    }

    fn row(&mut self, start: usize, line: &str) -> Option<TraceLine> {
        let mut columns = fields(start, line);
        let read: [_; COLUMNS.len()] = std::array::from_fn(|_| columns.next());
        let has = read.iter().flatten().count() + columns.count();
        let [Some(at), Some(device), Some(track), Some(op), Some(bytes)] = read else {
            return self.columns_wrong(start..start + line.len(), has);
        };
        if has > COLUMNS.len() {
            return self.columns_wrong(start..start + line.len(), has);
        }
        let at_ps = self.value(at, time_ps, "a time in us of at most 30 days, such as 1250.5");
        let device =
            self.value(device, device_number, "a device number such as 1000 or, in subchannel set 1, 1.1080");
        let track = self.value(track, |text| text.parse().ok(), "the number of a track from 0");
        let write = self.value(op, operation, "`read` or `write`");
        let bytes = self.value(bytes, |text| text.parse().ok(), "a number of bytes");
        Some(TraceLine {
            at_ps: at_ps?,
            device: device?,
            track: track?,
            write: write?,
            bytes: bytes?,
            start: start as u32,
        })
    }

    fn value<T>(
        &mut self,
        (span, text): (Range<usize>, &str),
        read: impl Fn(&str) -> Option<T>,
        expected: &str,
    ) -> Option<T> {
        let value = read(text);
        if value.is_none() {
            self.wrong(span, format!("`{text}` is not {expected}"), format!("write {expected}"));
        }
        value
    }

    fn columns_wrong<T>(&mut self, span: Range<usize>, has: usize) -> Option<T> {
        let columns = COLUMNS.join(",");
        self.wrong(
            span,
            format!("the line has {has} columns of {}", COLUMNS.len()),
            format!("write `{columns}`"),
        );
        None
    }

    fn wrong(&mut self, span: Range<usize>, message: String, fix: impl Into<String>) {
        self.found.push(Diagnostic::error(TRACE_LINE, self.source, span, message).fix(fix));
    }
}

/// Returns microseconds with at most six digits behind the point, as picoseconds.
fn time_ps(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.len() > FRACTION_DIGITS {
        return None;
    }
    let scale = 10_u64.pow((FRACTION_DIGITS - fraction.len()) as u32);
    let fraction: u64 = fraction.parse::<u64>().ok()? * scale;
    let ps = whole.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(fraction)?;
    (ps <= AT_MAX_PS).then_some(ps)
}

fn device_number(text: &str) -> Option<(u8, u16)> {
    let range = DeviceRange::parse(text)?;
    (range.first == range.last).then_some((range.subchannel_set, range.first))
}

fn operation(text: &str) -> Option<bool> {
    match text {
        "read" => Some(false),
        "write" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> (Vec<TraceLine>, Vec<String>) {
        let (lines, found) = read_trace(&SourceFile::new("io.csv", text));
        (lines, found.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_trace_is_read_whole() {
        let text = "# disk 1000\n at_us, device ,track,op,bytes\r\n\n0,1000,0,read,4096\n0.5 , 1.10FF,17, write,8192\r\n\
                    1250.000001,1000,150254,read,27998";
        let (lines, found) = read(text);
        assert_eq!(found, [""; 0]);
        let rows: Vec<_> =
            lines.iter().map(|line| (line.at_ps, line.device, line.track, line.write, line.bytes)).collect();
        assert_eq!(
            rows,
            [
                (0, (0, 0x1000), 0, false, 4096),
                (500_000, (1, 0x10FF), 17, true, 8192),
                (1_250_000_001, (0, 0x1000), 150_254, false, 27_998),
            ]
        );
        let source = SourceFile::new("io.csv", text);
        assert_eq!(&text[column(&source, lines[1].start, DEVICE)], "1.10FF");
        assert_eq!(&text[column(&source, lines[2].start, BYTES)], "27998");
    }

    #[test]
    fn what_is_wrong_is_said_with_line_and_column() {
        const HEADER: &str = "at_us,device,track,op,bytes\n";
        for (row, expected) in [
            ("0,1000,0,read", "io.csv:2:1 the line has 4 columns of 5"),
            ("0,1000,0,read,4096,9", "io.csv:2:1 the line has 6 columns of 5"),
            ("-1,1000,0,read,4096", "io.csv:2:1 `-1` is not a time in us"),
            ("1.0000001,1000,0,read,4096", "io.csv:2:1 `1.0000001` is not a time in us"),
            ("99999999999999999999,1000,0,read,4096", "io.csv:2:1 `99999999999999999999` is not a time"),
            ("2592000000001,1000,0,read,4096", "io.csv:2:1 `2592000000001` is not a time"),
            ("0,1000-1001,0,read,4096", "io.csv:2:3 `1000-1001` is not a device number"),
            ("0,1000, x,read,4096", "io.csv:2:9 `x` is not the number of a track"),
            ("0,1000,0,Read,4096", "io.csv:2:10 `Read` is not `read` or `write`"),
            ("0,1000,0,read,", "io.csv:2:15 `` is not a number of bytes"),
            ("5,1000,0,read,1\n4,1000,0,read,1", "io.csv:3:1 earlier than the line before it"),
        ] {
            let (_, found) = read(&format!("{HEADER}{row}"));
            assert!(found.len() == 1 && found[0].contains(expected), "{row}: {found:#?}");
        }
        let (lines, found) = read("0,1000,0,read,4096\n");
        assert!(lines.is_empty() && found[0].contains("begins with the names of its columns"), "{found:?}");
    }

    #[test]
    fn a_file_that_is_wrong_throughout_is_not_read_to_its_end() {
        let (_, found) = read(&"nothing\n".repeat(1000));
        assert_eq!(found.len(), MESSAGES_MAX);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_inside_it(text in "(at_us,device,track,op,bytes\n)?([0-9a-fé.,# \r\n-]|read|write|1000){0,60}") {
            let source = SourceFile::new("io.csv", text);
            let (lines, found) = read_trace(&source);
            for one in &found {
                prop_assert!(source.text.get(one.at.span.clone()).is_some(), "{}", one);
            }
            for line in &lines {
                for index in 0..COLUMNS.len() {
                    prop_assert!(source.text.get(column(&source, line.start, index)).is_some());
                }
            }
            prop_assert!(!found.is_empty() || lines.is_sorted_by_key(|line| line.at_ps));
        }

        #[test]
        fn what_is_written_is_read(rows in prop::collection::vec((0..2_592_000_000_000_u64, any::<u16>(), 0..4_u8, any::<u32>(), any::<bool>(), any::<u32>()), 0..20)) {
            let mut rows = rows;
            rows.sort_by_key(|row| row.0);
            let mut text = COLUMNS.join(",");
            for (at, device, set, track, write, bytes) in &rows {
                let op = if *write { "write" } else { "read" };
                text.push_str(&format!("\n{}.{:06},{set}.{device:04X},{track},{op},{bytes}", at / 1000, at % 1000 * 1000));
            }
            let (lines, found) = read_trace(&SourceFile::new("io.csv", text));
            prop_assert!(found.is_empty(), "{:?}", found);
            let read: Vec<_> = lines.iter().map(|line| (line.at_ps / 1000, line.device.1, line.device.0, line.track, line.write, line.bytes)).collect();
            prop_assert_eq!(read, rows);
        }
    }
}
