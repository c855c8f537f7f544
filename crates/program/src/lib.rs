//! Channel programs of both protocols, built, decoded and run on any storage and device; never touches transport or
//! time.
//!
//! The formats are CCW, IDAW, MIDAW, ORB, SCSW, IRB; TCW, TIDAW, TCCB, DCW, TSB. A [`Subchannel`] runs the programs: it
//! fetches their control words from a [`Storage`], has a [`Device`] execute them, and moves the data.
//!
//! Every format is a small plain structure with `parse` and `emit`; what parses emits and parses back to the
//! same structure, and no input makes `parse` panic. Multi-byte fields are big-endian and bit 0 is the most
//! significant bit, as the architecture numbers them.

mod address;
mod aim;
mod build_error;
mod ccw;
mod chaining;
pub mod command;
mod command_program;
mod data_port;
mod dcw;
mod define_extent;
mod device;
mod device_type;
mod eligibility;
mod geometry;
mod idaw;
mod interpreter;
mod irb;
mod locate_record;
mod locate_record_extended;
mod main_storage;
mod midaw;
mod observer;
mod orb;
mod parse_error;
mod per_protocol;
mod placement;
mod pmcw;
mod prefix;
#[cfg(test)]
mod rig;
mod scsw;
mod shape;
mod status;
mod storage;
mod subchannel;
mod tccb;
mod tcw;
mod tidaw;
mod transport_program;
mod tsb;

pub use address::{ADDRESSABLE_CYLINDERS, ADDRESSABLE_HEADS, RecordAddress, TrackAddress};
pub use aim::Aim;
pub use build_error::BuildError;
pub use ccw::{CCW_BYTES, Ccw, CcwFlags, CcwFormat, CcwView};
pub use chaining::{Chaining, CommandEnding};
pub use command_program::{CommandProgram, Indirect, ProgramCcw, command_program};
pub use data_port::{DataPort, Octets};
pub use dcw::{
    CONTROL_DATA_MAXIMUM_BYTES, DCW_AREA_MAXIMUM_BYTES, DCW_BYTES, Dcw, DcwFault, DcwList, DcwListError,
    DcwView, PlacedDcw, emit_dcws, parse_dcws,
};
pub use define_extent::{
    CacheMode, DEFINE_EXTENT_BYTES, DEFINE_EXTENT_EXTENDED_BYTES, DefineExtent, DefineExtentExtension,
    ExtendedAttributes, FileMask, GlobalAttributes, MAXIMUM_BLOCK_BYTES, SeekControl, WriteControl,
};
pub use device::{ChainEnd, Device, DeviceEnd, OperationEnd, SENSE_BYTES};
pub use device_type::{
    CONTROL_UNIT_MODEL, CONTROL_UNIT_TYPE, CapacityFormula, DeviceType, RECORD_ZERO_DATA_BYTES,
};
pub use eligibility::{
    DeviceFacts, EligibilityFacts, Ineligible, LIMIT_UNIT_BYTES, PathFacts, RequestFacts, eligibility,
};
pub use geometry::{Geometry, Model};
pub use idaw::{Idaw, IdawFormat};
pub use interpreter::{BACKWARD_TRANSFERS_MAXIMUM, CCWS_MAXIMUM};
pub use irb::{CONCURRENT_SENSE_BYTES, IRB_BYTES, IRB_EXTENDED_BYTES, Irb, Scsw};
pub use locate_record::{
    LOCATE_RECORD_BYTES, LocateAuxiliary, LocateOperation, LocateRecord, NO_SECTOR, Orientation, SECTORS,
    Target,
};
pub use locate_record_extended::{
    DomainOperation, ExtendedAuxiliary, ExtendedOperation, LOCATE_RECORD_EXTENDED_BYTES, LocateRecordExtended,
};
pub use main_storage::{MainStorage, STORAGE_BLOCK_BYTES, StorageKey};
pub use midaw::{MIDAW_BYTES, MIDAW_LIST_MAXIMUM, MIDAW_PAGE_BYTES, Midaw, MidawFlags};
pub use observer::{Direction, Observer};
pub use orb::{ORB_BYTES, ORB_EXTENDED_BYTES, Orb, OrbFlags, OrbPriorities, OrbProgram};
pub use parse_error::{Fault, ParseError};
pub use per_protocol::PerProtocol;
pub use pmcw::{Pmcw, TransportSupport};
pub use prefix::{PREFIX_BYTES, Prefix, PrefixAuxiliary, PrefixValidity};
pub use scsw::{
    ActivityControl, CommandScsw, CommandScswFlags, DeferredCondition, FcxStatus, FunctionControl,
    SCSW_BYTES, ScswControls, StatusControl, StatusQualifier, TransportScsw, TransportScswFlags,
};
pub use shape::{Grouping, Operation, Positioning, ProgramShape, Protocol};
pub use status::{DeviceStatus, SubchannelStatus};
pub use storage::{KEY_OF_ALL, Storage, StorageFault};
pub use subchannel::{ConditionCode, Subchannel};
pub use tccb::{
    CHECK_WORD_BYTES, ServiceAction, TCAH_BYTES, TCAT_BIDIRECTIONAL_BYTES, TCAT_BYTES,
    TRANSPORT_COUNT_WITHOUT_DATA, Tcah, Tcat, Tccb, TccbError, transport_count, with_check_word,
};
pub use tcw::{TCW_BYTES, Tcw, TcwFlags, Transfer};
pub use tidaw::{TIDAW_BYTES, TIDAW_PAGE_BYTES, Tidaw, TidawFlags};
pub use transport_program::{TransportProgram, transport_program};
pub use tsb::{
    InterrogateAnswer, LENGTH_WITH_SENSE, LENGTH_WITH_TIMES, STATUS_AREA_BYTES, TSB_BYTES, Tsb, TsbArea,
    TsbFlags, TsbTimes,
};
