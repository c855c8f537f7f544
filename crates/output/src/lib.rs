//! Output that is there complete or not at all: written beside its place and renamed when whole.
#![forbid(unsafe_code)]

mod trial;
mod whole_directory;

pub use trial::can_have_files;
pub use whole_directory::WholeDirectory;
