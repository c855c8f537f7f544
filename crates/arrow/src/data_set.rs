//! A directory of Parquet files that several studies share: a partition for each, which a sweep replaces as a whole.
//!
//! ```text
//! DIR/study=NAME/points/part-0.parquet    a row a point: its keys and values as columns
//! DIR/study=NAME/values/part-0.parquet    a row a value: quantity, subject, value, unit
//! ```

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use halftrack_output::WholeDirectory;
use halftrack_report::Frame;
use halftrack_sweep::{PointIdentity, Table};
use thiserror::Error;

use crate::batch::record_batch;
use crate::parquet_file::parquet_file;
use crate::points::points;
use crate::values::values;

/// Directories of a partition.
const TABLES: [&str; 2] = ["points", "values"];
/// Most rows of a file.
const PART_ROWS: usize = 1_000_000;

/// Reason why a data set is not written.
#[derive(Debug, Error)]
pub enum DataSetError {
    /// Nothing can be written there, or something else would be replaced; found before any work.
    #[error("no Parquet data set can be in {}: {reason}", .directory.display())]
    Place {
        /// The directory of the data set.
        directory: PathBuf,
        /// Reason, in words.
        reason: String,
    },
    /// Writing failed; what was there is unchanged.
    #[error("cannot write {}: {source}; what was there is unchanged", .partition.display())]
    Output {
        /// The partition.
        partition: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
}

/// A place for the partition of one study.
#[derive(Debug)]
pub struct DataSet {
    partition: WholeDirectory,
}

impl DataSet {
    /// Makes the place for `study` in `directory`, which need not exist. Nothing is written yet.
    ///
    /// # Errors
    /// `Place` where no file can be created, or something is there that is no partition.
    pub fn new(directory: &Path, study: &str) -> Result<Self, DataSetError> {
        let refused = |reason: String| DataSetError::Place { directory: directory.to_owned(), reason };
        if directory.exists() && !directory.is_dir() {
            return Err(refused("it is not a directory".to_owned()));
        }
        let partition = WholeDirectory::new(&directory.join(partition_name(study)));
        let partition = partition.map_err(|error| refused(error.to_string()))?;
        let partition = partition.ok_or_else(|| refused("it cannot be renamed".to_owned()))?;
        match partition.foreign(|name| TABLES.iter().any(|known| name == *known)) {
            Ok(None) => {}
            Ok(Some(reason)) => return Err(refused(format!("{}: {reason}", partition.place().display()))),
            Err(error) => return Err(refused(error.to_string())),
        }
        partition.can_be_made().map_err(refused)?;
        Ok(Self { partition })
    }

    /// Returns the directory of the partition.
    pub fn place(&self) -> &Path {
        self.partition.place()
    }

    /// Writes the points of `table` with their `identities`, and replaces an earlier sweep of the study. The same sweep
    /// gives the same octets.
    ///
    /// # Errors
    /// `Output` when a file cannot be written; what was there is then still there.
    ///
    /// # Panics
    /// When there is not one identity for each point.
    pub fn write(&self, table: &Table, identities: &[Option<PointIdentity>]) -> Result<(), DataSetError> {
        let fill = |directory: &Path| {
            for frame in [points(table, identities), values(table, identities)] {
                write_parts(directory, frame)?;
            }
            Ok(())
        };
        let failed = |source| DataSetError::Output { partition: self.place().to_owned(), source };
        self.partition.replace(fill).map_err(failed)
    }
}

/// Formats `study=NAME`, with what has a meaning in paths or partitions as `%` and two hexadecimal digits.
fn partition_name(study: &str) -> String {
    let mut name = "study=".to_owned();
    for octet in study.bytes() {
        match octet {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => name.push(octet.into()),
            octet => name.push_str(&format!("%{octet:02X}")),
        }
    }
    name
}

/// Writes a frame into files of a directory of its name.
fn write_parts(directory: &Path, frame: Frame) -> io::Result<()> {
    let directory = directory.join(&*frame.name);
    fs::create_dir(&directory)?;
    let batch = record_batch(frame);
    let parts = batch.num_rows().div_ceil(PART_ROWS).max(1);
    for part in 0..parts {
        let first = part * PART_ROWS;
        let rows = batch.slice(first, PART_ROWS.min(batch.num_rows() - first));
        write_part(&directory.join(format!("part-{part}.parquet")), &rows)?;
    }
    Ok(())
}

fn write_part(place: &Path, batch: &RecordBatch) -> io::Result<()> {
    let octets = parquet_file(batch).map_err(io::Error::other)?;
    let mut file = File::create_new(place)?;
    file.write_all(&octets)?;
    file.sync_all()
}
