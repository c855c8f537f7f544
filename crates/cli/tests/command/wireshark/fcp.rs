//! Captures of FCP: every frame well formed, and every command paired with its response over decoded fields.
//!
//! The dissector of tshark 4.0 gives the frame of a command an exchange record of its own, so that it pairs nothing itself.

use std::collections::HashMap;
use std::fs::{self, File};

use halftrack_wire::choices::TRANSPORT_FRAME_PAYLOAD_BYTES;

use crate::wireshark::link::{ControlUnit, free_port, text};
use crate::wireshark::tshark::Tshark;

const IOS: usize = 200;

/// R_CTL of a command and of a response, as tshark shows them.
const COMMAND: &str = "0x06";
const RESPONSE: &str = "0x07";

fn serve(directory: &std::path::Path) -> ControlUnit {
    let port = free_port();
    File::create(directory.join("disk.img")).and_then(|file| file.set_len(4 << 20)).expect("a raw file");
    let control_unit = format!(
        "name = \"BOXA\"\nnode = \"50:05:07:63:00:00:00:01\"\n\
         [[port]]\nid = \"0030\"\nprotocol = \"fcp\"\nlisten = \"127.0.0.1:{port}\"\n\
         wwpn = \"50:05:07:63:00:00:00:30\"\n[[lun]]\nnumber = 0\nfile = \"disk.img\"\n"
    );
    let channel = format!(
        "name = \"PROD1\"\nnode = \"50:05:07:64:00:00:00:01\"\n\
         [[path]]\nchpid = \"40\"\nconnect = \"127.0.0.1:{port}\"\nwwpn = \"50:05:07:64:00:00:00:40\"\n\
         [run]\nios = {IOS}\n[[stream]]\nname = \"a\"\nprotocol = \"fcp\"\nluns = [0]\nblock = \"8K\"\n\
         read_share = 0.5\nclosed = {{ jobs = 4 }}\n"
    );
    fs::write(directory.join("control-unit.toml"), control_unit).expect("file");
    fs::write(directory.join("channel.toml"), channel).expect("file");
    ControlUnit::start(directory, "fcp.pcapng")
}

#[test]
fn every_command_has_one_response_and_nothing_is_malformed() {
    let root = tempfile::tempdir().expect("temporary directory");
    let capture = serve(root.path()).drive(&[]);
    assert!(fs::metadata(&capture).expect("a capture").len() > 0, "{}", text(&capture));
    let Some(tshark) = Tshark::on(&capture) else { return };
    tshark.assert_sound();
    let fields = ["fc.ox_id", "fc.r_ctl", "fc.s_id", "fc.d_id"];
    let filter = "fc.type == 8 && (fc.r_ctl == 0x06 || fc.r_ctl == 0x07)";
    let (mut open, mut commands, mut paired) = (HashMap::new(), 0, 0);
    for line in tshark.fields_of_frames(TRANSPORT_FRAME_PAYLOAD_BYTES, filter, &fields) {
        let found: Vec<&str> = line.split('\t').collect();
        let [ox_id, r_ctl, s_id, d_id] = found[..] else { panic!("{line}") };
        let key = |from: &str, to: &str| format!("{ox_id} {from} {to}");
        match r_ctl {
            COMMAND => {
                commands += 1;
                assert_eq!(open.insert(key(s_id, d_id), ()), None, "an id in use: {line}");
            }
            RESPONSE => {
                assert!(open.remove(&key(d_id, s_id)).is_some(), "a stray response: {line}");
                paired += 1;
            }
            other => panic!("R_CTL {other}"),
        }
    }
    assert!(commands >= IOS && commands == paired && open.is_empty(), "{commands} commands, {paired} paired");
    let count = |filter: &str| tshark.count(filter);
    assert!(
        count("scsi_sbc.opcode == 0x28") > 0 && count("scsi_sbc.opcode == 0x2a") > 0,
        "READ and WRITE (10)"
    );
    assert!(count("fcp.data_ro && fc.r_ctl == 5") > 0, "FCP_XFER_RDY");
}
