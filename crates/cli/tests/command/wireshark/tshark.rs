//! tshark: its fields, and what it finds wrong.

use std::path::Path;
use std::process::Command;

use crate::wireshark::tools::is_there;

/// A capture in front of tshark.
pub struct Tshark<'a> {
    capture: &'a Path,
}

impl<'a> Tshark<'a> {
    /// Sets it in front of `capture`; `None` where it is missing and need not be there.
    pub fn on(capture: &'a Path) -> Option<Self> {
        is_there("tshark").then_some(Self { capture })
    }

    /// These fields of every frame that `filter` takes, a line each, apart by tabs.
    pub fn fields(&self, filter: &str, fields: &[&str]) -> Vec<String> {
        let mut command = Command::new("tshark");
        // Frames of a sequence are put together when tshark knows how much each but the last carries.
        command.args(["-o", "fc.max_frame_size:2112", "-T", "fields", "-r"]).arg(self.capture);
        command.args(["-Y", filter]);
        for field in fields {
            command.args(["-e", field]);
        }
        let output = command.output().expect("tshark runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
    }

    /// How many frames `filter` takes.
    pub fn count(&self, filter: &str) -> usize {
        self.fields(filter, &["frame.number"]).len()
    }

    /// Asserts that every frame is well formed: CRC good, nothing malformed, no expert's note.
    pub fn assert_sound(&self) {
        let frames = self.count("fc");
        assert!(frames > 0, "no frames");
        assert_eq!(self.count("fc.crc.status == 1"), frames, "frames whose CRC is good");
        let notes = self.fields("_ws.malformed || _ws.expert", &["frame.number", "_ws.expert.message"]);
        assert!(notes.is_empty(), "{notes:?}");
    }
}
