//! The largest resident memory of this process so far.

use std::fs;

/// Returns the peak resident set size, bytes; `None` on systems without it (`VmHWM` of Linux's `/proc/self/status`,
/// proc(5)).
pub fn peak_rss_bytes() -> Option<u64> {
    parse(&fs::read_to_string("/proc/self/status").ok()?)
}

/// Returns the value of the line `VmHWM: 12345 kB`, bytes; proc's kB are 1024 bytes.
fn parse(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_found_and_read() {
        assert_eq!(parse("Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n"), Some(2_097_152));
        for wrong in ["", "VmRSS:\t 1 kB", "VmHWM:\t 1 MB", "VmHWM:\t kB", "VmHWM:\t 99999999999999999999 kB"]
        {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_some_memory() {
        assert!(peak_rss_bytes().is_some_and(|bytes| bytes > 100_000));
    }
}
