//! The files of a machine: of the hosts' channels, and of the control unit.

use std::ops::Range;

use super::{CONTENTS_SEED, FcpHost, Machine};

/// Short time-outs of a host over FCP.
const HASTY: &str = "[fcp]\nrec_tov_ms = 100\nabort_timeout_ms = 400\n";

impl Machine {
    /// Returns the channel file of the host over FICON.
    #[must_use]
    pub fn channel_file(&self) -> String {
        let mut text = String::from("name = \"PROD1\"\nnode = \"50:05:07:64:00:00:00:01\"\n");
        if !self.is_grouped {
            text += "path_group = false\n";
        }
        text += &self.paths_of(self.ficon_paths());
        let read_share = f64::from(self.read_percent) / 100.0;
        text + &format!(
            "[[alias]]\nbase = \"00\"\naddresses = [\"80-83\"]\n[run]\nduration_s = 3600\nseed = {}\n\
             contents_seed = {CONTENTS_SEED}\n\
             [[stream]]\nname = \"s\"\ndevices = [\"00\"]\nprogram = {{ record_bytes = {}, records = {} }}\n\
             read_share = {read_share}\nprotocol = \"{}\"\nclosed = {{ jobs = {}, think_us = {} }}\n",
            self.seed,
            self.record_bytes,
            self.records,
            if self.is_transport { "transport" } else { "command" },
            self.jobs,
            self.think_us(),
        )
    }

    /// Returns the channel file of the host over FCP, if there is one.
    #[must_use]
    pub fn fcp_channel_file(&self) -> Option<String> {
        let host = self.fcp.as_ref()?;
        let mut text = String::from("name = \"LINUX1\"\nnode = \"50:05:07:64:00:00:00:02\"\n");
        text += &self.paths_of(self.fcp_paths());
        if host.is_hasty {
            text += HASTY;
        }
        Some(
            text + &format!(
                "[run]\nduration_s = 3600\nseed = {}\ncontents_seed = {CONTENTS_SEED}\n\
                 [[stream]]\nname = \"s\"\nprotocol = \"fcp\"\nluns = {:?}\nblock = \"{}\"\nread_share = {}\n\
                 closed = {{ jobs = {}, think_us = {} }}\n",
                self.seed,
                host.luns().collect::<Vec<_>>(),
                host.io_bytes,
                f64::from(self.read_percent) / 100.0,
                self.jobs,
                self.think_us() / u64::from(host.pace),
            ),
        )
    }

    fn think_us(&self) -> u64 {
        self.think.unwrap_or_default().as_ps() / 1_000_000
    }

    /// Returns the entries of these paths in a channel file.
    fn paths_of(&self, paths: Range<usize>) -> String {
        let mut text = String::new();
        for path in paths {
            text += &format!(
                "[[path]]\nchpid = \"4{path}\"\nconnect = \"127.0.0.1:1\"\n\
                 wwpn = \"50:05:07:64:00:00:00:4{path}\"\n"
            );
            if self.cascades[path].is_some() {
                text += &format!("control_unit_port = \"50:05:07:63:00:00:00:3{path}\"\n");
            }
        }
        text
    }

    /// Returns the control-unit file of the machine.
    #[must_use]
    pub fn control_unit_file(&self) -> String {
        let mut text = String::from("name = \"BOXA\"\nnode = \"50:05:07:63:00:00:00:01\"\n");
        for port in 0..self.paths() {
            text += &format!(
                "[[port]]\nid = \"003{port}\"\nlisten = \"127.0.0.1:322{port}\"\n\
                 wwpn = \"50:05:07:63:00:00:00:3{port}\"\n"
            );
            if self.fcp_paths().contains(&port) {
                text += "protocol = \"fcp\"\n";
            }
        }
        let write = if self.is_sync { "sync" } else { "writeback" };
        text += &format!(
            "[[logical_control_unit]]\ncuadd = \"00\"\n[[logical_control_unit.volume]]\nunit_address = \"00\"\n\
             file = \"a.ckd\"\nwrite = \"{write}\"\naliases = \"80-83\"\n"
        );
        let Some(host) = &self.fcp else { return text };
        for lun in host.luns() {
            text += &format!(
                "[[lun]]\nnumber = {lun}\nfile = \"{}\"\nwrite = \"{write}\"\nblock_bytes = {}\n",
                FcpHost::image(lun),
                host.block_bytes
            );
        }
        text
    }
}
