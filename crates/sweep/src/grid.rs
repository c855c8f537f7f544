//! The points that several keys make together, each made when it is wanted: a sweep may have very many.

use halftrack_input::messages::sweep::{SET_TWICE, TOO_MANY_POINTS};
use halftrack_input::{Diagnostic, SourceFile};

use crate::change::Change;
use crate::key::Key;
use crate::value_set::{POINTS_MAX, ValueSet};

/// All combinations of groups of sets, the last group changing fastest; the sets of a group change in step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    groups: Vec<Vec<ValueSet>>,
    points: usize,
}

impl Grid {
    /// Makes the points of `groups`. No group makes one point, the study itself.
    ///
    /// # Errors
    /// A key in two sets; more than [`POINTS_MAX`] points.
    pub fn new(mut groups: Vec<Vec<ValueSet>>) -> Result<Self, Box<Diagnostic>> {
        groups.retain(|group| !group.is_empty());
        let keys: Vec<&Key> = groups.iter().flatten().map(|set| &set.key).collect();
        for (index, key) in keys.iter().enumerate() {
            if keys[..index].contains(key) {
                let source = SourceFile::new("--set", key.text());
                let message = format!("`{key}` is set twice");
                return Err(Diagnostic::error(SET_TWICE, &source, 0..source.text.len(), message)
                    .fix("put all its values into one set")
                    .into());
            }
        }
        let sizes: Vec<usize> = groups.iter().map(|group| group[0].values.len()).collect();
        let count = sizes.iter().try_fold(1_usize, |count, size| count.checked_mul(*size));
        match count.filter(|count| *count <= POINTS_MAX) {
            Some(points) => Ok(Self { groups, points }),
            None => {
                let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
                let source = SourceFile::new("--set", sizes.join(" x "));
                let message = format!("{} points are more than {POINTS_MAX}", source.text);
                Err(Diagnostic::error(TOO_MANY_POINTS, &source, 0..source.text.len(), message)
                    .fix("sweep fewer keys or values at once")
                    .into())
            }
        }
    }

    /// Returns the sets, those that change in step together.
    pub fn groups(&self) -> &[Vec<ValueSet>] {
        &self.groups
    }

    /// Returns the number of points.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Returns the values of all keys at the point with number `index`, from 0.
    ///
    /// # Panics
    /// When there is no such point.
    pub fn set_to(&self, index: usize) -> Vec<String> {
        self.at(index).map(|(_, value)| value.clone()).collect()
    }

    /// Returns the changes of the point with number `index`, from 0.
    ///
    /// # Panics
    /// When there is no such point.
    pub fn changes(&self, index: usize) -> Vec<Change> {
        self.at(index).map(|(key, value)| Change { key: key.clone(), value: value.clone() }).collect()
    }

    /// Returns every key with its value at the point with number `index`.
    fn at(&self, index: usize) -> impl Iterator<Item = (&Key, &String)> {
        assert!(index < self.points, "no point {index} of {}", self.points);
        let mut slower = self.points;
        self.groups.iter().flat_map(move |group| {
            let values = group[0].values.len();
            slower /= values;
            let step = index / slower % values;
            group.iter().map(move |set| (&set.key, &set.values[step]))
        })
    }
}

/// Returns the changes of every point of `groups`, as [`Grid`] makes them.
///
/// # Errors
/// As [`Grid::new`].
pub fn product(groups: &[Vec<ValueSet>]) -> Result<Vec<Vec<Change>>, Box<Diagnostic>> {
    let grid = Grid::new(groups.to_vec())?;
    Ok((0..grid.points()).map(|index| grid.changes(index)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value_set::sets_in_step;

    fn set(text: &str) -> ValueSet {
        text.parse().unwrap_or_else(|error: Box<Diagnostic>| panic!("{error}"))
    }

    fn points(sets: &[&str]) -> Vec<String> {
        let groups = sets.iter().map(|text| sets_in_step(text).expect("sets")).collect();
        let grid = Grid::new(groups).expect("a sweep");
        (0..grid.points()).map(|index| grid.set_to(index).join(" ")).collect()
    }

    #[test]
    fn points_are_all_combinations_the_last_set_changing_fastest() {
        assert_eq!(
            points(&["plant.cable.100.km=1,2", "workload.run.seed=7,8,9"]),
            ["1 7", "1 8", "1 9", "2 7", "2 8", "2 9"]
        );
        assert_eq!(product(&[]).expect("the study itself"), [[]]);
    }

    #[test]
    fn sets_in_step_change_together() {
        let shares = "workload.stream.A.closed.jobs=9,5; workload.stream.B.closed.jobs=1,5";
        assert_eq!(points(&[shares, "deck.ID.MSG1='A;B',C"]), ["9 1 'A;B'", "9 1 C", "5 5 'A;B'", "5 5 C"]);
    }

    #[test]
    fn sweeps_without_end_and_keys_set_twice_are_refused() {
        let many = set("workload.run.seed=1..1000");
        let other = |key: &str| ValueSet { key: key.parse().expect("a key"), ..many.clone() };
        let refusal = Grid::new(vec![vec![many.clone()], vec![other("workload.run.intervals")]])
            .expect_err("too many")
            .line();
        assert_eq!(refusal, "HTK957E --set:1:1 1000 x 1000 points are more than 100000");
        let refusal = Grid::new(vec![vec![many.clone(), many.clone()]]).expect_err("twice").line();
        assert_eq!(refusal, "HTK956E --set:1:1 `workload.run.seed` is set twice");
    }
}
