//! Big-endian fields of a structure whose length has been checked.

/// Big-endian 16 bits at `offset`. The caller has checked the length.
pub(crate) fn u16_at(bytes: &[u8], offset: usize) -> u16 {
    u16::from_be_bytes([bytes[offset], bytes[offset + 1]])
}

/// Big-endian 32 bits at `offset`. The caller has checked the length.
pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from(u16_at(bytes, offset)) << 16 | u32::from(u16_at(bytes, offset + 2))
}

/// Big-endian 64 bits at `offset`. The caller has checked the length.
pub(crate) fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    u64::from(u32_at(bytes, offset)) << 32 | u64::from(u32_at(bytes, offset + 4))
}

/// `N` bytes at `offset`. The caller has checked the length.
pub(crate) fn array_at<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    std::array::from_fn(|index| bytes[offset + index])
}

/// Writes `field` at `offset`.
pub(crate) fn put(bytes: &mut [u8], offset: usize, field: &[u8]) {
    bytes[offset..offset + field.len()].copy_from_slice(field);
}

/// `bytes` rounded up to the next multiple of four: what travels in words. Saturates below 4 GiB.
pub const fn round_up_4(bytes: u32) -> u32 {
    bytes.div_ceil(4).saturating_mul(4)
}
