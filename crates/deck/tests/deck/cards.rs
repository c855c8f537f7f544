//! The card grammar (reference: IOCP, section 1) and its traps (section 9).

use crate::support::{codes, reading};
use halftrack_deck::model::Deck;
use halftrack_deck::model::filter::Filter;
use halftrack_deck::reports::Report;
use halftrack_deck::syntax::script::Script;
use halftrack_deck::{CardRole, Selection, read};
use halftrack_input::SourceFile;

fn script(text: &str) -> Script {
    Script::parse(&SourceFile::new("deck.iocp", text))
}

/// Returns statements as `OPERATION item item`, and message numbers.
fn read_back(text: &str) -> (Vec<String>, Vec<u16>) {
    let script = script(text);
    let word = |statement: &halftrack_deck::syntax::statement::Statement| {
        let items: Vec<String> = statement.items.iter().map(ToString::to_string).collect();
        [vec![statement.operation.value.clone()], items].concat().join(" ")
    };
    let numbers = script.diagnostics.iter().map(|message| message.number).collect();
    (script.statements.iter().map(word).collect(), numbers)
}

#[track_caller]
fn reads(text: &str, statements: &[&str], numbers: &[u16]) {
    let (found, messages) = read_back(text);
    assert_eq!(
        (found.iter().map(String::as_str).collect::<Vec<_>>(), messages),
        (statements.to_vec(), numbers.to_vec()),
        "\n{text}"
    );
}

/// Builds a card with `mark` in column 72.
fn marked(text: &str, mark: char) -> String {
    format!("{text:71}{mark}\n")
}

#[test]
fn the_operand_ends_at_the_first_blank_outside_a_string() {
    reads(" CHPID PATH=40,TYPE=FC remark", &["CHPID PATH=40 TYPE=FC"], &[]);
    reads("NAME  ID  MSG1='A, B',MSG2='C=(D'  remark", &["ID MSG1='A, B' MSG2='C=(D'"], &[]);
    reads("CU11A CNTLUNIT CUNUMBR=530", &["CNTLUNIT CUNUMBR=530"], &[]);
}

#[test]
fn an_operand_that_stops_after_a_comma_goes_on_at_column_16() {
    for mark in ['X', '+', '*', 'C', '-'] {
        let text = marked(" CHPID PATH=40,", mark) + "               TYPE=FC\n";
        reads(&text, &["CHPID PATH=40 TYPE=FC"], &[]);
    }
    let remark = marked(" CHPID PATH=40,   the path", 'X') + "               TYPE=FC\n";
    reads(&remark, &["CHPID PATH=40 TYPE=FC"], &[]);
}

#[test]
fn an_operand_cut_at_column_71_goes_on_in_mid_token() {
    let head = format!("{:62}", " CHPID");
    reads(
        &(marked(&format!("{head}PATH=40,T"), 'X') + "               YPE=FC\n"),
        &["CHPID PATH=40 TYPE=FC"],
        &[],
    );
    let comma = format!("{:64}PATH=40", " CHPID");
    reads(&(marked(&comma, 'X') + "               ,TYPE=FC\n"), &["CHPID PATH=40 TYPE=FC"], &[]);
    let string = format!("{:62}MSG1='A  ", " ID");
    reads(&(marked(&string, 'X') + "                B'\n"), &["ID MSG1='A   B'"], &[]);
}

#[test]
fn the_operand_may_start_on_the_second_card() {
    reads(&(marked(" RESOURCE", '*') + "               PART=A\n"), &["RESOURCE PART=A"], &[]);
    reads(" RESOURCE\n", &["RESOURCE"], &[]);
}

#[test]
fn a_missing_mark_is_reported_and_the_operand_read_on() {
    let comma = " CHPID PATH=40,\n               TYPE=FC\n";
    reads(comma, &["CHPID PATH=40 TYPE=FC"], &[131]);
    let full = format!("{:62}PATH=40,T\n               YPE=FC\n", " CHPID");
    reads(&full, &["CHPID PATH=40 TYPE=FC"], &[131]);
    reads(" CHPID PATH=40,\n CHPID PATH=41\n", &["CHPID", "CHPID PATH=41"], &[131]);
    let full_and_done = format!("{:64}PATH=40\n                 CHPID PATH=41\n", " CHPID");
    reads(&full_and_done, &["CHPID PATH=40", "CHPID PATH=41"], &[]);
}

#[test]
fn id_may_end_in_a_comma() {
    reads(" ID MSG1='A',\n RESOURCE PART=A\n", &["ID MSG1='A'", "RESOURCE PART=A"], &[]);
    reads(" ID MSG1='A',\n               MSG2='B'\n", &["ID MSG1='A' MSG2='B'"], &[131]);
}

#[test]
fn a_mark_without_continuation_is_reported() {
    reads(&marked(" CHPID PATH=40,", '*'), &["CHPID"], &[853]);
    let statement = marked(" CHPID PATH=40,", '*') + " CHPID PATH=41\n";
    reads(&statement, &["CHPID", "CHPID PATH=41"], &[853]);
    let blank = marked(" CHPID PATH=40,", '*') + "\n               TYPE=FC\n";
    assert_eq!(read_back(&blank).1[0], 853);
    let column = marked(" CHPID PATH=40,", '*') + "            TYPE=FC\n";
    reads(&column, &["CHPID PATH=40 TYPE=FC"], &[853]);
    let late = marked(" CHPID PATH=40,", '*') + "                  TYPE=FC\n";
    reads(&late, &["CHPID PATH=40 TYPE=FC"], &[853]);
    let comment = marked(" CHPID PATH=40,", '*') + "* REMARK\n               TYPE=FC\n";
    reads(&comment, &["CHPID PATH=40 TYPE=FC"], &[853]);
    reads(
        &(marked(" CHPID PATH=40 remark", '*') + " CHPID PATH=41\n"),
        &["CHPID PATH=40", "CHPID PATH=41"],
        &[853],
    );
}

#[test]
fn blank_cards_are_allowed_unless_marked() {
    reads("\n   \n ID MSG1='A'\n\n", &["ID MSG1='A'"], &[]);
    reads(&marked("", '*'), &[], &[855]);
}

#[test]
fn comment_cards_are_kept_apart_from_annotations() {
    let text = "* REMARK\n*$HCDC$DESC='DISK'\n*$HCD$ V1\n ID MSG1='A'\n";
    let script = script(text);
    let roles: Vec<CardRole> = script.cards.iter().map(|card| card.role).collect();
    assert_eq!(roles, [CardRole::Comment, CardRole::Annotation, CardRole::Annotation, CardRole::Statement]);
    assert_eq!(script.annotations().collect::<Vec<_>>(), ["*$HCDC$DESC='DISK'", "*$HCD$ V1"]);
}

#[test]
fn a_star_box_does_not_swallow_the_next_statement() {
    let star = marked(&"*".repeat(71), '*');
    reads(&format!("{star}* BOX\n{star} ID MSG1='A'\n"), &["ID MSG1='A'"], &[]);
    reads(&format!("{star}               AND SO ON\n ID MSG1='A'\n"), &["ID MSG1='A'"], &[]);
    reads(&format!("{star}               ID MSG1='A'\n"), &[], &[854]);
}

#[test]
fn a_lost_leading_blank_is_reported_once() {
    reads("CHPID PATH=40\nCHPID PATH=41\n", &["CHPID PATH=40", "CHPID PATH=41"], &[850]);
}

#[test]
fn lower_case_names_tabs_and_ellipses_are_reported() {
    reads(" chpid path=40,type=fc\n", &["CHPID PATH=40 TYPE=FC"], &[857]);
    reads(" ID MSG1='lower case'\n", &["ID MSG1='lower case'"], &[]);
    reads("1CU CNTLUNIT CUNUMBR=1\n", &["CNTLUNIT CUNUMBR=1"], &[859]);
    reads("TOOLONGNAME CNTLUNIT CUNUMBR=1\n", &["CNTLUNIT CUNUMBR=1"], &[859]);
    reads("\tID\tMSG1='A'\n\tID\tMSG1='A'\n", &["ID MSG1='A'", "ID MSG1='A'"], &[860]);
    reads(" CHPID PATH=(40,...)\n CHPID PATH=(41,...)\n ...\n", &["CHPID", "CHPID", "..."], &[852]);
}

#[test]
fn strings_and_operands_have_an_end() {
    reads(" ID MSG1='A\n RESOURCE PART=A\n", &["ID", "RESOURCE PART=A"], &[858]);
    let operand = |length: usize| format!("MSG1='{}'", "A".repeat(length - 7));
    let text = |length| crate::support::cut(" ID ", &operand(length));
    assert_eq!(read_back(&text(1024)).1, [0u16; 0]);
    assert_eq!(read_back(&text(1025)).1, [856]);
}

#[test]
fn a_stage_1_deck_is_named_as_such() {
    let text = " CHANNEL ADDRESS=1,TYPE=BLKMPXR\n IOCONTRL UNIT=3880,ADDRESS=15\n IODEVICE UNIT=3380,ADDRESS=(150,8)\n";
    assert_eq!(codes(&reading(text)), ["861E"]);
}

#[test]
fn a_token_cut_by_the_card_end_is_shown_where_it_begins() {
    let text = format!(" RESOURCE PART=A,MAXDEV=9\n{:60}PATH=40,TYPX\n               ZZ=1\n", " CHPID");
    let reading = reading(&text.replace("TYPX\n", "TYPX"));
    assert!(reading.deck.is_none());
    let cut = format!(" RESOURCE PART=A,MAXDEV=9\n{:59}PATH=40,TYPEX\n               S=1\n", " CHPID");
    let reading = crate::support::reading(&cut);
    let unknown = reading.diagnostics.iter().find(|message| message.number == 179).unwrap();
    assert_eq!(&cut[unknown.at.span.clone()], "TYPE");
    assert_eq!(unknown.message, "CHPID 40: TYPES is not a keyword of CHPID");
}

#[test]
fn a_keyword_in_a_comment_is_pointed_out() {
    let head = " RESOURCE PART=A,MAXDEV=9\n";
    let same_card = format!("{head} CHPID PATH=33 TYPE=FC\n");
    let found = reading(&same_card);
    assert_eq!(codes(&found), ["122E"]);
    assert_eq!(&same_card[found.diagnostics[0].others[0].span.clone()], "TYPE");
    let next_card = format!("{head}{}               SHARED=Y,TYPE=FC\n", marked(" CHPID PATH=33", '*'));
    let found = reading(&next_card);
    assert_eq!(codes(&found), ["122E"]);
    assert_eq!(&next_card[found.diagnostics[0].others[0].span.clone()], "TYPE");
    assert!(found.diagnostics[0].fix.as_ref().unwrap().contains("comma"));
    let optional = format!("{head} CHPID PATH=33,TYPE=FC,SHARED PCHID=100\n");
    assert_eq!(codes(&reading(&optional)), ["139W", "851W"]);
    let remark = format!("{head} CHPID PATH=33,TYPE=FC,SHARED,PCHID=100 SPEED=16\n");
    assert_eq!(codes(&reading(&remark)), [""; 0]);
}

#[test]
fn an_hcd_token_is_read() {
    let token =
        "TOK=('CF01',008000012094200613294E0106184F00000000,00000000,'06-05-24','13:29:40','SYS1','IODF45')";
    let text = crate::support::cut(" ID MSG1='A',", token);
    reads(&text, &[&format!("ID MSG1='A' {token}")], &[]);
}

/// Other comments do not part a card of HCD from its statement.
#[test]
fn a_card_of_hcd_belongs_to_the_statement_before_it() {
    let first = marked("         CHPID PATH=40,SHARED,", '*');
    let text = format!(
        "*$HCD$ V1\n ID MSG1='A'\n RESOURCE PART=((A,1)),MAXDEV=9\n*$HCDC$ DESC='ONE MACHINE'\n\
         {first}               PCHID=100,TYPE=FC\n*$HCDC$ DESC='TO THE LEFT'\n* A REMARK\n\
         *$HCDC$               SERIAL=1234\n\
         \x20CHPID PATH=41,SHARED,PCHID=104,TYPE=FC\n"
    );
    let reading = read(SourceFile::new("deck", text));
    assert!(reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
    let deck = reading.deck.expect("a deck");
    let annotations = deck.annotations();
    let all: Vec<(Option<&str>, &str)> =
        annotations.all().iter().map(|one| (one.subject.as_deref(), one.text.as_str())).collect();
    assert_eq!(
        all,
        [
            (None, "V1"),
            (Some("RESOURCE"), "DESC='ONE MACHINE'"),
            (Some("CHPID 40"), "DESC='TO THE LEFT'"),
            (Some("CHPID 40"), "SERIAL=1234"),
        ]
    );
    let of = |index: usize| annotations.of_statement(deck.channel_paths[index].span.start);
    assert_eq!((of(0), of(1)), (vec!["DESC='TO THE LEFT'", "SERIAL=1234"], vec![]));
    let grep = |word: &str| Filter { grep: vec![word.to_owned()], ..Filter::default() };
    let found = |word: &str| Selection::of(&deck, grep(word)).channel_paths().count();
    assert_eq!((found("serial=1234"), found("to the left"), found("a remark")), (1, 1, 0));
    let shown = |filter: Filter| Report::Annotation.of(&Selection::of(&deck, filter)).lines().count();
    assert_eq!((shown(Filter::default()), shown(grep("SERIAL"))), (2 + 4, 2 + 2));
    assert!(Report::Annotation.applies_to(&deck) && !Report::Annotation.applies_to(&plain()));
}

/// Returns a deck without cards of HCD.
fn plain() -> Deck {
    read(SourceFile::new("deck", " RESOURCE PART=((A,1)),MAXDEV=9\n")).deck.expect("a deck")
}
