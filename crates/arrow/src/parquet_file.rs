//! A record batch as the octets of a Parquet file, the same for the same batch.

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

/// Value of `created_by`: no version of a library, so that files stay the same.
const CREATED_BY: &str = "halftrack";

/// Returns `batch` as a Parquet file, compressed with Snappy, the metadata of its fields with it.
///
/// # Errors
/// A batch that the format cannot have.
pub fn parquet_file(batch: &RecordBatch) -> Result<Vec<u8>, ParquetError> {
    let properties = WriterProperties::builder()
        .set_created_by(CREATED_BY.to_owned())
        .set_compression(Compression::SNAPPY)
        .build();
    let mut octets = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut octets, batch.schema(), Some(properties))?;
    writer.write(batch)?;
    writer.close()?;
    Ok(octets)
}
