//! `workload.toml` of a study.

use std::fmt::Write;

use crate::header::header;
use crate::layout::Layout;
use crate::request::Load;

/// Virtual time before and in the one interval that is measured: enough for hundreds of I/Os of every job.
const WARMUP_S: f64 = 0.01;
const INTERVAL_S: f64 = 0.1;
/// Ranges of devices on a line.
const RANGES_PER_LINE: usize = 8;

/// Returns the workload.
pub fn workload_text(layout: &Layout<'_>) -> String {
    let mut workload = header(layout, '#', &words(layout));
    let seed = layout.request.seed;
    let _ = writeln!(
        workload,
        "[run]\nwarmup_s = {WARMUP_S}\ninterval_s = {INTERVAL_S}\nintervals = 1\nseed = {seed}"
    );
    (0..layout.partitions.len()).for_each(|at| stream(layout, at, &mut workload));
    workload
}

/// Returns words on the effect of the load on the IOP threads.
fn words(layout: &Layout<'_>) -> String {
    let (threads, thread_us) = (layout.equipment.iop_threads(), layout.equipment.thread_us());
    let own = "Each partition has devices of its own.";
    match layout.load {
        Load::Jobs(jobs) if jobs >= threads => {
            let until = f64::from(jobs) * thread_us / f64::from(threads);
            format!(
                "{own} {jobs} jobs, each with one I/O at a time: {threads} IOP threads, busy {thread_us:.3} us for each I/O, \
                 are never idle as long as an I/O takes less than {until:.0} us in all."
            )
        }
        Load::Jobs(jobs) => format!("{own} {jobs} jobs, each with one I/O at a time."),
        Load::Rate(rate) => {
            let busy = rate * thread_us / 1e4 / f64::from(threads);
            format!(
                "{own} {rate} I/Os a second keep {threads} IOP threads, busy {thread_us:.3} us for each, busy {busy:.1} %."
            )
        }
    }
}

fn stream(layout: &Layout<'_>, at: usize, workload: &mut String) {
    let number = |device: u32| format!("{device:04X}");
    let ranges: Vec<_> = layout.shares[at]
        .iter()
        .map(|&(first, last)| match first == last {
            true => format!("\"{}\"", number(first)),
            false => format!("\"{}-{}\"", number(first), number(last)),
        })
        .collect();
    let lines: Vec<_> = ranges.chunks(RANGES_PER_LINE).map(|line| line.join(", ")).collect();
    let devices = match lines.as_slice() {
        [one] => format!("[{one}]"),
        several => format!("[\n  {},\n]", several.join(",\n  ")),
    };
    let count = layout.partitions.len();
    let load = match layout.load {
        Load::Jobs(jobs) => {
            let part = |at: usize| u64::from(jobs) * at as u64 / count as u64;
            format!("closed = {{ jobs = {} }}", part(at + 1) - part(at))
        }
        Load::Rate(rate) => format!("open = {{ rate_per_s = {} }}", rate / count as f64),
    };
    let _ = writeln!(
        workload,
        "\n[[stream]]\nname = \"S{:02}\"\nlpar = \"{}\"\ndevices = {devices}\nprogram = {{ {} }}\n{load}",
        at + 1,
        layout.partitions[at].name,
        layout.request.block.program()
    );
}
