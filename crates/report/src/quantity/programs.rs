//! What one I/O puts on the fibre.

use halftrack_record::{ProgramSummary, Run};

use super::{Of, QuantityError, Unit, Word, listed, unknown, word};

pub(super) type Formula = fn(&ProgramSummary) -> f64;

pub(super) const WORDS: &[Word] = &[
    word("units_out", Unit::Count, Of::Programs(|program| program.units_out.into())),
    word("units_in", Unit::Count, Of::Programs(|program| program.units_in.into())),
    word("units", Unit::Count, Of::Programs(|program| f64::from(program.units_out + program.units_in))),
    word("frames_out", Unit::Count, Of::Programs(|program| program.frames_out.into())),
    word("frames_in", Unit::Count, Of::Programs(|program| program.frames_in.into())),
    word("wire_out_bytes", Unit::Bytes, Of::Programs(|program| program.wire_out_bytes as f64)),
    word("wire_in_bytes", Unit::Bytes, Of::Programs(|program| program.wire_in_bytes as f64)),
    word("data_bytes", Unit::Bytes, Of::Programs(data_bytes)),
    word("mean_frame_bytes", Unit::Bytes, Of::Programs(|program| program.mean_frame_bytes)),
];

pub(super) fn value(
    run: &Run,
    word: &'static str,
    subject: Option<&str>,
    formula: Formula,
) -> Result<f64, QuantityError> {
    let Some(subject) = subject else {
        let known = listed(subjects(run));
        return Err(QuantityError::NeedsSubject { word, kind: "stream", known });
    };
    let (stream, operation) =
        subject.split_once('/').map_or((subject, None), |(stream, operation)| (stream, Some(operation)));
    let is = |program: &&ProgramSummary| {
        program.stream == stream && operation.is_none_or(|operation| program.operation == operation)
    };
    let mut values = run.programs.iter().filter(is).map(formula);
    let first = values.next().ok_or_else(|| unknown(word, "stream", subject, subjects(run)))?;
    match values.all(|other| other == first) {
        true => Ok(first),
        false => {
            let known = listed(subjects(run));
            Err(QuantityError::Ambiguous { word, subject: subject.to_owned(), known })
        }
    }
}

/// `READ4K/read`: one for each operation of a stream, where it is the only one just the stream.
pub(super) fn subjects(run: &Run) -> Vec<String> {
    let mut all = Vec::new();
    for program in &run.programs {
        let only = run.programs.iter().filter(|other| other.stream == program.stream).count() == 1;
        let name = match only {
            true => program.stream.clone(),
            false => format!("{}/{}", program.stream, program.operation),
        };
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

fn data_bytes(program: &ProgramSummary) -> f64 {
    (program.data_out_bytes + program.data_in_bytes) as f64
}

#[cfg(test)]
mod tests {
    use crate::golden;
    use crate::quantity::tests::of;
    use crate::quantity::{QuantityError, quantity};

    #[test]
    fn the_only_program_of_a_stream_needs_no_operation() {
        assert_eq!((of("units_out:oltp"), of("units_in:oltp/read")), (1.0, 2.0));
        assert_eq!(of("mean_frame_bytes:oltp"), 1083.0);
    }

    #[test]
    fn programs_that_differ_are_told_apart_by_their_operation() {
        let mut run = golden::run();
        let mut write = run.programs[0].clone();
        write.operation = "write".to_owned();
        write.units_out = 2;
        run.programs.push(write);
        let error = quantity(&run, "units_out:oltp").expect_err("two answers");
        let QuantityError::Ambiguous { known, .. } = error else { panic!("{error}") };
        assert_eq!(known, "oltp/read, oltp/write");
        assert_eq!(quantity(&run, "units_out:oltp/write").map(|found| found.value), Ok(2.0));
        assert_eq!(quantity(&run, "units_in:oltp").map(|found| found.value), Ok(2.0));
    }
}
