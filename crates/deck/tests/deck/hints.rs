//! Broken cards of every kind seen in mail and manuals: one message each, at the right place, with the cause.

use crate::support::codes;
use halftrack_deck::{ReadOptions, Reading, read_with};
use halftrack_input::{Diagnostic, SourceFile};

const HEAD: &str = " ID SYSTEM=(3931,1)
         RESOURCE PART=((CSS(0),(A,1),(B,2)),(CSS(1),(C,1))),          *
               MAXDEV=((CSS(0),9),(CSS(1),9))
";

fn read(text: &str, lenient: bool) -> Reading {
    read_with(SourceFile::new("deck.iocp", text), &ReadOptions { lenient, ..ReadOptions::default() })
}

/// Returns the text that a message underlines.
fn underlined(message: &Diagnostic) -> &str {
    &message.at.source.text[message.at.span.clone()]
}

/// Asserts that `cards` behind the head give one message `code`, which underlines `place` and whose fix has `fix`.
#[track_caller]
fn gives(cards: &str, code: &str, place: &str, fix: &str) {
    let reading = read(&format!("{HEAD}{cards}"), false);
    let shown: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(codes(&reading), [code], "\n{}", shown.join("\n"));
    let message = &reading.diagnostics[0];
    assert_eq!(underlined(message), place, "\n{}", shown.join("\n"));
    let found = message.fix.as_deref().unwrap_or_default();
    assert!(found.contains(fix), "{fix:?} is not in {found:?}");
}

/// Checks as [`gives`] does, and that reading leniently gives the warning `lenient` and a deck with a channel of type
/// FC.
#[track_caller]
fn gives_and_reads(cards: &str, code: &str, place: &str, fix: &str, lenient: &str) {
    gives(cards, code, place, fix);
    let reading = read(&format!("{HEAD}{cards}"), true);
    let shown: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(codes(&reading), [lenient], "\n{}", shown.join("\n"));
    let deck = reading.deck.expect("it is read");
    assert_eq!(deck.channel_paths[0].channel_type.value, "FC");
    assert_eq!(deck.channel_paths[0].pchid.as_ref().map(|pchid| pchid.value), Some(0x100));
}

const UNIT: &str = " CNTLUNIT CUNUMBR=1000,PATH=((CSS(0),40)),UNITADD=((00,8)),UNIT=2107\n";

#[test]
fn a_misspelt_word_is_one_message_that_names_the_right_one() {
    let channel = " CHIPD PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC\n";
    gives(&format!("{channel}{UNIT}"), "179E", "CHIPD", "did you mean CHPID?");
    gives(
        " CHPID PATH=(CSS(0),40),SHRAED,PCHID=100,TYPE=FC,PART=(CSS(0),A)",
        "179E",
        "SHRAED",
        "did you mean SHARED?",
    );
    let unit = " CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC\n CNTLUNIT CUNUMBER=1000,PATH=((CSS(0),40)),\
                UNITADD=((00,8)),UNIT=2107\n IODEVICE ADDRESS=1000,CUNUMBR=1000,UNIT=3390\n";
    gives(&cut(unit), "179E", "CUNUMBER", "did you mean CUNUMBR?");
    gives("MYCHPIDS  PATH=(CSS(0),40),TYPE=FC", "179E", "MYCHPIDS", "write MYCHPIDS CHPID");
    let partitions = " CHPID PATH=(CSS(0),40),PARTITON=(CSS(0),(A)),PCHID=100,TYPE=FC";
    gives(partitions, "179E", "PARTITON", "did you mean PARTITION?");
}

#[test]
fn what_stands_before_every_card_is_said_once() {
    for (stray, fix) in [
        ("> ", "quotation marks"),
        (">> ", "quotation marks"),
        ("00010000 ", "columns 73-80"),
        ("17: ", "columns 73-80"),
    ] {
        let cards = [
            "CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC",
            "CHPID PATH=(CSS(0),41),SHARED,PCHID=101,TYPE=FC",
            "CHPID PATH=(CSS(0),42),SHARED,PCHID=102,TYPE=FC",
        ];
        let text: String = cards.iter().flat_map(|card| [stray, card, "\n"]).collect();
        gives(&text, "859E", stray.trim_end(), fix);
    }
}

/// Cuts long lines of `text` at column 71.
fn cut(text: &str) -> String {
    text.lines().map(|line| line.trim_start()).map(crate::support::cards).collect()
}

#[test]
fn a_parenthesis_or_comma_too_few_or_too_many_is_found_where_it_is() {
    let channel = |path: &str| cut(&format!("CHPID {path},PCHID=100,TYPE=FC"));
    gives(&channel("PATH=((CSS(0,1),40),SHARED"), "112E", "(", "close the list before PCHID=");
    gives(&channel("PATH=(CSS(0,1),40)),SHARED"), "113E", ")", "drop this `)`");
    gives(&channel("PATH=(CSS(0,1),40)SHARED"), "110E", "S", "put a comma before SHARED");
    gives(&channel("PATH=(CSS(0)40),SHARED"), "110E", "4", "put a comma before 40");
    gives(&channel("PATH(CSS(0),40),SHARED"), "110E", "(", "put `=` between PATH and `(`");
    gives(&channel("PATH=(CSS(0).40),SHARED"), "110E", ".", "write `,` for `.`");
    gives(" CHPID TYPE=FC,PCHID=100,SHARED,PATH=(CSS(0),40", "112E", "0", "add the `)`");
}

#[test]
fn blanks_inside_operands_are_named_and_read_leniently() {
    let blank = "drop the blank; --lenient reads it";
    for cards in [
        " CHPID PATH=(CSS(0,1), 40),SHARED,PCHID=100,TYPE=FC",
        " CHPID PATH = (CSS(0),40),SHARED,PCHID=100,TYPE=FC",
        " CHPID PATH=(CSS(0),40),SHARED,PCHID= 100,TYPE=FC",
        " CHPID PATH=( CSS(0),40),SHARED,PCHID=100,TYPE=FC",
        " CHPID PATH=(CSS(0) ,40),SHARED,PCHID=100,TYPE=FC",
    ] {
        gives_and_reads(cards, "868E", " ", blank, "868W");
    }
    // A blank behind a comma between keywords is legal comment for IOCP: only the lenient reader goes on.
    let cards = format!("{HEAD} CHPID PATH=(CSS(0),40),SHARED, PCHID=100, TYPE=FC");
    assert_eq!(codes(&read(&cards, true)), ["868W"]);
    assert!(read(&cards, false).deck.is_none());
}

/// The sample of the paper on PCIe adapters as it is printed, with blanks.
#[test]
fn the_printed_sample_with_blanks_is_an_error_and_read_leniently() {
    let head = " ID SYSTEM=(2964,1)\n RESOURCE PART=((CSS(0),(LP14,1),(LP03,2),(LP04,3))),MAXDEV=9\n";
    let first = format!("{:>71}X\n", " FUNCTION FID=9,VF=1,PART=((LP14), (LP03,LP04)), PNETID=(NET1,NE");
    let deck = format!("{head}{first}{:15}T2),TYPE=ROCE,PCHID=110\n", "");
    // The card is full for who reads its blanks as blanks.
    let strict = read(&deck, false);
    assert!(strict.deck.is_none(), "{:#?}", strict.diagnostics);
    let lenient = read(&deck, true);
    let function =
        &lenient.deck.as_ref().unwrap_or_else(|| panic!("{:#?}", lenient.diagnostics)).functions[0];
    assert_eq!(function.pnetids, [Some("NET1".to_owned()), Some("NET2".to_owned())]);
    assert_eq!(function.candidates.len(), 2);
}

#[test]
fn moved_columns_are_named_and_read_leniently() {
    let squeezed = " CHPID PATH=(CSS(0),40),SHARED, *\n PCHID=100,TYPE=FC";
    gives_and_reads(squeezed, "131E", "*", "move the mark to column 72", "869W");
    let indented = format!("{:71}*\n{:11}PCHID=100,TYPE=FC", " CHPID PATH=(CSS(0),40),SHARED,", "");
    gives_and_reads(&indented, "853E", "P", "start the continuation in column 16", "869W");
    let remark = "   * channels of the first director\n CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC";
    gives_and_reads(remark, "179E", "*", "put the * into column 1", "869W");
}

#[test]
fn tabs_quotes_and_small_letters_are_named_once_and_read_leniently() {
    let tabs = "\tCHPID\tPATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC\n\tCHPID\tPATH=(CSS(0),41),SHARED,PCHID=104,TYPE=FC";
    gives_and_reads(tabs, "860E", "\t", "replace the tabs", "830W");
    let small =
        " chpid path=(css(0),40),shared,pchid=100,type=fc\n chpid path=(css(0),41),shared,pchid=104,type=fc";
    gives_and_reads(small, "857E", "chpid", "upper case", "830W");
    let wide = "\u{a0}CHPID\u{a0}PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC";
    gives_and_reads(wide, "860E", "\u{a0}", "replace the tabs", "830W");
    let curly = " ID MSG1=\u{2018}A\u{2019},SYSTEM=(3931,1)\n RESOURCE PART=((A,1)),MAXDEV=9\n";
    assert_eq!(codes(&read(curly, false)), ["115E"]);
    assert_eq!(codes(&read(curly, true)), ["830W"]);
}

#[test]
fn an_operand_that_goes_on_without_comma_or_mark_is_one_message() {
    let card = |text: &str| format!("{:15}{text}\n", "");
    let head = " CHPID PATH=(CSS(0),40),SHARED,PCHID=100\n";
    gives(&format!("{head}{}", card("TYPE=FC")), "131E", "0", "end the operand with a comma");
    gives(&format!("{head}{}", card(",TYPE=FC")), "131E", "0", "end the operand with a comma");
}

#[test]
fn a_keyword_anywhere_in_a_comment_explains_why_it_is_missing() {
    let cards = " CHPID PATH=(CSS(0),40),SHARED,PCHID=100 B,TYPE=FC";
    gives(cards, "122E", "CHPID", "put a comma in place of the blank");
}

#[test]
fn numbers_say_what_was_meant() {
    let device = |address: &str| {
        cut(&format!(
            "CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC\nCNTLUNIT CUNUMBR=1000,PATH=((CSS(0),40)),\
             UNITADD=((00,256)),UNIT=2107\nIODEVICE ADDRESS={address},CUNUMBR=1000,UNIT=3390"
        ))
    };
    gives(&device("1000-100F"), "126E", "1000-100F", "write (1000,16)");
    gives(&device("(1000,0F)"), "140E", "0F", "write 15");
    gives(" CHPID PATH=(CSS(0),40),SHARED,PCHID=1O0,TYPE=FC", "126E", "1O0", "write 100");
    gives(" CHPID PATH=(CSS(0),4),SHARED,PCHID=100,TYPE=FC", "126E", "4", "write 04");
    let several = " CHPID PATH=(CSS(0),40-43),SHARED,PCHID=100,TYPE=FC";
    gives(several, "126E", "40-43", "write 40 and code the other 3");
}

#[test]
fn text_behind_the_card_jcl_and_filling_are_not_taken_for_statements() {
    let card = format!("{:72}MIXTYPE=", " CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC");
    assert_eq!(codes(&read(&format!("{HEAD}{card}"), false)), ["831A"]);
    let sequence = format!("{:72}00000010", " CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC");
    assert_eq!(codes(&read(&format!("{HEAD}{sequence}\n\u{1a}"), false)), [""; 0]);
    assert_eq!(codes(&read(&format!("//JOB JOB\n//SYSIN DD *\n{HEAD}/*\n"), false)), ["832W"]);
    assert_eq!(codes(&read("ARCHMODE z/Arch\n0A80 3390 disk\n", false)), ["832E"]);
}

#[test]
fn no_hint_fires_on_a_right_deck() {
    for deck in [
        include_str!("../decks/example_a.iocp"),
        include_str!("../decks/example_b.iocp"),
        include_str!("../decks/example_c.iocp"),
        include_str!("../decks/hcd_z9.iocp"),
    ] {
        for lenient in [false, true] {
            let reading = read(deck, lenient);
            let loud: Vec<String> = reading
                .diagnostics
                .iter()
                .filter(|message| message.number >= 800 || message.severity.letter() == 'E')
                .map(ToString::to_string)
                .collect();
            assert!(loud.is_empty(), "{}", loud.join("\n"));
        }
    }
}

/// Blanks and apostrophes of a word processor or a web page have more bytes than the characters that they are read
/// as.
#[test]
fn places_behind_characters_of_several_bytes_are_right() {
    for operand in [
        "MSG1='A\u{a0}",
        "MSG1='A',\u{a0}\u{2019}",
        "MSG1=\u{2018}IT\u{2019}",
        "MSG1='A\u{a0}\u{a0}',lSYSTEM=\u{201c}",
    ] {
        let text = format!(" ID {operand}\n{operand}'\u{a0}\n");
        let reading = read(&text, false);
        let labels = reading.diagnostics.iter().flat_map(|one| std::iter::once(&one.at).chain(&one.others));
        assert!(labels.map(|label| label.span.clone()).all(|span| text.get(span).is_some()), "{operand}");
        let spans = reading.script.statements.iter().map(|statement| statement.span.clone());
        assert!(spans.into_iter().all(|span| text.get(span).is_some()), "{operand}");
    }
}

/// IOCP writes a list of nobody as `(=)`; nothing in parentheses is a slip.
#[test]
fn an_empty_candidate_list_is_told() {
    let channel = " CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC,PART=((A),())\n";
    let reading = read(&format!("{HEAD}{channel}"), false);
    assert_eq!(codes(&reading), ["140E"]);
    assert_eq!(underlined(&reading.diagnostics[0]), "()");
    assert!(reading.diagnostics[0].message.contains("(=)"));
}

#[test]
fn characters_that_no_operand_has_are_told_with_what_was_meant() {
    let channel = |operand: &str| format!(" CHPID PATH=(CSS(0),40){operand}\n");
    for (operand, sign, fix) in [
        (";SHARED,PCHID=100,TYPE=FC", ";", "write `,` for `;`"),
        (",SHARED,PCHID=100,TYPE=FC;", ";", "take it away"),
        (",SHARED,PCHID=100,TYPE:FC", ":", "write `=` or `,` for `:`"),
        (",SHARED,PCHID=100,TYPE=FC&NBSP;", "&", "a copy of a web page"),
        (",SHARED,PCHID=100,TYPE=F\u{2013}C", "\u{2013}", "not the dash of a word processor"),
    ] {
        gives(&channel(operand), "115E", sign, fix);
    }
}

/// Code page 1252 read byte for byte.
#[test]
fn apostrophes_of_windows_are_told_as_such() {
    let reading = read(" ID MSG1=\u{91}SITE\u{92},SYSTEM=(3931,1)\n RESOURCE PART=((CSS(0),(A,1)))\n", true);
    let accepted: Vec<&str> = reading.diagnostics.iter().map(|one| one.message.as_str()).collect();
    assert!(reading.deck.is_some(), "{accepted:?}");
    assert!(accepted.iter().any(|words| words.contains("this is not an apostrophe")), "{accepted:?}");
}
