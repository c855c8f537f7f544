//! SCSI logical units over FCP: what they become, and the messages about impossible ones.

use halftrack_config::{Configuration, ProtocolChoice, read_plant, read_workload};
use halftrack_input::messages::{study as numbers, toml_file};
use halftrack_input::{Diagnostic, SourceFile};

use crate::site::{Site, only};

const CHPID: &str = "         CHPID PATH=(CSS(0),70),SHARED,PCHID=119,TYPE=FCP";
const DEVICES: &str = "         CNTLUNIT CUNUMBR=7000,PATH=((CSS(0),70)),UNIT=FCP
         IODEVICE ADDRESS=(7000,008),CUNUMBR=(7000),UNIT=FCP
";
const CABLE: &str = "[[cable]]\npchid = \"119\"\nto = \"11.21\"\nkm = 0.1\n\n";
const SETS: &str = r#"
[[control_unit]]
name = "BOXC"
type = "scsi-2023"

[[control_unit.port]]
id = "0030"
protocol = "fcp"
to = "11.06"
km = 0.1

[[control_unit.port]]
id = "0100"
protocol = "fcp"
to = "12.06"
km = 0.1

[[control_unit.port]]
id = "0200"
to = "11.07"
km = 0.1

[[control_unit.luns]]
name = "DATA"
range = "0010-004F"
devices = ["7000-7001"]
queue_depth = 16

[[control_unit.luns]]
name = "LOGS"
range = "0000"
devices = ["7002"]
ports = ["0100"]
"#;
const STREAM: &str = r#"
[[stream]]
name = "LINUX"
lpar = "PROD1"
luns = ["DATA"]
program = { block = "4K" }
closed = { jobs = 8 }
"#;

/// Creates a site with an FCP channel, PCHID 119, beside a FICON channel of its card. It reaches one port of a box over its
/// director and one over the inter-switch link.
fn site() -> Site {
    let mut site = Site::new()
        .deck("PCHID=114,TYPE=OSD", &format!("PCHID=114,TYPE=OSD\n{CHPID}"))
        .plant("pchids = [\"118\"]", "pchids = [\"118\", \"119\"]")
        .plant("[[director]]\nid = \"11\"", &format!("{CABLE}[[director]]\nid = \"11\""));
    site.deck += DEVICES;
    site.plant += SETS;
    site.workload += STREAM;
    site
}

/// Returns the names of the ports that the paths of set `name` lead to, each with its FCP subchannel.
fn paths(configuration: &Configuration, name: &str) -> Vec<(String, u16)> {
    let lcus = configuration.lcus.iter();
    let mut sets = lcus.filter_map(|lcu| Some((lcu, lcu.luns.as_ref().filter(|luns| luns.name == name)?)));
    let (lcu, luns) = sets.next().expect("the set is used");
    let [group] = &lcu.path_groups[..] else { panic!("{lcu:?}") };
    let port = |port: u32| configuration.ports[port as usize].name.clone();
    group.paths.iter().map(|path| port(path.port)).zip(luns.subchannels.iter().copied()).collect()
}

/// Checks that `found` is one message with that number and those words.
#[track_caller]
fn one_of(found: &[Diagnostic], number: u16, words: &str) {
    let [one] = found else { panic!("{found:#?}") };
    assert!(one.number == number && one.message.contains(words), "{one}");
}

/// Checks that the plant of `site`, by itself, has one message.
#[track_caller]
fn in_plant(site: Site, number: u16, words: &str) {
    one_of(&read_plant(&SourceFile::new("plant.toml", site.plant)).1, number, words);
}

/// Checks that the workload of `site`, by itself, has one message.
#[track_caller]
fn in_workload(site: Site, number: u16, words: &str) {
    one_of(&read_workload(&SourceFile::new("workload.toml", site.workload)).1, number, words);
}

#[test]
fn logical_units_are_devices_over_every_subchannel_and_port() {
    let configuration = site().configuration();
    let stream = configuration.streams.iter().find(|one| one.name == "LINUX").expect("it is there");
    assert_eq!(stream.protocol, ProtocolChoice::Fcp);
    let units: Vec<_> =
        stream.devices.iter().map(|device| &configuration.devices[*device as usize]).collect();
    assert_eq!((units.len(), units[0].number, units[63].number), (64, 0x10, 0x4F));
    assert_eq!(
        (units[63].unit_address, units[0].device_type.as_str(), units[0].zhyperlink.read),
        (63, "SCSI", false)
    );
    let lcu = &configuration.lcus[units[0].lcu as usize];
    assert_eq!((lcu.number, lcu.aliases), (0x7000, 64 * 15));
    assert_eq!(lcu.luns.as_ref().map(|luns| luns.queue_depth), Some(16));
    let both = ["BOXC 0030", "BOXC 0100"];
    let expected = [0x7000, 0x7001].map(|device| both.map(|port| (port.to_owned(), device))).concat();
    assert_eq!(paths(&configuration, "DATA"), expected);
    let hops: Vec<_> =
        lcu.path_groups[0].paths.iter().map(|path| (path.outbound.len(), path.inbound.len())).collect();
    assert_eq!(hops, [(2, 2), (3, 3), (2, 2), (3, 3)]);
    let channels: Vec<_> = configuration.channels.iter().filter(|one| one.hardware.fcp.is_some()).collect();
    let [channel] = channels[..] else { panic!("{channels:?}") };
    assert_eq!((channel.chpid, channel.hardware.command), (0x70, Default::default()));
    assert!(
        configuration.lcus.iter().all(|lcu| lcu.luns.as_ref().is_none_or(|luns| luns.name != "LOGS")),
        "no stream uses it"
    );
}

#[test]
fn a_set_may_be_on_some_ports_alone_and_without_a_depth_is_as_deep_as_in_linux() {
    let both = site().workload("luns = [\"DATA\"]", "luns = [\"DATA\", \"LOGS\"]").configuration();
    assert_eq!(paths(&both, "LOGS"), [("BOXC 0100".to_owned(), 0x7002)]);
    let depths: Vec<_> =
        both.lcus.iter().filter_map(|lcu| lcu.luns.as_ref()).map(|luns| luns.queue_depth).collect();
    assert_eq!(depths, [16, 32]);
    let stream = both.streams.iter().find(|one| one.name == "LINUX").expect("it is there");
    assert_eq!(stream.devices.len(), 65);
}

#[test]
fn the_order_of_ports_sets_and_devices_is_nothing() {
    let port = "[[control_unit.port]]\nid = \"0030\"\nprotocol = \"fcp\"\nto = \"11.06\"\nkm = 0.1\n\n";
    let set = "[[control_unit.luns]]\nname = \"LOGS\"\nrange = \"0000\"\ndevices = [\"7002\"]\nports = [\"0100\"]\n";
    let base = site().workload("luns = [\"DATA\"]", "luns = [\"DATA\", \"LOGS\"]");
    let other = site()
        .plant(port, "")
        .plant("[[control_unit.port]]\nid = \"0200\"", &format!("{port}[[control_unit.port]]\nid = \"0200\""))
        .plant(set, "")
        .plant(
            "[[control_unit.luns]]\nname = \"DATA\"",
            &format!("{set}\n[[control_unit.luns]]\nname = \"DATA\""),
        )
        .plant("[\"7000-7001\"]", "[\"7001\", \"7000-7001\"]")
        .workload("luns = [\"DATA\"]", "luns = [\"LOGS\", \"DATA\"]");
    assert_eq!(other.configuration(), base.configuration());
}

#[test]
fn a_set_is_known_by_its_one_name() {
    let unknown = site().workload("luns = [\"DATA\"]", "luns = [\"DATE\"]");
    let found = unknown.assemble().diagnostics;
    one_of(&found, numbers::NO_DEVICE, "stream LINUX uses logical units DATE, which no box has");
    assert_eq!(found[0].fix.as_deref(), Some("did you mean `DATA`?"));
    in_plant(site().plant("\"LOGS\"", "\"DATA\""), toml_file::NAMED_TWICE, "set of logical units DATA");
}

#[test]
fn the_subchannels_of_a_set_are_fcp_devices_of_the_deck() {
    only(site().plant("7000-7001", "7006-7009"), numbers::NO_DEVICE, "7008 is no FCP device of the deck");
    only(site().plant("7000-7001", "6000"), numbers::NO_DEVICE, "6000 is no FCP device of the deck");
    let elsewhere = site().deck("PATH=((CSS(0),70)),UNIT=FCP", "PATH=((CSS(0),60)),UNIT=FCP");
    only(elsewhere, numbers::OTHER_PROTOCOL, "is on CHPID 60 of type OSD");
}

#[test]
fn a_partition_uses_the_subchannels_that_it_has_access_to() {
    let all = [0x7000, 0x7000, 0x7001, 0x7001];
    let of =
        |site: Site| paths(&site.configuration(), "DATA").into_iter().map(|path| path.1).collect::<Vec<_>>();
    assert_eq!(of(site()), all);
    let denied = "TEST1 has no access to an FCP device of DATA";
    let of_prod1 = || {
        site().deck(
            "CUNUMBR=(7000),UNIT=FCP",
            "CUNUMBR=(7000),*\n               PARTITION=((CSS(0),PROD1)),UNIT=FCP",
        )
    };
    let by_test1 = |site: Site| site.workload("lpar = \"PROD1\"\nluns", "lpar = \"TEST1\"\nluns");
    assert_eq!(of(of_prod1()), all);
    only(by_test1(of_prod1()), numbers::NO_ACCESS, denied);
    let own_channel = || {
        site().deck(
            "SHARED,PCHID=119,TYPE=FCP",
            "PARTITION=((CSS(0),(PROD1),(PROD1))),*\n               PCHID=119,TYPE=FCP",
        )
    };
    assert_eq!(of(own_channel()), all);
    only(by_test1(own_channel()), numbers::NO_ACCESS, denied);
    let elsewhere = site().workload("lpar = \"PROD1\"\nluns", "lpar = \"PROD2\"\nluns");
    only(elsewhere, numbers::NO_ACCESS, "PROD2 has no access to an FCP device of DATA");
}

#[test]
fn what_several_partitions_are_told_alike_is_told_once() {
    let mut both = site().plant("7000-7001", "7010");
    both.workload += &STREAM.replace("LINUX", "OTHER").replace("PROD1", "TEST1");
    only(both, numbers::NO_DEVICE, "7010 is no FCP device of the deck");
}

#[test]
fn ficon_and_fcp_have_ports_and_channels_of_their_own() {
    let words = "BOXC has no FCP port 0200";
    only(site().plant("queue_depth = 16", "ports = [\"0030\", \"0200\"]"), numbers::OTHER_PROTOCOL, words);
    let to_fcp = site().deck("LINK=((CSS(0),1205)),CUADD=1", "LINK=((CSS(0),1206)),CUADD=1");
    only(
        to_fcp,
        numbers::OTHER_PROTOCOL,
        "control unit 1100 is reached over FICON, but BOXC 0100 serves FCP",
    );
    let over_fcp = Site::new().deck("PCHID=118,TYPE=FC", "PCHID=118,TYPE=FCP");
    let words =
        "control unit 2000 of disks is reached over CHPID 50 of type FCP, which is for SCSI logical units";
    only(over_fcp, numbers::NOT_FICON, words);
    let none = site().plant("queue_depth = 16", "ports = [\"0200\"]");
    let found = none.assemble().diagnostics;
    assert!(found.iter().any(|one| one.number == numbers::OTHER_PROTOCOL), "{found:#?}");
}

/// Both ports of one card are FICON, those of the other one of each.
#[test]
fn a_card_limits_all_its_channels_and_those_of_ficon_besides() {
    let configuration = site().configuration();
    let card = |name: &str| {
        let share = configuration.shares.iter().find(|share| share.name == name).expect("a share");
        (share.bytes_per_s, share.write_bytes_per_s)
    };
    assert_eq!(card("card PCHID 100"), (Some(9_060_000_000), Some(5_480_000_000)));
    assert_eq!(card("card PCHID 118"), (Some(9_700_000_000), None));
    let of = |chpid| configuration.channels.iter().find(|one| one.chpid == chpid).and_then(|one| one.share);
    assert!(of(0x50).is_some() && of(0x50) == of(0x70), "one channel of FICON has no limit beside its own");
}

#[test]
fn a_set_has_one_to_eight_paths() {
    assert_eq!(paths(&site().plant("7000-7001", "7000-7003").configuration(), "DATA").len(), 8);
    let words = "DATA has 10 paths from PROD1; a multipath device has at most 8";
    only(site().plant("7000-7001", "7000-7004"), numbers::TOO_MANY_PATHS, words);
    let apart = site().plant("pchid = \"119\"\nto = \"11.21\"", "pchid = \"119\"\nto = \"BOXB.0040\"");
    let apart = apart.plant("name = \"BOXB\"\ntype = \"ds8950\"\nvolser = \"BB####\"\n", "name = \"BOXB\"\ntype = \"ds8950\"\nvolser = \"BB####\"\n\n[[control_unit.port]]\nid = \"0040\"\nprotocol = \"fcp\"\n");
    only(apart, numbers::NO_PATH, "no FCP channel of PROD1 reaches a port that presents DATA");
}

#[test]
fn a_subchannel_needs_a_card_with_fcp_and_a_cable() {
    let words = "FCP device 7000 of DATA is on CHPID 70, for which the plant has no card with a cable";
    let found = site().plant("\"118\", \"119\"", "\"118\"").plant(CABLE, "").assemble().diagnostics;
    assert!(found.iter().all(|one| one.number == numbers::NO_CARD && one.fix.is_some()), "{found:#?}");
    assert!(found.iter().any(|one| one.message == words), "{found:#?}");
    let found = site().plant(CABLE, "").assemble().diagnostics;
    assert!(found.iter().any(|one| one.message == words), "{found:#?}");
    let old = site().plant("type = \"fex32s\"\npchids = [\"118\"", "type = \"fex16sp\"\npchids = [\"118\"");
    only(
        old,
        numbers::OTHER_CARD,
        "CHPID 70 is of type FCP, but its card fex16sp is for channels of type FC",
    );
    let unused = site().plant(CABLE, "").workload(STREAM, "");
    assert_eq!(unused.assemble().diagnostics, [], "the plant may be silent about FCP that no stream uses");
}

#[test]
fn a_set_without_an_encrypted_path_is_told_where_clear_text_is_not_sent() {
    let card = "type = \"fex32s\"\npchids = [\"118\", \"119\"]\nlink_gbps = 16\n";
    let enforced = site().plant(card, &format!("{card}endpoint_security = \"enforced\"\n"));
    let enforced = enforced.workload("devices = [\"1000-100F\", \"0.2000\"]", "devices = [\"1000-100F\"]");
    let found = enforced.assemble().diagnostics;
    let words = "no path from PROD1 to logical units DATA of stream LINUX is encrypted";
    let told = found.iter().filter(|one| one.number == numbers::NO_ENCRYPTED_PATH);
    assert!(
        told.clone().count() == 1 && told.clone().all(|one| one.message.starts_with(words)),
        "{found:#?}"
    );
}

#[test]
fn streams_on_logical_units_have_no_keys_of_ficon() {
    let with = |line: &str| site().workload("luns = [\"DATA\"]\n", &format!("luns = [\"DATA\"]\n{line}\n"));
    for (key, line) in [
        ("devices", "devices = [\"1000\"]"),
        ("locality", "locality = { tracks = 100 }"),
        ("synchronous", "synchronous = true"),
    ] {
        let words = format!("`luns` and `{key}` exclude each other");
        in_workload(with(line), toml_file::CHOOSE_ONE, &words);
    }
    let trace = with("trace = \"io.csv\"").workload("closed = { jobs = 8 }\n", "");
    in_workload(trace, toml_file::CHOOSE_ONE, "`luns` and `trace` exclude each other");
}

#[test]
fn fcp_and_logical_units_belong_together() {
    assert_eq!(
        site().workload("luns = [\"DATA\"]\n", "luns = [\"DATA\"]\nprotocol = \"fcp\"\n").configuration(),
        site().configuration()
    );
    let other = site().workload("luns = [\"DATA\"]\n", "luns = [\"DATA\"]\nprotocol = \"transport\"\n");
    in_workload(other, toml_file::CHOOSE_ONE, "logical units are reached by FCP alone");
    let none = site().workload("protocol = \"command\"", "protocol = \"fcp\"");
    in_workload(
        none,
        toml_file::CHOOSE_ONE,
        "`protocol = \"fcp\"` reaches logical units, and the stream names none",
    );
}

#[test]
fn a_partition_has_cps_or_ifls() {
    let linux = |keys: &str| site().plant("name = \"PROD1\"\ncps = 4", &format!("name = \"PROD1\"\n{keys}"));
    let threads = |keys: &str| {
        let configuration = linux(keys).configuration();
        let lpar = configuration.lpars.iter().find(|lpar| lpar.name == "PROD1").expect("it is there").clone();
        (lpar.threads(), lpar.ifl_threads)
    };
    assert_eq!(threads("cps = 4"), (4, None));
    assert_eq!(threads("ifls = 4"), (4, Some(1)));
    assert_eq!(threads("ifls = 4\nsmt = true"), (8, Some(2)));
    in_plant(linux("cps = 4\nifls = 4"), toml_file::CHOOSE_ONE, "either `cps` or `ifls`");
    in_plant(
        linux("cps = 4\nsmt = true"),
        toml_file::CHOOSE_ONE,
        "`smt` is about IFLs, and the partition has none",
    );
}

#[test]
fn ranges_and_depths_have_limits() {
    let range = |text: &str| site().plant("0010-004F", text);
    assert_eq!(
        range("0000-00FF").configuration().devices.len(),
        Site::new().configuration().devices.len() + 256
    );
    let found = read_plant(&SourceFile::new("plant.toml", range("0000-0100").plant)).1;
    assert!(found[0].message.contains("at most 256 logical unit numbers"), "{found:#?}");
    for depth in ["0", "1025"] {
        let plant = site().plant("queue_depth = 16", &format!("queue_depth = {depth}")).plant;
        let found = read_plant(&SourceFile::new("plant.toml", plant)).1;
        assert!(found.len() == 1 && found[0].message.contains("queue_depth"), "{found:#?}");
    }
}

/// Returns the port names of the initiators of the FCP channel, with partition and subchannel.
fn initiators(configuration: &Configuration) -> Vec<(u32, u16, String)> {
    let all = configuration.channels.iter().flat_map(|channel| &channel.initiators);
    all.map(|one| (one.lpar, one.subchannel, one.name.to_string())).collect()
}

#[test]
fn every_subchannel_has_a_port_name_by_rule_or_by_the_plant() {
    let by_rule = initiators(&site().configuration());
    let name = |last: &str| format!("c0:50:76:00:00:01:70:{last}");
    assert_eq!(by_rule, [(0, 0x7000, name("00")), (0, 0x7001, name("01"))]);
    let own = "[[lpar.initiator]]\ndevice = \"7001\"\nwwpn = \"c0:50:76:ff:00:00:00:01\"\n\n";
    let named = site().plant("[[lpar]]\nname = \"PROD2\"", &format!("{own}[[lpar]]\nname = \"PROD2\""));
    let found = initiators(&named.configuration());
    assert_eq!(found[1], (0, 0x7001, "c0:50:76:ff:00:00:00:01".to_owned()));
    let other = own.replace("7001", "7008");
    let nowhere = site().plant("[[lpar]]\nname = \"PROD2\"", &format!("{other}[[lpar]]\nname = \"PROD2\""));
    only(nowhere, numbers::NO_DEVICE, "7008 is no FCP device of the deck");
    in_plant(
        site().plant("[[lpar]]\nname = \"PROD2\"", &format!("{own}{own}[[lpar]]\nname = \"PROD2\"")),
        toml_file::NAMED_TWICE,
        "port name c0:50:76:ff:00:00:00:01",
    );
}

#[test]
fn a_mask_of_port_names_shows_units_to_those_alone() {
    let masked = |names: &str| site().plant("devices = [\"7000-7001\"]", &format!("wwpns = [{names}]"));
    let both = ["BOXC 0030", "BOXC 0100"];
    let expected = both.map(|port| (port.to_owned(), 0x7003));
    assert_eq!(paths(&masked("\"c0:50:76:00:00:01:70:03\"").configuration(), "DATA"), expected);
    let beside = site().plant(
        "devices = [\"7000-7001\"]",
        "devices = [\"7000\"]\nwwpns = [\"c0:50:76:00:00:01:70:03\", \"c0:50:76:00:00:01:70:00\"]",
    );
    let subchannels: Vec<_> = paths(&beside.configuration(), "DATA").into_iter().map(|path| path.1).collect();
    assert_eq!(subchannels, [0x7000, 0x7000, 0x7003, 0x7003]);
    let other = masked("\"c0:50:76:00:00:02:70:03\"").assemble().diagnostics;
    one_of(&other, numbers::MASKED, "the logical units DATA are masked from PROD1");
    let found = &other[0];
    let fix = "add \"c0:50:76:00:00:01:70:00\", which is device 7000 of PROD1, to `wwpns` of DATA";
    assert_eq!(found.fix.as_deref(), Some(fix));
    assert_eq!((found.at.source.name.as_str(), found.others.len()), ("workload.toml", 1));
}

#[test]
fn a_set_without_an_encrypted_path_is_called_by_its_name() {
    let ports = "pchids = [\"118\", \"119\"]";
    let enforced = site().plant(ports, &format!("{ports}\nendpoint_security = \"enforced\"")).assemble();
    let words = "the logical units DATA have no path from PROD1: none would be encrypted";
    let found = &enforced.diagnostics;
    assert!(found.iter().any(|one| one.message.starts_with(words)), "{found:#?}");
    assert!(found.iter().all(|one| !one.message.contains("control unit 7000")), "{found:#?}");
}
