//! Engines of this build, by name.

use super::{Engine, ZlibRs};

/// Names of the engines that this build has, the fastest first.
pub const ENGINE_NAMES: &[&str] = &[
    #[cfg(feature = "isal")]
    "isa-l",
    #[cfg(feature = "libdeflate")]
    "libdeflate",
    "zlib-rs",
];

/// Makes the engine of a name; none when this build does not have it.
pub fn engine_of(name: &str) -> Option<Box<dyn Engine>> {
    match name {
        #[cfg(feature = "isal")]
        "isa-l" => Some(Box::new(super::Isal::default())),
        #[cfg(feature = "libdeflate")]
        "libdeflate" => Some(Box::new(super::Libdeflate::default())),
        "zlib-rs" => Some(Box::new(ZlibRs::default())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_an_engine() {
        assert!(ENGINE_NAMES.iter().all(|name| engine_of(name).is_some()));
        assert!(engine_of("brotli").is_none());
    }
}
