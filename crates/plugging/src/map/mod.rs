//! PCHIDs for the channel paths and functions of a deck: spread over cards, domains, fanouts, drawers and resource
//! groups, so that as little as can be is lost with any one of them.
//!
//! Method (reference: IOCP, section 7): the paths of one control unit are spread over cards, domains, links and drawers,
//! the functions of one type that a partition has over resource groups too. What counts more is in [`Cost`]. A first
//! choice item by item is improved by moves and exchanges until none helps; where there are few enough ways, all are
//! tried.

mod cost;
mod groups;
mod problem;
mod reasons;
mod search;
mod table;

use std::collections::{BTreeMap, BTreeSet};

use halftrack_deck::Edits;
use halftrack_deck::model::Deck;
use halftrack_deck::syntax::script::Script;

use crate::hardware::Hardware;
pub use cost::Cost;
use problem::Problem;
pub use table::placed_at;

/// Permitted changes and preferences of an assignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MapOptions {
    /// PCHIDs that are coded may change too.
    pub all: bool,
    /// Functions with odd identifiers in resource groups with odd numbers, as a house convention.
    pub parity: bool,
}

/// A channel path or function that a port serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// The channel path with this index in the deck.
    Channel(usize),
    /// The function with this index in the deck.
    Function(usize),
}

/// One channel path or function and its port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// Its channel path or function.
    pub subject: Subject,
    /// PCHID as coded.
    pub old: Option<u16>,
    /// PCHID chosen; as coded where it is kept.
    pub new: u16,
}

/// A channel path or function without a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unplaced {
    /// Its channel path or function.
    pub subject: Subject,
    /// PCHID as coded.
    pub old: Option<u16>,
    /// Why, in words.
    pub reason: String,
}

/// The outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapping {
    /// Everything that has a port, channel paths first, in the order of the deck.
    pub assignments: Vec<Assignment>,
    /// Everything that should have one and has none.
    pub unplaced: Vec<Unplaced>,
    /// How good it is.
    pub cost: Cost,
    /// One line for each set of paths or functions that stand in for each other.
    pub reasons: Vec<String>,
}

/// Chooses ports of `hardware` for `deck`. The same input gives the same choice.
pub fn map(deck: &Deck, hardware: &Hardware, options: MapOptions) -> Mapping {
    let problem = Problem::of(deck, hardware, options);
    let sites = search::solve(&problem);
    let mut assignments = Vec::new();
    let mut unplaced = Vec::new();
    for (item, site) in problem.items.iter().zip(&sites) {
        for subject in item.subjects() {
            let old = problem.coded(subject);
            match site {
                Some(site) => {
                    assignments.push(Assignment { subject, old, new: problem.sites[*site].pchid });
                }
                None => unplaced.push(Unplaced { subject, old, reason: problem.why_unplaced(item) }),
            }
        }
    }
    assignments.sort_by_key(|one| one.subject);
    unplaced.extend(problem.strays.iter().cloned());
    unplaced.sort_by_key(|one| one.subject);
    let cost = cost::of(&problem, &sites);
    Mapping { assignments, unplaced, cost, reasons: reasons::lines(&problem, &sites) }
}

impl Mapping {
    /// Sets the PCHIDs that change, and nothing else, in the statements of `script`, from which `deck` was read. What has
    /// no port loses its PCHID when something else is given it.
    pub fn apply(&self, deck: &Deck, script: &Script, edits: &mut Edits<'_>) {
        let by_start: BTreeMap<usize, usize> =
            script.statements.iter().enumerate().map(|(index, one)| (one.span.start, index)).collect();
        let statement = |subject: Subject| {
            let start = match subject {
                Subject::Channel(index) => deck.channel_paths[index].span.start,
                Subject::Function(index) => deck.functions[index].span.start,
            };
            by_start.get(&start).copied()
        };
        for one in self.assignments.iter().filter(|one| one.old != Some(one.new)) {
            if let Some(statement) = statement(one.subject) {
                edits.set(statement, "PCHID", &format!("{:03X}", one.new));
            }
        }
        let taken: BTreeSet<u16> = self.assignments.iter().map(|one| one.new).collect();
        for one in self.unplaced.iter().filter(|one| one.old.is_some_and(|old| taken.contains(&old))) {
            if let Some(statement) = statement(one.subject) {
                edits.remove(statement, "PCHID");
            }
        }
    }
}
