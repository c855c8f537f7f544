//! Studies of many sizes, read again by the rules of deck, plant and workload.

use halftrack_catalog::Catalog;
use halftrack_config::Configuration;
use halftrack_generate::{Block, Load, Request, Written, models, write};
use halftrack_input::messages::generate as numbers;

fn catalog() -> Catalog {
    let (catalog, found) = Catalog::load(&[]);
    assert!(found.is_empty(), "{found:?}");
    catalog
}

fn request(model: &str, channels: u32, bases: u32, aliases: u32) -> Request {
    Request {
        model: model.to_owned(),
        channels,
        bases,
        aliases,
        lpars: None,
        css: None,
        card: None,
        km: 1.0,
        load: None,
        block: Block::Named("4K"),
        seed: 1,
    }
}

fn written(request: &Request) -> Written {
    let line = request.line();
    write(request, &catalog()).unwrap_or_else(|refused| panic!("{line}: {refused:?}"))
}

/// Checks that the study is accepted without a message.
fn configured(request: &Request) -> (Written, Configuration) {
    let written = written(request);
    let loaded = written.read_again(&catalog());
    assert!(loaded.diagnostics.is_empty(), "{}: {:?}", request.line(), loaded.diagnostics.first());
    (written, loaded.configuration.expect("a configuration"))
}

/// Returns the numbers of the refusals.
fn refused(request: &Request) -> Vec<u16> {
    let refused = write(request, &catalog()).expect_err("it does not fit");
    refused.iter().map(|one| one.number).collect()
}

#[test]
fn any_number_of_channels_and_devices_that_fits_is_accepted() {
    let sizes = [
        (1, 1, 0, 1),
        (1, 100, 10, 1),
        (37, 5000, 0, 3),
        (7, 257, 255, 15),
        (8, 300, 2000, 16),
        (13, 511, 1, 4),
        (64, 512, 0, 20),
        (301, 9000, 31, 31),
        (256, 65_280, 0, 85),
    ];
    for (channels, bases, aliases, lpars) in sizes {
        let asked = Request { lpars: Some(lpars), ..request("Max39", channels.min(384), bases, aliases) };
        let (written, configuration) = configured(&asked);
        assert_eq!((written.channels, written.lpars), (channels, lpars), "{}", asked.line());
        assert_eq!(configuration.channels.len(), channels as usize);
        let used: u64 = configuration.streams.iter().map(|stream| stream.devices.len() as u64).sum();
        assert_eq!(used, u64::from(bases), "every base belongs to one partition: {}", asked.line());
    }
}

#[test]
fn every_model_of_the_catalog_can_be_had() {
    let catalog = catalog();
    for row in models(&catalog) {
        let (written, configuration) = configured(&request(&row.id, 12, 600, 100));
        assert_eq!((written.cpc.as_str(), written.lpars), (row.id.as_str(), row.lpars));
        assert_eq!(configuration.lpars.len(), row.lpars as usize);
    }
}

#[test]
fn partitions_are_as_many_as_in_the_published_measurements() {
    let rows = models(&catalog());
    for (model, lpars) in [("Max39", 4), ("Max82", 8), ("Max125", 12), ("Max168", 16), ("Max200", 20)] {
        let row = rows.iter().find(|row| row.model == model).expect("a z16");
        assert_eq!(row.lpars, lpars, "{model}");
    }
}

#[test]
fn every_ficon_card_of_the_machine_can_be_had() {
    let catalog = catalog();
    for (model, cards) in [("Max39", 9), ("z900", 2)] {
        let mut known = 0;
        for id in catalog.channels.ids() {
            let asked = Request { card: Some(id.to_owned()), ..request(model, 10, 64, 0) };
            if let Ok(written) = write(&asked, &catalog) {
                let loaded = written.read_again(&catalog);
                assert!(loaded.diagnostics.is_empty(), "{id}: {:?}", loaded.diagnostics.first());
                known += 1;
            }
        }
        assert_eq!(known, cards, "{model}");
    }
}

#[test]
fn what_was_chosen_is_written_again_by_the_arguments_of_the_header() {
    let asked = request("Max39", 37, 5000, 40);
    let first = written(&asked);
    let again = Request {
        lpars: Some(first.lpars),
        css: Some(first.channel_subsystems),
        card: Some(first.card.clone()),
        load: first.jobs.map(Load::Jobs),
        ..asked
    };
    assert_eq!(again.line(), first.arguments);
    assert_eq!(written(&again), first);
}

#[test]
fn a_large_site_divides_its_channels_and_spans_those_of_a_small_one() {
    let divided = configured(&Request { lpars: Some(20), ..request("Max39", 384, 49_152, 16_384) });
    assert_eq!((divided.0.channel_subsystems, divided.0.spanned), (2, false));
    assert_eq!((divided.0.logical_control_units, divided.0.directors), (256, 8));
    let deck = &divided.0.files[0].1;
    assert!(deck.contains("ADDRESS=(0100,192),UNITADD=00,CUNUMBR=(0100)"), "{deck}");
    assert!(deck.contains("SCHSET=1,UNIT=3390A"), "{deck}");
    assert!(deck.lines().all(|card| card.len() <= 72));
    let spanned = configured(&Request { lpars: Some(20), ..request("Max39", 200, 4096, 0) });
    assert_eq!((spanned.0.channel_subsystems, spanned.0.spanned), (2, true));
    assert!(spanned.0.files[0].1.contains("CHPID PATH=(CSS(0,1),00),SHARED"));
}

#[test]
fn what_does_not_fit_is_refused_with_its_number() {
    let lpars = |count: u32, asked: Request| Request { lpars: Some(count), ..asked };
    let small = || request("Max39", 8, 256, 0);
    let wide = lpars(20, request("Max39", 1537, 256, 0));
    assert_eq!(refused(&wide), [numbers::TOO_MANY_CHANNELS, numbers::TOO_MANY_CARDS]);
    assert_eq!(refused(&lpars(2, request("Max39", 385, 256, 0))), [numbers::TOO_MANY_CARDS]);
    assert_eq!(refused(&request("z900", 257, 256, 0)).first(), Some(&numbers::TOO_MANY_CHANNELS));
    assert_eq!(refused(&lpars(86, small())), [numbers::TOO_MANY_PARTITIONS]);
    assert_eq!(refused(&Request { css: Some(1), ..lpars(16, small()) }), [numbers::TOO_MANY_PARTITIONS]);
    assert_eq!(refused(&Request { css: Some(7), ..small() }).first(), Some(&numbers::TOO_MANY_PARTITIONS));
    assert_eq!(refused(&lpars(1, request("Max39", 257, 256, 0))), [numbers::TOO_MANY_PARTITIONS]);
    assert_eq!(refused(&request("Max39", 64, 65_281, 0)), [numbers::TOO_MANY_DEVICES]);
    assert_eq!(refused(&request("Max39", 64, 256, 65_536)), [numbers::TOO_MANY_DEVICES]);
    assert_eq!(refused(&request("z900", 64, 60_000, 6000)), [numbers::TOO_MANY_DEVICES]);
    assert_eq!(refused(&request("Max39", 1, 32_769, 0)), [numbers::TOO_MANY_DEVICES]);
    assert_eq!(refused(&lpars(4, request("Max39", 1, 3, 0))), [numbers::TOO_MANY_DEVICES]);
    assert_eq!(refused(&request("Max39", 8, 4, 2000)), [numbers::TOO_MANY_DEVICES]);
    let jobs = Request { load: Some(Load::Jobs(3)), ..small() };
    assert_eq!(refused(&jobs), [numbers::TOO_MANY_PARTITIONS]);
}

#[test]
fn all_that_does_not_fit_is_said_at_once() {
    let asked = Request {
        lpars: Some(86),
        card: Some("no-card".to_owned()),
        ..request("Max39", 2000, 70_000, 70_000)
    };
    let found = write(&asked, &catalog()).expect_err("nothing fits");
    let line = asked.line();
    for (option, number) in [
        ("--channels 2000", numbers::TOO_MANY_CHANNELS),
        ("--lpars 86", numbers::TOO_MANY_PARTITIONS),
        ("--bases 70000", numbers::TOO_MANY_DEVICES),
        ("--aliases 70000", numbers::TOO_MANY_DEVICES),
        ("--card no-card", halftrack_input::messages::study::NOT_IN_CATALOG),
    ] {
        let at = line.find(option).expect("an option");
        let span = at..at + option.len();
        let said = found.iter().any(|one| one.number == number && one.at.span == span && one.fix.is_some());
        assert!(said, "{option}: {found:?}");
    }
}
