//! A processor complex: `catalog/cpc/ID.toml`.

use crate::catalog::Hardware;
use crate::expect::Expect;
use crate::fields::Fields;
use crate::hardware::interconnect::{Domain, Fanout};
use crate::hardware::plugging::Plugging;
use crate::hardware::prices::time_us;
use crate::sourced::Sourced;

/// One model of a central processor complex.
#[derive(Debug, Clone, PartialEq)]
pub struct Cpc {
    /// Name in words.
    pub title: String,
    /// Machine type, such as 3931.
    pub machine_type: Sourced<u16>,
    /// Model, such as `Max39`.
    pub model: String,
    /// SAP cores.
    pub sap_cores: Sourced<u16>,
    /// IOP threads of a SAP core.
    pub threads_per_core: Sourced<u16>,
    /// IOP thread time of a start, µs.
    pub iop_start_us: Sourced<f64>,
    /// IOP thread time of an interrupt, µs.
    pub iop_interrupt_us: Sourced<f64>,
    /// IOP thread time of a start that was answered busy and is tried again, µs.
    pub iop_retry_us: Sourced<f64>,
    /// Every how many-th IOP thread takes interrupts.
    pub interrupt_thread_stride: Sourced<u16>,
    /// CP time to start an I/O, µs.
    pub cp_start_us: Sourced<f64>,
    /// CP time to take its interrupt, µs.
    pub cp_interrupt_us: Sourced<f64>,
    /// Its I/O interconnects; `None` when nothing beyond the cards limits them.
    pub domain: Option<Domain>,
    /// Its fanouts; `None` when its interconnects never limit each other and any number may be described.
    pub fanout: Option<Fanout>,
    /// Room for cards and channels.
    pub plugging: Plugging,
}

impl Hardware for Cpc {
    const DIRECTORY: &'static str = "cpc";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let machine_type = fields.sourced("machine_type", Expect::integer(1..=9999));
        let model = fields.required("model", Expect::text());
        let sap_cores = fields.sourced("sap_cores", Expect::integer(1..=1024));
        let threads_per_core = fields.sourced("threads_per_core", Expect::integer(1..=8));
        let stride = fields.sourced("interrupt_thread_stride", Expect::integer(1..=1024));
        let iop_start_us = fields.sourced("iop_start_us", time_us());
        let iop_interrupt_us = fields.sourced("iop_interrupt_us", time_us());
        let iop_retry_us = fields.sourced("iop_retry_us", time_us());
        let cp_start_us = fields.sourced("cp_start_us", time_us());
        let cp_interrupt_us = fields.sourced("cp_interrupt_us", time_us());
        let domain = fields.table_if_given("domain", Domain::read);
        let fanout = fields.table_if_given("fanout", Fanout::read);
        let plugging = fields.table_if_given("plugging", Plugging::read);
        Some(Self {
            title: title?.value,
            machine_type: machine_type?,
            model: model?.value,
            sap_cores: sap_cores?,
            threads_per_core: threads_per_core?,
            iop_start_us: iop_start_us?,
            iop_interrupt_us: iop_interrupt_us?,
            iop_retry_us: iop_retry_us?,
            interrupt_thread_stride: stride?,
            cp_start_us: cp_start_us?,
            cp_interrupt_us: cp_interrupt_us?,
            domain: domain?,
            fanout: fanout?,
            plugging: plugging?.unwrap_or_default(),
        })
    }
}
