//! Channel programs on the fibre: one I/O of a stream.

use halftrack_record::{ProgramSummary, Run};

use crate::column;
use crate::quantity::Unit;
use crate::rows::{Row, Rows, Source};
use crate::table::{SubjectRule, Table};

/// A figure of this table.
type Column = column::Column<ProgramSummary>;

/// The figures.
const COLUMNS: &[Column] = &[
    Column::new(
        "units_out",
        Unit::Count,
        "Information units that the channel sends for one I/O",
        |programs| programs.last(|program| program.units_out.into()),
    )
    .in_summary(0, "IUs out+in", 10, 0),
    Column::new(
        "units_in",
        Unit::Count,
        "Information units that the control unit sends for one I/O",
        |programs| programs.last(|program| program.units_in.into()),
    )
    .in_summary_behind(0, "+", 0),
    Column::new("units", Unit::Count, "Information units of one I/O, both directions", |programs| {
        programs.last(|program| f64::from(program.units_out + program.units_in))
    }),
    Column::new("frames_out", Unit::Count, "FC-2 frames that the channel sends for one I/O", |programs| {
        programs.last(|program| program.frames_out.into())
    })
    .in_summary(1, "frames", 10, 0),
    Column::new(
        "frames_in",
        Unit::Count,
        "FC-2 frames that the control unit sends for one I/O",
        |programs| programs.last(|program| program.frames_in.into()),
    )
    .in_summary_behind(1, "+", 0),
    Column::new(
        "wire_out_bytes",
        Unit::Bytes,
        "Bytes that the channel puts on the fibre for one I/O, FC-2 framing included",
        |programs| programs.last(|program| program.wire_out_bytes as f64),
    )
    .in_summary(2, "wire bytes", 15, 0),
    Column::new(
        "wire_in_bytes",
        Unit::Bytes,
        "Bytes that the control unit puts on the fibre for one I/O, FC-2 framing included",
        |programs| programs.last(|program| program.wire_in_bytes as f64),
    )
    .in_summary_behind(2, "+", 0),
    Column::new("data_bytes", Unit::Bytes, "User data of one I/O, both directions", |programs| {
        programs.last(|program| (program.data_out_bytes + program.data_in_bytes) as f64)
    })
    .in_summary(3, "data bytes", 10, 0),
    Column::new(
        "mean_frame_bytes",
        Unit::Bytes,
        "Size of the frames of one I/O with framing, mean",
        |programs| programs.last(|program| program.mean_frame_bytes),
    )
    .in_summary(4, "mean frame bytes", 16, 1),
];

/// The table of programs.
pub(crate) static TABLE: Table<ProgramSummary> = Table {
    kind: "stream",
    report: "",
    subject_rule: SubjectRule::OneAlike,
    columns: COLUMNS,
    choose: |run, subject| {
        run.programs.iter().filter(|one| subject.is_none_or(|name| is(one, name))).collect()
    },
    subjects,
    by_subject: None,
    things: |_, each| each.len() as u64,
    rows: Rows {
        frame: "programs",
        keys: &[
            ("stream", "Name of the stream in the workload"),
            ("operation", "Operation of its I/Os, read or write"),
        ],
        source: Source::Run(|run| {
            run.programs
                .iter()
                .map(|one| Row::new([(&one.stream).into(), (&one.operation).into()], one))
                .collect()
        }),
    },
};

/// Returns true when `program` is of `subject`, a stream or a stream with an operation: `READ4K/read`.
fn is(program: &ProgramSummary, subject: &str) -> bool {
    let (stream, operation) =
        subject.split_once('/').map_or((subject, None), |(stream, operation)| (stream, Some(operation)));
    program.stream == stream && operation.is_none_or(|operation| program.operation == operation)
}

/// Returns names as `READ4K/read`: one for each operation of a stream, the stream alone where it has only one.
fn subjects(run: &Run) -> Vec<String> {
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
