//! Load files, and functions without a card.

use halftrack_base::Span;
use halftrack_deck::read;
use halftrack_input::SourceFile;
use halftrack_plugging::Hardware;
use halftrack_zedc_twin::{Exploiter, Installation, Place};

use crate::rig::{load, stream};

#[test]
fn a_load_is_read() {
    let text = format!(
        "[run]\nmeasured_s = 2\n[[update]]\ngroup = \"RG2\"\nat_s = 1\nfor_s = 0.5\n{}",
        stream("S", "LP02", 65.536)
    );
    let (load, found) = load(&text);
    let load = load.unwrap_or_else(|| panic!("{found:?}"));
    assert_eq!((load.warmup, load.measured, load.seed), (Span::ZERO, Span::from_s(2), 1));
    assert_eq!(load.updates[0].length, Span::from_ms(500));
    assert_eq!(load.streams[0].exploiter, Exploiter::Smf);
    assert_eq!(load.streams[0].between_arrivals(), Span::from_ms(1));
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let run = "[run]\nmeasured_s = 1\n";
    let update = |at: f64| format!("[[update]]\ngroup = \"RG1\"\nat_s = {at:?}\nfor_s = 1.0\n");
    for (text, words) in [
        (String::new(), "load:1:1"),
        (format!("{run}{}", stream("S", "LP77", 1.0)), "load:5:13 the deck has no partition LP77"),
        (format!("{run}{}", stream("S", "LP01", 0.0)), "load:7:12"),
        (format!("{run}{}{0}", stream("S", "LP01", 1.0)), "stream S is named twice"),
        (
            format!("{run}{}", stream("S", "LP01", 900.0).replace("65536", "1")),
            "load:7:12 a stream has at most",
        ),
        (format!("{run}{}{}", update(0.0), update(0.5)), "two updates overlap"),
        (format!("{run}{}", stream("S", "LP01", 1.0).replace("smf", "zip")), "load:6:13"),
        (format!("{run}{}", stream("S", "LP01", 1.0).replace("65536", "1048577")), "load:8:17"),
        (format!("{run}{}", stream("S", "LP01", 1.0).replace("2.0", "0.5")), "load:9:9"),
    ] {
        let (load, found) = load(&text);
        let lines: Vec<String> = found.iter().map(|one| one.line()).collect();
        assert!(load.is_none() && lines.iter().any(|line| line.contains(words)), "{words}: {lines:?}");
    }
}

#[test]
fn a_function_stands_by_until_its_card_is_plugged() {
    let statements = "         ID SYSTEM=(2964,1)\n         RESOURCE PART=((LP01,1))\n         \
                      FUNCTION FID=1,VF=1,PART=((LP01)),TYPE=ZEDC,PCHID=108\n";
    let deck = read(SourceFile::new("deck", statements)).deck.expect("a deck");
    let installation = Installation::new(&deck, &Hardware::default()).expect("no card");
    assert_eq!(installation.functions.len(), 1);
    assert_eq!(installation.functions[0].place, Place::StandBy);
}
