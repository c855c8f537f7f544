//! One test for each kind of contradiction: its message, its file, and the other files that it names.

use halftrack_base::Span;
use halftrack_catalog::Catalog;
use halftrack_config::{EadmKind, read_plant};
use halftrack_deck::model::{Deck, LinkAddress};
use halftrack_input::messages::study as numbers;
use halftrack_input::{Diagnostic, Severity, SourceFile};

use crate::site::Site;

/// Returns the messages of `site`, which must give no configuration.
fn messages(site: &Site) -> Vec<Diagnostic> {
    let loaded = site.assemble();
    assert!(loaded.configuration.is_none());
    loaded.diagnostics
}

/// Asserts that `site` has exactly one message: number, file, a part of its words, and the other files named.
#[track_caller]
fn only(site: &Site, number: u16, file: &str, words: &str, others: &[&str]) {
    let found = messages(site);
    let lines: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), 1, "{lines:#?}");
    let one = &found[0];
    assert_eq!((one.number, one.at.source.name.as_str()), (number, file), "{one}");
    assert!(one.message.contains(words), "{one}");
    let named: Vec<_> = one.others.iter().map(|label| label.source.name.as_str()).collect();
    assert_eq!(named, others, "{one}");
    assert!(one.fix.is_some(), "{one}");
}

/// Returns the site's workload with operations on EADM subchannels.
fn with_eadm(lpar: &str) -> Site {
    let mut site = Site::new();
    site.workload += &format!(
        "\n[[eadm]]\nname = \"ZIP\"\nlpar = \"{lpar}\"\nkind = \"compression\"\nrate_per_s = 5000\n"
    );
    site
}

/// Returns the system ids of partitions (CSS 0, 1; CSS 0, 2; CSS 1, 1), and the messages about them.
fn system_ids(site: Site) -> (Vec<String>, Vec<String>) {
    let loaded = site.assemble();
    let lines = loaded.diagnostics.iter().filter(|one| one.number == numbers::SMFID_TWICE);
    let lines = lines.map(|one| {
        assert_eq!((one.severity, one.others.len()), (Severity::Warning, 1), "{one}");
        one.message.clone()
    });
    let lines = lines.collect();
    let lpars = loaded.configuration.expect("it runs").lpars;
    (lpars.into_iter().map(|lpar| lpar.smfid).collect(), lines)
}

#[test]
fn no_two_systems_have_one_smf_id() {
    let own = "name = \"PROD2\"\nsmfid = \"PRD2\"";
    assert_eq!(system_ids(Site::new()).0, ["PROD", "TEST", "PRD2"]);
    assert!(system_ids(Site::new()).1.is_empty());
    let (ids, told) = system_ids(Site::new().plant(own, "name = \"PROD2\""));
    assert_eq!(ids, ["PRO1", "TEST", "PRO2"]);
    assert_eq!(told, ["PROD1 and PROD2 would both be system PROD: reports call them PRO1 and PRO2"]);
    let third = |site: Site| {
        let site = Site { deck: site.deck.replace("TEST1", "PROD3"), ..site };
        Site { plant: site.plant.replace("\"TEST1\"", "\"PROD3\""), ..site }
    };
    let all = third(Site::new().plant(own, "name = \"PROD2\"")).assemble();
    let words = "PROD1, PROD3 and PROD2 would all be system PROD: reports call them PRO1, PRO3 and PRO2";
    assert!(all.diagnostics.iter().any(|one| one.message == words), "{:?}", all.diagnostics);
    let (ids, told) = system_ids(Site::new().plant(own, "name = \"PROD2\"\nsmfid = \"PROD\""));
    assert_eq!(ids, ["PRO1", "TEST", "PROD"]);
    assert_eq!(told, ["PROD1 would be system PROD, which another partition is: reports call it PRO1"]);
    let twice = Site::new().plant(own, "name = \"PROD2\"\nsmfid = \"SYSA\"");
    let (ids, told) = system_ids(twice.plant("name = \"TEST1\"", "name = \"TEST1\"\nsmfid = \"SYSA\""));
    assert_eq!((ids, told.len()), (vec!["PROD".to_owned(), "SYSA".to_owned(), "SYSA".to_owned()], 1));
    let long = Site::new().plant(own, "name = \"PROD2\"\nsmfid = \"PROD2\"");
    let (_, found) = read_plant(&SourceFile::new("plant.toml", long.plant));
    assert!(found[0].message.contains("a system id of 1 to 4 characters"), "{found:?}");
}

#[test]
fn eadm_work_needs_a_partition_and_a_machine_that_has_the_subchannels() {
    let configuration = with_eadm("PROD2").assemble().configuration.expect("a configuration");
    let work = &configuration.eadm[0];
    assert_eq!(configuration.lpars[work.lpar as usize].name, "PROD2");
    assert_eq!((work.kind, work.poisson), (EadmKind::Compression, true));
    assert_eq!(work.interarrival, Span::from_us(200));
    let nowhere = with_eadm("PROD3");
    only(&nowhere, numbers::NO_EADM_LPAR, "workload.toml", "eadm ZIP runs in PROD3", &["plant.toml"]);
}

#[test]
fn eadm_work_is_refused_on_a_machine_of_a_time_before_it() {
    let found = messages(&with_eadm("PROD1").plant("z16-max39", "z900"));
    let refused = found.iter().find(|one| one.number == numbers::NO_EADM).expect("it is refused");
    assert!(refused.message.contains("eadm ZIP runs in PROD1, but z900 has no EADM subchannels"));
    assert_eq!(refused.others[0].source.name, "plant.toml");
}

/// Returns an operand that goes on on a second card.
fn continued(first: &str, second: &str) -> String {
    format!("{first}*\n               {second}")
}

#[test]
fn the_machine_type_is_that_of_the_model() {
    let site = Site::new().deck("SYSTEM=(3931,1)", "SYSTEM=(8561,1)");
    let others = ["plant.toml", "built-in catalog/processor/z16.toml"];
    only(&site, numbers::OTHER_MACHINE, "deck.iocp", "for a 8561, but z16-max39", &others);
}

#[test]
fn an_id_is_in_the_catalog() {
    let site =
        Site::new().plant("type = \"fex32s\"\npchids = [\"118\"]", "type = \"fex32\"\npchids = [\"118\"]");
    only(&site, numbers::NOT_IN_CATALOG, "plant.toml", "no channel `fex32`", &[]);
    let site = Site::new().plant("model = \"3390-54\"", "model = \"3390-5\"");
    let found = messages(&site);
    assert_eq!(found[0].fix.as_deref(), Some("did you mean `3390-3`?"));
}

#[test]
fn a_card_has_the_ports_of_its_generation() {
    let site = Site::new().plant("[\"100\", \"101\"]", "[\"100\", \"101\", \"102\"]");
    only(&site, numbers::TOO_MANY_PORTS, "plant.toml", "fex32s has 2 ports, not 3", &[]);
}

#[test]
fn a_card_offers_the_speed_it_is_set_to() {
    for speed in ["4", "64"] {
        let site = Site::new().plant("link_gbps = 16", &format!("link_gbps = {speed}"));
        only(&site, numbers::SPEED_NOT_OFFERED, "plant.toml", "does not offer this speed", &[]);
    }
    let site = Site::new().plant("link_gbps = 16", "link_gbps = 32\nfec = false");
    only(&site, numbers::SPEED_NOT_OFFERED, "plant.toml", "does not offer this speed", &[]);
}

#[test]
fn each_card_of_a_z16_offers_the_speeds_of_its_generation() {
    for (card, offered) in [("fex16sp", &[4, 8, 16][..]), ("fex16sa", &[8, 16]), ("fex32s", &[8, 16, 32])] {
        for speed in [1, 2, 4, 8, 16, 32, 64] {
            let setting = |card: &str, speed: u32| {
                format!("type = \"{card}\"\npchids = [\"118\"]\nlink_gbps = {speed}")
            };
            let loaded = Site::new().plant(&setting("fex32s", 16), &setting(card, speed)).assemble();
            let refused = loaded.diagnostics.iter().any(|one| one.number == numbers::SPEED_NOT_OFFERED);
            assert_eq!(
                refused,
                !offered.contains(&speed),
                "{card} at {speed} Gbit/s: {:?}",
                loaded.diagnostics
            );
        }
    }
}

#[test]
fn an_inter_switch_link_runs_at_a_speed_of_both_directors() {
    let site = Site::new().plant("km = 20", "km = 20\ngbps = 64");
    let found = messages(&site);
    assert_eq!(found.iter().map(|one| one.number).collect::<Vec<_>>(), [numbers::SPEED_NOT_OFFERED]);
    assert_eq!(found[0].fix.as_deref(), Some("in common are 8, 16, 16 with FEC, 32 with FEC Gbit/s"));
}

#[test]
fn director_and_adapter_ports_offer_the_speed_they_are_set_to() {
    let director = "id = \"11\"\ntype = \"director-32g\"";
    for setting in ["gbps = 4", "fec = false\ngbps = 32", "[[director.port]]\nid = \"20\"\ngbps = 64"] {
        let site = Site::new().plant(director, &format!("{director}\n{setting}"));
        only(&site, numbers::SPEED_NOT_OFFERED, "plant.toml", "director-32g does not offer this speed", &[]);
    }
    let site = Site::new().plant("to = \"12.04\"", "to = \"12.04\"\ngbps = 4");
    only(&site, numbers::SPEED_NOT_OFFERED, "plant.toml", "ds8950 does not offer this speed", &[]);
}

#[test]
fn two_ends_that_are_set_to_different_speeds_are_told() {
    let director = "id = \"11\"\ntype = \"director-32g\"";
    let port = "[[director.port]]\nid = \"20\"\ngbps = 8";
    let site = Site::new()
        .plant(director, &format!("{director}\n{port}"))
        .plant("type = \"fex32s\"", "type = \"fex32s\"\nlink_gbps = 32");
    let message = "pchid 100 and 11.20 have no speed in common";
    only(&site, numbers::NO_COMMON_SPEED, "plant.toml", message, &["plant.toml"]);
}

#[test]
fn multiplexers_carry_a_speed_of_both_ends_and_may_answer_for_them() {
    let dir = tempfile::tempdir().expect("temporary directory");
    std::fs::create_dir(dir.path().join("multiplexer")).expect("directory");
    let slow = r#"
        title = "old gear"
        delay_us = { value = 5, source = "assumed", reason = "test" }
        credits = { value = 3000, source = "assumed", reason = "test" }
        [[speed]]
        gbps = GBPS
    "#;
    let load = |gbps: &str| {
        let file = dir.path().join("multiplexer/old.toml");
        std::fs::write(file, slow.replace("GBPS", gbps)).expect("file");
        let (catalog, found) = Catalog::load(&[dir.path()]);
        assert_eq!(found, []);
        Site::new()
            .plant("km = 20", "km = 20\ncredits = 400\nvia = \"old\"")
            .assemble_changed(&catalog, |_| ())
    };
    let refused = load("4").diagnostics;
    assert_eq!(refused.iter().map(|one| one.number).collect::<Vec<_>>(), [numbers::NOT_CARRIED]);
    assert_eq!(refused[0].message, "old carries no speed that both ends offer");
    let carried = load("8").configuration.expect("a configuration");
    let isl = carried.links.iter().find(|link| link.name == "11.E0 > 12.E0").expect("a link");
    assert_eq!((isl.bytes_per_s, isl.credits), (850_000_000, 3000), "the gear answers for the ports");
    let unknown = Site::new().plant("km = 20", "km = 20\nvia = \"dwmd\"");
    only(&unknown, numbers::NOT_IN_CATALOG, "plant.toml", "the catalog has no multiplexer `dwmd`", &[]);
}

#[test]
fn cables_begin_at_cards_and_end_in_the_plant() {
    let site = Site::new().plant("pchid = \"118\"", "pchid = \"119\"");
    let numbers: Vec<_> = messages(&site).iter().map(|one| one.number).collect();
    assert_eq!(numbers, [numbers::NO_CABLE, numbers::LEADS_NOWHERE]);
    let site = Site::new().plant("to = \"BOXB.0030\"", "to = \"BOXC.0030\"");
    only(&site, numbers::LEADS_NOWHERE, "plant.toml", "no host-adapter port BOXC 0030", &[]);
    let site = Site::new().plant("to = \"12.05\"", "to = \"13.05\"");
    let found = messages(&site);
    assert_eq!(found.last().map(|one| one.number), Some(numbers::LEADS_NOWHERE));
}

#[test]
fn the_ends_of_a_fibre_have_a_speed_in_common() {
    let dir = tempfile::tempdir().expect("temporary directory");
    std::fs::create_dir(dir.path().join("director")).expect("directory");
    let slow = r#"
        title = "old director"
        forward_us = { value = 2, source = "assumed", reason = "test" }
        credits = { value = 60, source = "assumed", reason = "test" }
        [[speed]]
        gbps = 4
    "#;
    std::fs::write(dir.path().join("director/director-4g.toml"), slow).expect("file");
    let (catalog, found) = Catalog::load(&[dir.path()]);
    assert_eq!(found, []);
    let site =
        Site::new().plant("id = \"11\"\ntype = \"director-32g\"", "id = \"11\"\ntype = \"director-4g\"");
    let found = site.assemble_changed(&catalog, |_| ()).diagnostics;
    // The cable and the inter-switch link.
    assert_eq!(found.iter().map(|one| one.number).collect::<Vec<_>>(), [numbers::NO_COMMON_SPEED; 2]);
    assert_eq!(found[0].message, "pchid 100 and 11.20 have no speed in common");
    assert_eq!(
        found[0].fix.as_deref(),
        Some("one offers 8, 16, 16 with FEC, 32 with FEC Gbit/s, the other 4 Gbit/s")
    );
}

/// Returns a deck that its own reader would refuse, but that another source may give.
fn from_elsewhere(change: impl FnOnce(&mut Deck)) -> Vec<(u16, String)> {
    let (catalog, _) = Catalog::load(&[]);
    let loaded = Site::new().assemble_changed(&catalog, change);
    assert!(loaded.configuration.is_none());
    loaded.diagnostics.into_iter().map(|one| (one.number, one.message)).collect()
}

#[test]
fn link_addresses_are_for_channels_behind_directors() {
    let found = from_elsewhere(|deck| deck.control_units[2].paths[0].link = None);
    let words = "CHPID 41 of control unit 1100 has no link address, but its cable leads to 12.20";
    assert_eq!(found, [(numbers::LINK_MISFIT, words.to_owned())]);
    let link = Some(LinkAddress { switch: None, port: 4 });
    let found = from_elsewhere(|deck| deck.control_units[3].paths[0].link = link);
    let words = "CHPID 50 of control unit 2000 has link address 04, but its cable leads to BOXB 0030";
    assert_eq!(found, [(numbers::LINK_MISFIT, words.to_owned())]);
}

#[test]
fn a_path_group_has_eight_paths_at_most() {
    let found = from_elsewhere(|deck| {
        let paths = &mut deck.control_units[2].paths;
        *paths = vec![paths[0].clone(); 9];
    });
    let words = "control unit 1100 has 9 paths from CSS 0; a path group has at most 8";
    assert_eq!(found, [(numbers::TOO_MANY_PATHS, words.to_owned())]);
}

#[test]
fn a_device_belongs_to_one_logical_control_unit() {
    let both = continued("(1100,008),UNITADD=20,", "CUNUMBR=(1000,1100),UNIT=3390");
    let site = Site::new().deck("(1100,008),CUNUMBR=(1100),UNIT=3390", &both);
    let words = "control units 1000 and 1100 of device 1100 are two logical control units";
    only(&site, numbers::TWO_CONTROL_UNITS, "deck.iocp", words, &[]);
}

/// The control unit would take the starts of two subchannels for those of one.
#[test]
fn a_partition_knows_a_unit_address_by_one_device_number() {
    let site = Site::new()
        .deck("PATH=((CSS(0),40,41),(CSS(1),40)),", "PATH=((CSS(0),40),(CSS(1),40)),")
        .deck("LINK=((CSS(0),1204,1205),(CSS(1),1204))", "LINK=((CSS(0),1204),(CSS(1),1204))")
        .deck("LINK=((CSS(0),1205)),CUADD=1", "LINK=((CSS(0),1205)),CUADD=0");
    let words = "device 1100 is unit address 00 of a logical control unit that partition";
    only(&site, numbers::UNIT_ADDRESS_TWICE, "deck.iocp", words, &["deck.iocp"]);
}

#[test]
fn a_channel_has_a_pchid() {
    let site = Site::new().deck("PCHID=118,TYPE=FC", "TYPE=FC");
    let found = site.assemble_quietly().diagnostics;
    assert_eq!(found.iter().map(|one| one.number).collect::<Vec<_>>(), [numbers::NO_PCHID]);
}

#[test]
fn the_plant_has_a_card_for_each_pchid() {
    let site = Site::new().deck("PCHID=101", "PCHID=109");
    only(&site, numbers::NO_CARD, "deck.iocp", "no card with PCHID 109 of CHPID 41", &["plant.toml"]);
}

#[test]
fn a_pchid_in_use_is_cabled() {
    let site = Site::new().plant("[[cable]]\npchid = \"101\"\nto = \"12.20\"\nkm = 0.1\n", "");
    only(&site, numbers::NO_CABLE, "deck.iocp", "PCHID 101 of CHPID 41 is not cabled", &["plant.toml"]);
}

#[test]
fn a_switch_is_a_director() {
    let site = Site::new().deck("SWITCH=12", "SWITCH=13");
    only(&site, numbers::NO_DIRECTOR, "deck.iocp", "on switch 13, but the plant", &["plant.toml"]);
}

#[test]
fn a_cable_leads_to_the_switch() {
    let site = Site::new().plant("to = \"12.20\"", "to = \"11.21\"");
    only(&site, numbers::OTHER_DIRECTOR, "deck.iocp", "its cable leads to 11.21", &["plant.toml"]);
    let site = Site::new().plant("to = \"BOXB.0030\"", "to = \"11.21\"");
    only(&site, numbers::OTHER_DIRECTOR, "deck.iocp", "on no switch", &["plant.toml"]);
}

#[test]
fn disks_are_reached_over_ficon() {
    let osa = "CUNUMBR=6000,PATH=((CSS(0),60)),UNIT=OSA";
    let site = Site::new().deck(osa, &osa.replace("UNIT=OSA", "UNIT=2107")).deck(
        "(6000,008),UNITADD=00,CUNUMBR=(6000),UNIT=OSA",
        "(6000,8),UNITADD=00,CUNUMBR=(6000),UNIT=3390",
    );
    let words = "control unit 6000 of disks is reached over CHPID 60 of type OSD";
    only(&site, numbers::NOT_FICON, "deck.iocp", words, &["deck.iocp"]);
}

#[test]
fn a_link_address_is_on_a_director_of_the_plant() {
    let site = Site::new().deck("LINK=((CSS(0),1205)),CUADD=1", "LINK=((CSS(0),1305)),CUADD=1");
    let words = "link address 1305 of CHPID 41 of control unit 1100 is on no director";
    only(&site, numbers::NO_LINK_DIRECTOR, "deck.iocp", words, &["deck.iocp", "plant.toml"]);
}

#[test]
fn a_host_adapter_is_cabled_to_a_link_address() {
    let site = Site::new().deck("LINK=((CSS(0),1205)),CUADD=1", "LINK=((CSS(0),1206)),CUADD=1");
    let words = "no host-adapter port is cabled to 12.06";
    only(&site, numbers::NO_HOST_ADAPTER, "deck.iocp", words, &["deck.iocp", "plant.toml"]);
    // Port 20 of director 12 is a channel's.
    let site = Site::new().deck("LINK=((CSS(0),1205)),CUADD=1", "LINK=((CSS(0),1220)),CUADD=1");
    only(&site, numbers::NO_HOST_ADAPTER, "deck.iocp", "cabled to 12.20", &["deck.iocp", "plant.toml"]);
}

#[test]
fn directors_are_linked() {
    let site = Site::new().plant("[[isl]]\nfrom = \"12.E0\"\nto = \"11.E0\"\nkm = 20\n", "");
    let found = messages(&site);
    assert!(found.iter().all(|one| one.number == numbers::NO_ROUTE), "{found:?}");
    assert!(found[0].message.contains("from director 11 to director 12"), "{}", found[0]);
}

#[test]
fn the_paths_of_a_control_unit_end_at_one_box() {
    let port = "[[control_unit.port]]\nid = \"0130\"\nto = \"12.05\"\nkm = 0.2\n";
    let site =
        Site::new().plant(port, "").plant("volser = \"BB####\"\n", &format!("volser = \"BB####\"\n{port}"));
    let found = messages(&site);
    assert_eq!(found[0].number, numbers::TWO_BOXES);
    assert!(found[0].message.contains("two boxes, BOXA and BOXB"), "{}", found[0]);
    assert_eq!(found[0].others[0].source.name, "plant.toml");
}

#[test]
fn a_partition_of_the_plant_is_in_the_deck() {
    let site = Site::new().plant("name = \"PROD2\"", "name = \"PROD3\"");
    only(&site, numbers::NO_PARTITION, "plant.toml", "PROD3", &["deck.iocp"]);
}

#[test]
fn a_partition_of_a_stream_is_in_the_plant() {
    let site = Site::new().workload("lpar = \"TEST1\"", "lpar = \"TEST2\"");
    only(&site, numbers::NO_LPAR, "workload.toml", "no such partition", &["plant.toml"]);
}

#[test]
fn a_partition_has_access_to_the_channels_of_its_devices() {
    let access = continued("SHARED,SWITCH=12,PCHID=101,", "PART=((CSS(0),(PROD1),(=))),TYPE=FC");
    let site = Site::new().deck("SHARED,SWITCH=12,PCHID=101,TYPE=FC", &access);
    let words = "TEST1 of stream BATCH has no access to channel CSS0.41";
    only(&site, numbers::NO_ACCESS, "workload.toml", words, &["deck.iocp"]);
}

#[test]
fn a_partition_is_a_candidate_of_its_devices() {
    let candidates = continued("CUNUMBR=(1100),", "PART=(CSS(0),PROD1),UNIT=3390");
    let site = Site::new().deck("CUNUMBR=(1100),UNIT=3390", &candidates);
    let words = "TEST1 of stream BATCH has no access to device 1100";
    only(&site, numbers::NO_ACCESS, "workload.toml", words, &["deck.iocp"]);
}

#[test]
fn a_device_of_a_stream_is_in_the_deck() {
    let site = Site::new().workload("\"1100-1107\"", "\"1100-110F\"");
    only(
        &site,
        numbers::NO_DEVICE,
        "workload.toml",
        "device 1108 and 7 more of stream BATCH",
        &["deck.iocp"],
    );
}

#[test]
fn a_device_of_a_stream_is_a_base_of_a_disk() {
    let site = Site::new().workload("\"1100-1107\"", "\"1100\", \"1.1080\", \"6000\"");
    let found = messages(&site);
    let said: Vec<_> = found.iter().map(|one| (one.number, one.message.as_str())).collect();
    let words = [
        "device 1080 of stream BATCH is no base device of a disk, but 3390A",
        "device 6000 of stream BATCH is no base device of a disk, but OSA",
    ];
    assert_eq!(said, words.map(|words| (numbers::NOT_A_BASE, words)));
}

#[test]
fn a_path_leads_to_a_device_of_a_stream() {
    let site = Site::new().workload("lpar = \"TEST1\"", "lpar = \"PROD2\"");
    only(&site, numbers::NO_PATH, "workload.toml", "from PROD2 to device 1100 and 7 more", &["deck.iocp"]);
}

#[test]
fn volume_serials_are_unique() {
    let site = Site::new().plant("volser = \"BB####\"", "volser = \"BA1###\"");
    let words = "serial BA1000 of device 2000 is that of device 1000";
    only(&site, numbers::VOLSER_TWICE, "deck.iocp", words, &["deck.iocp", "plant.toml"]);
}

#[test]
fn ranges_of_volumes_have_devices() {
    let site = Site::new().plant("devices = \"1100-1107\"", "devices = \"1200-1207\"");
    only(&site, numbers::NO_VOLUME, "plant.toml", "BOXA has no base device among 1200-1207", &["deck.iocp"]);
}

#[test]
fn records_fit_a_track_and_a_volume() {
    let site = Site::new().workload("record_bytes = 27998", "record_bytes = 56665");
    only(&site, numbers::DOES_NOT_FIT, "workload.toml", "56665 bytes does not fit a track", &["plant.toml"]);
}

#[test]
fn transport_mode_is_there_when_wanted() {
    let site = Site::new().workload("protocol = \"command\"", "protocol = \"transport\"");
    only(&site, numbers::NO_TRANSPORT, "workload.toml", "zHPF is off in TEST1", &["plant.toml"]);
    let site = Site::new()
        .workload("read_share = 0.7", "protocol = \"transport\"")
        .plant("volser = \"BB####\"", "volser = \"BB####\"\nzhpf = false");
    only(&site, numbers::NO_TRANSPORT, "workload.toml", "device 2000 or its control unit", &["plant.toml"]);
}

#[test]
fn events_happen_to_something() {
    let site = Site::new().workload("chpid = \"0.41\"", "chpid = \"1.41\"");
    only(&site, numbers::EVENT_MISSES, "workload.toml", "no CHPID 41 in CSS 1", &["deck.iocp"]);
    let site = Site::new().workload("chpid = \"0.41\"", "chpid = \"0.60\"");
    only(&site, numbers::EVENT_MISSES, "workload.toml", "is of type OSD", &["deck.iocp"]);
    let site = Site::new().workload("control_unit = \"1100\"", "control_unit = \"6000\"");
    only(&site, numbers::EVENT_MISSES, "workload.toml", "no control unit 6000 with disks", &["deck.iocp"]);
}

#[test]
fn several_contradictions_are_all_shown_in_the_order_of_the_files() {
    let site = Site::new()
        .deck("SYSTEM=(3931,1)", "SYSTEM=(8561,1)")
        .deck("PCHID=118", "PCHID=119")
        .plant("name = \"PROD2\"", "name = \"PROD3\"")
        .workload("\"1100-1107\"", "\"1100-110F\"")
        .workload("chpid = \"0.41\"", "chpid = \"1.41\"");
    let numbers: Vec<_> = messages(&site).iter().map(|one| one.number).collect();
    let wanted = [
        numbers::OTHER_MACHINE,
        numbers::NO_CARD,
        numbers::NO_PARTITION,
        numbers::NO_DEVICE,
        numbers::EVENT_MISSES,
    ];
    assert_eq!(numbers, wanted);
}
