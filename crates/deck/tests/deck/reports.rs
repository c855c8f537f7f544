//! Reports in the manner of IOCP's, as they are printed.

use crate::support::deck;
use halftrack_deck::model::filter::{Filter, NumberRange};
use halftrack_deck::reports::{REPORTS, Report};
use halftrack_deck::{Selection, read};
use halftrack_input::SourceFile;

const A: &str = include_str!("../decks/example_a.iocp");
const B: &str = include_str!("../decks/example_b.iocp");
const Z9: &str = include_str!("../decks/hcd_z9.iocp");

fn printed(text: &str, report: Report, filter: Filter) -> String {
    let reading = read(SourceFile::new("deck.iocp", text));
    report.of(&Selection::of(reading.understood().expect("a deck"), filter))
}

fn at(number: u16) -> Vec<NumberRange> {
    vec![NumberRange { first: number, last: number }]
}

#[test]
fn physical_channels() {
    insta::assert_snapshot!(printed(A, Report::Pchid, Filter::default()));
}

#[test]
fn channel_paths_and_who_holds_them() {
    insta::assert_snapshot!(printed(A, Report::Chpid, Filter::default()));
}

#[test]
fn what_hangs_on_a_channel_path() {
    insta::assert_snapshot!(printed(A, Report::ChannelPath, Filter { chpid: at(0x40), ..Filter::default() }));
}

#[test]
fn control_units_and_their_paths() {
    insta::assert_snapshot!(printed(A, Report::ControlUnit, Filter::default()));
}

#[test]
fn devices_and_their_sets() {
    insta::assert_snapshot!(printed(A, Report::Device, Filter::default()));
}

#[test]
fn functions_and_who_holds_them() {
    let text = deck(
        "UUID PART=((CSS(0),A))\n\
         FUNCTION FID=(11,2),PCHID=128,PORT=1,VF=1,PART=((A),(B)),TYPE=HYL\n\
         FUNCTION FID=21,VCHID=7C0,VF=1,PART=((A),(=)),TYPE=ISM,PNETID=NET,UID=9,FIDPARM=01\n\
         FUNCTION FID=22,VCHID=7C1,VF=1,PART=((C),(=)),TYPE=ISM,PNETID=NET2,UID=9",
    );
    insta::assert_snapshot!(printed(&text, Report::Function, Filter::default()));
}

#[test]
fn functions_of_a_z13_have_no_ports() {
    insta::assert_snapshot!(printed(B, Report::Function, Filter::default()));
}

#[test]
fn a_deck_of_a_z9_with_coupling_links_parallel_channels_and_candidates() {
    let deck = read(SourceFile::new("deck.iocp", Z9)).deck.expect("a deck");
    let reports = REPORTS.iter().filter(|report| report.applies_to(&deck));
    let all: String = reports.map(|report| printed(Z9, *report, Filter::default())).collect();
    insta::assert_snapshot!(all);
}

#[test]
fn a_filter_leaves_the_heading_and_what_fits() {
    let lpar = Filter { lpar: vec!["LNX1".to_owned()], ..Filter::default() };
    let rows = |filter: Filter, report| printed(A, report, filter).lines().count();
    assert_eq!(rows(Filter { fid: at(0x11), ..Filter::default() }, Report::Pchid), 1);
    assert_eq!(rows(Filter { pchid: at(0x101), ..Filter::default() }, Report::Pchid), 3);
    assert_eq!(rows(Filter { device: at(0x6005), ..lpar.clone() }, Report::Device), 3);
    assert!(!printed(A, Report::Chpid, lpar).contains("CSS 0"));
}

#[test]
fn every_report_of_a_deck_without_anything_is_a_heading() {
    for report in REPORTS {
        let text = printed("         RESOURCE PART=((A,1))\n", report, Filter::default());
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}
