//! The outcome of a system's part in a link as text.

use std::fmt::Write as _;

use super::outcome::Outcome;
use crate::drive::summary::text as disk_text;

/// Returns the summary.
pub fn text(outcome: &Outcome) -> String {
    let mut text = String::new();
    let node = outcome.node.as_deref().unwrap_or("no other system");
    let _ = writeln!(
        text,
        "{} to {node}: {:.1} MB/s in {:.2} s, {} losses of channels",
        outcome.system, outcome.mb_per_s, outcome.elapsed_s, outcome.channel_losses
    );
    for (word, streams) in [("sent", &outcome.sent), ("received", &outcome.received)] {
        for stream in streams {
            let _ = writeln!(text, "  stream {}: {} bytes {word}", stream.stream, stream.bytes);
        }
    }
    for requests in &outcome.requests {
        requests.write(&mut text);
    }
    for responses in &outcome.responses {
        let _ = writeln!(text, "  stream {}: {} responses sent", responses.stream, responses.responses);
    }
    for relocation in &outcome.relocations {
        relocation.write(&mut text, &outcome.system, node);
    }
    let _ = writeln!(
        text,
        "  {:<6} {:<10} {:>12} {:>12} {:>12} {:>12} {:>10}",
        "device", "writes to", "blocks out", "MB out", "blocks in", "MB in", "collisions"
    );
    for device in &outcome.devices {
        let _ = writeln!(
            text,
            "  {:<6} {:<10} {:>12} {:>12.1} {:>12} {:>12.1} {:>10}",
            device.device,
            if device.is_written { "yes" } else { "no" },
            device.written_blocks,
            device.written_bytes as f64 / 1e6,
            device.read_blocks,
            device.read_bytes as f64 / 1e6,
            device.collisions,
        );
    }
    if let Some(disks) = &outcome.disks {
        text += "I/O to disks over the same channels:\n";
        text += &disk_text(disks);
    }
    if let Some(error) = &outcome.disks_error {
        let _ = writeln!(text, "no I/O to disks: {error}");
    }
    if let Some(error) = &outcome.error {
        let _ = writeln!(text, "not complete: {error}");
    }
    text
}
