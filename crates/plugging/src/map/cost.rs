//! How good a choice of ports is.

use crate::map::problem::{Group, PART_COUNT, Problem, RESOURCE_GROUP};

/// The cost of a choice, the worst part first: of two choices the better one is smaller in the first number in which
/// they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Cost {
    /// Channel paths and functions without a port.
    pub unplaced: i64,
    /// Sets that one part takes away whole: a card, resource group, domain, fanout, drawer.
    pub single_points: i64,
    /// Functions whose identifier does not suit the resource group; 0 without that option.
    pub parity: i64,
    /// Pairs of one set on one card, in one resource group, domain, on one fanout, in one CPC drawer and I/O drawer.
    pub pairs: [i64; PART_COUNT],
    /// How unevenly cards and domains are filled: the sum of the squares of what is on each.
    pub load: i64,
    /// Sum of the places in the order of PCHIDs: of equals the lower ones are taken.
    pub order: i64,
}

impl Cost {
    /// Adds both.
    pub(super) fn plus(mut self, other: Cost, sign: i64) -> Cost {
        self.unplaced += sign * other.unplaced;
        self.single_points += sign * other.single_points;
        self.parity += sign * other.parity;
        self.pairs.iter_mut().zip(other.pairs).for_each(|(one, other)| *one += sign * other);
        self.load += sign * other.load;
        self.order += sign * other.order;
        self
    }
}

/// Returns the cost of `sites`, one for each item.
pub(super) fn of(problem: &Problem<'_>, sites: &[Option<usize>]) -> Cost {
    let groups = problem.groups.iter().map(|group| of_group(problem, group, sites));
    let items = (0..sites.len()).map(|item| of_item(problem, item, sites[item]));
    let cost = groups.chain(items).fold(Cost::default(), |sum, part| sum.plus(part, 1));
    Cost { load: load(problem, sites), ..cost }
}

/// Returns the cost of one set.
pub(super) fn of_group(problem: &Problem<'_>, group: &Group, sites: &[Option<usize>]) -> Cost {
    let mut cost = Cost::default();
    let placed: Vec<usize> = group.items.iter().filter_map(|&item| sites[item]).collect();
    if placed.len() < 2 {
        return cost;
    }
    for part in 0..PART_COUNT {
        if part == RESOURCE_GROUP && !group.in_resource_groups {
            continue;
        }
        let mut found: Vec<u16> = placed.iter().filter_map(|&site| problem.sites[site].parts[part]).collect();
        found.sort_unstable();
        let runs = found.chunk_by(|one, other| one == other).map(<[u16]>::len);
        for run in runs {
            let run_pairs = run * (run - 1) / 2;
            cost.pairs[part] += run_pairs as i64;
            cost.single_points += i64::from(run == placed.len());
        }
    }
    cost
}

/// Returns the cost of one item by itself.
pub(super) fn of_item(problem: &Problem<'_>, item: usize, site: Option<usize>) -> Cost {
    let Some(site) = site else { return Cost { unplaced: 1, ..Cost::default() } };
    let mut cost = Cost { order: site as i64, ..Cost::default() };
    if problem.options.parity {
        let group = problem.sites[site].parts[RESOURCE_GROUP];
        let odd = |fid: u16| group.is_some_and(|group| group % 2 != fid % 2);
        let functions = problem.items[item].functions.iter();
        let misfits = functions.filter(|&&function| odd(problem.deck.functions[function].fid.value));
        cost.parity = misfits.count() as i64;
    }
    cost
}

/// Returns the squares of the items on each card and in each domain.
pub(super) fn load(problem: &Problem<'_>, sites: &[Option<usize>]) -> i64 {
    let mut cards = vec![0i64; problem.hardware.cards().len()];
    let mut domains = vec![0i64; cards.len() + 1];
    for site in sites.iter().flatten().map(|&site| &problem.sites[site]) {
        cards[site.card] += 1;
        if let Some(domain) = site.parts[1 + RESOURCE_GROUP] {
            domains[usize::from(domain)] += 1;
        }
    }
    cards.iter().chain(&domains).map(|count| count * count).sum()
}
