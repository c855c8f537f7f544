//! FCP: SCSI over Fibre Channel, TYPE 08 (FCP-4).
//!
//! | file | format |
//! | --- | --- |
//! | [`command`] | FCP_CMND: a SCSI command or a task management function |
//! | [`lun`] | the logical unit number |
//! | [`response`] | FCP_RSP: status, residual, sense, response code |
//! | [`retransmission`] | SRR: the request to send a part of an exchange again |
//! | [`iu`] | any information unit of an exchange, with its frame heading |
//! | `unit` | the same among the information units of every protocol: [`crate::Iu`] |
//!
//! FCP_XFER_RDY is [`crate::TransferReady`]; REC and RRQ are in [`crate::els`].

pub mod command;
pub mod iu;
pub mod lun;
pub mod response;
pub mod retransmission;
pub mod unit;

pub use command::{Cdb, DataDirection, FcpCommand, FcpTask, TaskAttribute, TaskManagement};
pub use iu::{AbortReject, FcpIu};
pub use lun::Lun;
pub use response::{FcpResponse, Residual, ResponseCode, ScsiStatus};
pub use retransmission::{FcpCategory, Retransmission};
pub use unit::FcpUnit;
