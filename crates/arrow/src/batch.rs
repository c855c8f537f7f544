//! A frame as an Arrow record batch; the cells are handed on, not copied.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, LargeStringArray, RecordBatch, UInt64Array};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{Field, Schema};
use halftrack_report::{Cells, Counts, Frame, FrameColumn, Numbers, Texts};

/// Key of the unit in the metadata of a field.
pub const UNIT: &str = "unit";
/// Key of the definition in the metadata of a field.
pub const DEFINITION: &str = "definition";
/// Key of the name of the frame in the metadata of a schema.
pub const TABLE: &str = "table";

/// Returns `frame` as Arrow columns: each field has its definition as metadata, and its unit where it has one.
///
/// # Panics
/// When the columns of the frame differ in length or it has none, which no frame of a run or sweep does.
pub fn record_batch(frame: Frame) -> RecordBatch {
    let Frame { name, columns } = frame;
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.into_iter().map(column).unzip();
    let metadata = HashMap::from([(TABLE.to_owned(), name.into_owned())]);
    let schema = Schema::new_with_metadata(fields, metadata);
    RecordBatch::try_new(Arc::new(schema), arrays).expect("columns of a frame have one length")
}

fn column(column: FrameColumn) -> (Field, ArrayRef) {
    let FrameColumn { name, unit, definition, cells } = column;
    let array = array(cells);
    let mut metadata = HashMap::from([(DEFINITION.to_owned(), definition.to_owned())]);
    metadata.extend(unit.map(|unit| (UNIT.to_owned(), unit.to_string())));
    (Field::new(name, array.data_type().clone(), true).with_metadata(metadata), array)
}

fn array(cells: Cells) -> ArrayRef {
    match cells {
        Cells::Numbers(Numbers { values, present }) => {
            Arc::new(Float64Array::new(values.into(), nulls(present)))
        }
        Cells::Counts(Counts { values, present }) => {
            Arc::new(UInt64Array::new(values.into(), nulls(present)))
        }
        Cells::Texts(Texts { joined, offsets, present }) => {
            let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
            let octets = Buffer::from_vec(joined.into_bytes());
            Arc::new(LargeStringArray::new(offsets, octets, nulls(present)))
        }
    }
}

/// Returns the bits of cells that are there; `None` where all are.
fn nulls(present: Vec<bool>) -> Option<NullBuffer> {
    present.contains(&false).then(|| NullBuffer::from(present))
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float64Type;
    use arrow_array::{Array, RecordBatch};
    use halftrack_report::Unit;

    use super::*;

    fn batch() -> (RecordBatch, *const f64) {
        let values: Numbers = [Some(1.5), None].into_iter().collect();
        let place = values.values.as_ptr();
        let texts: Texts = ["é", ""].into_iter().collect();
        let of = |name: &'static str, unit, cells| FrameColumn {
            name: name.into(),
            unit,
            definition: "Something",
            cells,
        };
        let columns = vec![
            of("text", None, Cells::Texts(texts)),
            of("value", Some(Unit::Ms), Cells::Numbers(values)),
            of("count", None, Cells::Counts([Some(u64::MAX), None].into_iter().collect())),
        ];
        (record_batch(Frame { name: "frame".into(), columns }), place)
    }

    #[test]
    fn cells_are_the_same_memory() {
        let (batch, place) = batch();
        let values = batch.column(1).as_primitive::<Float64Type>();
        assert_eq!(values.values().as_ptr(), place);
    }

    #[test]
    fn cells_units_and_definitions_are_there() {
        let (batch, _) = batch();
        assert_eq!(batch.schema().metadata()[TABLE], "frame");
        let texts = batch.column(0).as_string::<i64>();
        assert_eq!(texts.iter().collect::<Vec<_>>(), [Some("é"), None]);
        let values = batch.column(1).as_primitive::<Float64Type>();
        assert_eq!(values.iter().collect::<Vec<_>>(), [Some(1.5), None]);
        assert_eq!((batch.column(2).null_count(), batch.num_rows()), (1, 2));
        let schema = batch.schema();
        let metadata = schema.field(1).metadata();
        assert_eq!((metadata[UNIT].as_str(), metadata[DEFINITION].as_str()), ("ms", "Something"));
        assert!(!schema.field(0).metadata().contains_key(UNIT));
    }
}
