//! The outcome of a run of the driver as text, stream by stream.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::outcome::{Outcome, Path, Stream};

/// Formats the outcome as text.
pub fn text(outcome: &Outcome) -> String {
    let mut text = String::new();
    for stream in &outcome.streams {
        describe(&mut text, stream);
    }
    for path in &outcome.paths {
        describe_path(&mut text, path);
    }
    for link in &outcome.zhyperlinks {
        link.describe(&mut text);
    }
    let _ = writeln!(
        text,
        "all: {:.0} IO/s, {:.1} MB/s in {:.3} s; {:.2} us of processor time an I/O; {} bytes verified",
        outcome.ios_per_s,
        outcome.mb_per_s,
        outcome.measured_s,
        outcome.cpu_us_per_io,
        outcome.bytes_verified
    );
    let ledger = &outcome.ledger;
    let _ = writeln!(
        text,
        "I/Os: {} requested, {} completed, {} failed, {} not begun{}",
        ledger.requested,
        ledger.completed,
        ledger.failed,
        ledger.dropped,
        if ledger.balanced { "" } else { ": an I/O was lost or ended twice" }
    );
    if let Some(why) = &outcome.broken_off {
        let _ = writeln!(text, "broken off: {why}");
    }
    if outcome.interrupted {
        let _ = writeln!(text, "ended early, on request");
    }
    text
}

// Writing into a String cannot fail.
fn describe_path(text: &mut String, path: &Path) {
    let state = if path.online { "online" } else { "offline" };
    let _ = write!(text, "path {} {}: {state}", path.chpid, path.wwpn);
    if path.losses > 0 {
        let _ = write!(text, ", lost {}", times(path.losses.into()));
    }
    let _ = match (&path.trouble, &path.past_trouble) {
        (Some(trouble), _) => writeln!(text, " ({trouble})"),
        (None, Some(past)) => writeln!(text, " (before: {past})"),
        (None, None) => writeln!(text),
    };
}

fn describe(text: &mut String, stream: &Stream) {
    let protocol = match (stream.command_mode, stream.transport_mode) {
        _ if stream.fcp.is_some() => "FCP",
        (0, 0) if stream.synchronous.is_some() => "synchronous",
        (_, 0) => "command mode",
        (0, _) => "transport mode",
        _ => "both modes",
    };
    let _ = writeln!(text, "{}: {protocol}, {} reads, {} writes", stream.name, stream.reads, stream.writes);
    let _ = writeln!(
        text,
        "  rate      {:.0} IO/s, read {:.1} MB/s, write {:.1} MB/s",
        stream.ios_per_s, stream.read_mb_per_s, stream.write_mb_per_s
    );
    let us = &stream.response_us;
    let _ = writeln!(
        text,
        "  response  min {:.1}, mean {:.1}, max {:.1}, deviation {:.1} us; {:.1} us of the mean waiting for the device",
        us.min, us.mean, us.max, us.deviation, stream.queued_us
    );
    let _ = writeln!(
        text,
        "            p50 {:.1}, p90 {:.1}, p95 {:.1}, p99 {:.1}, p99.9 {:.1}, p99.99 {:.1} us",
        us.p50, us.p90, us.p95, us.p99, us.p99_9, us.p99_99
    );
    let _ = writeln!(text, "  paths     {}", counts(&stream.by_path));
    if let Some(synchronous) = &stream.synchronous {
        synchronous.describe(text);
    }
    let _ = writeln!(
        text,
        "  data      {} bytes verified, {} first read, {} wrong",
        stream.bytes_verified,
        stream.bytes_learnt,
        plural(stream.mismatches, "record")
    );
    for wrong in &stream.first_mismatches {
        let _ = writeln!(
            text,
            "            unit {} {}: wrong from octet {} on",
            wrong.unit, wrong.place, wrong.octet
        );
    }
    if !stream.errors.is_empty() {
        let _ = writeln!(text, "  failed    {}", counts(&stream.errors));
    }
    if !stream.redriven.is_empty() || stream.busy > 0 {
        let _ = writeln!(text, "  again     {}, busy {}", counts(&stream.redriven), stream.busy);
    }
}

/// Formats `40: 5000, 41: 4999`.
fn counts(by: &BTreeMap<String, u64>) -> String {
    let counts: Vec<_> = by.iter().map(|(what, count)| format!("{what}: {count}")).collect();
    if counts.is_empty() { "none".to_owned() } else { counts.join(", ") }
}

fn plural(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

#[cfg(test)]
mod tests {
    use halftrack_link::driver::PathReport;
    use halftrack_wire::WorldWideName;

    use super::*;

    #[test]
    fn a_trouble_is_past_when_the_path_is_online_again() {
        let line = |online, losses, trouble: &str| {
            let port_name = WorldWideName(0x5005_0764_0000_0040);
            let path =
                Path::new(&PathReport { chpid: 0x40, port_name, losses, trouble: trouble.into(), online });
            assert_eq!(path.trouble.is_some(), !online && !trouble.is_empty());
            let mut text = String::new();
            describe_path(&mut text, &path);
            text
        };
        let path = "path 40 50:05:07:64:00:00:00:40";
        assert_eq!(line(true, 0, ""), format!("{path}: online\n"));
        assert_eq!(line(false, 1, "no answer"), format!("{path}: offline, lost once (no answer)\n"));
        assert_eq!(line(true, 2, "no answer"), format!("{path}: online, lost 2 times (before: no answer)\n"));
    }
}
