//! Verification of the data of a run.

use std::fmt::Write;

use halftrack_record::{CorruptRecord, DataSummary, FoundBy};

/// Wrong records that are written out.
const RECORDS_SHOWN: usize = 10;

/// Returns a line for the data, and one for each of the first wrong records.
pub(super) fn lines(data: &DataSummary) -> String {
    let mut text = format!(
        "data: {} records read and compared, {} written, {} compared on the volumes at the end; {}\n",
        data.records_read,
        data.records_written,
        data.records_scanned,
        match data.corrupt.len() {
            0 => "all as they must be".to_owned(),
            1 => "1 WRONG".to_owned(),
            wrong => format!("{wrong} WRONG"),
        },
    );
    if data.to_corrupt > 0 {
        let _ = writeln!(text, "  an octet of {} I/Os was changed on the way", data.corrupted);
    }
    if data.unverified_ios > 0 {
        let _ = writeln!(text, "  {} I/Os found no free record and were not compared", data.unverified_ios);
    }
    for CorruptRecord { device, cylinder, head, record, found_by } in data.corrupt.iter().take(RECORDS_SHOWN)
    {
        let found = match found_by {
            FoundBy::Read => "when read",
            FoundBy::Scan => "on the volume",
        };
        let _ = writeln!(
            text,
            "  device {device:04X} cylinder {cylinder} head {head} record {record}: wrong {found}"
        );
    }
    if data.corrupt.len() > RECORDS_SHOWN {
        let _ = writeln!(text, "  and {} more", data.corrupt.len() - RECORDS_SHOWN);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named() {
        let whole =
            DataSummary { records_read: 9, records_written: 2, records_scanned: 7, ..DataSummary::default() };
        assert_eq!(
            lines(&whole),
            "data: 9 records read and compared, 2 written, 7 compared on the volumes at the end; all as they must be\n"
        );
        let wrong =
            CorruptRecord { device: 0x1000, cylinder: 3, head: 4, record: 5, found_by: FoundBy::Scan };
        let data =
            DataSummary { to_corrupt: 1, corrupted: 1, unverified_ios: 2, corrupt: vec![wrong; 11], ..whole };
        let text = lines(&data);
        assert!(
            text.contains("; 11 WRONG\n  an octet of 1 I/Os was changed on the way\n  2 I/Os found no"),
            "{text}"
        );
        assert!(text.contains("  device 1000 cylinder 3 head 4 record 5: wrong on the volume\n"), "{text}");
        assert!(text.ends_with("  and 1 more\n"), "{text}");
    }
}
