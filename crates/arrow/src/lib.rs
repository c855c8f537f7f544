//! Runs and sweeps as Arrow tables and Parquet data sets. Figures come from `report` and `sweep`: nothing is computed here.
#![forbid(unsafe_code)]

mod batch;
mod data_set;
mod parquet_file;
mod points;
mod values;

pub use batch::{DEFINITION, TABLE, UNIT, record_batch};
pub use data_set::{DataSet, DataSetError};
pub use points::points;
pub use values::values;
