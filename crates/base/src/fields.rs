//! Big-endian fields of a structure whose length has been checked.

/// Returns the big-endian 16 bits at `offset`. The caller has checked the length.
#[inline]
pub fn u16_at(bytes: &[u8], offset: usize) -> u16 {
    u16::from_be_bytes(array_at(bytes, offset))
}

/// Returns the big-endian 32 bits at `offset`. The caller has checked the length.
#[inline]
pub fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_be_bytes(array_at(bytes, offset))
}

/// Returns the big-endian 64 bits at `offset`. The caller has checked the length.
#[inline]
pub fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    u64::from_be_bytes(array_at(bytes, offset))
}

/// Returns `N` bytes at `offset`. The caller has checked the length.
#[inline]
pub fn array_at<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[offset..offset + N]);
    array
}

/// Writes `field` at `offset`.
#[inline]
pub fn put(bytes: &mut [u8], offset: usize, field: &[u8]) {
    bytes[offset..offset + field.len()].copy_from_slice(field);
}

/// Returns `bytes` rounded up to the next multiple of four: what travels in words. Saturates below 4 GiB.
pub const fn round_up_4(bytes: u32) -> u32 {
    bytes.div_ceil(4).saturating_mul(4)
}
