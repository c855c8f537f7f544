//! Logical links of ISFC: what is planned is valid and complete, and SYSTEM CONFIG statements fit the deck.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{cards, codes, reading};
use halftrack_deck::ctc::islink::{
    ChannelName, ChannelPair, ChannelRates, DEVICES_MAX, LinkRequest, LogicalLink, plan, table,
};
use halftrack_deck::ctc::{GivenPort, Image, Port, connections};
use halftrack_deck::model::Deck;
use halftrack_deck::model::placement::ByNumber;
use halftrack_deck::{ReadOptions, advise, check_system_config, system_config};
use halftrack_input::SourceFile;
use halftrack_input::messages::deck::NO_CONTROL_PORT;
use proptest::prelude::*;

/// How the channels of a link lie between its systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One channel, shared by two partitions of a channel subsystem.
    Shared,
    /// One channel, spanned over the channel subsystems of both.
    Spanned,
    /// A channel at each end, on one director.
    Director,
    /// A channel at each end, of partitions in two channel subsystems, on two directors.
    TwoDirectors,
    /// A cable without director.
    Cable,
    /// A channel that one partition has at each end.
    Dedicated,
}

const FORMS: [Form; 6] =
    [Form::Shared, Form::Spanned, Form::Director, Form::TwoDirectors, Form::Cable, Form::Dedicated];

/// Partitions: LP1 and LP2 in CSS 0, LP3 in CSS 1.
const HEAD: &str = "ID SYSTEM=(3931,1)\nRESOURCE PART=((CSS(0),(LP1,1),(LP2,2)),(CSS(1),(LP3,3))),MAXDEV=((CSS(0),9000),(CSS(1),9000))";

fn text(statements: &str) -> String {
    HEAD.lines().chain(statements.lines()).map(str::trim).filter(|line| !line.is_empty()).map(cards).collect()
}

#[track_caller]
fn valid(text: &str) -> Deck {
    let reading = reading(text);
    assert_eq!(codes(&reading), [""; 0], "{:?}\n{text}", reading.diagnostics);
    reading.deck.expect("no messages")
}

/// One or two decks, their known ports, both systems and the channels between them.
struct Site {
    texts: Vec<String>,
    ports: Vec<GivenPort>,
    systems: [(usize, &'static str); 2],
    channels: Vec<ChannelPair>,
    rates: Option<ChannelRates>,
}

fn given(deck: usize, css: u8, chpid: u8, switch: u8, port: u8) -> GivenPort {
    GivenPort { deck, css, chpid, port: Port { switch, port } }
}

/// Makes a site of `count` channels. The channels at the far end have CHPIDs from 80 up.
fn site(form: Form, two_decks: bool, count: u8) -> Site {
    let two_decks = two_decks && !matches!(form, Form::Shared | Form::Spanned);
    // In two machines both systems may have one name and one image id.
    let far_lp = match form {
        Form::Spanned | Form::TwoDirectors => "LP3",
        _ if two_decks => "LP1",
        _ => "LP2",
    };
    let far_css = u8::from(far_lp == "LP3");
    let far_switch = if form == Form::TwoDirectors { 0x12 } else { 0x11 };
    let (mut near, mut far) = (String::new(), String::new());
    let mut site = Site {
        texts: Vec::new(),
        ports: Vec::new(),
        systems: [(0, "LP1"), (usize::from(two_decks), far_lp)],
        channels: Vec::new(),
        rates: None,
    };
    for at in 0..count {
        let (one, other) = (0x40 + at, 0x80 + at);
        let (pchid, far_pchid) = (0x100 + 4 * u16::from(at), 0x200 + 4 * u16::from(at));
        let css = if form == Form::Spanned { "0,1" } else { "0" };
        let switch = if form == Form::Cable { String::new() } else { ",SWITCH=11".to_owned() };
        let held = |css: u8, lp: &str| match form {
            Form::Dedicated => format!(",PART=((CSS({css}),({lp}),(=)))"),
            _ => ",SHARED".to_owned(),
        };
        near += &format!(
            "CHPID PATH=(CSS({css}),{one:02X}){},PCHID={pchid:03X}{switch},TYPE=FC\n",
            held(0, "LP1")
        );
        if form != Form::Cable {
            site.ports.push(given(0, 0, one, 0x11, 0x10 + at));
        }
        let is_shared = matches!(form, Form::Shared | Form::Spanned);
        if !is_shared {
            let switch =
                if form == Form::Cable { String::new() } else { format!(",SWITCH={far_switch:02X}") };
            far += &format!(
                "CHPID PATH=(CSS({far_css}),{other:02X}){},PCHID={far_pchid:03X}{switch},TYPE=FC\n",
                held(far_css, far_lp)
            );
            if form != Form::Cable {
                site.ports.push(given(usize::from(two_decks), far_css, other, far_switch, 0x40 + at));
            }
        }
        let name = |chpid| ChannelName { css: None, chpid };
        site.channels.push(ChannelPair { near: name(one), far: name(if is_shared { one } else { other }) });
    }
    site.texts = if two_decks { vec![text(&near), text(&far)] } else { vec![text(&(near + &far))] };
    site
}

impl Site {
    fn image(decks: &[&Deck], (deck, name): (usize, &str)) -> Image {
        Image::all(decks[deck], deck).find(|image| image.name == name).expect("a partition")
    }

    fn plan(&self, change: impl FnOnce(&mut LinkRequest<'_>)) -> Result<LogicalLink, Vec<String>> {
        let decks: Vec<Deck> = self.texts.iter().map(|text| valid(text)).collect();
        let decks: Vec<&Deck> = decks.iter().collect();
        let systems = self.systems.map(|system| Self::image(&decks, system));
        let options = ReadOptions::default();
        let mut request = LinkRequest {
            decks: &decks,
            options: &options,
            ports: &self.ports,
            nodes: ["VMA".to_owned(), "VMB".to_owned()],
            systems,
            channels: &self.channels,
            per_channel: None,
            first_device: None,
            wanted_mb_per_s: None,
            rates: self.rates.as_ref(),
        };
        change(&mut request);
        plan(&request)
    }

    /// Returns the texts of the decks with the statements of `link`.
    fn with(&self, link: &LogicalLink) -> Vec<String> {
        let mut texts = self.texts.clone();
        for (system, cards) in link.systems.iter().zip(&link.cards) {
            texts[system.deck] += cards;
        }
        texts
    }
}

/// Returns the advice on `deck`, but for that about its directors.
fn advice(deck: &Deck) -> Vec<String> {
    let notes = advise(deck, &ByNumber);
    notes.iter().filter(|note| note.number != NO_CONTROL_PORT).map(ToString::to_string).collect()
}

/// Checks all that a link promises, from the texts of its decks and statements alone.
fn holds(site: &Site, link: &LogicalLink) {
    let decks: Vec<Deck> = site.with(link).iter().map(|text| valid(text)).collect();
    for deck in &decks {
        let advice = advice(deck);
        assert_eq!(advice, [""; 0]);
    }
    let decks: Vec<&Deck> = decks.iter().collect();
    // Without --port: the ends point back to each other.
    let found = connections(&decks, &[]);
    assert!(found.are_fine() && found.elsewhere.is_empty() && found.misfits.is_empty(), "{found:?}");
    assert!(found.pairs.iter().all(|pair| pair.same_devices && pair.same_unit_addresses));
    assert_eq!(found.pairs.len(), link.wires.len());
    // Straight: each channel at one end belongs to one at the other.
    let mut wires = BTreeMap::new();
    let mut numbers = BTreeSet::new();
    for pair in &found.pairs {
        let ends = [&found.ends[pair.one], &found.ends[pair.other]];
        let [near, far] = if ends[0].image == link.systems[0] { ends } else { [ends[1], ends[0]] };
        assert_eq!([&near.image, &far.image], [&link.systems[0], &link.systems[1]]);
        assert_eq!(*wires.entry(near.channel).or_insert(far.channel), far.channel);
        for (number, address) in near.devices.iter().flat_map(|run| run.devices()) {
            assert!(numbers.insert((number, near.channel, address)));
        }
    }
    assert_eq!(numbers.len(), link.devices.len());
    assert!(numbers.len() <= DEVICES_MAX);
    for (at, system) in link.systems.iter().enumerate() {
        let node =
            |image: &Image| if *image == link.systems[1 - at] { "OTHER".to_owned() } else { String::new() };
        let written = system_config(&found, system, &[], &node);
        assert_eq!(written.refused, [""; 0]);
        assert!(written.text.lines().all(|line| line.len() <= 72), "{}", written.text);
        assert_eq!(written.text.matches("ACTIVATE ISLINK").count(), 1);
        let config = SourceFile::new("system.config", written.text);
        let messages = check_system_config(decks[system.deck], &system.name, &config);
        assert!(messages.is_empty(), "{messages:?}");
    }
}

proptest! {
    /// Whatever the channels, devices and wiring: the statements break no rule, give no advice, and every device has its
    /// other end; or there is a reason why there are none.
    #[test]
    fn a_planned_link_is_valid_and_complete(
        form in 0..FORMS.len(),
        two_decks: bool,
        count in 1..=16_u8,
        per_channel in proptest::option::of(1..=17_usize),
        first in proptest::option::of(0..=0xFFFF_u16),
    ) {
        let site = site(FORMS[form], two_decks, count);
        match site.plan(|request| {
            request.per_channel = per_channel;
            request.first_device = first;
        }) {
            Ok(link) => holds(&site, &link),
            Err(reasons) => {
                let devices = per_channel.map_or(usize::from(count) + 2, |each| each * usize::from(count));
                let runs_out = first.is_some_and(|first| first > 0xFFFF - 16);
                prop_assert!(devices > DEVICES_MAX || runs_out, "{reasons:?}");
            }
        }
    }

    /// A second link between the same partitions over the same channels takes other unit addresses and numbers, so that
    /// the deck stays valid; where a channel takes no second control unit it is refused by the rule.
    #[test]
    fn a_second_link_leaves_the_first_as_it_is(form in 0..FORMS.len(), two_decks: bool, count in 1..=4_u8) {
        let mut site = site(FORMS[form], two_decks, count);
        let first = site.plan(|request| request.per_channel = Some(2)).expect("a link");
        site.texts = site.with(&first);
        match site.plan(|request| request.per_channel = Some(1)) {
            Ok(second) => {
                let decks: Vec<Deck> = site.with(&second).iter().map(|text| valid(text)).collect();
                let found = connections(&decks.iter().collect::<Vec<_>>(), &[]);
                prop_assert!(found.are_fine(), "{found:?}");
                prop_assert_eq!(found.pairs.len(), first.wires.len() + second.wires.len());
                prop_assert_eq!(advice(&decks[0]), [""; 0]);
            }
            Err(reasons) => {
                prop_assert!(matches!(FORMS[form], Form::Cable), "{reasons:?}");
                prop_assert!(reasons.iter().all(|why| why.contains("HTK248E")), "{reasons:?}");
            }
        }
    }
}

fn refused(site: &Site, change: impl FnOnce(&mut LinkRequest<'_>)) -> String {
    site.plan(change).expect_err("no link").join("\n")
}

#[test]
fn what_cannot_be_planned_is_refused_with_all_reasons() {
    let mut shared = site(Form::Shared, false, 2);
    shared.ports.clear();
    assert_eq!(
        refused(&shared, |_| ()),
        "the port of channel 40 of 0.LP1 is in no deck: give it with --port 0.40=SSPP\n\
         the port of channel 41 of 0.LP1 is in no deck: give it with --port 0.41=SSPP"
    );
    let mut cable = site(Form::Cable, false, 1);
    cable.channels[0].far = cable.channels[0].near;
    assert!(refused(&cable, |_| ()).contains("a shared channel needs a director"));
    let mut direct = site(Form::Director, false, 1);
    let itself = refused(&direct, |request| request.systems[1] = request.systems[0].clone());
    assert!(itself.contains("cannot have a logical link to itself"), "{itself}");
    assert!(refused(&direct, |request| request.nodes[1] = request.nodes[0].clone()).contains("--node"));
    assert!(
        refused(&direct, |request| request.per_channel = Some(17))
            .contains("17 devices on each of 1 channels")
    );
    direct.channels.push(direct.channels[0]);
    assert!(refused(&direct, |_| ()).contains("listed twice"));
    direct.channels[1].far.chpid = 0x99;
    assert!(refused(&direct, |_| ()).contains("has no channel 99; its FC channels are 40 80"));
    direct.channels[1].far.css = Some(1);
    assert!(refused(&direct, |_| ()).contains("is in channel subsystem 1, and 0.LP2 is not"));
    let mut held = site(Form::Dedicated, false, 1);
    let ChannelPair { near, far } = held.channels[0];
    held.channels[0] = ChannelPair { near: far, far: near };
    assert!(refused(&held, |_| ()).contains("0.LP1 has no access to channel 80"));
}

#[test]
fn only_as_many_channels_are_used_as_the_wanted_rate_needs() {
    let mut site = site(Form::Shared, false, 4);
    assert!(table(&site.plan(|_| ()).expect("a link")).contains("rate      none is catalogued"));
    let rates =
        ChannelRates { origin: "a test".to_owned(), shared_mb_per_s: Some(200.0), unshared_mb_per_s: None };
    site.rates = Some(rates);
    let planned = |wanted| site.plan(|request| request.wanted_mb_per_s = Some(wanted));
    let link = planned(400.0).expect("a link");
    assert_eq!((link.wires.len(), link.devices.len()), (2, 10));
    assert!(table(&link).contains("400 MB/s at most that each system writes (a test)"), "{}", table(&link));
    assert_eq!(planned(401.0).map(|link| link.wires.len()), Ok(3));
    assert!(planned(801.0).expect_err("too much")[0].contains("801 MB/s need more than 4 channels"));
}
