//! The configuration of a study without mistakes.

use std::path::Path;

use crate::site::Site;
use halftrack_base::Span;
use halftrack_catalog::Catalog;
use halftrack_config::{Arrivals, DisturbanceKind, Lcu, Link, ProtocolChoice, Selection, load};
use halftrack_program::{Grouping, Operation, Positioning, Protocol};

fn link<'a>(links: &'a [Link], name: &str) -> &'a Link {
    links.iter().find(|link| link.name == name).unwrap_or_else(|| panic!("{name} among {links:#?}"))
}

#[test]
fn every_vector_is_in_canonical_order() {
    let site = Site::new().configuration();
    assert_eq!((site.study.as_str(), site.cpcs[0].iocds.as_str()), ("site", "TESTSITE"));
    let names: Vec<_> = site.lpars.iter().map(|lpar| (lpar.css, lpar.mif, lpar.name.as_str())).collect();
    assert_eq!(names, [(0, 1, "PROD1"), (0, 2, "TEST1"), (1, 1, "PROD2")]);
    let names: Vec<_> =
        site.channels.iter().map(|one| (one.identity.pchid().unwrap(), one.name.as_str())).collect();
    assert_eq!(names, [(0x100, "CSS0.40"), (0x101, "CSS0.41"), (0x118, "CSS0.50")]);
    let names: Vec<_> = site.ports.iter().map(|port| port.name.as_str()).collect();
    assert_eq!(names, ["BOXA 0030", "BOXA 0130", "BOXB 0030"]);
    let names: Vec<_> = site.streams.iter().map(|stream| stream.name.as_str()).collect();
    assert_eq!(names, ["BATCH", "OLTP"]);
    assert!(site.links.is_sorted_by(|a, b| a.name < b.name));
    assert!(site.devices.is_sorted_by_key(|device| (device.subchannel_set, device.number)));
}

#[test]
fn the_machine_has_the_catalogs_numbers() {
    let cpc = Site::new().configuration().cpcs.remove(0);
    assert_eq!((cpc.machine_type, cpc.model.as_str()), (3931, "Max39"));
    assert_eq!((cpc.iop_threads, cpc.interrupt_thread_stride), (10, 2));
    assert_eq!(cpc.iop_start, Span::from_ns(2570));
}

#[test]
fn channels_take_speed_and_generation_from_card_and_cable() {
    let channels = Site::new().configuration().channels;
    let seen: Vec<_> =
        channels.iter().map(|one| (one.link_gbps, one.generation, one.switched, one.shared)).collect();
    assert_eq!(seen, [(32, 0x2E, true, true), (32, 0x2E, true, true), (16, 0x2C, false, true)]);
    assert_eq!(channels[0].css, [0, 1]);
    for (fec, generation) in [(false, 0x2C), (true, 0x2D)] {
        let set = format!("link_gbps = 16\nfec = {fec}");
        let set = Site::new().plant("link_gbps = 16", &set).configuration();
        assert_eq!(set.channels[2].generation, generation);
    }
}

#[test]
fn speed_and_fec_are_agreed_by_both_ends() {
    let director = "id = \"11\"\ntype = \"director-32g\"";
    let port = |setting: &str| format!("{director}\n[[director.port]]\nid = \"20\"\n{setting}");
    for (setting, speed) in [
        ("gbps = 32", (32, 0x2E)),
        ("gbps = 16", (16, 0x2C)),
        ("gbps = 16\nfec = true", (16, 0x2D)),
        ("gbps = 16\nfec = false", (16, 0x2C)),
        ("fec = false", (16, 0x2C)),
        ("gbps = 8", (8, 0x2B)),
    ] {
        let site = Site::new().plant(director, &port(setting)).configuration();
        let channel = &site.channels[0];
        assert_eq!((channel.link_gbps, channel.generation), speed, "{setting}");
        assert_eq!(link(&site.links, "pchid 100 > 11.20").bytes_per_s, u64::from(speed.0) * 106_250_000);
    }
    // Every port of an older director is slower; the other director and what is plugged into it follow.
    let old = Site::new().plant(director, "id = \"11\"\ntype = \"director-8g\"").configuration();
    assert_eq!((old.channels[0].link_gbps, old.channels[0].generation), (8, 0x2B));
    assert_eq!(link(&old.links, "11.E0 > 12.E0").bytes_per_s, 850_000_000);
    let general = Site::new().plant(director, &format!("{director}\ngbps = 16")).configuration();
    assert_eq!((general.channels[0].link_gbps, general.channels[0].generation), (16, 0x2C));
    let adapter = Site::new().plant("to = \"12.04\"", "to = \"12.04\"\ngbps = 8").configuration();
    assert_eq!(link(&adapter.links, "12.04 > BOXA 0030").bytes_per_s, 850_000_000);
}

/// The G column of the sample report in the paper on the FICON Express32S.
#[test]
fn the_links_of_the_sample_report_have_its_generation_codes() {
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/published/fex32s-rmf-channels");
    let channels =
        halftrack_config::load(&study, &Catalog::load(&[]).0).configuration.expect("it runs").channels;
    let seen: Vec<_> = channels.iter().map(|one| (one.chpid, one.generation)).collect();
    let printed =
        [(0x40, 0x20), (0x4E, 0x21), (0x90, 0x2E), (0x92, 0x26), (0x93, 0x27), (0x96, 0x2B), (0x97, 0x2C)];
    assert_eq!(seen, printed);
}

#[test]
fn paths_lead_over_the_directors_and_back() {
    let site = Site::new().configuration();
    let names = |links: &[u32]| -> Vec<_> {
        links.iter().map(|link| site.links[*link as usize].name.as_str()).collect()
    };
    let path = &site.lcus[0].path_groups[0].paths[0];
    let there = ["pchid 100 > 11.20", "11.E0 > 12.E0", "12.04 > BOXA 0030"];
    assert_eq!(names(&path.outbound), there);
    let back = ["BOXA 0030 > 12.04", "12.E0 > 11.E0", "11.20 > pchid 100"];
    assert_eq!(names(&path.inbound), back);
    let direct = &site.lcus[2].path_groups[0].paths[0];
    assert_eq!(names(&direct.outbound), ["pchid 118 > BOXB 0030"]);
}

#[test]
fn links_know_their_far_end() {
    let links = Site::new().configuration().links;
    let out = link(&links, "pchid 100 > 11.20");
    assert_eq!((out.bytes_per_s, out.credits), (3_400_000_000, 90));
    assert_eq!(out.propagation, Span::from_ns(500));
    assert_eq!(out.forward_latency, Span::from_ns(1000));
    assert_eq!(out.fed_by, 0);
    assert_eq!(link(&links, "11.20 > pchid 100").forward_latency, Span::ZERO);
    let isl = link(&links, "11.E0 > 12.E0");
    assert_eq!(isl.propagation, Span::from_us(100));
    assert_eq!(link(&links, "pchid 118 > BOXB 0030").bytes_per_s, 1_700_000_000);
    // Two channels reach the port at 12.04 only over the inter-switch link; 12.05 is fed by one channel.
    assert_eq!(link(&links, "12.04 > BOXA 0030").fed_by, 1);
    assert_eq!(link(&links, "12.20 > pchid 101").fed_by, 1);
}

#[test]
fn inter_switch_links_side_by_side_are_ways_of_one_path() {
    let isl = "[[isl]]\nfrom = \"12.E0\"\nto = \"11.E0\"\nkm = 20\n";
    let second = "[[isl]]\nfrom = \"11.E1\"\nto = \"12.E1\"\nkm = 30\n";
    let site = Site::new().plant(isl, &format!("{isl}{second}")).configuration();
    let names = |links: &[u32]| -> Vec<_> {
        links.iter().map(|link| site.links[*link as usize].name.as_str()).collect()
    };
    let path = &site.lcus[0].path_groups[0].paths[0];
    assert_eq!(names(&path.outbound), ["pchid 100 > 11.20", "11.E0 > 12.E0", "12.04 > BOXA 0030"]);
    let [other] = &path.alternatives[..] else { panic!("{path:?}") };
    assert_eq!(names(&other.outbound), ["pchid 100 > 11.20", "11.E1 > 12.E1", "12.04 > BOXA 0030"]);
    assert_eq!(names(&other.inbound), ["BOXA 0030 > 12.04", "12.E1 > 11.E1", "11.20 > pchid 100"]);
    assert_eq!(link(&site.links, "12.04 > BOXA 0030").fed_by, 2);
    assert_eq!(site.lcus[2].path_groups[0].paths[0].alternatives, []);
}

#[test]
fn three_directors_in_cascade_are_crossed_by_the_fewest_links() {
    let isl = "[[isl]]\nfrom = \"12.E0\"\nto = \"11.E0\"\nkm = 20\n";
    let director = "[[director]]\nid = \"11\"";
    let third = "[[director]]\nid = \"13\"\ntype = \"director-16g\"\n";
    let joined = "[[isl]]\nfrom = \"11.E0\"\nto = \"13.E0\"\nkm = 1\n\
                  [[isl]]\nfrom = \"13.E1\"\nto = \"12.E0\"\nkm = 1\n";
    let cascade = Site::new().plant(director, &format!("{third}{director}"));
    let site = cascade.plant(isl, joined).configuration();
    let path = &site.lcus[0].path_groups[0].paths[0];
    let names: Vec<_> = path.outbound.iter().map(|link| site.links[*link as usize].name.as_str()).collect();
    let there = ["pchid 100 > 11.20", "11.E0 > 13.E0", "13.E1 > 12.E0", "12.04 > BOXA 0030"];
    assert_eq!(names, there);
    assert_eq!(link(&site.links, "13.E1 > 12.E0").bytes_per_s, 1_700_000_000, "the slower director's speed");
    // A link between the ends is shorter, and then nothing goes over the third.
    let cascade = Site::new().plant(director, &format!("{third}{director}"));
    let site = cascade.plant(isl, &format!("{joined}[[isl]]\nfrom = \"11.E5\"\nto = \"12.E5\"\nkm = 20\n"));
    let site = site.configuration();
    let path = &site.lcus[0].path_groups[0].paths[0];
    assert_eq!((path.outbound.len(), path.alternatives.len()), (3, 0));
}

#[test]
fn a_link_fed_by_several_counts_each_once() {
    let site = Site::new()
        .deck("LINK=((CSS(0),1204,1205),(CSS(1),1204))", "LINK=((CSS(0),1204,1204),(CSS(1),1204))");
    let links = site.configuration().links;
    assert_eq!(link(&links, "12.04 > BOXA 0030").fed_by, 2);
}

#[test]
fn multiplexers_are_delay_and_a_rate_that_they_carry() {
    let plain = Site::new().plant("km = 20", "km = 20\ncredits = 400").configuration();
    let dwdm = Site::new().plant("km = 20", "km = 20\ncredits = 400\nvia = \"dwdm\"").configuration();
    let of = |site: &halftrack_config::Configuration| {
        let isl = link(&site.links, "11.E0 > 12.E0");
        (isl.propagation, isl.bytes_per_s, isl.credits)
    };
    assert_eq!(of(&plain), (Span::from_us(100), 3_400_000_000, 400));
    assert_eq!(of(&dwdm), (Span::from_us(110), 3_400_000_000, 400));
    // Two directors of 64 Gbit/s, and gear that carries 32.
    let fast = |via: &str| {
        let site = Site::new()
            .plant("id = \"11\"\ntype = \"director-32g\"", "id = \"11\"\ntype = \"director-64g\"")
            .plant("id = \"12\"\ntype = \"director-32g\"", "id = \"12\"\ntype = \"director-64g\"");
        of(&site.plant("km = 20", &format!("km = 20{via}")).configuration()).1
    };
    assert_eq!((fast(""), fast("\nvia = \"dwdm\"")), (6_800_000_000, 3_400_000_000));
    let cable = "to = \"11.20\"\nkm = 0.1";
    let cabled = Site::new().plant(cable, &format!("{cable}\nvia = \"dwdm\"")).configuration();
    assert_eq!(link(&cabled.links, "11.20 > pchid 100").propagation, Span::from_ns(10_500));
}

#[test]
fn inter_switch_links_take_the_plants_credits_and_speed() {
    let site = Site::new().plant("km = 20", "km = 20\ncredits = 400\ngbps = 16").configuration();
    let isl = link(&site.links, "12.E0 > 11.E0");
    assert_eq!((isl.credits, isl.bytes_per_s), (400, 1_700_000_000));
}

#[test]
fn logical_control_units_are_images_of_boxes() {
    let site = Site::new().configuration();
    let shape = |lcu: &Lcu| (lcu.number, lcu.control_unit, lcu.image, lcu.aliases);
    let shapes: Vec<_> = site.lcus.iter().map(shape).collect();
    assert_eq!(shapes, [(0x1000, 0, 0, 16), (0x1100, 0, 1, 0), (0x2000, 1, 0, 0)]);
    let groups: Vec<_> =
        site.lcus[0].path_groups.iter().map(|group| (group.css, group.paths.len())).collect();
    assert_eq!(groups, [(0, 2), (1, 1)]);
}

#[test]
fn two_control_unit_statements_of_one_image_are_one() {
    let site = Site::new()
        .deck("CUADD=1,UNIT=2107", "CUADD=0,UNIT=2107")
        .deck("PATH=((CSS(0),40,41),(CSS(1),40))", "PATH=((CSS(0),40),(CSS(1),40))")
        .deck("LINK=((CSS(0),1204,1205),(CSS(1),1204))", "LINK=((CSS(0),1204),(CSS(1),1204))")
        .deck("ADDRESS=(1100,008),CUNUMBR=(1100)", "ADDRESS=(1100,8),UNITADD=20,CUNUMBR=(1100)");
    let lcus = site.configuration().lcus;
    let numbers: Vec<_> = lcus.iter().map(|lcu| (lcu.number, lcu.path_groups[0].paths.len())).collect();
    assert_eq!(numbers, [(0x1000, 2), (0x2000, 1)]);
}

#[test]
fn devices_have_the_plants_volumes() {
    let site = Site::new().configuration();
    assert_eq!(site.devices.len(), 16 + 8 + 4);
    let device = |number: u16| site.devices.iter().find(|one| one.number == number).expect("device");
    let common = device(0x100F);
    assert_eq!((common.volser.as_str(), common.storage_group.as_str()), ("BA100F", "SGA"));
    assert_eq!((common.cylinders, common.unit_address, common.lcu, common.zhpf), (10_017, 0x0F, 0, true));
    let special = device(0x1107);
    assert_eq!((special.volser.as_str(), special.storage_group.as_str()), ("BX1107", "SGA"));
    assert_eq!((special.cylinders, special.device_type.as_str()), (65_520, "33909"));
}

#[test]
fn streams_are_resolved() {
    let site = Site::new().configuration();
    let (batch, oltp) = (&site.streams[0], &site.streams[1]);
    assert_eq!((batch.lpar, oltp.lpar), (1, 0));
    assert_eq!(oltp.devices, (0..16).chain([24]).collect::<Vec<_>>());
    assert_eq!(oltp.selection, Selection::Zipf { exponent: 0.9 });
    assert_eq!((oltp.read_ppm, oltp.hit_ppm), (700_000, 900_000));
    assert_eq!((oltp.read.operation, oltp.read.record_bytes), (Operation::Read, 4096));
    assert_eq!((oltp.write.operation, oltp.write.grouping), (Operation::UpdateWrite, Grouping::TrackData));
    assert_eq!(oltp.arrivals, Arrivals::Open { interarrival: Span::from_us(200), poisson: true });
    assert_eq!(batch.protocol, ProtocolChoice::Always(Protocol::Command));
    assert_eq!((batch.read.record_bytes, batch.read.records), (27_998, 2));
    assert_eq!(batch.read.positioning, Positioning::DefineExtentLocateRecord);
    assert_eq!((batch.write.record_bytes, batch.write.operation), (27_998, Operation::UpdateWrite));
    let think = Span::from_us(100);
    assert_eq!(batch.arrivals, Arrivals::Closed { jobs: 3, think, exponential: true });
}

#[test]
fn events_are_in_the_order_of_time() {
    let site = Site::new().configuration();
    let kinds: Vec<_> = site.disturbances.iter().map(|one| one.kind).collect();
    let wanted = [DisturbanceKind::ControlUnitBusy { lcu: 1 }, DisturbanceKind::PathLost { channel: 1 }];
    assert_eq!(kinds, wanted);
    assert_eq!(site.run.warmup, Span::from_ms(250));
    assert_eq!((site.run.intervals, site.run.cycle_ms, site.run.seed), (3, 1000, 1));
}

#[test]
fn the_studies_of_the_repository_load_without_a_message() {
    let (catalog, _) = Catalog::load(&[]);
    for (study, channels, links, lcus, devices) in
        [("fex32s-zhpf-4k", 1, 10, 4, 256), ("z16-oltp", 8, 48, 8, 1024)]
    {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies").join(study);
        let loaded = load(&dir, &catalog);
        let lines: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(lines, Vec::<String>::new(), "{study}");
        let one = loaded.configuration.expect("configuration");
        let counts = (one.channels.len(), one.links.len(), one.lcus.len(), one.devices.len());
        assert_eq!((one.study.as_str(), counts), (study, (channels, links, lcus, devices)));
        let aliases: u32 = one.lcus.iter().map(|lcu| lcu.aliases).sum();
        assert_eq!(aliases as usize, devices);
    }
}
