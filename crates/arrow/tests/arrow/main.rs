//! Parquet data sets of sweeps, read back.

mod data_set;
