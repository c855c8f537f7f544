//! The hardware that a deck is for: read from a file that an argument names.

use std::path::{Path, PathBuf};

use clap::Args;
use halftrack_catalog::{Catalog, read_file};
use halftrack_deck::diagnostic::{Diagnostic, has_errors};
use halftrack_deck::listing;
use halftrack_plugging::{Hardware, read_hardware};

use crate::failure::Failure;

/// Where drawers and features of the hardware are looked up.
#[derive(Debug, Args)]
pub struct CatalogArguments {
    /// Lay your own catalog files (DIR/drawer/ID.toml, DIR/feature/ID.toml) over the built-in ones; may be repeated
    #[arg(long = "catalog", value_name = "DIR")]
    pub catalogs: Vec<PathBuf>,
}

/// The hardware in the file at `path`; what is wrong with it is shown.
///
/// # Errors
/// A file that cannot be used.
pub fn load(path: &Path, arguments: &CatalogArguments) -> Result<Hardware, Failure> {
    let failure = || Failure::Hardware { file: path.to_owned() };
    let overlays: Vec<&Path> = arguments.catalogs.iter().map(AsRef::as_ref).collect();
    let (catalog, mut found) = Catalog::load(&overlays);
    let show = |found: &[Diagnostic]| eprint!("{}", listing(found));
    let source = read_file(path).map_err(|error| {
        show(&[*error]);
        failure()
    })?;
    let (hardware, more) = read_hardware(&source, &catalog);
    found.extend(more);
    show(&found);
    hardware.filter(|_| !has_errors(&found)).ok_or_else(failure)
}
