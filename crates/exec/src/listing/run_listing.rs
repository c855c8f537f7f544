//! A run in lines.

use crate::disassembly::data_words::hexadecimal;
use crate::listing::dump::dump;
use crate::run::ipl::Ipl;
use crate::run::record::{Ending, Moved, Report, StepRecord, TraceKind, TraceRecord};

/// Octets of a run of data that a trace shows.
const SHOWN: usize = 32;
/// Octets of loaded storage that are shown of each run.
const LOADED_SHOWN: usize = 256;

/// Returns the listing of functions, endings and shown data; the trace where there is one.
pub fn run_listing(report: &Report) -> String {
    report.steps.iter().map(step).collect()
}

/// Returns a load: its chain, the PSW, and what lies in storage.
pub fn ipl_listing(ipl: &Ipl) -> String {
    let mut text = run_listing(&ipl.report);
    text += &format!("PSW {}: {}\n", hexadecimal(&ipl.psw.0), ipl.psw_words);
    for loaded in &ipl.loaded {
        let octets = &loaded.octets.0;
        let end = loaded.address + octets.len() as u64;
        text += &format!("{} bytes at {:08X}-{:08X}\n", octets.len(), loaded.address, end - 1);
        text += &dump(loaded.address, &octets[..octets.len().min(LOADED_SHOWN)]);
    }
    text
}

fn step(step: &StepRecord) -> String {
    let mut text = format!("line {}: {}", step.line, step.function);
    match step.condition_code {
        Some(0) | None => text += "\n",
        Some(code) => text += &format!(", condition code {code}\n"),
    }
    for record in &step.trace {
        text += &trace(record);
    }
    if step.trace_left_out > 0 {
        text += &format!("  {} more are not shown\n", step.trace_left_out);
    }
    if let Some(ending) = &step.ending {
        text += &ending_lines(ending, !step.trace.is_empty());
    }
    for shown in step.shown.iter().filter(|shown| shown.file.is_none()) {
        text += &format!("  {} bytes at {:08X}\n", shown.octets.0.len(), shown.address);
        text += &dump(shown.address, &shown.octets.0);
    }
    text
}

fn trace(record: &TraceRecord) -> String {
    let place = match (&record.kind, record.address) {
        (TraceKind::Dcw, Some(offset)) => format!("   +{offset:04X}"),
        (_, Some(address)) => format!("{address:08X}"),
        (_, None) => " ".repeat(8),
    };
    let octets: Vec<String> = record.octets.0.chunks(4).map(hexadecimal).collect();
    let mut text = match record.kind {
        TraceKind::Ccw => format!("  {place}  {:<17}  {}\n", octets.join(" "), record.text),
        TraceKind::Suspended | TraceKind::Operation => format!("  {place}  {}\n", record.text),
        TraceKind::Tcw | TraceKind::Tccb | TraceKind::Dcw | TraceKind::Tidaw => {
            let hex: String =
                octets.chunks(8).map(|row| format!("            {}\n", row.join(" "))).collect();
            format!("  {place}  {}\n{hex}", record.text)
        }
    };
    if let Some(parameters) = &record.parameters {
        text += &format!("            {parameters}\n");
    }
    for run in &record.moved {
        text += &moved(run);
    }
    if let Some(ending) = &record.ending {
        let mut parts = vec![ending.device_status.clone()];
        parts.extend(ending.channel_found.clone());
        parts.push(format!("{} bytes moved", ending.moved_bytes));
        if let Some(bytes) = ending.device_bytes.filter(|bytes| *bytes != ending.moved_bytes) {
            parts.push(format!("{bytes} at the device"));
        }
        text += &format!("            {}\n", parts.join("; "));
    }
    text
}

fn moved(run: &Moved) -> String {
    let way = match run.direction {
        "output" => "from",
        "input" => "to",
        _ => "skipped, not stored to",
    };
    let last = run.address.saturating_add(run.bytes).saturating_sub(1);
    let octets = &run.octets.0[..run.octets.0.len().min(SHOWN)];
    let groups: Vec<String> = octets.chunks(4).map(hexadecimal).collect();
    let more = if run.bytes > octets.len() as u64 { " ..." } else { "" };
    format!(
        "            {} bytes {way} {:08X}-{last:08X}: {}{more}\n",
        run.bytes,
        run.address,
        groups.join(" ")
    )
}

fn ending_lines(ending: &Ending, whole: bool) -> String {
    let mut text = format!("  {}\n", ending.summary);
    if let Some(interrogation) = &ending.interrogation {
        text += &format!("  interrogation {interrogation}\n");
    }
    if let Some(sense) = &ending.sense_words {
        text += &format!("  sense: {sense}\n");
    }
    if let Some(sense) = &ending.sense {
        let groups: Vec<String> = sense.0.chunks(4).map(hexadecimal).collect();
        text += &format!("         {}\n", groups.join(" "));
    }
    if whole {
        let what = if ending.mode == "command" { "CCW" } else { "TCW" };
        text += &format!("  {what} address {:08X}; last path {:02X}", ending.address, ending.last_path);
        if let Some(offset) = ending.dcw_offset {
            text += &format!("; DCW offset {offset}");
        }
        text += &format!(
            "\n  function {}; activity {}; status {}\n",
            ending.function_control, ending.activity_control, ending.status_control
        );
        let irb = &ending.irb.0;
        for (at, row) in irb.chunks(32).enumerate() {
            let groups: Vec<String> = row.chunks(4).map(hexadecimal).collect();
            text += &format!("  {} {}\n", if at == 0 { "IRB" } else { "   " }, groups.join(" "));
        }
    }
    text
}
