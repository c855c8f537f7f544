//! Service parameters of FLOGI, FDISC, PLOGI and their LS_ACC (reference section 5.1).

use crate::error::ParseError;
use crate::world_wide_name::WorldWideName;
use halftrack_base::Octets;

/// Octets of a whole FLOGI, FDISC, PLOGI or its LS_ACC.
pub const LOGIN_BYTES: usize = 116;

/// Most octets of data field in the low 12 bits of the receive size; the rest of the half is the BB_SC number.
const RECEIVE_SIZE: u16 = 0x0FFF;

/// Parameters of a class of service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ClassParameters {
    /// Service options; 0x8000: the class is supported.
    pub service_options: u16,
    /// Initiator control.
    pub initiator_control: u16,
    /// Recipient control.
    pub recipient_control: u16,
    /// Most octets of a data field received.
    pub receive_bytes: u16,
    /// Concurrent sequences.
    pub concurrent_sequences: u16,
    /// End-to-end credit.
    pub end_to_end_credit: u16,
    /// Open sequences of an exchange.
    pub open_sequences: u16,
    /// Last half of the parameters, which class 6 uses.
    pub multicast: u16,
}

impl ClassParameters {
    /// Service option: the class is supported.
    pub const VALID: u16 = 0x8000;
    /// Service option: frames are delivered in the order in which they were sent.
    pub const SEQUENTIAL_DELIVERY: u16 = 0x0800;

    /// Returns the class 3 with data fields of at most `receive_bytes` octets, delivered in order.
    #[must_use]
    pub const fn class_3(receive_bytes: u16) -> Self {
        Self {
            service_options: Self::VALID | Self::SEQUENTIAL_DELIVERY,
            initiator_control: 0,
            recipient_control: 0,
            receive_bytes,
            concurrent_sequences: 255,
            end_to_end_credit: 0,
            open_sequences: 1,
            multicast: 0,
        }
    }

    /// Returns true when the class is supported.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.service_options & Self::VALID != 0
    }

    const fn halves(&self) -> [u16; 8] {
        [
            self.service_options,
            self.initiator_control,
            self.recipient_control,
            self.receive_bytes,
            self.concurrent_sequences,
            self.end_to_end_credit,
            self.open_sequences,
            self.multicast,
        ]
    }
}

/// Parameters of a port that logs in, and those of the other side in its LS_ACC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ServiceParameters {
    /// Highest and lowest version of FC-PH.
    pub version: [u8; 2],
    /// Receive buffers: buffer-to-buffer credit.
    pub buffer_credit: u16,
    /// Features: the constants of this type.
    pub features: u16,
    /// BB_SC number, 4 bits.
    pub buffer_state_change: u8,
    /// Most octets of a data field received, 12 bits: 256 to 2112.
    pub receive_bytes: u16,
    /// PLOGI: total concurrent sequences and relative offset by category. LS_ACC of FLOGI: R_A_TOV, milliseconds.
    pub word_3: u32,
    /// E_D_TOV, milliseconds.
    pub error_detect_timeout: u32,
    /// Name of the port.
    pub port_name: WorldWideName,
    /// Name of the node, or of the fabric.
    pub node_name: WorldWideName,
    /// Classes 1 to 4.
    pub classes: [ClassParameters; 4],
    /// Vendor version level.
    pub vendor_version: [u8; 16],
}

impl ServiceParameters {
    /// Feature of PLOGI: continuously increasing relative offset.
    pub const CONTINUOUS_OFFSET: u16 = 0x8000;
    /// Feature of FLOGI: the sender supports several N_Port ids (NPIV).
    pub const SEVERAL_IDS_SUPPORTED: u16 = 0x8000;
    /// Feature of the LS_ACC of FLOGI: the fabric assigns several N_Port ids (NPIV).
    pub const SEVERAL_IDS_ASSIGNED: u16 = 0x2000;
    /// Feature of PLOGI: the vendor version level is valid.
    pub const VENDOR_VERSION_VALID: u16 = 0x2000;
    /// Feature: the sender is an F_Port.
    pub const F_PORT: u16 = 0x1000;
    /// Feature: alternate management of buffer credits.
    pub const ALTERNATE_CREDIT: u16 = 0x0800;

    /// Returns the parameters of a port for class 3 that takes `receive_bytes` octets of payload and has `buffer_credit` buffers.
    #[must_use]
    pub fn class_3(
        port_name: WorldWideName,
        node_name: WorldWideName,
        receive_bytes: u16,
        buffer_credit: u16,
    ) -> Self {
        let mut classes = [ClassParameters::default(); 4];
        classes[2] = ClassParameters::class_3(receive_bytes);
        Self {
            version: [0x20, 0x20],
            buffer_credit,
            features: Self::CONTINUOUS_OFFSET,
            buffer_state_change: 0,
            receive_bytes,
            // PLOGI: 255 sequences at a time, relative offset for all categories of information.
            word_3: 0x00FF_001F,
            error_detect_timeout: 2000,
            port_name,
            node_name,
            classes,
            vendor_version: [0; 16],
        }
    }

    /// Returns the octets of payload that the port takes in a class-3 frame: what both the common and the class parameters allow.
    #[must_use]
    pub fn class_3_receive_bytes(&self) -> Option<u16> {
        let class = &self.classes[2];
        class.is_valid().then(|| class.receive_bytes.min(self.receive_bytes))
    }

    pub(super) fn parse(octets: &mut Octets<'_>) -> Result<Self, ParseError> {
        let version = octets.array()?;
        let (buffer_credit, features, receive) = (octets.half()?, octets.half()?, octets.half()?);
        let (word_3, error_detect_timeout) = (octets.word()?, octets.word()?);
        let (port_name, node_name) = (octets.double()?, octets.double()?);
        let mut classes = [ClassParameters::default(); 4];
        for class in &mut classes {
            *class = ClassParameters {
                service_options: octets.half()?,
                initiator_control: octets.half()?,
                recipient_control: octets.half()?,
                receive_bytes: octets.half()?,
                concurrent_sequences: octets.half()?,
                end_to_end_credit: octets.half()?,
                open_sequences: octets.half()?,
                multicast: octets.half()?,
            };
        }
        Ok(Self {
            version,
            buffer_credit,
            features,
            buffer_state_change: (receive >> 12) as u8,
            receive_bytes: receive & RECEIVE_SIZE,
            word_3,
            error_detect_timeout,
            port_name: WorldWideName(port_name),
            node_name: WorldWideName(node_name),
            classes,
            vendor_version: octets.array()?,
        })
    }

    pub(super) fn emit(&self, into: &mut Vec<u8>) {
        let receive = u16::from(self.buffer_state_change) << 12 | self.receive_bytes & RECEIVE_SIZE;
        into.extend_from_slice(&self.version);
        for half in [self.buffer_credit, self.features, receive] {
            into.extend_from_slice(&half.to_be_bytes());
        }
        into.extend_from_slice(&self.word_3.to_be_bytes());
        into.extend_from_slice(&self.error_detect_timeout.to_be_bytes());
        into.extend_from_slice(&self.port_name.0.to_be_bytes());
        into.extend_from_slice(&self.node_name.0.to_be_bytes());
        for half in self.classes.iter().flat_map(ClassParameters::halves) {
            into.extend_from_slice(&half.to_be_bytes());
        }
        into.extend_from_slice(&self.vendor_version);
    }
}
