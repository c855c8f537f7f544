//! Messages about files with several mistakes, every one as printed.

use std::fs;
use std::path::Path;

use halftrack_catalog::Catalog;
use halftrack_config::control_unit_file::WriteMode;
use halftrack_config::{LinkPlace, load, read_channel, read_control_unit, read_plant, read_workload};
use halftrack_input::{Diagnostic, SourceFile};

use crate::site::Site;

fn printed(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|one| format!("{one}\n")).collect()
}

#[test]
fn a_broken_plant() {
    let text = r#"
[cpc]
modle = "z16-max39"

[[lpar]]
name = "prod1"
cps = 0
zhpf = "yes"

[[card]]
type = "fex32s"
pchids = ["100", "10", 101]
link_gpbs = 16

[[cable]]
pchid = "100"
to = "11-20"

[[cable]]
pchid = "101"
to = "11.20"
km = -1

[[cable]]
pchid = "102"
to = "11.21"
km = 0.1

[[director]]
id = "11"
type = "director-32g"

[[director]]
id = "11"
type = "director-32g"

[[isl]]
from = "11.E0"
to = "11.E1"
km = 5

[[control_unit]]
name = "BOXA"
type = "ds8950"
volser = "toolong"

[[control_unit.port]]
id = "0030"
to = "11.21"

[[controlunit]]
name = "BOXB"
"#;
    let (plant, found) = read_plant(&SourceFile::new("plant.toml", text));
    assert!(plant.is_none());
    insta::assert_snapshot!(printed(&found));
}

#[test]
fn a_broken_workload() {
    let text = r#"
[run]
warmup_s = "0.1"
interval_s = 86400
intervals = 365
batches = 1
start = "yesterday"

[[stream]]
name = "A"
lpar = "PROD1"
devices = ["1000-0FFF", "4.1000"]
select = { zip = 0.9 }
program = { records = 0, block = "4k" }
read_share = 70
protocol = "zhpf"
closed = { jobs = 4 }
open = { rate_per_s = 5000 }

[[stream]]
name = "A"
lpar = "PROD1"
devices = []
select = "random"
program = { record_bytes = 4096, block = "4K" }
closed = { job = 4, think = "poisson" }

[[stream]]
name = "B"
lpar = "PROD1"
devices = ["1000"]
program = { block = "4K" }

[[event]]
at_s = 1
kind = "path-lost"
control_unit = "1000"
"#;
    let (_, found) = read_workload(&SourceFile::new("workload.toml", text));
    insta::assert_snapshot!(printed(&found));
}

#[test]
fn a_workload_that_is_not_toml() {
    let (workload, found) =
        read_workload(&SourceFile::new("workload.toml", "[run\nseed = 1\nseed == 2\nx = \"\n"));
    assert!(workload.is_none());
    insta::assert_snapshot!(printed(&found));
}

/// Returns the first TOML example of a documentation page.
fn example(page: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats").join(page);
    let text = fs::read_to_string(path).expect("documentation page");
    let (_, example) = text.split_once("```toml\n").expect("an example");
    example.split_once("```").expect("its end").0.to_owned()
}

#[test]
fn the_examples_of_the_documentation_are_right() {
    let (plant, found) = read_plant(&SourceFile::new("plant.md", example("plant.md")));
    assert_eq!((printed(&found).as_str(), plant.is_some()), ("", true));
    let (workload, found) = read_workload(&SourceFile::new("workload.md", example("workload.md")));
    assert_eq!((printed(&found).as_str(), workload.is_some()), ("", true));
}

#[test]
fn contradictions_between_three_files() {
    let site = Site::new()
        .deck("SYSTEM=(3931,1)", "SYSTEM=(8561,1)")
        .deck("PCHID=118", "PCHID=119")
        .deck("LINK=((CSS(0),1205)),CUADD=1", "LINK=((CSS(0),1306)),CUADD=1")
        .plant("name = \"PROD2\"", "name = \"PROD3\"")
        .workload("\"1000-100F\"", "\"1000-101F\"")
        .workload("chpid = \"0.41\"", "chpid = \"1.41\"");
    insta::assert_snapshot!(printed(&site.assemble().diagnostics));
}

#[test]
fn a_directory_that_is_no_study() {
    let (catalog, _) = Catalog::load(&[]);
    let dir = tempfile::tempdir().expect("temporary directory");
    let numbers = |found: &[Diagnostic]| found.iter().map(|one| one.number).collect::<Vec<_>>();
    let empty = load(dir.path(), &catalog);
    assert!(empty.diagnostics[0].message.contains("holds no study"));
    let nowhere = load(&dir.path().join("nowhere"), &catalog);
    assert!(nowhere.diagnostics[0].message.contains("is no directory"));
    assert_eq!(numbers(&empty.diagnostics), [900]);
    let site = Site::new();
    fs::write(dir.path().join("deck.iocp"), &site.deck).expect("deck");
    fs::write(dir.path().join("plant.toml"), "[cpc]\n").expect("plant");
    let partial = load(dir.path(), &catalog);
    assert!(partial.configuration.is_none());
    assert_eq!(numbers(&partial.diagnostics), [900, 893]);
    fs::write(dir.path().join("plant.toml"), &site.plant).expect("plant");
    fs::write(dir.path().join("workload.toml"), &site.workload).expect("workload");
    let whole = load(dir.path(), &catalog);
    assert_eq!(printed(&whole.diagnostics), "");
    assert!(whole.configuration.is_some());
}

#[test]
fn a_broken_channel() {
    let text = r#"
name = "PROD1"
node = "50:05:07:64:00:00:00"
cuadd = 256

[[path]]
chpid = "4"
connect = "127.0.0.1"
wwpn = "50:05:07:64:00:00:00:40"
credits = 0

[[path]]
chpid = "41"
connect = "127.0.0.1:3225"
wwpn = "50:05:07:64:00:00:00:41"
open_exchange = 64

[[path]]
chpid = "41"
connect = "127.0.0.1:3226"
wwpn = "50:05:07:64:00:00:00:41"
control_unit_port = "none"

[[alias]]
base = "00"
addresses = ["01-02", "02"]

[[alias]]
base = "01"
addresses = ["03"]

[run]
duration_s = 0
ios = -1
contents = "zeros"

[[stream]]
name = "oltp"
devices = ["01", "0100"]
lpar = "PROD1"
cylinders = "9-3"
program = { block = "4K" }
closed = { jobs = 0 }

[[stream]]
name = "oltp"
devices = ["00"]
program = { records = 2 }
hit_ratio = 0.9
"#;
    let (_, found) = read_channel(&SourceFile::new("channel.toml", text));
    insta::assert_snapshot!(printed(&found));
}

#[test]
fn a_channel_without_anything() {
    let (channel, found) = read_channel(&SourceFile::new("channel.toml", "[run]\n"));
    assert!(channel.is_none());
    insta::assert_snapshot!(printed(&found));
}

#[test]
fn a_small_channel_is_read() {
    let text = r#"
name = "PROD1"
node = "50:05:07:64:00:00:00:01"
[[path]]
chpid = "40"
connect = "localhost:3225"
wwpn = "50:05:07:64:00:00:00:40"
[[alias]]
base = "00"
addresses = ["80-82"]
[[stream]]
name = "oltp"
devices = ["00-01"]
cylinders = "1-20"
program = { block = "4K" }
closed = { jobs = 4 }
"#;
    let (channel, found) = read_channel(&SourceFile::new("channel.toml", text));
    assert_eq!(printed(&found), "");
    let channel = channel.unwrap();
    assert_eq!((channel.channel_image, channel.control_unit_image, channel.paths.len()), (1, 0, 1));
    assert_eq!((channel.paths[0].chpid, channel.paths[0].credits), (0x40, 90));
    assert_eq!(channel.aliases.keys().copied().collect::<Vec<_>>(), [0x80, 0x81, 0x82]);
    assert_eq!(channel.streams[0].stream.devices, [0, 1]);
    assert_eq!(channel.streams[0].cylinders.map(|range| range.to_string()).as_deref(), Some("1-20"));
    assert_eq!(channel.run.duration.map(|duration| duration.as_s_f64()), Some(10.0));
}

#[test]
fn a_broken_control_unit() {
    let text = r#"
name = "B"
node = "50:05:07:63:00:00:00:01"
first_transfer_kib = 6

[descriptor]
type = "2107"

[[port]]
id = "30"
listen = "localhost:3225"
wwpn = "50:05:07:63:00:00:00:30"

[[port]]
id = "0031"
listen = "0.0.0.0:3226"
wwpn = "50:05:07:63:00:00:00:30"
credits = 40000
host = ["50:05:07:64:00:00:00:40"]

[[port]]
id = "0031"
listen = "3226"
connect = "127.0.0.1:3230"
wwpn = "50:05:07:63:00:00:00:32"
hosts = ["50:05:07:64:00:00:00"]

[[logical_control_unit]]
cuadd = "0"

[[logical_control_unit]]
cuadd = "00"
[[logical_control_unit.volume]]
unit_address = "00"
file = "work01.ckd"
write = "no"
aliases = "80-9F,00"
[[logical_control_unit.volume]]
unit_address = "100"
file = "work01.ckd"
"#;
    let (_, found) = read_control_unit(&SourceFile::new("control-unit.toml", text));
    insta::assert_snapshot!(printed(&found));
}

#[test]
fn a_small_control_unit_is_read() {
    let text = r#"
name = "BOXA"
node = "50:05:07:63:00:00:00:01"
listen_beyond_this_host = true
[[port]]
id = "003f"
listen = "0.0.0.0:3225"
wwpn = "50:05:07:63:00:00:00:30"
[[port]]
id = "0031"
listen = "3226"
wwpn = "50:05:07:63:00:00:00:31"
hosts = ["50:05:07:64:00:00:00:40"]
[[port]]
id = "0032"
connect = "switch.example:3230"
wwpn = "50:05:07:63:00:00:00:32"
[[logical_control_unit]]
cuadd = "0A"
[[logical_control_unit.volume]]
unit_address = "01"
file = "work01.ckd"
aliases = "80-81, FF"
[[logical_control_unit.volume]]
unit_address = "02"
file = "work02.cckd"
write = "inhibited"
"#;
    let (unit, found) = read_control_unit(&SourceFile::new("control-unit.toml", text));
    assert_eq!(printed(&found), "");
    let unit = unit.unwrap();
    assert_eq!((unit.iu_pacing, unit.first_transfer_bytes, unit.ports[0].id.as_str()), (64, 65_536, "003F"));
    assert_eq!(unit.ports[1].place, LinkPlace::Listen("127.0.0.1:3226".parse().unwrap()));
    assert_eq!(unit.ports[2].place, LinkPlace::Connect("switch.example:3230".to_owned()));
    assert_eq!(
        unit.ports.iter().map(|port| port.hosts.as_ref().map(Vec::len)).collect::<Vec<_>>(),
        [None, Some(1), None]
    );
    let [lcu] = &unit.logical_control_units[..] else { panic!("one logical control unit") };
    assert_eq!(
        (lcu.image, lcu.volumes[0].unit_address, &lcu.volumes[0].aliases[..]),
        (0x0A, 1, &[0x80, 0x81, 0xFF][..])
    );
    assert_eq!(
        lcu.volumes.iter().map(|volume| volume.write).collect::<Vec<_>>(),
        [WriteMode::Sync, WriteMode::Inhibited]
    );
}
