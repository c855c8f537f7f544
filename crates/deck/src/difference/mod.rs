//! Two decks compared by meaning: what activating the second over the first adds, deletes and modifies, and which
//! partitions lose paths to which devices.
//!
//! Order and layout of statements, comments, names in column 1, `MSG1`, `MSG2` and `TOK` mean nothing here, nor how
//! consecutive devices are cut into statements. Keys are those of the channel subsystem: CHPID, control unit number,
//! subchannel set and device number, FID, partition name. A number that occurs twice in a deck (one CHPID in two
//! channel subsystems, one device number for two partitions) is matched by what is equal first.

mod facts;
mod lines;
mod paths;
mod table;
mod written;

use crate::model::Deck;

pub use paths::PathLoss;
pub use written::{AsWritten, WrittenStatement, as_written};

use facts::Facts;
use table::{Item, Table};

/// The entity that a change is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Entity {
    /// The machine that ID describes.
    Machine,
    /// A channel subsystem with its values in RESOURCE.
    ChannelSubsystem(u8),
    /// A logical partition; a reserved one is called by its MIF id: `*4`.
    Partition {
        /// Channel subsystem.
        css: u8,
        /// Name.
        name: String,
    },
    /// A channel path, or the first of several.
    Channel {
        /// CHPID.
        chpid: u8,
        /// Channel subsystems, those of the second deck where it has the channel.
        css: Vec<u8>,
    },
    /// A control unit.
    ControlUnit(u16),
    /// A device, or the first of several.
    Device {
        /// Subchannel set.
        set: u8,
        /// Device number.
        number: u16,
    },
    /// A PCIe function, or the first of several.
    Function(u16),
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// Only the second deck has it.
    Added,
    /// Only the first deck has it.
    Deleted,
    /// Both have it, unlike.
    Modified,
}

impl ChangeKind {
    /// Returns the word at the head of a line.
    pub fn name(self) -> &'static str {
        match self {
            ChangeKind::Added => "add",
            ChangeKind::Deleted => "delete",
            ChangeKind::Modified => "modify",
        }
    }
}

/// One value that differs: `None` where a deck does not have it. Of consecutive devices or functions the unit
/// address, VF and UID are those of the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aspect {
    /// The keyword, with CSS and name where it is one of a list: `SWITCH`, `PATH 0.41`, `PART 0.PROD1`.
    pub name: String,
    /// The value in the first deck.
    pub before: Option<String>,
    /// The value in the second deck.
    pub after: Option<String>,
}

/// One change, of one entity or of `count` entities with consecutive numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Kind of the change.
    pub kind: ChangeKind,
    /// To what, or to the first of them.
    pub entity: Entity,
    /// How many.
    pub count: u32,
    /// The values that differ; of what is added or deleted all.
    pub aspects: Vec<Aspect>,
}

/// The effect of activating one deck over another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Difference {
    /// Changes in the order machine, partitions, channels, control units, devices, functions.
    pub changes: Vec<Change>,
    /// Paths that partitions lose, by partition and device number.
    pub losses: Vec<PathLoss>,
}

impl Difference {
    /// Returns true when both decks mean the same.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.losses.is_empty()
    }

    /// Counts the entities that have changes of `kind`.
    pub fn count(&self, kind: ChangeKind) -> u32 {
        self.changes.iter().filter(|change| change.kind == kind).map(|change| change.count).sum()
    }
}

/// Returns the changes that activating `after` over `before` makes.
pub fn difference(before: &Deck, after: &Deck) -> Difference {
    let mut facts = Facts::default();
    let (old, new) = (Table::of(before, &mut facts), Table::of(after, &mut facts));
    let mut raw = Vec::new();
    for entity in old.entities().chain(new.entities().filter(|entity| !old.has(entity))) {
        let (mut a, mut b) = (old.items(entity, &facts), new.items(entity, &facts));
        a.retain(|item| match b.iter().position(|other| other == item) {
            Some(at) => {
                b.remove(at);
                false
            }
            None => true,
        });
        let both = a.len().max(b.len());
        raw.extend((0..both).map(|at| (entity.clone(), a.get(at).copied(), b.get(at).copied())));
    }
    raw.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    Difference { changes: joined(&raw, &facts), losses: paths::losses(before, after) }
}

/// A entity as the first and as the second deck has it.
type Pair = (Entity, Option<Item>, Option<Item>);

/// Returns the changes of `raw`, consecutive ones of one kind together.
fn joined(raw: &[Pair], facts: &Facts) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let mut previous: Option<&Pair> = None;
    for pair in raw {
        if let (Some(change), Some(earlier)) = (changes.last_mut(), previous)
            && follows(pair, earlier)
        {
            change.count += 1;
        } else {
            let next = change(pair, facts);
            match changes.last_mut().filter(|last| is_neighbour(last, &next)) {
                Some(last) => last.count += 1,
                None => changes.push(next),
            }
        }
        previous = Some(pair);
    }
    changes
}

/// Returns true when the first pair is the change of the second, of the next number.
fn follows((entity, a, b): &Pair, (earlier, earlier_a, earlier_b): &Pair) -> bool {
    let next_number = match (earlier, entity) {
        (Entity::Device { set: one, number: first }, Entity::Device { set, number }) => {
            one == set && first.checked_add(1) == Some(*number)
        }
        (Entity::Function(first), Entity::Function(number)) => first.checked_add(1) == Some(*number),
        _ => false,
    };
    let steps = |item: &Option<Item>, earlier: &Option<Item>| match (item, earlier) {
        (Some(item), Some(earlier)) => item.follows(earlier),
        (None, None) => true,
        _ => false,
    };
    next_number && steps(a, earlier_a) && steps(b, earlier_b)
}

/// Returns true when `next` is the modification of `last` on the next channel.
fn is_neighbour(last: &Change, next: &Change) -> bool {
    let (Entity::Channel { chpid: first, css }, Entity::Channel { chpid, css: same }) =
        (&last.entity, &next.entity)
    else {
        return false;
    };
    u32::from(*first) + last.count == u32::from(*chpid)
        && (last.kind, next.kind) == (ChangeKind::Modified, ChangeKind::Modified)
        && (css, &last.aspects) == (same, &next.aspects)
}

fn change((entity, a, b): &Pair, facts: &Facts) -> Change {
    let kind = match (a, b) {
        (None, _) => ChangeKind::Added,
        (_, None) => ChangeKind::Deleted,
        _ => ChangeKind::Modified,
    };
    let values = |item: &Option<Item>| item.map(|item| facts.values(item, entity)).unwrap_or_default();
    let (old, mut new) = (values(a), values(b));
    let mut entity = entity.clone();
    if let Entity::Channel { css, .. } = &mut entity {
        let listed = new.get("CSS").or_else(|| old.get("CSS"));
        *css = listed
            .map(|listed| listed.split(' ').filter_map(|css| css.parse().ok()).collect())
            .unwrap_or_default();
    }
    let mut aspects = Vec::new();
    for (name, before) in old {
        let after = new.remove(&name);
        if after.as_ref() != Some(&before) {
            aspects.push(Aspect { name, before: Some(before), after });
        }
    }
    aspects.extend(new.into_iter().map(|(name, after)| Aspect { name, before: None, after: Some(after) }));
    aspects.sort_by(|one, other| one.name.cmp(&other.name));
    Change { kind, entity, count: 1, aspects }
}
