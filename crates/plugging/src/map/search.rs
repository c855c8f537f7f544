//! The search: a first choice item by item, moves and exchanges until none helps, and all ways where there are few.

use crate::map::cost::{self, Cost};
use crate::map::problem::Problem;

/// Items that are placed in all ways at most: eight on eight ports are 40,320 ways.
const ITEM_COUNT_MAX: usize = 8;
/// Ways that are tried at most.
const WAY_COUNT_MAX: usize = 50_000;

/// Solves for a site of each item of `problem`, where one fits.
pub(super) fn solve(problem: &Problem<'_>) -> Vec<Option<usize>> {
    let mut sites: Vec<Option<usize>> = problem.items.iter().map(|item| item.fixed).collect();
    let free: Vec<usize> = (0..sites.len()).filter(|&item| problem.items[item].fixed.is_none()).collect();
    place_all(problem, &free, &mut sites);
    while improve(problem, &free, &mut sites) {}
    if free.len() > ITEM_COUNT_MAX {
        return sites;
    }
    let mut all = AllWays {
        problem,
        free: &free,
        best: (cost::of(problem, &sites), sites.clone()),
        left: WAY_COUNT_MAX,
    };
    let mut trial = sites.clone();
    free.iter().for_each(|&item| trial[item] = None);
    if all.visit(0, &mut trial).is_some() {
        return all.best.1;
    }
    sites
}

/// Assigns the items that have the fewest sites first, each where it costs least.
fn place_all(problem: &Problem<'_>, free: &[usize], sites: &mut [Option<usize>]) {
    let mut order: Vec<(usize, usize)> = free
        .iter()
        .map(|&item| ((0..problem.sites.len()).filter(|&site| problem.serves(item, site)).count(), item))
        .collect();
    order.sort_unstable();
    for (_, item) in order {
        let fitting =
            (0..problem.sites.len()).filter(|&site| problem.fits(item, site, sites)).collect::<Vec<_>>();
        let best = fitting.into_iter().min_by_key(|&site| change(problem, &[(item, Some(site))], sites));
        sites[item] = best;
    }
}

/// Returns the change of cost that `moves` make.
fn change(problem: &Problem<'_>, moves: &[(usize, Option<usize>)], sites: &mut [Option<usize>]) -> Cost {
    let mut touched: Vec<usize> =
        moves.iter().flat_map(|(item, _)| problem.groups_of[*item].iter().copied()).collect();
    touched.sort_unstable();
    touched.dedup();
    let sum = |sites: &[Option<usize>]| {
        let groups = touched.iter().map(|&group| cost::of_group(problem, &problem.groups[group], sites));
        let items = moves.iter().map(|(item, _)| cost::of_item(problem, *item, sites[*item]));
        let all = groups.chain(items).fold(Cost::default(), |sum, part| sum.plus(part, 1));
        Cost { load: cost::load(problem, sites), ..all }
    };
    let before = sum(sites);
    let old: Vec<Option<usize>> = moves.iter().map(|(item, _)| sites[*item]).collect();
    moves.iter().for_each(|(item, site)| sites[*item] = *site);
    let after = sum(sites);
    moves.iter().zip(old).for_each(|((item, _), site)| sites[*item] = site);
    after.plus(before, -1)
}

/// Makes every move and exchange that helps; true when there was one.
fn improve(problem: &Problem<'_>, free: &[usize], sites: &mut [Option<usize>]) -> bool {
    let mut helped = false;
    for (index, &item) in free.iter().enumerate() {
        for site in 0..problem.sites.len() {
            let moved = [(item, Some(site))];
            if sites[item] != Some(site)
                && problem.fits(item, site, sites)
                && change(problem, &moved, sites) < Cost::default()
            {
                sites[item] = Some(site);
                helped = true;
            }
        }
        for &other in &free[index + 1..] {
            helped |= exchange(problem, item, other, sites);
        }
    }
    helped
}

/// Swaps the sites of two items when that helps.
fn exchange(problem: &Problem<'_>, item: usize, other: usize, sites: &mut [Option<usize>]) -> bool {
    let (at, other_at) = (sites[item], sites[other]);
    let (Some(site), Some(other_site)) = (at, other_at) else { return false };
    if site == other_site || !problem.serves(item, other_site) || !problem.serves(other, site) {
        return false;
    }
    (sites[item], sites[other]) = (None, None);
    let fits = problem.fits(item, other_site, sites) && {
        sites[item] = other_at;
        problem.fits(other, site, sites)
    };
    (sites[item], sites[other]) = (at, other_at);
    if fits && change(problem, &[(item, other_at), (other, at)], sites) < Cost::default() {
        (sites[item], sites[other]) = (other_at, at);
        return true;
    }
    false
}

/// Every way to place the free items.
struct AllWays<'a> {
    problem: &'a Problem<'a>,
    free: &'a [usize],
    best: (Cost, Vec<Option<usize>>),
    /// Ways that may still be tried.
    left: usize,
}

impl AllWays<'_> {
    /// Tries all sites for the free items from number `index` on; `None` when there are too many ways.
    fn visit(&mut self, index: usize, sites: &mut Vec<Option<usize>>) -> Option<()> {
        let Some(&item) = self.free.get(index) else {
            self.left = self.left.checked_sub(1)?;
            let cost = cost::of(self.problem, sites);
            if cost < self.best.0 {
                self.best = (cost, sites.clone());
            }
            return Some(());
        };
        let mut placed = false;
        for site in 0..self.problem.sites.len() {
            if self.problem.fits(item, site, sites) {
                sites[item] = Some(site);
                self.visit(index + 1, sites)?;
                sites[item] = None;
                placed = true;
            }
        }
        // Only what fits nowhere beside those before it stays out.
        if !placed {
            self.visit(index + 1, sites)?;
        }
        Some(())
    }
}
