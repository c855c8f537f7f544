//! Points of a sweep that cannot be run, each reason reported once.

use std::io::{self, Write};

use halftrack_sweep::PointError;

use crate::diagnostics;

/// Points of one reason that are named.
const NAMED_MAX: usize = 3;

/// The points that cannot be run, in order, by reason.
#[derive(Default)]
pub struct UnablePoints<'a> {
    reasons: Vec<(&'a PointError, Vec<String>)>,
}

impl<'a> UnablePoints<'a> {
    /// Adds the point called `point`.
    pub fn add(&mut self, point: String, error: &'a PointError) {
        match self.reasons.iter_mut().find(|(other, _)| is_same(other, error)) {
            Some((_, points)) => points.push(point),
            None => self.reasons.push((error, vec![point])),
        }
    }

    /// Writes the points of each reason, and the reason.
    ///
    /// # Errors
    /// When standard error cannot be written.
    pub fn show(&self, stderr: &mut dyn Write) -> io::Result<()> {
        for (error, points) in &self.reasons {
            let named = points.iter().take(NAMED_MAX).map(String::as_str).collect::<Vec<_>>().join("; ");
            let more = match points.len().saturating_sub(NAMED_MAX) {
                0 => String::new(),
                1 => "; and 1 more point".to_owned(),
                more => format!("; and {more} more points"),
            };
            writeln!(stderr, "halftrack: cannot run {named}{more}:")?;
            match error {
                PointError::Study(messages) => diagnostics::show(messages)?,
                PointError::Wiring(error) => writeln!(stderr, "{error}")?,
            }
        }
        Ok(())
    }
}

/// Returns whether two points cannot be run for one reason, whatever their values.
fn is_same(one: &PointError, other: &PointError) -> bool {
    match (one, other) {
        (PointError::Study(one), PointError::Study(other)) => {
            let pairs = || one.iter().zip(other);
            one.len() == other.len()
                && pairs().all(|(one, other)| one.code() == other.code() && one.message == other.message)
        }
        _ => one.to_string() == other.to_string(),
    }
}
