//! Traffic of the streams' I/Os on the fibre, a line for each kind.

use std::fmt::Write;

use halftrack_record::ProgramSummary;

use super::summary_columns::SummaryColumns;
use crate::columns::programs::TABLE;
use crate::records::Records;

/// Returns a table; pairs are to the control unit + to the channel. A hit and a miss that differ in nothing have one
/// line.
pub(super) fn lines(programs: &[ProgramSummary]) -> String {
    if programs.is_empty() {
        return String::new();
    }
    let name_width = programs.iter().map(|program| program.stream.chars().count()).max().unwrap_or(0).max(6);
    let rows: Vec<_> = programs.iter().map(|program| Records::of_thing(vec![program], 0)).collect();
    let columns = SummaryColumns::new(TABLE.columns, &rows);
    let mut text = format!("{:name_width$}  {:19}{}\n", "stream", "program", columns.headings());
    for (index, program) in programs.iter().enumerate() {
        let same = |other: &ProgramSummary| *other == ProgramSummary { hit: !program.hit, ..program.clone() };
        if programs[..index].iter().any(same) {
            continue;
        }
        let cache = match (program.operation.as_str(), program.hit) {
            _ if programs[index..].iter().any(same) => "",
            ("write", _) => "",
            (_, true) => " hit",
            (_, false) => " miss",
        };
        let what = format!("{} {}{cache}", program.protocol_name(), program.operation);
        let _ = writeln!(text, "{:name_width$}  {what:19}{}", program.stream, columns.row(&rows[index]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;

    #[test]
    fn an_earlier_run_without_programs_has_no_table() {
        assert_eq!(lines(&[]), "");
    }

    #[test]
    fn the_outcome_of_the_cache_lookup_is_said_where_it_matters() {
        let hit = golden::run().programs[0].clone();
        let miss = ProgramSummary { hit: false, ..hit.clone() };
        let longer = ProgramSummary { units_in: 3, ..miss.clone() };
        let write = ProgramSummary { operation: "write".to_owned(), ..hit.clone() };
        let words = |programs: &[ProgramSummary]| {
            let text = lines(programs);
            text.lines().skip(1).map(|line| line[8..27].trim().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(words(&[hit.clone(), miss, write]), ["transport read", "transport write"]);
        assert_eq!(words(&[hit, longer]), ["transport read hit", "transport read miss"]);
    }
}
