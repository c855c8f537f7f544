//! Activity as text: PCIE ACTIVITY, and the streams below it.

use std::fmt::Write;

use crate::activity::{Activity, FunctionActivity, StreamActivity};

/// Writes the activity of functions, in the order of RMF's fields, and of streams.
pub fn activity_text(activity: &Activity) -> String {
    let mut text = format!("PCIE ACTIVITY  {:.3} S\n", activity.measured_s);
    text += "PFID  PCHID  VF  RG   PARTITION  STATE     BUSY %    EXEC US   QUEUE US    REQUESTS       MB/S    KB/REQ  RATIO\n";
    for function in &activity.functions {
        // A String takes all that is written.
        let _ = function_line(function, &mut text);
    }
    text += "\nSTREAM    PARTITION  EXPLOITER        MB/S  COMPRESSED    REQUESTS    RESP US  IN SOFTWARE  PROCESSORS\n";
    for stream in &activity.streams {
        let _ = stream_line(stream, &mut text);
    }
    text
}

fn function_line(one: &FunctionActivity, text: &mut String) -> std::fmt::Result {
    let pchid = one.pchid.map_or_else(|| "-".to_owned(), |pchid| format!("{pchid:03X}"));
    write!(
        text,
        "{:04X}  {pchid:<5}  {:>2}  {:<3}  {:<9}  {:<5}",
        one.fid,
        one.vf,
        one.resource_group.as_deref().unwrap_or("-"),
        one.partition.as_deref().unwrap_or("-"),
        one.state
    )?;
    match one.counts {
        Some(counts) => writeln!(
            text,
            "  {:>9.2}  {:>9.1}  {:>9.1}  {:>10}  {:>9.1}  {:>8.1}  {:>5.2}",
            one.busy_percent,
            one.execution_us,
            one.queue_us,
            counts.requests,
            one.mb_per_s,
            one.kb_per_request,
            one.ratio
        ),
        None => writeln!(text),
    }
}

fn stream_line(one: &StreamActivity, text: &mut String) -> std::fmt::Result {
    let processors = one.software_processors.map_or_else(|| "-".to_owned(), |count| format!("{count:.2}"));
    writeln!(
        text,
        "{:<8}  {:<9}  {:<13}  {:>7.1}  {:>10.1}  {:>10}  {:>9.1}  {:>11}  {processors:>10}",
        one.name,
        one.partition,
        one.exploiter.name(),
        one.plain_mb_per_s,
        one.compressed_mb_per_s,
        one.requests,
        one.response_us,
        one.software.requests
    )
}
