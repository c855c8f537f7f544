//! A family of processors: `catalog/processor/ID.toml`. What all models of one generation of machines have in common,
//! so that a number which was fitted stands once for all of them.

use halftrack_input::{Expect, Fields, Sourced};

use crate::hardware::common_numbers::sourced_or;
use crate::hardware::growth::Growth;
use crate::hardware::interconnect::{Domain, Fanout};
use crate::hardware::prices::time_us;
use crate::hardware::structure::Structure;
use crate::shelf::Hardware;

/// One family of processors.
#[derive(Debug, Clone, PartialEq)]
pub struct Processor {
    /// Name in words.
    pub title: String,
    /// Machine type, such as 3931.
    pub machine_type: Sourced<u16>,
    /// Numbers that its models have in common.
    pub numbers: ProcessorNumbers,
}

/// Numbers that the models of a family have in common, or a model without family has of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessorNumbers {
    /// IOP threads of a SAP core.
    pub threads_per_core: Sourced<u16>,
    /// Every how many-th IOP thread takes interrupts.
    pub interrupt_thread_stride: Sourced<u16>,
    /// IOP thread time of a start in the smallest model, µs.
    pub iop_start_us: Sourced<f64>,
    /// IOP thread time of an interrupt in the smallest model, µs.
    pub iop_interrupt_us: Sourced<f64>,
    /// IOP thread time of a start that was answered busy and is tried again, in the smallest model, µs.
    pub iop_retry_us: Sourced<f64>,
    /// CP time to start an I/O, µs.
    pub cp_start_us: Sourced<f64>,
    /// CP time to take its interrupt, µs.
    pub cp_interrupt_us: Sourced<f64>,
    /// How the IOP times grow with drawers and SAP cores; `None` when they are the same in every model.
    pub growth: Option<Growth>,
    /// The part of a start that one image does for one I/O at a time; `None` when there is none.
    pub image: Option<Image>,
    /// Work of SAPs beside I/Os; `None` when the machine has no EADM subchannels.
    pub eadm: Option<Eadm>,
    /// How its drawers are built; `None` when it is not known.
    pub structure: Option<Structure>,
    /// Its I/O interconnects; `None` when nothing beyond the cards limits them.
    pub domain: Option<Domain>,
    /// Its fanouts; `None` when its interconnects never limit each other and any number may be described.
    pub fanout: Option<Fanout>,
}

/// `[image]`: what one operating-system image cannot do at once.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// Serial part of a start, µs.
    pub serial_us: Sourced<f64>,
}

/// `[eadm]`: IOP thread time of work on EADM subchannels.
#[derive(Debug, Clone, PartialEq)]
pub struct Eadm {
    /// A compression, µs.
    pub compression_us: Sourced<f64>,
    /// An operation of storage-class memory, µs.
    pub scm_us: Sourced<f64>,
}

impl Hardware for Processor {
    const DIRECTORY: &'static str = "processor";

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let title = fields.required("title", Expect::text());
        let machine_type = fields.sourced("machine_type", Expect::integer(1..=9999));
        let numbers = ProcessorNumbers::read(fields, None);
        Some(Self { title: title?.value, machine_type: machine_type?, numbers: numbers? })
    }
}

impl ProcessorNumbers {
    /// Reads them; what the file leaves out is that of `family`, if there is one.
    pub(crate) fn read(fields: &mut Fields<'_>, family: Option<&Self>) -> Option<Self> {
        let mut time =
            |key, of: fn(&Self) -> &Sourced<f64>| sourced_or(fields, key, time_us(), family.map(of));
        let iop_start_us = time("iop_start_us", |all| &all.iop_start_us);
        let iop_interrupt_us = time("iop_interrupt_us", |all| &all.iop_interrupt_us);
        let iop_retry_us = time("iop_retry_us", |all| &all.iop_retry_us);
        let cp_start_us = time("cp_start_us", |all| &all.cp_start_us);
        let cp_interrupt_us = time("cp_interrupt_us", |all| &all.cp_interrupt_us);
        let threads = family.map(|all| &all.threads_per_core);
        let threads_per_core = sourced_or(fields, "threads_per_core", Expect::integer(1..=8), threads);
        let stride = family.map(|all| &all.interrupt_thread_stride);
        let stride = sourced_or(fields, "interrupt_thread_stride", Expect::integer(1..=1024), stride);
        let growth = fields.table_if_given("growth", Growth::read);
        let image = fields.table_if_given("image", Image::read);
        let eadm = fields.table_if_given("eadm", Eadm::read);
        let structure = fields.table_if_given("structure", Structure::read);
        let domain = fields.table_if_given("domain", Domain::read);
        let fanout = fields.table_if_given("fanout", Fanout::read);
        let or = family.cloned();
        let (growth_or, image_or, eadm_or, structure_or, domain_or, fanout_or) = match or {
            Some(all) => (all.growth, all.image, all.eadm, all.structure, all.domain, all.fanout),
            None => (None, None, None, None, None, None),
        };
        Some(Self {
            threads_per_core: threads_per_core?,
            interrupt_thread_stride: stride?,
            iop_start_us: iop_start_us?,
            iop_interrupt_us: iop_interrupt_us?,
            iop_retry_us: iop_retry_us?,
            cp_start_us: cp_start_us?,
            cp_interrupt_us: cp_interrupt_us?,
            growth: growth?.or(growth_or),
            image: image?.or(image_or),
            eadm: eadm?.or(eadm_or),
            structure: structure?.or(structure_or),
            domain: domain?.or(domain_or),
            fanout: fanout?.or(fanout_or),
        })
    }
}

impl Image {
    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        Some(Self { serial_us: fields.sourced("serial_us", time_us())? })
    }
}

impl Eadm {
    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let compression_us = fields.sourced("compression_us", time_us());
        let scm_us = fields.sourced("scm_us", time_us());
        Some(Self { compression_us: compression_us?, scm_us: scm_us? })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use halftrack_input::messages::catalog as catalog_numbers;
    use halftrack_input::{Diagnostic, SourceFile};

    use crate::catalog::Catalog;
    use crate::hardware::cpc::Cpc;

    const MODEL: &str = r#"
title = "short"
model = "Mine"
processor = "z16"
sap_cores = { value = 7, source = "assumed", reason = "test" }
"#;

    /// Reads the model of `text` beside the built-in ones, with the messages about it.
    fn model(text: &str) -> (Option<Cpc>, Vec<Diagnostic>) {
        let (mut catalog, mut found) = Catalog::load(&[]);
        catalog.put("cpc", "mine", SourceFile::new("mine.toml", text.to_owned()), &mut found);
        (catalog.cpcs.get("mine").cloned(), found)
    }

    #[test]
    fn a_model_in_short_form_has_the_numbers_of_its_family() {
        let (mine, said) = model(MODEL);
        let mine = mine.unwrap_or_else(|| panic!("{said:?}"));
        let (catalog, _) = Catalog::load(&[]);
        let family = catalog.processors.get("z16").expect("built in");
        assert_eq!((mine.machine_type.value, &mine.processor), (3931, &family.numbers));
        let own =
            format!("{MODEL}iop_start_us = {{ value = 9.5, source = \"assumed\", reason = \"test\" }}\n");
        let own = model(&own).0.expect("read").processor;
        assert_eq!((own.iop_start_us.value, &own.iop_interrupt_us), (9.5, &family.numbers.iop_interrupt_us));
    }

    #[test]
    fn another_file_of_a_family_is_one_of_all_its_models() {
        let dir = tempfile::tempdir().expect("temporary directory");
        fs::create_dir(dir.path().join("processor")).expect("directory");
        let built_in = include_str!("../../../../catalog/processor/z16.toml");
        let changed = built_in.replace("[threads_per_core]\nvalue = 2", "[threads_per_core]\nvalue = 4");
        fs::write(dir.path().join("processor/z16.toml"), changed).expect("file");
        let (catalog, found) = Catalog::load(&[dir.path()]);
        assert_eq!(found, []);
        let model = catalog.cpcs.get("z16-max39").expect("built in");
        assert_eq!(model.processor.threads_per_core.value, 4);
    }

    #[test]
    fn a_family_that_is_not_there_is_one_message_with_those_that_are() {
        let (mine, said) = model(&MODEL.replace("z16", "z61"));
        assert_eq!((mine, said.len()), (None, 1), "{said:?}");
        let one = &said[0];
        let words = "processor `z61` is unknown";
        assert_eq!((one.number, one.message.as_str()), (catalog_numbers::UNKNOWN_PROCESSOR, words));
        assert_eq!(one.fix.as_deref(), Some("did you mean `z16`?"));
    }

    #[test]
    fn saps_and_drawers_have_their_place_in_the_structure_of_the_family() {
        let with = |keys: &str| {
            let (mine, said) = model(&format!("{MODEL}{keys}"));
            (mine.is_some(), said.into_iter().map(|one| one.message).collect::<Vec<_>>())
        };
        let key = |key: &str, value: u16| {
            format!("{key} = {{ value = {value}, source = \"assumed\", reason = \"test\" }}\n")
        };
        assert_eq!(with(&key("drawers", 4)), (true, vec![]));
        let beyond = "5 drawers are more than the 4 of its family".to_owned();
        assert_eq!(with(&key("drawers", 5)), (false, vec![beyond]));
        assert_eq!(with(&(key("drawers", 1) + &key("additional_saps", 57))), (true, vec![]));
        let beyond = "65 SAPs, the additional ones included, are more than its 64 cores".to_owned();
        assert_eq!(with(&(key("drawers", 1) + &key("additional_saps", 58))), (false, vec![beyond]));
    }

    #[test]
    fn modules_of_a_drawer_are_alike() {
        let built_in = include_str!("../../../../catalog/processor/z16.toml");
        let odd = built_in
            .replace("[structure.chips_per_drawer]\nvalue = 8", "[structure.chips_per_drawer]\nvalue = 9");
        let (mut catalog, mut found) = Catalog::load(&[]);
        catalog.put("processor", "odd", SourceFile::new("odd.toml", odd), &mut found);
        let said: Vec<_> = found.iter().map(|one| (one.number, one.message.as_str())).collect();
        assert_eq!(said, [(catalog_numbers::NOT_A_WHOLE, "9 chips do not divide among 4 modules")]);
    }
}
