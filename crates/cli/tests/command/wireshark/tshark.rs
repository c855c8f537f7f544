//! tshark: its fields, and what it finds wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use halftrack_wire::choices::{COMMAND_FRAME_PAYLOAD_BYTES, TRANSPORT_FRAME_PAYLOAD_BYTES};
use halftrack_wire::fc_header::fc_type;

use crate::wireshark::captured::{Captured, CapturedSequence};
use crate::wireshark::tools::is_there;

/// How much larger frames are that no sequence is put together from: they would leave gaps.
const LARGER: u32 = 64;

/// A capture in front of tshark.
pub struct Tshark<'a> {
    capture: &'a Path,
}

impl<'a> Tshark<'a> {
    /// Sets it in front of `capture`; `None` where it is missing and need not be there.
    pub fn on(capture: &'a Path) -> Option<Self> {
        is_there("tshark").then_some(Self { capture })
    }

    /// Returns these fields of every frame that `filter` takes, a line each, apart by tabs. Sequences of command mode
    /// are put together from their frames.
    pub fn fields(&self, filter: &str, fields: &[&str]) -> Vec<String> {
        self.fields_of_frames(COMMAND_FRAME_PAYLOAD_BYTES, filter, fields)
    }

    /// Returns these fields, with sequences put together whose frames but the last carry so much payload, an option
    /// of tshark.
    pub fn fields_of_frames(&self, payload_bytes: u32, filter: &str, fields: &[&str]) -> Vec<String> {
        let mut command = Command::new("tshark");
        let size = format!("fc.max_frame_size:{payload_bytes}");
        command.args(["-o", &size, "-T", "fields", "-r"]).arg(self.capture);
        command.args(["-Y", filter]);
        for field in fields {
            command.args(["-e", field]);
        }
        let output = command.output().expect("tshark runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
    }

    /// Returns the number of frames that `filter` takes.
    pub fn count(&self, filter: &str) -> usize {
        self.fields(filter, &["frame.number"]).len()
    }

    /// Returns the numbers of the last frames of sequences of several frames, of one TYPE, that tshark puts together
    /// from frames of this size.
    pub fn reassembled(&self, payload_bytes: u32, fc_type: u8) -> Vec<usize> {
        let filter = format!("fc.type == {fc_type} && fc.reassembled == 1 && fc.seq_cnt > 0");
        let numbers = self.fields_of_frames(payload_bytes, &filter, &["frame.number"]);
        numbers.iter().map(|number| number.parse().expect("a number")).collect()
    }

    /// Asserts that tshark puts every sequence of several frames together and decodes it. It does at the size to
    /// which its protocol fills frames, and puts none together at a larger one.
    pub fn assert_reassembles(&self) {
        let sequences = Captured::read(self.capture).sequences();
        let of = |types: &[u8]| -> Vec<&CapturedSequence> {
            let is_long = |sequence: &&CapturedSequence| sequence.frames.len() > 1;
            sequences
                .iter()
                .filter(|sequence| types.contains(&sequence.header.fc_type))
                .filter(is_long)
                .collect()
        };
        let last = |sequences: &[&CapturedSequence]| -> Vec<usize> {
            sequences.iter().map(|sequence| sequence.frames.last().expect("a frame") + 1).collect()
        };
        for (fc_type, size) in [
            (fc_type::SB_CHANNEL, COMMAND_FRAME_PAYLOAD_BYTES),
            (fc_type::SB_CONTROL_UNIT, COMMAND_FRAME_PAYLOAD_BYTES),
            (fc_type::FCP, TRANSPORT_FRAME_PAYLOAD_BYTES),
        ] {
            let expected = last(&of(&[fc_type]));
            assert!(!expected.is_empty(), "no sequence of several frames of TYPE {fc_type:02X}");
            assert_eq!(self.reassembled(size, fc_type), expected, "TYPE {fc_type:02X} at {size}");
            assert_eq!(
                self.reassembled(size + LARGER, fc_type),
                [0; 0],
                "TYPE {fc_type:02X} at a larger size"
            );
        }
        self.assert_decodes(&of(&[fc_type::SB_CHANNEL, fc_type::SB_CONTROL_UNIT]));
    }

    /// Asserts that the dissector of SB-3 decodes information units of several frames: their data are as long as in
    /// their headers.
    fn assert_decodes(&self, sequences: &[&CapturedSequence]) {
        let filter = "fc.reassembled == 1 && fc.seq_cnt > 0 && fcsb3.databytecnt";
        let decoded = self.fields(filter, &["frame.number", "fcsb3.databytecnt", "data.len"]);
        let mut numbers = Vec::new();
        for line in &decoded {
            let fields: Vec<&str> = line.split('\t').collect();
            numbers.push(fields[0].parse::<usize>().expect("a number"));
            assert_ne!(fields[1], "0", "{line}");
        }
        let mut expected: Vec<usize> =
            sequences.iter().map(|sequence| sequence.frames.last().expect("a frame") + 1).collect();
        expected.sort_unstable();
        assert_eq!(numbers, expected, "decoded by the dissector of SB-3");
    }

    /// Asserts that both links of a capture, or more, have exchanges. Tshark takes no frame of one for part
    /// of an exchange of another. To tshark an exchange is its addresses and OX_ID, whatever the interface.
    pub fn assert_distinguished(&self, links: usize) {
        let fields = [
            "frame.number",
            "frame.interface_name",
            "fc.exchange_first_frame",
            "fc.s_id",
            "fc.d_id",
            "fc.ox_id",
        ];
        let mut first_on = BTreeMap::new();
        let mut exchanges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for line in self.fields("fc.type == 8 || fc.type == 0x1b || fc.type == 0x1c", &fields) {
            let fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
            let [number, interface, first, s_id, d_id, ox_id] = &fields[..] else { panic!("{line}") };
            let link = interface.rsplit_once(' ').map_or(interface.as_str(), |(link, _)| link).to_owned();
            // In transport mode tshark finds none.
            let first = if first.is_empty() || first == "0" { number } else { first };
            let of_first = first_on.entry(first.clone()).or_insert_with(|| link.clone());
            assert_eq!(*of_first, link, "frame {number} belongs to the exchange of frame {first}");
            let ports = BTreeSet::from([s_id, d_id]);
            exchanges.entry(format!("{ports:?} {ox_id}")).or_default().insert(link);
        }
        let seen: BTreeSet<&String> = exchanges.values().flatten().collect();
        assert_eq!(seen.len(), links, "{seen:?}");
        let shared = exchanges.iter().find(|(_, links)| links.len() > 1);
        assert_eq!(shared, None, "exchanges of {} by addresses and OX_ID", exchanges.len());
    }

    /// Asserts that every frame is well formed: CRC good, nothing malformed, no expert's note. One is expected: the fabric's ACC
    /// to FDISC goes to the address that it assigns, and tshark finds requests by address.
    pub fn assert_sound(&self) {
        let frames = self.count("fc");
        assert!(frames > 0, "no frames");
        assert_eq!(self.count("fc.crc.status == 1"), frames, "frames whose CRC is good");
        // At the size of one protocol, tshark takes those of the other for pieces with gaps between them.
        let mut notes = Vec::new();
        for (size, protocol) in
            [(COMMAND_FRAME_PAYLOAD_BYTES, "fc.type != 8"), (TRANSPORT_FRAME_PAYLOAD_BYTES, "fc.type == 8")]
        {
            let to_fdisc = "fc.s_id == ff.ff.fe && _ws.expert.message == \"No record of Exchange. Unable to decode ACC\"";
            let filter = format!("(_ws.malformed || _ws.expert && !({to_fdisc})) && {protocol}");
            notes.extend(self.fields_of_frames(size, &filter, &["frame.number", "_ws.expert.message"]));
        }
        assert!(notes.is_empty(), "{notes:?}");
    }
}
