//! Names that may stand once only.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::Range;

use halftrack_input::{Fields, Located};

/// Reports every one of `names`, shown as `what` and the name, that stood before.
pub fn check_unique<K: Ord + Display>(
    fields: &Fields<'_>,
    what: &str,
    names: impl IntoIterator<Item = Located<K>>,
) {
    let mut seen = BTreeMap::<K, Range<usize>>::new();
    for name in names {
        if let Some(first) = seen.get(&name.value) {
            fields.named_twice(&format!("{what} {}", name.value), name.span, first.clone());
        } else {
            seen.insert(name.value, name.span);
        }
    }
}
