//! HCD's data cards, with the statements that they are about.

use super::table::Table;
use crate::model::selection::Selection;

pub(super) fn report(selection: &Selection<'_>) -> String {
    let mut table = Table::new(["CARD", "STATEMENT", "TEXT"]);
    let annotations = selection.deck.annotations();
    for one in selection.annotations(&annotations) {
        let (card, _) = selection.deck.source.position(one.span.start);
        let subject = one.subject.clone().unwrap_or_else(|| "-".to_owned());
        table.add(vec![card.to_string(), subject, one.text.clone()]);
    }
    table.text()
}
