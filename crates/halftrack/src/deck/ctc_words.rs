//! Words of a user as ports, channels, devices and rates of channel-to-channel connections.

use halftrack_deck::ctc::islink::{ChannelName, ChannelPair};
use halftrack_deck::ctc::{GivenPort, Port};

/// Parses the port of a channel: `0.41=1121`, or `B:0.41=1121` of the second deck.
///
/// # Errors
/// A sentence about another text.
pub fn port_words(text: &str) -> Result<GivenPort, String> {
    let expected =
        || "expected CSS.CHPID=SSPP, such as 0.41=1121: CHPID 41 of CSS 0 is on port 21 of director 11";
    let (deck, rest) = match text.split_once(':') {
        Some(("A", rest)) => (0, rest),
        Some(("B", rest)) => (1, rest),
        Some(_) => return Err(expected().to_owned()),
        None => (0, text),
    };
    let parsed = || {
        let (channel, port) = rest.split_once('=')?;
        let (css, chpid) = channel.split_once('.')?;
        let port = u16::from_str_radix(port, 16).ok().filter(|_| port.len() == 4)?;
        let [switch, port] = port.to_be_bytes();
        let chpid = u8::from_str_radix(chpid, 16).ok()?;
        Some(GivenPort { deck, css: css.parse().ok()?, chpid, port: Port { switch, port } })
    };
    parsed().ok_or_else(|| expected().to_owned())
}

/// Parses the channels at both ends: `40`, `0.40`, `40=41`.
///
/// # Errors
/// A sentence about another text.
pub fn channel_pair(text: &str) -> Result<ChannelPair, String> {
    let name = |text: &str| {
        let (css, chpid) = match text.split_once('.') {
            Some((css, chpid)) => (Some(css.parse().ok()?), chpid),
            None => (None, text),
        };
        let is_hex = (1..=2).contains(&chpid.len()) && chpid.bytes().all(|digit| digit.is_ascii_hexdigit());
        let chpid = u8::from_str_radix(chpid, 16).ok().filter(|_| is_hex)?;
        Some(ChannelName { css, chpid })
    };
    let (near, far) = text.split_once('=').unwrap_or((text, text));
    let pair = name(near.trim()).zip(name(far.trim())).map(|(near, far)| ChannelPair { near, far });
    pair.ok_or_else(|| "expected a CHPID such as 40 or 0.40, or one at each system such as 40=41".to_owned())
}

/// Parses a device number of hexadecimal digits: `D000`.
///
/// # Errors
/// A sentence about another text.
pub fn device_number(text: &str) -> Result<u16, String> {
    let is_hex = (1..=4).contains(&text.len()) && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = u16::from_str_radix(text, 16).ok().filter(|_| is_hex);
    number.ok_or_else(|| "expected a device number of 1 to 4 hexadecimal digits, such as D000".to_owned())
}

/// Parses a rate in MB/s (10^6 bytes a second): `200`.
///
/// # Errors
/// A sentence about a text that is no number above 0.
pub fn rate_mb_per_s(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0);
    rate.ok_or_else(|| "expected a rate above 0 in MB/s, such as 200".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_named_with_or_without_their_channel_subsystem() {
        let name = |css, chpid| ChannelName { css, chpid };
        assert_eq!(channel_pair("40"), Ok(ChannelPair { near: name(None, 0x40), far: name(None, 0x40) }));
        assert_eq!(
            channel_pair("0.40=1.5A"),
            Ok(ChannelPair { near: name(Some(0), 0x40), far: name(Some(1), 0x5A) })
        );
        for wrong in ["", "G0", "040", "40=", "=40", ".40", "a.40", "+4"] {
            assert!(channel_pair(wrong).is_err(), "{wrong}");
        }
        assert!(rate_mb_per_s("0").is_err() && rate_mb_per_s("inf").is_err() && rate_mb_per_s("204").is_ok());
        assert!(device_number("D000").is_ok());
        assert!(device_number("+D00").is_err() && device_number("D0000").is_err());
        let port = Port { switch: 0x11, port: 0x21 };
        assert_eq!(port_words("B:0.41=1121"), Ok(GivenPort { deck: 1, css: 0, chpid: 0x41, port }));
        assert!(port_words("41=1121").is_err() && port_words("0.41=121").is_err());
    }
}
