//! The speed of a card, from the catalog.

use std::path::PathBuf;

use halftrack::{Catalog, ZEDC, load_catalog};
use halftrack_zedc::sizing::CardSpeed;

use crate::diagnostics;
use crate::failure::Failure;

/// Returns the catalog with the directories `catalogs` laid over it; messages about it are shown.
///
/// # Errors
/// A catalog with errors.
pub fn catalog(catalogs: &[PathBuf]) -> Result<Catalog, Failure> {
    let (catalog, found) = match load_catalog(catalogs) {
        Ok(loaded) => loaded,
        Err(error) => {
            diagnostics::show(&error.diagnostics)?;
            return Err(Failure::Argument("the catalog has errors".to_owned()));
        }
    };
    diagnostics::show(&found)?;
    Ok(catalog)
}

/// Returns the speed of a card of the catalog with the directories `catalogs` laid over it; messages about it are shown.
///
/// # Errors
/// A catalog with errors, or without the numbers of the card.
pub fn card_speed(catalogs: &[PathBuf]) -> Result<CardSpeed, Failure> {
    let catalog = catalog(catalogs)?;
    let card = catalog.features.get(ZEDC).and_then(|feature| feature.compression.as_ref());
    let card = card.ok_or_else(|| {
        Failure::Argument(format!("feature {ZEDC} of the catalog has no [compression]: add it"))
    })?;
    Ok(CardSpeed { mb_per_s: card.mb_per_s.value, setup_us: card.setup_us.value })
}
