//! Frame of every quantity of a run.

use halftrack_record::Run;

use super::{Cells, Frame, FrameColumn, FrameDefinition, Framed, Grain};
use crate::columns::TABLES;
use crate::rows::Key;
use crate::table::NamedValue;

/// Columns that identify a row, or describe it.
const KEYS: &[Key] = &[
    ("name", "Name of the quantity with its subject, as --y has it"),
    ("quantity", "Name of the quantity"),
    ("subject", "Name behind the colon; none of all together"),
    ("unit", "Unit of the value"),
    ("definition", "Definition, as RMF documents it where RMF has it"),
];

/// Every quantity of a run; the value is missing where several programs of a stream differ in it.
pub(super) struct AllQuantities;

impl Framed for AllQuantities {
    fn frame_definition(&self) -> FrameDefinition {
        FrameDefinition { name: "quantities", keys: KEYS, by_interval: false }
    }

    fn frame(&self, run: &Run, _: Grain) -> Frame {
        let all: Vec<_> = TABLES.into_iter().flat_map(|table| table.values(run)).collect();
        let texts = |place: usize, of: &dyn Fn(&NamedValue) -> String| FrameColumn {
            name: KEYS[place].0.into(),
            unit: None,
            definition: KEYS[place].1,
            cells: Cells::Texts(all.iter().map(of).collect()),
        };
        let values = FrameColumn {
            name: "value".into(),
            unit: None,
            definition: "Value, in the unit of the row",
            cells: Cells::Numbers(all.iter().map(|one| one.value).collect()),
        };
        let columns = vec![
            texts(0, &|one| one.name()),
            texts(1, &|one| one.definition.name.to_owned()),
            texts(2, &|one| one.subject.clone().unwrap_or_default()),
            values,
            texts(3, &|one| one.definition.unit.to_string()),
            texts(4, &|one| one.definition.definition.to_owned()),
        ];
        Frame { name: self.frame_definition().name.into(), columns }
    }
}
