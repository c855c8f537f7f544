//! Keys of login and text (RFC 7143, 13): `key=value` with an octet of zero behind each.

/// Data of a PDU before it is negotiated.
const DEFAULT_RECEIVE_BYTES: usize = 8192;
/// Data of a sequence before it is negotiated.
const DEFAULT_BURST_BYTES: u32 = 256 << 10;
/// Data of a sequence that the gateway allows.
const BURST_BYTES_MAX: u32 = 256 << 10;
/// Data of a PDU that the gateway sends at most.
const SENT_BYTES_MAX: usize = 256 << 10;

/// Settings of a session that the initiator has declared or both have negotiated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Name of the initiator.
    pub initiator: String,
    /// The session is for discovery only.
    pub is_discovery: bool,
    /// Data of a PDU that the initiator takes.
    pub receive_bytes: usize,
    /// Data of a sequence.
    pub burst_bytes: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            initiator: String::new(),
            is_discovery: false,
            receive_bytes: DEFAULT_RECEIVE_BYTES,
            burst_bytes: DEFAULT_BURST_BYTES,
        }
    }
}

/// Returns the pairs of a text; what is no pair is left out.
pub fn pairs(text: &[u8]) -> Vec<(String, String)> {
    let lines = text.split(|octet| *octet == 0).map(String::from_utf8_lossy);
    lines.filter_map(|line| line.split_once('=').map(|(key, value)| (key.into(), value.into()))).collect()
}

/// Returns the text of pairs.
pub fn text<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<u8> {
    pairs.into_iter().flat_map(|(key, value)| format!("{key}={value}\0").into_bytes()).collect()
}

impl Settings {
    /// Takes an offer in, and returns the answer; none to a declaration.
    pub fn answer(&mut self, key: &str, value: &str) -> Option<String> {
        let number = value.parse::<u32>().ok();
        let lesser = |own: u32| Some(number.map_or(own, |offered| offered.min(own)).to_string());
        match key {
            "InitiatorName" => self.initiator = value.to_owned(),
            "SessionType" => self.is_discovery = value == "Discovery",
            "MaxRecvDataSegmentLength" => {
                let offered = number.map_or(DEFAULT_RECEIVE_BYTES, |bytes| bytes as usize);
                // Pieces of a sequence are whole words.
                self.receive_bytes = offered.clamp(512, SENT_BYTES_MAX) / 4 * 4;
            }
            "InitiatorAlias" | "TargetName" => {}
            "AuthMethod" | "HeaderDigest" | "DataDigest" => return Some("None".to_owned()),
            "InitialR2T" | "ImmediateData" | "DataPDUInOrder" | "DataSequenceInOrder" => {
                return Some("Yes".to_owned());
            }
            "OFMarker" | "IFMarker" => return Some("No".to_owned()),
            "MaxBurstLength" => {
                self.burst_bytes = number.unwrap_or(BURST_BYTES_MAX).clamp(512, BURST_BYTES_MAX) / 4 * 4;
                return Some(self.burst_bytes.to_string());
            }
            "FirstBurstLength" => return lesser(BURST_BYTES_MAX),
            "MaxConnections" | "MaxOutstandingR2T" => return lesser(1),
            "ErrorRecoveryLevel" | "DefaultTime2Retain" => return lesser(0),
            "DefaultTime2Wait" => return Some(number.unwrap_or(2).to_string()),
            _ => return Some("NotUnderstood".to_owned()),
        }
        None
    }
}

#[test]
fn what_is_negotiated_is_the_lesser_and_what_is_unknown_is_not_understood() {
    let mut settings = Settings::default();
    let offers = pairs(b"InitiatorName=iqn.a\0MaxBurstLength=16384\0MaxConnections=8\0x\0X-key=1\0");
    let answers: Vec<_> = offers.iter().filter_map(|(key, value)| settings.answer(key, value)).collect();
    assert_eq!(answers, ["16384", "1", "NotUnderstood"]);
    assert_eq!((settings.initiator.as_str(), settings.burst_bytes), ("iqn.a", 16384));
    assert_eq!(text([("a", "b"), ("c", "")]), b"a=b\0c=\0");
}
