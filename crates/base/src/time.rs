//! Virtual time: integer picoseconds since the start of the run, and spans of it.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

/// Picoseconds in one second.
const PS_PER_S: u64 = 1_000_000_000_000;

/// Largest byte count whose product with [`PS_PER_S`] fits 64 bits.
const NARROW_BYTES: u64 = u64::MAX / PS_PER_S;

/// An instant of virtual time: picoseconds since the start of the run.
///
/// 64 bits hold 213 days; arithmetic that leaves the range panics instead of wrapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A span of virtual time in picoseconds; never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

#[cold]
#[inline(never)]
fn leaves_range(operation: &str, left_ps: u64, right: u64) -> ! {
    panic!("virtual time leaves its range: {left_ps} ps {operation} {right}")
}

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// The last instant that can be represented; serves as "never".
    pub const MAX: Self = Self(u64::MAX);

    /// Returns the instant `ps` picoseconds after the start.
    #[inline]
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// Returns the picoseconds since the start.
    #[inline]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Returns the microseconds since the start, for reports.
    #[inline]
    pub fn as_us_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Returns the seconds since the start, for reports.
    #[inline]
    pub fn as_s_f64(self) -> f64 {
        self.0 as f64 / 1e12
    }

    /// Returns the span from `earlier` to this instant.
    ///
    /// # Panics
    /// When `earlier` is later than this instant.
    #[inline]
    pub const fn since(self, earlier: Self) -> Span {
        match self.0.checked_sub(earlier.0) {
            Some(ps) => Span(ps),
            None => {
                panic!("virtual time runs backwards: an instant is earlier than the one it is measured from")
            }
        }
    }

    /// Returns the span from `earlier` to this instant, or zero when `earlier` is later.
    #[inline]
    pub const fn saturating_since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// Returns the instant `span` later, or [`Time::MAX`] when that cannot be represented.
    #[inline]
    pub const fn saturating_add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// Returns the instant `span` before, or [`Time::ZERO`] when that is before the start.
    #[inline]
    pub const fn saturating_sub(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }

    /// Returns the instant `span` later, if that can be represented.
    #[inline]
    pub const fn checked_add(self, span: Span) -> Option<Self> {
        match self.0.checked_add(span.0) {
            Some(ps) => Some(Self(ps)),
            None => None,
        }
    }

    /// Returns the instant `span` before, if that is not before the start.
    #[inline]
    pub const fn checked_sub(self, span: Span) -> Option<Self> {
        match self.0.checked_sub(span.0) {
            Some(ps) => Some(Self(ps)),
            None => None,
        }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Span(self.0).fmt(f)
    }
}

impl Add<Span> for Time {
    type Output = Self;
    #[inline]
    fn add(self, span: Span) -> Self {
        match self.0.checked_add(span.0) {
            Some(ps) => Self(ps),
            None => leaves_range("+", self.0, span.0),
        }
    }
}

impl AddAssign<Span> for Time {
    #[inline]
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub<Span> for Time {
    type Output = Self;
    #[inline]
    fn sub(self, span: Span) -> Self {
        match self.0.checked_sub(span.0) {
            Some(ps) => Self(ps),
            None => leaves_range("-", self.0, span.0),
        }
    }
}

impl Sub for Time {
    type Output = Span;
    #[inline]
    fn sub(self, earlier: Self) -> Span {
        match self.0.checked_sub(earlier.0) {
            Some(ps) => Span(ps),
            None => leaves_range("-", self.0, earlier.0),
        }
    }
}

/// Returns `count * scale_ps`; panics when that exceeds the longest span.
const fn scaled(count: u64, scale_ps: u64) -> Span {
    match count.checked_mul(scale_ps) {
        Some(ps) => Span(ps),
        None => panic!("a span of virtual time exceeds 213 days"),
    }
}

impl Span {
    /// No time.
    pub const ZERO: Self = Self(0);
    /// The longest span that can be represented; serves as "for ever".
    pub const MAX: Self = Self(u64::MAX);

    /// Returns `ps` picoseconds.
    #[inline]
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// Returns `ns` nanoseconds. Panics above 213 days.
    #[inline]
    pub const fn from_ns(ns: u64) -> Self {
        scaled(ns, 1_000)
    }

    /// Returns `us` microseconds. Panics above 213 days.
    #[inline]
    pub const fn from_us(us: u64) -> Self {
        scaled(us, 1_000_000)
    }

    /// Returns `ms` milliseconds. Panics above 213 days.
    #[inline]
    pub const fn from_ms(ms: u64) -> Self {
        scaled(ms, 1_000_000_000)
    }

    /// Returns `s` seconds. Panics above 213 days.
    #[inline]
    pub const fn from_s(s: u64) -> Self {
        scaled(s, PS_PER_S)
    }

    /// Returns `us` microseconds rounded to the nearest picosecond; for configuration only, never while running.
    ///
    /// Negative and NaN count as zero, more than 213 days as [`Span::MAX`]: the caller checks its input.
    pub fn from_us_f64(us: f64) -> Self {
        Self(libm::round(us * 1e6) as u64)
    }

    /// Returns `s` seconds rounded to the nearest picosecond; for configuration only, never while running.
    ///
    /// Negative and NaN count as zero, more than 213 days as [`Span::MAX`]: the caller checks its input.
    pub fn from_s_f64(s: f64) -> Self {
        Self(libm::round(s * 1e12) as u64)
    }

    /// Returns the picoseconds.
    #[inline]
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Returns the microseconds, for reports.
    #[inline]
    pub fn as_us_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Returns the seconds, for reports.
    #[inline]
    pub fn as_s_f64(self) -> f64 {
        self.0 as f64 / 1e12
    }

    /// Returns whether this is no time at all.
    #[inline]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Returns the sum, or [`Span::MAX`] when that cannot be represented.
    #[inline]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Returns the difference, or zero when `other` is longer.
    #[inline]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Returns the sum, if it can be represented.
    #[inline]
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(ps) => Some(Self(ps)),
            None => None,
        }
    }

    /// Returns the difference, if `other` is not longer.
    #[inline]
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(ps) => Some(Self(ps)),
            None => None,
        }
    }
}

impl fmt::Display for Span {
    /// Returns the microseconds with all six decimals, so that no picosecond is hidden.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06} us", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

impl Add for Span {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        match self.0.checked_add(other.0) {
            Some(ps) => Self(ps),
            None => leaves_range("+", self.0, other.0),
        }
    }
}

impl AddAssign for Span {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        match self.0.checked_sub(other.0) {
            Some(ps) => Self(ps),
            None => leaves_range("-", self.0, other.0),
        }
    }
}

impl SubAssign for Span {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Mul<u64> for Span {
    type Output = Self;
    #[inline]
    fn mul(self, factor: u64) -> Self {
        match self.0.checked_mul(factor) {
            Some(ps) => Self(ps),
            None => leaves_range("*", self.0, factor),
        }
    }
}

impl Div<u64> for Span {
    type Output = Self;
    /// Returns the rounds down to whole picoseconds.
    #[inline]
    fn div(self, divisor: u64) -> Self {
        Self(self.0 / divisor)
    }
}

impl Sum for Span {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        spans.fold(Self::ZERO, Add::add)
    }
}

/// Returns the time that `bytes` take at `bytes_per_s`, rounded up to whole picoseconds: a link is never faster than its rate.
///
/// # Panics
/// When `bytes_per_s` is zero or the span exceeds 213 days.
#[inline]
pub fn for_bytes(bytes: u64, bytes_per_s: u64) -> Span {
    if bytes <= NARROW_BYTES {
        Span((bytes * PS_PER_S).div_ceil(bytes_per_s))
    } else {
        for_many_bytes(bytes, bytes_per_s)
    }
}

/// Computes [`for_bytes`] where the product needs more than 64 bits.
#[cold]
fn for_many_bytes(bytes: u64, bytes_per_s: u64) -> Span {
    let ps = (u128::from(bytes) * u128::from(PS_PER_S)).div_ceil(u128::from(bytes_per_s));
    match u64::try_from(ps) {
        Ok(ps) => Span(ps),
        Err(_) => panic!("{bytes} bytes at {bytes_per_s} bytes/s take longer than 213 days of virtual time"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_agree() {
        assert_eq!(Span::from_s(2), Span::from_ms(2_000));
        assert_eq!(Span::from_ms(2), Span::from_us(2_000));
        assert_eq!(Span::from_us(2), Span::from_ns(2_000));
        assert_eq!(Span::from_ns(2), Span::from_ps(2_000));
        assert_eq!(Span::from_us_f64(0.0000014), Span::from_ps(1));
        assert_eq!(Span::from_us_f64(0.0000016), Span::from_ps(2));
        assert_eq!(Span::from_s_f64(1.5), Span::from_ms(1_500));
        assert_eq!(Span::from_us_f64(-3.0), Span::ZERO);
        assert_eq!(Span::from_us_f64(f64::NAN), Span::ZERO);
        assert_eq!(Time::from_ps(1_234_567).to_string(), "1.234567 us");
    }

    #[test]
    fn bytes_round_up() {
        assert_eq!(for_bytes(0, 800_000_000), Span::ZERO);
        assert_eq!(for_bytes(1, 3), Span::from_ps(333_333_333_334));
        assert_eq!(for_bytes(800, 800_000_000), Span::from_us(1));
    }

    #[test]
    fn wide_and_narrow_paths_agree() {
        for bytes in [1, 4096, NARROW_BYTES - 1, NARROW_BYTES] {
            for rate in [999_999_937, 1_600_000_000, 3_140_000_001] {
                assert_eq!(for_bytes(bytes, rate), for_many_bytes(bytes, rate));
            }
        }
        assert_eq!(for_bytes(NARROW_BYTES + 1, 1_000_000_000), Span::from_ps((NARROW_BYTES + 1) * 1_000));
    }

    #[test]
    #[should_panic(expected = "virtual time leaves its range")]
    fn addition_does_not_wrap() {
        let _ = Time::MAX + Span::from_ps(1);
    }

    #[test]
    #[should_panic(expected = "virtual time leaves its range")]
    fn difference_is_never_negative() {
        let _ = Time::ZERO - Time::from_ps(1);
    }

    #[test]
    fn saturating_and_checked_forms() {
        let one = Span::from_ps(1);
        assert_eq!(Time::MAX.saturating_add(one), Time::MAX);
        assert_eq!(Time::ZERO.saturating_sub(one), Time::ZERO);
        assert_eq!(Time::MAX.checked_add(one), None);
        assert_eq!(Time::ZERO.checked_sub(one), None);
        assert_eq!(Time::ZERO.saturating_since(Time::from_ps(9)), Span::ZERO);
        assert_eq!(Time::from_ps(9).since(Time::from_ps(4)), Span::from_ps(5));
        assert_eq!([one, one, one].into_iter().sum::<Span>(), Span::from_ps(3));
    }
}
