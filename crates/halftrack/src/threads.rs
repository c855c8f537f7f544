//! Worker threads of independent runs.

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::option_error::OptionError;

/// Starts so many worker threads, else one for each processor.
pub(crate) fn pool(threads: Option<usize>) -> Result<ThreadPool, OptionError> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    pool.map_err(|error| OptionError(error.to_string()))
}
