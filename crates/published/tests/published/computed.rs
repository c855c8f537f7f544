//! Answers that are computed without a run: rules, plugging, displays and counts.

use halftrack_catalog::Catalog;
use halftrack_input::Diagnostic;
use halftrack_published::{Builtin, Formula, Library};

use crate::directory::Directory;

/// No answer is copied from a document: each has a value that the checker, the plugging, a display or a count gives, and the
/// value is the printed one.
#[test]
fn every_computed_answer_has_a_value_and_holds() {
    let (catalog, _) = Catalog::load(&[]);
    let (library, found) = Library::load(&[], Builtin::Under);
    assert_eq!(found, []);
    let mut count = 0;
    let mut wrong = Vec::new();
    for figure in library.figures() {
        let Some((_, answer)) = library.answer(&figure.id) else { continue };
        let Some(Formula::Computed(computed)) = &answer.formula else { continue };
        count += 1;
        let factor = figure.comparison.map_or(f64::NAN, |comparison| comparison.factor);
        match computed.value(&catalog) {
            Ok(value) if figure.holds(value * factor) => {}
            other => wrong.push(format!("{}: {other:?}, printed {:?}", figure.id, figure.printed)),
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(count, 131);
}

const DECK: &str = "         ID SYSTEM=(2964,1)
         RESOURCE PART=((CSS(0),(LP01,1)))
         FUNCTION FID=1,VF={n},PCHID=110,PART=LP01,TYPE=ROCE
";

/// Returns the messages about the answer of `jobs` when it has the form `answer`.
fn messages(answer: &str) -> Vec<String> {
    let directory = Directory::new();
    directory.write("decks/vf.iocp", DECK);
    directory.edit("experiments/mine.toml", |text| text.replace("value = 'completed:READ@some'", answer));
    let (library, mut found) = Library::load(&[directory.path()], Builtin::UnitsOnly);
    if found.is_empty() {
        let (catalog, _) = Catalog::load(&[]);
        let figures: Vec<_> = library.figures().collect();
        let points = halftrack_published::Points::needed(&library, &figures).expect("points");
        found = halftrack_published::rehearse(&library, &figures, &points, &catalog);
    }
    let path = format!("{}/", directory.path().display());
    found.iter().map(Diagnostic::line).map(|line| line.replace(&path, "")).collect()
}

#[test]
fn a_rule_is_the_last_value_that_the_checker_accepts() {
    let rule = |more: &str| format!("rule = {{ deck = 'vf.iocp', {more} }}");
    assert_eq!(messages(&rule("tried = [1, 64], message = 140")), [""; 0]);
    let place = "HTK978E experiments/mine.toml:17:8 the value is missing: ";
    for (more, words) in [
        ("tried = [1, 20], message = 140", "the checker refuses none of them"),
        ("tried = [40, 64], message = 140", "the checker accepts none of them: HTK140E "),
        ("tried = [1, 64], message = 215", "another message refuses the next: HTK140E "),
    ] {
        let found = messages(&rule(more));
        assert!(found.len() == 1 && found[0].starts_with(&format!("{place}{words}")), "{more}: {found:?}");
    }
    let found = messages("rule = { deck = 'vg.iocp', tried = [1, 64], message = 140 }");
    assert_eq!(found, ["HTK976E experiments/mine.toml:17:17 deck \"vg.iocp\" is missing"]);
    let found = messages("rule = { deck = 'vf.iocp', message = 140 }");
    assert!(
        found[0].contains("a rule is tried with numbers, with machines or with operating systems"),
        "{found:?}"
    );
}

#[test]
fn displays_and_counts_are_of_a_study() {
    assert_eq!(messages("count = { study = 'small', of = 'channels' }"), [""; 0]);
    let found = messages("count = { study = 'small', of = 'canals' }");
    assert!(found[0].contains("what is counted of a study"), "{found:?}");
    let display =
        |json: &str| format!("display = {{ study = 'small', command = 'D M=DEV(1000)', json = '{json}' }}");
    assert_eq!(messages(&display("/shown/0/paths")), [""; 0]);
    let found = messages(&display("/shown/0/ways"));
    assert!(found[0].contains("the answer has no number or list at /shown/0/ways"), "{found:?}");
    let found = messages(&display("/shown/0/paths").replace("M=DEV", "M=DEVIL"));
    assert!(found[0].contains("the value is missing: HTK988E"), "{found:?}");
}

#[test]
fn a_number_of_the_catalog_may_be_counted_with() {
    let count = |more: &str| format!("count = {{ catalog = 'channel/fex32s {more} }}");
    assert_eq!(
        messages(&count("credits', times = 2, less = { catalog = 'channel/fex32s ports_per_card' }")),
        [""; 0]
    );
    let found = messages(&count("credit'"));
    assert!(found[0].contains("the value is missing: the catalog has no channel/fex32s credit"), "{found:?}");
    let found = messages(&count("credits', less = { study = 'small' }"));
    assert!(found[0].contains("`of`"), "{found:?}");
    let found = messages("count = { of = 'channels' }");
    assert!(
        found[0].contains("a count is of a study, a deck, kinds or a number of the catalog"),
        "{found:?}"
    );
}
