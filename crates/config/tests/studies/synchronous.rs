//! zHyperLinks and synchronous streams: what they become, and the messages about impossible ones.

use halftrack_base::Span;
use halftrack_config::{Directions, DisturbanceKind, SynchronousRequest, read_plant, read_workload};
use halftrack_input::messages::{study as numbers, toml_file};
use halftrack_input::{Diagnostic, SourceFile};

use crate::site::Site;

const FUNCTION: &str = "         FUNCTION FID=11,PCHID=180,PORT=1,VF=1,PART=PROD1,TYPE=HYL\n";
const CABLE: &str = "[[zhyperlink]]\npchid = \"180\"\nport = 1\nbox = \"BOXA\"\nmetres = 10\n\n";

/// Returns a site in which stream OLTP reads synchronously from BOXA over port 1 of PCHID 180.
fn site() -> Site {
    let mut site = Site::new()
        .plant("name = \"PROD1\"\n", "name = \"PROD1\"\nzhyperlink = \"READ\"\n")
        .plant("[[director]]\nid = \"11\"", &format!("{CABLE}[[director]]\nid = \"11\""))
        .workload("\"0.2000\"]\n", "\"0.2000\"]\nsynchronous = true\n");
    site.deck += FUNCTION;
    site
}

/// Asserts that `site` has exactly one message, with that number and those words.
#[track_caller]
fn only(site: &Site, number: u16, words: &str) {
    let loaded = site.assemble();
    let lines: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    let one = &loaded.diagnostics[0];
    assert!(one.number == number && one.message.contains(words) && one.fix.is_some(), "{one}");
}

/// Asserts that `found` is one message with that number and those words.
#[track_caller]
fn one_of(found: &[Diagnostic], number: u16, words: &str) {
    let [one] = found else { panic!("{found:?}") };
    assert!(one.number == number && one.message.contains(words), "{one}");
}

#[test]
fn a_partition_reaches_the_box_over_its_function_and_the_cable() {
    let configuration = site().configuration();
    let all = &configuration.synchronous;
    let [link] = &all.links[..] else { panic!("{all:?}") };
    assert_eq!(link.name, "pchid 180.1 > BOXA");
    // 21.75 us less the 0.52 us of 4,096 octets.
    assert_eq!(link.hold_read, Span::from_ns(21_230));
    assert_eq!(link.hold_write - link.hold_read, Span::from_us(26));
    assert_eq!((link.cpu, link.bytes_per_s), (Span::from_ns(4250), 7_876_923_080));
    let prod1 = configuration.lpars.iter().position(|lpar| lpar.name == "PROD1").expect("it is there") as u32;
    assert_eq!(all.reachable.iter().collect::<Vec<_>>(), [(&(prod1, 0), &vec![0])]);
    assert!(all.is_on(prod1, 0, false) && !all.is_on(prod1, 0, true));
    assert_eq!(all.control_units, [Directions { read: true, write: false }; 2]);
    let stream = configuration.streams.iter().find(|stream| stream.name == "OLTP").expect("it is there");
    let requests = stream.synchronous.expect("they are synchronous");
    assert_eq!(requests.read, SynchronousRequest { bytes: 4096, fits: true, is_aligned: true });
    assert_eq!(requests.write, SynchronousRequest { bytes: 55_996, fits: false, is_aligned: false });
}

#[test]
fn light_in_the_cable_holds_the_link_both_ways() {
    let far = site().plant("metres = 10", "metres = 150").configuration();
    assert_eq!(far.synchronous.links[0].hold_read, Span::from_ns(21_130 + 2 * 150 * 5));
}

#[test]
fn cables_that_cannot_be_are_refused() {
    let number = numbers::ZHYPERLINK_CABLE;
    only(&site().plant("metres = 10", "metres = 10000"), number, "10000 m long; it reaches 150 m");
    only(&site().plant("box = \"BOXA\"", "box = \"BOXC\""), numbers::LEADS_NOWHERE, "no control unit BOXC");
    let old = site().plant("name = \"BOXA\"\ntype = \"ds8950\"", "name = \"BOXA\"\ntype = \"ds8870\"");
    let found = old.assemble().diagnostics;
    assert!(
        found.iter().any(|one| one.number == number && one.message.contains("BOXA is a ds8870")),
        "{found:?}"
    );
    let twice =
        read_plant(&SourceFile::new("plant.toml", site().plant(CABLE, &format!("{CABLE}{CABLE}")).plant)).1;
    one_of(&twice, toml_file::NAMED_TWICE, "zHyperLink port 180.1");
    let zero = read_plant(&SourceFile::new("plant.toml", site().plant("metres = 10", "metres = 0").plant)).1;
    one_of(&zero, toml_file::UNEXPECTED_VALUE, "`metres` is 0");
}

#[test]
fn functions_and_cables_without_each_other_are_told() {
    let mut site = site();
    site.deck += &FUNCTION.replace("FID=11", "FID=12").replace("PORT=1", "PORT=2");
    only(&site, numbers::IDLE_ZHYPERLINK, "FUNCTION 0012 is on port 2 of PCHID 180");
    let other = CABLE.replace("\"180\"", "\"184\"");
    let two = self::site().plant(CABLE, &format!("{CABLE}{other}"));
    only(&two, numbers::IDLE_ZHYPERLINK, "no FUNCTION of TYPE=HYL is on zHyperLink port 184.1");
    assert!(two.assemble().configuration.is_some());
    // Without any cable functions are nobody's business.
    let mut without = Site::new();
    without.deck += FUNCTION;
    assert_eq!(without.assemble().diagnostics.len(), 0);
}

#[test]
fn a_stream_that_is_never_synchronous_is_told_why() {
    let number = numbers::NEVER_SYNCHRONOUS;
    let off = site().plant("zhyperlink = \"READ\"", "zhyperlink = \"NONE\"");
    only(&off, number, "reads are off in PROD1");
    let guest = site().plant("zhyperlink = \"READ\"", "zhyperlink = \"READ\"\nguest = true");
    only(&guest, number, "the systems of PROD1 are guests of z/VM");
    let off = site().plant("name = \"BOXA\"\n", "name = \"BOXA\"\nzhyperlink_read = false\n");
    let off = off.workload("[\"1000-100F\", \"0.2000\"]", "[\"1000-100F\"]");
    only(&off, number, "reads are off at BOXA");
    let range = "[[control_unit.volumes]]\ndevices = \"1100-1107\"";
    let two =
        "[[control_unit.volumes]]\ndevices = \"1000-100F\"\nzhyperlink = \"WRITE\"\n\n".to_owned() + range;
    let off = site().plant(range, &two);
    let off = off.workload("[\"1000-100F\", \"0.2000\"]", "[\"1000-100F\"]");
    only(&off, number, "reads are off at every volume of BOXA that it uses");
    let large = site().workload("program = { block = \"4K\" }", "program = { record_bytes = 4112 }");
    only(&large, number, "reads of 1 x 4112 octets");
    let several =
        site().workload("program = { block = \"4K\" }", "program = { record_bytes = 512, records = 2 }");
    only(&several, number, "reads of 2 x 512 octets");
    let odd = site().workload("synchronous = true", "synchronous = true\nbuffer_alignment_bytes = 8");
    only(&odd, number, "no multiple of 16");
    let odd = site().workload("program = { block = \"4K\" }", "program = { record_bytes = 4088 }");
    only(&odd, number, "no multiple of 16");
    let elsewhere = Site { deck: site().deck.replace("PART=PROD1", "PART=TEST1"), ..site() };
    only(&elsewhere, number, "no zHyperLink leads from PROD1 to BOXA");
}

#[test]
fn streams_whose_hits_are_looked_up_are_not_synchronous() {
    let messages = |site: Site| read_workload(&SourceFile::new("workload.toml", site.workload)).1;
    let looked_up = site().workload("hit_ratio = 0.9", "locality = { tracks = 100 }");
    one_of(&messages(looked_up), toml_file::CHOOSE_ONE, "`synchronous` and `locality` exclude each other");
    let real = site().workload("intervals = 3", "intervals = 3\ndata = \"real\"");
    one_of(&messages(real), toml_file::CHOOSE_ONE, "do not move through the protocol machines");
    let alone = Site::new().workload("hit_ratio = 0.9", "hit_ratio = 0.9\nbuffer_alignment_bytes = 16");
    one_of(&messages(alone), toml_file::CHOOSE_ONE, "the stream has none");
}

/// Returns the site with an event of these keys.
fn with_event(keys: &str) -> Site {
    site().workload("[[event]]\n", &format!("[[event]]\nat_s = 0.3\nlasts_s = 0.1\n{keys}\n\n[[event]]\n"))
}

#[test]
fn events_switch_synchronous_io_and_darken_links() {
    let kinds = |keys: &str| {
        let configuration = with_event(keys).configuration();
        configuration.disturbances.iter().map(|one| one.kind).collect::<Vec<_>>()
    };
    let oper = Directions { read: false, write: true };
    let setios = kinds("kind = \"setios-zhyperlink\"\nlpar = \"PROD1\"\noper = \"WRITE\"");
    assert!(setios.contains(&DisturbanceKind::SetiosZHyperLink { lpar: 0, oper }), "{setios:?}");
    let lost = kinds("kind = \"zhyperlink-lost\"\nzhyperlink = \"180.1\"");
    assert!(lost.contains(&DisturbanceKind::ZHyperLinkLost { link: 0 }), "{lost:?}");
    let missing = with_event("kind = \"zhyperlink-lost\"\nzhyperlink = \"180.2\"");
    only(&missing, numbers::EVENT_MISSES, "no zHyperLink at port 180.2");
    let missing = with_event("kind = \"setios-zhyperlink\"\nlpar = \"PROD9\"\noper = \"ALL\"");
    only(&missing, numbers::EVENT_MISSES, "no partition PROD9");
    let half = with_event("kind = \"setios-zhyperlink\"\nlpar = \"PROD1\"");
    let found = read_workload(&SourceFile::new("workload.toml", half.workload)).1;
    one_of(&found, toml_file::CHOOSE_ONE, "needs `lpar` and `oper`");
}
