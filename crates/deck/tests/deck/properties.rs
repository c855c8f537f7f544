//! Properties: no text panics, cards may be cut anywhere, statements of one kind may stand in any order.

use halftrack_deck::model::Deck;
use halftrack_deck::read;
use halftrack_deck::syntax::script::Script;
use halftrack_input::SourceFile;
use proptest::prelude::*;

const A: &str = include_str!("../decks/example_a.iocp");

/// Generates a value in the form a card holds it.
fn value() -> impl Strategy<Value = String> {
    let atom = prop_oneof!["[A-Z0-9$#@*.-]{1,8}", Just("=".to_owned()), Just("**".to_owned())]
        .prop_filter("an ellipsis or the head of a tagged list", |atom| {
            !atom.contains("...") && atom != "CSS"
        });
    let quoted = "[A-Z ,=()a-z0-9]{0,20}".prop_map(|text| format!("'{text}'"));
    let doubled = "[A-Z ]{0,5}".prop_map(|text| format!("'{text}''S'"));
    let leaf = prop_oneof![4 => atom, 1 => quoted, 1 => doubled];
    leaf.prop_recursive(3, 24, 6, |inner| {
        let element = prop_oneof![6 => inner, 1 => Just(String::new())];
        (proptest::collection::vec(element, 1..6), any::<bool>()).prop_map(|(elements, tagged)| {
            let tag = if tagged { "CSS(0,1)," } else { "" };
            format!("({tag}{})", elements.join(","))
        })
    })
}

fn operand() -> impl Strategy<Value = String> {
    let item = prop_oneof![
        5 => ("[A-Z][A-Z0-9]{0,7}", value()).prop_map(|(keyword, value)| format!("{keyword}={value}")),
        1 => "[A-Z]{1,7}",
    ];
    proptest::collection::vec(item, 1..8)
        .prop_map(|items| items.join(","))
        .prop_filter("short enough", |operand| operand.len() <= 1024)
}

/// Cuts ` CHPID operand` into cards after the commas that `stop` chooses, at column 71 at the latest.
fn at_commas(head: &str, operand: &str, mut stop: impl FnMut() -> bool) -> String {
    let mut text = String::new();
    let mut line = head.to_owned();
    let mut quoted = false;
    for (at, ch) in operand.char_indices() {
        if line.len() == 71 {
            text += &format!("{line}*\n");
            line = " ".repeat(15);
        }
        line.push(ch);
        quoted ^= ch == '\'';
        // A card that ends in a comma at column 71 is one of the other style.
        if ch == ',' && !quoted && at + 1 < operand.len() && line.len() < 70 && stop() {
            text += &format!("{line:71}*\n");
            line = " ".repeat(15);
        }
    }
    text + &line + "\n"
}

fn items(text: &str) -> (Vec<String>, Vec<String>) {
    let script = Script::parse(&SourceFile::new("deck.iocp", text));
    let items = script.statements.iter().flat_map(|statement| &statement.items);
    (items.map(ToString::to_string).collect(), script.diagnostics.iter().map(ToString::to_string).collect())
}

/// Returns the definitions of a deck, without places and in an order that does not depend on the cards.
fn definitions(deck: &Deck) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for channel in &deck.channel_paths {
        all.push(format!(
            "{:?} {:02X} {} {:?} {:?} {} {:?}",
            channel.css,
            channel.chpid.value,
            channel.channel_type.value,
            channel.pchid.as_ref().map(|pchid| pchid.value),
            channel.switch.as_ref().map(|switch| switch.value),
            channel.shared,
            channel.access
        ));
    }
    for unit in &deck.control_units {
        let paths: Vec<String> = unit
            .paths
            .iter()
            .map(|path| format!("{}.{:02X}.{:?}", path.css, path.chpid, path.link))
            .collect();
        let cuadd = unit.cuadd.as_ref().map(|cuadd| cuadd.value);
        all.push(format!(
            "{:04X} {} {paths:?} {:?} {cuadd:?}",
            unit.number.value, unit.unit.value, unit.unit_addresses
        ));
    }
    for device in &deck.devices {
        let units: Vec<u16> = device.control_units.iter().map(|unit| unit.value).collect();
        all.push(format!(
            "{:04X} {} {:?} {units:?} {} {} {:?} {:?}",
            device.number.value,
            device.count,
            device.subchannel_set,
            device.unit.value,
            device.unit_address,
            device.candidates,
            device.preferred
        ));
    }
    all.sort();
    all
}

/// Returns the statements of example A as text, in runs of one kind: ID and RESOURCE, CHPID, CNTLUNIT, IODEVICE,
/// FUNCTION.
fn statements_by_kind() -> Vec<Vec<String>> {
    let script = Script::parse(&SourceFile::new("deck.iocp", A));
    let mut kinds: Vec<(String, Vec<String>)> = Vec::new();
    for statement in &script.statements {
        let cards = &script.cards[statement.cards.clone()];
        let text: String = cards.iter().map(|card| &A[card.line.clone()]).collect();
        let operation = &statement.operation.value;
        match kinds.iter_mut().find(|(kind, _)| kind == operation) {
            Some((_, texts)) => texts.push(text),
            None => kinds.push((operation.clone(), vec![text])),
        }
    }
    kinds.into_iter().map(|(_, texts)| texts).collect()
}

fn shuffled() -> impl Strategy<Value = String> {
    let kinds: Vec<_> = statements_by_kind().into_iter().map(|texts| Just(texts).prop_shuffle()).collect();
    kinds.prop_map(|kinds| kinds.concat().concat())
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let reading = read(SourceFile::new("deck.iocp", String::from_utf8_lossy(&bytes)));
        prop_assert!(reading.deck.is_none(), "a deck needs RESOURCE");
    }

    #[test]
    fn no_soup_of_iocp_panics(words in proptest::collection::vec(prop_oneof![
        Just(" RESOURCE PART=((CSS(0),(A,1)))"), Just("\n"), Just("               "), Just(" CHPID "), Just("PATH="),
        Just(" CNTLUNIT "), Just(" IODEVICE "), Just("CSS(0)"), Just("("), Just(")"), Just(","), Just("40"), Just("'"),
        Just("TYPE=FC"), Just("UNIT=X"), Just("ADDRESS="), Just("CUNUMBR="), Just("LINK="), Just("**"), Just("*"),
        Just("UNITADD=((00,256))"), Just("\t"), Just("é"), Just("\r\n"), Just("PART="), Just("SCHSET="), Just("="),
    ], 0..120)) {
        let reading = read(SourceFile::new("deck.iocp", words.concat()));
        for message in &reading.diagnostics {
            prop_assert!(message.at.span.start <= message.at.span.end);
        }
    }

    #[test]
    fn no_mutation_of_a_deck_panics(
        edits in proptest::collection::vec((0..A.len(), prop_oneof![
            Just(""), Just("("), Just(")"), Just(","), Just("'"), Just(" "), Just("\n"), Just("0"), Just("F"), Just("*"),
        ], 0usize..4), 1..12),
    ) {
        let mut text = A.to_owned();
        for (at, new, removed) in edits {
            let at = at.min(text.len());
            let end = (at + removed).min(text.len());
            text.replace_range(at..end, new);
        }
        let reading = read(SourceFile::new("deck.iocp", text.as_str()));
        for message in &reading.diagnostics {
            prop_assert!(text.get(message.at.span.clone()).is_some(), "{}", message);
        }
    }

    #[test]
    fn an_operand_may_be_cut_at_any_column(operand in operand(), column in 8usize..71) {
        let head = format!("{:column$}", " CHPID");
        let (items, messages) = items(&crate::support::cut(&head, &operand));
        prop_assert_eq!(messages, Vec::<String>::new());
        prop_assert_eq!(items.join(","), operand);
    }

    #[test]
    fn an_operand_may_stop_after_any_comma(operand in operand(), stops in any::<u64>(), column in 8usize..60) {
        let mut turn = 0;
        let text = at_commas(&format!("{:column$}", " CHPID"), &operand, || {
            turn += 1;
            stops >> (turn % 64) & 1 == 1
        });
        let (items, messages) = items(&text);
        prop_assert_eq!(messages, Vec::<String>::new());
        prop_assert_eq!(items.join(","), operand);
    }

    #[test]
    fn statements_of_one_kind_may_stand_in_any_order(text in shuffled()) {
        let expected = read(SourceFile::new("deck.iocp", A)).deck.expect("example A is right");
        let reading = read(SourceFile::new("deck.iocp", text));
        prop_assert_eq!(reading.diagnostics, Vec::new());
        let deck = reading.deck.expect("no messages");
        prop_assert_eq!(definitions(&deck), definitions(&expected));
    }
}
