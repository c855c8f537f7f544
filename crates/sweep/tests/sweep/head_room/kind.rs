//! Studies that each fill something else first.

use std::path::Path;
use std::sync::Arc;

use halftrack_config::StudyFiles;
use halftrack_input::SourceFile;

/// A study of the repository with other streams, and the station or pool that it fills first.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Its name.
    pub expected: &'static str,
    study: &'static str,
    /// Text of the plant that is replaced.
    plant: &'static [(&'static str, &'static str)],
    /// Text of the deck that is replaced.
    deck: &'static [(&'static str, &'static str)],
    /// Partition and devices of each stream.
    streams: &'static [(&'static str, &'static str)],
    /// Program, protocol and mix, as a workload has them.
    program: &'static str,
    /// I/Os a second of all streams, at which nothing is nearly full.
    pub rate_per_s: f64,
}

/// One channel with four host-adapter ports; and the devices behind it.
const ONE_CHANNEL: &str = "published/fex32s-one-channel";
const FOUR_PORTS: &str = "\"1000-103F\", \"1100-113F\", \"1200-123F\", \"1300-133F\"";
/// Devices behind the second channel of its card.
const FOUR_MORE_PORTS: &str = "\"1400-143F\", \"1500-153F\", \"1600-163F\", \"1700-173F\"";
/// Two channels, and 100 km between the directors.
const DISTANT: &str = "published/fex32s-100km";
/// Four partitions and channels that SAPs do not fill.
const MAX39: &str = "published/sap-z16-max39";
const LP01: &str = "\"0000-007F\", \"0500-057F\", \"0A00-0A7F\", \"0F00-0F7F\", \"1000-107F\", \"1500-157F\", \"1A00-1A7F\", \"1F00-1F7F\"";
const LP02: &str = "\"0100-017F\", \"0400-047F\", \"0B00-0B7F\", \"0E00-0E7F\", \"1100-117F\", \"1400-147F\", \"1B00-1B7F\", \"1E00-1E7F\"";

const READS_4K: &str = "program = { block = \"4K\" }\nhit_ratio = 1.0\n";
const COMMAND: &str = "program = { block = \"4K\" }\nhit_ratio = 1.0\nprotocol = \"command\"\n";

/// A channel processor.
const CHANNEL: Kind = Kind {
    expected: "channel CSS0.40 processor",
    study: ONE_CHANNEL,
    plant: &[],
    deck: &[],
    streams: &[("PROD1", FOUR_PORTS)],
    program: READS_4K,
    rate_per_s: 60_000.0,
};

impl Kind {
    /// Returns every one.
    pub fn all() -> Vec<Self> {
        [Self::of_paths(), Self::pools(), Self::of_images_and_boxes()].concat()
    }

    fn of_paths() -> Vec<Self> {
        let port = Self {
            expected: "port BOXA 0030 processor",
            deck: &[
                ("LINK=((CSS(0),05))", "LINK=((CSS(0),04))"),
                ("LINK=((CSS(0),06))", "LINK=((CSS(0),04))"),
                ("LINK=((CSS(0),07))", "LINK=((CSS(0),04))"),
            ],
            program: COMMAND,
            rate_per_s: 6_000.0,
            ..CHANNEL
        };
        let isl = Self {
            expected: "link 12.F0 > 11.F0",
            study: DISTANT,
            plant: &[("km = 100\ncredits = 1690", "km = 0.1\ngbps = 8\ncredits = 1000")],
            streams: &[("PROD1", FOUR_PORTS), ("PROD1", FOUR_MORE_PORTS)],
            program: "program = { block = \"4K\", records = 32 }\nhit_ratio = 1.0\n",
            rate_per_s: 2_000.0,
            ..CHANNEL
        };
        let card = Self {
            expected: "card PCHID 100 bus",
            study: "published/fex32s-card",
            streams: &[("PROD1", FOUR_PORTS), ("PROD1", FOUR_MORE_PORTS)],
            program: "program = { block = \"4K\", records = 32 }\nhit_ratio = 1.0\nread_share = 0.5\n",
            rate_per_s: 12_000.0,
            ..CHANNEL
        };
        let escon = Self {
            expected: "channel CSS0.40 path",
            study: "published/escon-one-channel",
            streams: &[("PROD1", "\"1000-103F\"")],
            program: "program = { block = \"4K\", positioning = \"define-extent\" }\nhit_ratio = 1.0\nprotocol = \"command\"\n",
            rate_per_s: 400.0,
            ..CHANNEL
        };
        vec![CHANNEL, port, isl, card, escon]
    }

    fn pools() -> Vec<Self> {
        let credits = Self {
            expected: "link 12.F0 > 11.F0 credits",
            study: DISTANT,
            streams: &[("PROD1", FOUR_PORTS), ("PROD1", FOUR_MORE_PORTS)],
            plant: &[("credits = 1690", "credits = 500\ngbps = 8")],
            program: READS_4K,
            rate_per_s: 40_000.0,
            ..CHANNEL
        };
        let exchanges = Self {
            expected: "channel CSS0.40 open exchanges in command mode",
            study: DISTANT,
            plant: &[("credits = 1690", "credits = 30000"), ("km = 100\n", "km = 400\n")],
            streams: &[("PROD1", FOUR_PORTS)],
            program: COMMAND,
            rate_per_s: 5_000.0,
            ..CHANNEL
        };
        let base = Self {
            expected: "lpar PROD1 device 1000 base",
            streams: &[("PROD1", "\"1000\"")],
            rate_per_s: 3_000.0,
            ..CHANNEL
        };
        let aliases = Self {
            expected: "lpar PROD1 LCU 1000 aliases",
            plant: &[("hyperpav = \"NO\"", "hyperpav = \"YES\"")],
            deck: &[(
                "IODEVICE ADDRESS=(1000,064),CUNUMBR=(1000),STADET=Y,UNIT=3390B",
                "IODEVICE ADDRESS=(1000,064),CUNUMBR=(1000),STADET=Y,UNIT=3390B\n         \
                 IODEVICE ADDRESS=(1080,003),CUNUMBR=(1000),STADET=Y,UNIT=3390A",
            )],
            streams: &[("PROD1", "\"1000-1001\""), ("PROD1", "\"1002\"")],
            rate_per_s: 8_000.0,
            ..CHANNEL
        };
        vec![credits, exchanges, base, aliases]
    }

    fn of_images_and_boxes() -> Vec<Self> {
        let saps = Self {
            expected: "IOPs",
            study: MAX39,
            streams: &[("LP01", LP01), ("LP02", LP02)],
            rate_per_s: 600_000.0,
            ..CHANNEL
        };
        let serial = Self {
            expected: "lpar LP01 serial part",
            streams: &[("LP01", LP01)],
            rate_per_s: 400_000.0,
            ..saps
        };
        let cps = Self {
            expected: "lpar LP01 CPs",
            plant: &[("name = \"LP01\"\ncps = 9", "name = \"LP01\"\ncps = 2")],
            rate_per_s: 150_000.0,
            ..serial
        };
        let staging = Self {
            expected: "staging BOXA",
            program: "program = { block = \"4K\" }\nhit_ratio = 0.0\n",
            rate_per_s: 50_000.0,
            ..CHANNEL
        };
        vec![saps, serial, cps, staging]
    }

    /// Returns the study at `rate_per_s` of all streams, measured for as long as `ios` take.
    pub fn files(&self, rate_per_s: f64, ios: f64) -> StudyFiles {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies").join(self.study);
        let mut files = StudyFiles::read(&directory).expect("a study of the repository");
        files.plant = replaced("plant.toml", &files.plant.text, self.plant);
        files.deck = replaced("deck.iocp", &files.deck.text, self.deck);
        let of_each_per_s = rate_per_s / self.streams.len() as f64;
        let interval_s = ios / rate_per_s;
        let mut workload = format!(
            "[run]\nwarmup_s = {:?}\ninterval_s = {interval_s:?}\nintervals = 1\nseed = 1\n",
            interval_s / 5.0
        );
        for (place, (lpar, devices)) in self.streams.iter().enumerate() {
            workload += &format!(
                "\n[[stream]]\nname = \"S{place}\"\nlpar = \"{lpar}\"\ndevices = [{devices}]\n{}\
                 open = {{ rate_per_s = {of_each_per_s:?} }}\n",
                self.program
            );
        }
        files.workload = SourceFile::new("workload.toml", workload);
        files
    }
}

/// Returns the file `name` of the text `text` with every replacement made.
fn replaced(name: &str, text: &str, replacements: &[(&str, &str)]) -> Arc<SourceFile> {
    let replace = |text: String, (from, to): &(&str, &str)| {
        assert!(text.contains(from), "{name} has no {from}");
        text.replace(from, to)
    };
    SourceFile::new(name, replacements.iter().fold(text.to_owned(), replace))
}
