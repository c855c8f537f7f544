//! `halftrack deck diff`: two decks compared by meaning.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::Args;
use halftrack_deck::Reading;
use halftrack_deck::difference::{
    AsWritten, Aspect, Change, ChangeKind, Difference, PathLoss, Thing, WrittenStatement, as_written,
    difference,
};
use halftrack_deck::model::Deck;
use serde_json::{Value, json};

use crate::deck::opening::{self, ReadArguments};
use crate::failure::Failure;
use crate::standard_output::print;

/// Words at the end of `halftrack deck diff --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack deck diff active.iocp next.iocp
  halftrack deck diff active.iocp next.iocp --json | jq '.losses[]'

Prints what activating B over A adds, deletes and modifies, and which partition loses paths to
which devices. Order and layout of statements, comments, MSG1, MSG2 and TOK do not count.
Statements that break rules or are not understood are compared as they are written. Exit codes: 0
both mean the same, 1 they differ, 2 a file cannot be read as a deck, or was not understood
completely, so that the comparison is not certain.";

/// Arguments of `halftrack deck diff`.
#[derive(Debug, Args)]
pub struct DiffArguments {
    /// The active deck; `-` is standard input
    #[arg(value_name = "A")]
    before: PathBuf,
    /// The deck to activate
    #[arg(value_name = "B")]
    after: PathBuf,
    #[command(flatten)]
    read: ReadArguments,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Compares the decks; true when they mean the same.
///
/// # Errors
/// A file that is no deck, or was not understood whole; output that cannot be written.
pub fn diff(arguments: &DiffArguments) -> Result<bool, Failure> {
    let read = |path: &Path| opening::reading(path, &arguments.read);
    let (before, after) = (read(&arguments.before)?, read(&arguments.after)?);
    let found = difference(&*deck(&arguments.before, &before)?, &*deck(&arguments.after, &after)?);
    let written = as_written(&before, &after);
    if arguments.json {
        print(&format!("{:#}\n", as_json(&found, &written)))?;
    } else {
        print(&as_text(&found, &written, &before, &after))?;
    }
    if written.is_empty() {
        return Ok(found.is_empty());
    }
    let not_understood = [&before, &after].into_iter().filter(|reading| !reading.left_out.is_empty());
    let names: Vec<&str> = not_understood.map(|reading| reading.script.source.name.as_str()).collect();
    Err(Failure::NotUnderstood { deck: names.join(" and ") })
}

/// Returns the statements of a deck that were understood completely.
fn deck<'a>(path: &Path, reading: &'a Reading) -> Result<Cow<'a, Deck>, Failure> {
    reading.taken_in().ok_or_else(|| Failure::Deck { file: path.to_owned() })
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
    let key = match &change.thing {
        Thing::Machine => json!({}),
        Thing::ChannelSubsystem(css) => json!({ "css": css }),
        Thing::Partition { css, name } => json!({ "css": css, "name": name }),
        Thing::Channel { chpid, css } => json!({ "css": css, "chpid": format!("{chpid:02X}") }),
        Thing::ControlUnit(number) => json!({ "number": format!("{number:04X}") }),
        Thing::Device { set, number } => json!({ "set": set, "number": format!("{number:04X}") }),
        Thing::Function(fid) => json!({ "fid": format!("{fid:04X}") }),
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
