//! Systems that share data which zEDC compresses.

use crate::support::{cards, reading};
use halftrack_deck::{Software, check_sharing};
use halftrack_input::Diagnostic;

/// Returns the messages about a group of a deck whose partition A has a function, and B may get it.
fn found(group: &[&str], software: &[(&str, &str)]) -> Result<Vec<String>, String> {
    let text: String = [
        "ID SYSTEM=(2964,1)",
        "RESOURCE PART=((CSS(0),(A,1),(B,2),(C,3))),MAXDEV=((CSS(0),9))",
        "FUNCTION FID=9,PCHID=100,VF=1,PART=((A),(B)),TYPE=ZEDC",
        "FUNCTION FID=A,PCHID=110,VF=1,PART=((C),(=)),TYPE=ROCE,PNETID=NET1",
    ]
    .map(cards)
    .concat();
    let deck = reading(&text).deck.expect("a deck");
    let system = |text: &str| Software::parse(text).expect("software");
    let software: Vec<_> = software.iter().map(|(name, one)| ((*name).to_owned(), system(one))).collect();
    let group: Vec<String> = group.iter().map(|name| (*name).to_owned()).collect();
    Ok(check_sharing(&deck, &group, &software)?.iter().map(Diagnostic::line).collect())
}

#[test]
fn a_system_without_a_card_is_told_of_where_another_one_compresses() {
    let without = "HTK779W deck.iocp:3:23 C shares data that A compresses with zEDC, without a function: it inflates in \
                   software";
    assert_eq!(found(&["A", "C"], &[]), Ok(vec![without.to_owned()]));
    // Nobody compresses.
    assert_eq!(found(&["B", "C"], &[]), Ok(vec![]));
    assert_eq!(found(&["A", "C"], &[("A", "z/OS 1.13")]), Ok(vec![]));
    assert_eq!(found(&["A", "X"], &[]), Err("X".to_owned()));
}

#[test]
fn older_systems_read_in_software_and_never_write_and_the_oldest_do_neither() {
    let line =
        |software: &str| found(&["A", "C"], &[("A", "z/OS 2.1"), ("C", software)]).expect("known").concat();
    for reads in ["z/OS 1.12", "z/OS 1.13"] {
        let words = "which inflates in software and writes nothing compressed";
        assert!(line(reads).starts_with("HTK779W ") && line(reads).ends_with(words), "{}", line(reads));
    }
    assert!(line("z/OS 2.1").ends_with("without a function: it inflates in software"));
    assert!(line("z/OS 1.11").starts_with("HTK780E "), "{}", line("z/OS 1.11"));
    assert!(line("z/OS 1.11").ends_with("runs z/OS 1.11, which cannot inflate them"));
}
