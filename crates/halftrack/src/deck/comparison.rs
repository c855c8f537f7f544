//! Comparison of two decks by meaning.

use halftrack_deck::Reading;
use halftrack_deck::difference::{
    AsWritten, Aspect, Change, ChangeKind, Difference, Entity, PathLoss, WrittenStatement, as_written,
    difference,
};
use halftrack_deck::model::Deck;
use serde_json::{Value, json};

/// Difference between two decks: by meaning, and as written where they are not understood.
#[derive(Debug)]
pub struct DeckComparison<'a> {
    before: &'a Reading,
    after: &'a Reading,
    found: Difference,
    written: AsWritten,
}

impl<'a> DeckComparison<'a> {
    /// Compares the readings of two decks, each with the understood part of its statements.
    pub fn new(before: (&'a Reading, &Deck), after: (&'a Reading, &Deck)) -> Self {
        let found = difference(before.1, after.1);
        let written = as_written(before.0, after.0);
        Self { before: before.0, after: after.0, found, written }
    }

    /// Returns true when the decks mean the same; `None` when one was not understood whole.
    pub fn is_same(&self) -> Option<bool> {
        self.written.is_empty().then(|| self.found.is_empty())
    }

    /// Returns the names of the decks that were not understood whole.
    pub fn not_understood(&self) -> Vec<&str> {
        let not_understood =
            [self.before, self.after].into_iter().filter(|reading| !reading.left_out.is_empty());
        not_understood.map(|reading| reading.script.source.name.as_str()).collect()
    }

    /// Formats the comparison as text.
    pub fn to_text(&self) -> String {
        as_text(&self.found, &self.written, self.before, self.after)
    }

    /// Formats the comparison as JSON.
    pub fn to_json(&self) -> Value {
        as_json(&self.found, &self.written)
    }
}

fn as_text(found: &Difference, written: &AsWritten, before: &Reading, after: &Reading) -> String {
    let mut text = match (found.is_empty(), written.is_empty()) {
        (true, true) => "both decks mean the same\n".to_owned(),
        (true, false) => "the understood statements of both decks mean the same\n".to_owned(),
        (false, _) => found.to_string(),
    };
    if written.is_empty() {
        return text;
    }
    for (reading, only) in [(before, &written.deleted), (after, &written.added)] {
        let name = &reading.script.source.name;
        for one in only {
            text += &format!("as written, only in {name}:{}  {}\n", one.card, one.text);
        }
    }
    let [old, new] = written.left_out;
    let count =
        |count: usize| if count == 1 { "1 statement".to_owned() } else { format!("{count} statements") };
    let (only_old, only_new) = (written.deleted.len(), written.added.len());
    text + &format!(
        "not understood, and compared as written: {} of the first deck, {} of the second; {only_old} only in the \
         first, {only_new} only in the second\n",
        count(old),
        count(new),
    )
}

fn as_json(found: &Difference, written: &AsWritten) -> Value {
    let changes: Vec<Value> = found.changes.iter().map(change).collect();
    let losses: Vec<Value> = found.losses.iter().map(loss).collect();
    let (gone, fewer) = found.devices_lost();
    json!({
        "diff": 1,
        "same": found.is_empty() && written.is_empty(),
        "understood": written.is_empty(),
        "added": found.count(ChangeKind::Added),
        "deleted": found.count(ChangeKind::Deleted),
        "modified": found.count(ChangeKind::Modified),
        "devices_gone": gone,
        "devices_with_fewer_paths": fewer,
        "changes": changes,
        "losses": losses,
        "as_written": {
            "before": written.left_out[0],
            "after": written.left_out[1],
            "deleted": statements(&written.deleted),
            "added": statements(&written.added),
        },
    })
}

fn statements(written: &[WrittenStatement]) -> Vec<Value> {
    written.iter().map(|one| json!({ "card": one.card, "statement": one.text })).collect()
}

fn change(change: &Change) -> Value {
    let key = match &change.entity {
        Entity::Machine => json!({}),
        Entity::ChannelSubsystem(css) => json!({ "css": css }),
        Entity::Partition { css, name } => json!({ "css": css, "name": name }),
        Entity::Channel { chpid, css } => json!({ "css": css, "chpid": format!("{chpid:02X}") }),
        Entity::ControlUnit(number) => json!({ "number": format!("{number:04X}") }),
        Entity::Device { set, number } => json!({ "set": set, "number": format!("{number:04X}") }),
        Entity::Function(fid) => json!({ "fid": format!("{fid:04X}") }),
    };
    let value =
        |aspect: &Aspect| json!({ "name": aspect.name, "before": aspect.before, "after": aspect.after });
    let aspects: Vec<Value> = change.aspects.iter().map(value).collect();
    json!({
        "change": change.kind.name(),
        "subject": change.subject(),
        "key": key,
        "count": change.count,
        "values": aspects,
    })
}

fn loss(loss: &PathLoss) -> Value {
    let chpids = |list: &[u8]| list.iter().map(|chpid| format!("{chpid:02X}")).collect::<Vec<_>>();
    json!({
        "css": loss.css,
        "lpar": loss.lpar,
        "set": loss.set,
        "number": format!("{:04X}", loss.first),
        "count": loss.count,
        "before": loss.before,
        "after": loss.after,
        "lost": chpids(&loss.lost),
        "gained": chpids(&loss.gained),
    })
}
