//! `halftrack deck diff`: two decks compared by meaning.

use std::path::{Path, PathBuf};

use clap::Args;
use halftrack_deck::difference::{Aspect, Change, ChangeKind, Difference, PathLoss, Thing, difference};
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
which devices. Order and layout of statements, comments, MSG1, MSG2 and TOK do not count. Of decks
that break rules, what could be understood is compared. Exit codes: 0 both mean the same, 1 they
differ, 2 a file cannot be read as a deck.";

/// Arguments of `halftrack deck diff`.
#[derive(Debug, Args)]
pub struct DiffArguments {
    /// The deck that is active; `-` is standard input
    #[arg(value_name = "A")]
    before: PathBuf,
    /// The deck that is to be activated
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
/// A file that is no deck; output that cannot be written.
pub fn diff(arguments: &DiffArguments) -> Result<bool, Failure> {
    let read = |path: &Path| opening::understood(path, &arguments.read);
    let (before, after) = (read(&arguments.before)?, read(&arguments.after)?);
    let found = difference(&before, &after);
    if arguments.json {
        print(&format!("{:#}\n", as_json(&found)))?;
    } else if found.is_empty() {
        print("both decks mean the same\n")?;
    } else {
        print(&found.to_string())?;
    }
    Ok(found.is_empty())
}

fn as_json(found: &Difference) -> Value {
    let changes: Vec<Value> = found.changes.iter().map(change).collect();
    let losses: Vec<Value> = found.losses.iter().map(loss).collect();
    let (gone, fewer) = found.devices_lost();
    json!({
        "diff": 1,
        "same": found.is_empty(),
        "added": found.count(ChangeKind::Added),
        "deleted": found.count(ChangeKind::Deleted),
        "modified": found.count(ChangeKind::Modified),
        "devices_gone": gone,
        "devices_with_fewer_paths": fewer,
        "changes": changes,
        "losses": losses,
    })
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
