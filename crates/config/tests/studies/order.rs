//! A machine described in another order has an equal configuration.

use proptest::prelude::*;
use proptest::sample::Index;

use crate::site::Site;

/// Returns `items` in the order that `picks` draw them.
fn shuffled<T: Clone>(items: &[T], picks: &[Index]) -> Vec<T> {
    let mut left = items.to_vec();
    let mut drawn = Vec::new();
    for pick in picks.iter().cycle().take(items.len()) {
        drawn.push(left.remove(pick.index(left.len())));
    }
    drawn
}

/// Returns the deck with its statements shuffled among those of the same operation, which may stand in any order.
fn shuffled_deck(deck: &str, picks: &[Index]) -> String {
    let mut statements: Vec<Vec<&str>> = Vec::new();
    for card in deck.lines() {
        match statements.last_mut() {
            Some(statement) if card.starts_with("               ") => statement.push(card),
            _ => statements.push(vec![card]),
        }
    }
    let is = |operation: &str, statement: &[&str]| statement[0].split_whitespace().next() == Some(operation);
    let mut text = Vec::new();
    for operation in ["*", "ID", "RESOURCE", "CHPID", "CNTLUNIT", "IODEVICE"] {
        let same: Vec<_> = statements.iter().filter(|one| is(operation, one)).cloned().collect();
        text.extend(shuffled(&same, picks).concat());
    }
    text.join("\n") + "\n"
}

/// Returns the TOML text with its top-level tables shuffled; tables of tables stay with the table before them.
fn shuffled_tables(text: &str, picks: &[Index]) -> String {
    let mut tables: Vec<Vec<Vec<&str>>> = Vec::new();
    for line in text.lines() {
        let inner = line.starts_with("[[") && line.contains('.');
        match tables.last_mut() {
            Some(table) if inner => table.push(vec![line]),
            Some(table) if !line.starts_with('[') => table.last_mut().expect("a part").push(line),
            _ => tables.push(vec![vec![line]]),
        }
    }
    let part_shuffled = tables.iter().map(|table| {
        let (head, parts) = table.split_first().expect("a head");
        // Volume ranges of one box are tried in order, so only ports may change places.
        let (ports, rest): (Vec<_>, Vec<_>) = parts.iter().partition(|part| part[0].contains("port"));
        let ports: Vec<_> = ports.into_iter().cloned().collect();
        let mut whole = vec![head.clone()];
        whole.extend(shuffled(&ports, picks));
        whole.extend(rest.into_iter().cloned());
        whole.concat()
    });
    let tables: Vec<_> = part_shuffled.collect();
    shuffled(&tables, picks).concat().join("\n") + "\n"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn order_does_not_matter(picks in proptest::collection::vec(any::<Index>(), 8..40)) {
        let site = Site::new();
        let other = Site {
            deck: shuffled_deck(&site.deck, &picks),
            plant: shuffled_tables(&site.plant, &picks),
            workload: shuffled_tables(&site.workload, &picks),
        };
        prop_assert_eq!(other.configuration(), site.configuration());
    }
}

#[test]
fn what_is_different_makes_a_difference() {
    let site = Site::new();
    let swapped = Site::new()
        .plant("to = \"12.04\"", "to = \"12.05\"")
        .plant("id = \"0130\"\nto = \"12.05\"", "id = \"0130\"\nto = \"12.04\"");
    assert_ne!(swapped.configuration(), site.configuration());
}
