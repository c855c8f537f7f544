//! Values that a record leaves out.

/// Returns true for a number that stands for its absence, such as the index of the only machine, or a time of nothing.
pub(crate) fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}
