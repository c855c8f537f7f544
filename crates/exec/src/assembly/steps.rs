//! Order of the blocks in a text: the start of each command, and the function of each expectation.

use std::ops::Range;

use halftrack_input::Diagnostic;
use halftrack_input::messages::exec as message;
use halftrack_program::{CcwFormat, Orb, OrbPriorities, OrbProgram};

use crate::assembly::assembler::Assembler;
use crate::assembly::commands::DataArea;
use crate::assembly::fragment::Fragment;
use crate::assembly::program::{Check, Function, KeyedRange, PlacedCheck, Program, Segment, Step, View};
use crate::assembly::transport::Transport;
use crate::content::{AddressText, Content};
use crate::text::statement::{Body, DataUse, Expectation, Start, Statement};
use crate::text::statement_text::STORAGE_BYTES_MAX;

/// A function before addresses are known.
enum Planned {
    Start(Start, AddressText),
    Resume,
    Halt,
    Clear,
    Cancel,
    Store(AddressText, Content),
}

struct PlannedView {
    area: DataArea,
    only_stored: bool,
    file: Option<String>,
}

struct PlannedStep {
    function: Planned,
    checks: Vec<(Expectation, Option<AddressText>, Range<usize>)>,
    views: Vec<PlannedView>,
    span: Range<usize>,
}

/// The program that commands go to.
enum Open {
    /// No start yet.
    None,
    /// Command mode: the start and the block of CCWs.
    Command(Start, usize),
    /// Transport mode.
    Transport(Box<Transport>),
}

/// Takes statements one after the other.
pub(crate) struct Steps {
    assembler: Assembler,
    open: Open,
    steps: Vec<PlannedStep>,
    keys: Vec<(KeyedRange, AddressText)>,
}

impl Steps {
    pub(crate) fn new(assembler: Assembler) -> Self {
        Self { assembler, open: Open::None, steps: Vec::new(), keys: Vec::new() }
    }

    pub(crate) fn statement(&mut self, statement: Statement) {
        let Statement { label, place, boundary, body, span } = statement;
        let named = self.take(body, place, boundary, &span);
        if let Some((name, label_span)) = label {
            match named {
                Some(address) => self.assembler.label(&name, &label_span, address),
                None => {
                    let message = "a label stands before what lies in storage";
                    let error = self.assembler.error(message::LABEL, &label_span, message);
                    self.assembler
                        .found
                        .push(error.fix("put it before a command, `start`, `data` or `area`"));
                }
            }
        }
    }

    /// Takes a statement; returns the address for its label.
    fn take(
        &mut self,
        body: Body,
        place: Option<AddressText>,
        boundary: Option<u64>,
        span: &Range<usize>,
    ) -> Option<AddressText> {
        match body {
            Body::Start(start) => return Some(self.start(start, place, span)),
            Body::Ccws => return self.ccws(place, span),
            Body::Command(_)
            | Body::Raw(_)
            | Body::UserData(_)
            | Body::Tcw(_)
            | Body::Tcah(_)
            | Body::Tcat(_) => {
                return self.part(body, place, boundary, span);
            }
            Body::Area(bytes) => {
                let fragment = Fragment::area(bytes, boundary.unwrap_or(8), span.clone()).at(place);
                return Some(AddressText::fragment(self.assembler.add(fragment), 0));
            }
            Body::Data(content) => {
                let content = content.rooted(self.assembler.fragments.len());
                let fragment = Fragment::data(content, boundary.unwrap_or(8), span.clone()).at(place);
                return Some(AddressText::fragment(self.assembler.add(fragment), 0));
            }
            Body::Storage(bytes) => {
                // Storage comes in blocks of 4 KiB, each with its key.
                self.assembler.storage_bytes = bytes.next_multiple_of(4096).clamp(4096, STORAGE_BYTES_MAX);
            }
            Body::Key { key, fetch_protected, bytes } => {
                let range = KeyedRange { address: 0, bytes, key, fetch_protected };
                self.keys.extend(place.map(|place| (range, place)));
            }
            Body::Resume => self.function(Planned::Resume, span),
            Body::Halt => self.function(Planned::Halt, span),
            Body::Clear => self.function(Planned::Clear, span),
            Body::Cancel => self.function(Planned::Cancel, span),
            Body::Store(content) => match place {
                Some(place) => self.function(Planned::Store(place, content), span),
                None => {
                    let error = self.assembler.error(message::EXPECTED, span, "`store` needs an address");
                    self.assembler.found.push(error.fix("write `store X'00' @label`"));
                }
            },
            Body::Expect(_) | Body::Show(_) | Body::Save(..) => self.add_expectation(body, place, span),
        }
        None
    }

    fn function(&mut self, function: Planned, span: &Range<usize>) {
        self.close(span);
        self.steps.push(PlannedStep { function, checks: Vec::new(), views: Vec::new(), span: span.clone() });
    }

    fn close(&mut self, span: &Range<usize>) {
        if let Open::Transport(transport) = std::mem::replace(&mut self.open, Open::None) {
            let span = self.steps.last().map_or(span.clone(), |step| step.span.clone());
            self.assembler.finish_transport(*transport, &span);
        }
    }

    fn start(&mut self, start: Start, place: Option<AddressText>, span: &Range<usize>) -> AddressText {
        self.close(span);
        let (number, open) = if start.transport {
            let transport = self.assembler.transport(place, span);
            (transport.tcw, Open::Transport(Box::new(transport)))
        } else {
            let block = self.assembler.block(place, span);
            (block, Open::Command(start.clone(), block))
        };
        let address = AddressText::fragment(number, 0);
        let program = start.program.clone().unwrap_or_else(|| address.clone());
        if !start.held {
            self.function(Planned::Start(start, program), span);
        }
        self.open = open;
        address
    }

    fn ccws(&mut self, place: Option<AddressText>, span: &Range<usize>) -> Option<AddressText> {
        let Open::Command(_, block) = &mut self.open else {
            self.outside(span, "`ccws` stands in a command-mode program");
            return None;
        };
        *block = self.assembler.block(place, span);
        Some(AddressText::fragment(*block, 0))
    }

    fn outside(&mut self, span: &Range<usize>, message: &str) {
        let error = self.assembler.error(message::PLACE, span, message);
        self.assembler.found.push(error.fix("write `start`, or `start transport`, before it"));
    }

    /// Returns a part of a program.
    fn part(
        &mut self,
        body: Body,
        place: Option<AddressText>,
        boundary: Option<u64>,
        span: &Range<usize>,
    ) -> Option<AddressText> {
        match (&mut self.open, body) {
            (Open::Command(start, block), Body::Command(command)) => {
                let address = AddressText::fragment(*block, self.assembler.fragments[*block].bytes);
                let data_use = command.data_use.clone();
                let area = self.assembler.ccw(start, *block, command, place, boundary, span);
                self.add_data_use(data_use, area, span);
                Some(address)
            }
            (Open::Command(_, block), Body::Raw(octets)) => {
                let address = AddressText::fragment(*block, self.assembler.fragments[*block].bytes);
                self.assembler.append(*block, Content::of(octets));
                Some(address)
            }
            (Open::Transport(transport), Body::Command(command)) => {
                transport.dcws.push((command, span.clone()));
                None
            }
            (Open::Transport(transport), Body::UserData(mut data)) => {
                let data_use = std::mem::take(&mut data.data_use);
                let read = self.assembler.user_data(&data, place, boundary, span);
                let area = read.area.clone();
                *if data.is_input { &mut transport.input } else { &mut transport.output } = Some(read);
                self.add_data_use(data_use, area.clone(), span);
                Some(area.address)
            }
            (Open::Transport(transport), Body::Tcw(settings)) => {
                transport.tcw_settings = settings;
                let number = transport.tcw;
                self.move_to(number, place);
                Some(AddressText::fragment(number, 0))
            }
            (Open::Transport(transport), Body::Tcah(settings)) => {
                transport.tcah_settings = settings;
                let number = transport.tccb;
                self.move_to(number, place);
                Some(AddressText::fragment(number, 0))
            }
            (Open::Transport(transport), Body::Tcat(settings)) => {
                transport.tcat_settings = settings;
                None
            }
            _ => {
                self.outside(span, "this statement does not belong in a program of this kind");
                None
            }
        }
    }

    fn move_to(&mut self, number: usize, place: Option<AddressText>) {
        if place.is_some() {
            let fragment = self.assembler.fragments[number].clone();
            self.assembler.fragments[number] = fragment.at(place);
        }
    }

    /// Adds the data use of a command to its function.
    fn add_data_use(&mut self, data_use: DataUse, area: DataArea, span: &Range<usize>) {
        let Some(step) = self.steps.last_mut() else { return };
        if data_use.show {
            step.views.push(PlannedView { area: area.clone(), only_stored: true, file: None });
        }
        if data_use.save.is_some() {
            step.views.push(PlannedView { area: area.clone(), only_stored: true, file: data_use.save });
        }
        if let Some(expected) = data_use.expect {
            step.checks.push((Expectation::Octets(expected), Some(area.address), span.clone()));
        }
    }

    /// Adds the expectation or view of a statement to the function before it.
    fn add_expectation(&mut self, body: Body, place: Option<AddressText>, span: &Range<usize>) {
        let Some(step) = self.steps.last_mut() else {
            return self.outside(span, "the function that this describes is missing before it");
        };
        let area = |bytes| DataArea { address: place.clone().unwrap_or(AddressText::absolute(0)), bytes };
        match body {
            Body::Expect(expectation) => step.checks.push((expectation, place, span.clone())),
            Body::Show(bytes) => {
                step.views.push(PlannedView { area: area(bytes), only_stored: false, file: None });
            }
            Body::Save(bytes, name) => {
                step.views.push(PlannedView { area: area(bytes), only_stored: false, file: Some(name) });
            }
            _ => {}
        }
    }

    /// Gives everything its address, and reports errors.
    pub(crate) fn finish(mut self) -> (Program, Vec<Diagnostic>) {
        self.close(&(0..0));
        let assembler = &mut self.assembler;
        if self.steps.is_empty() {
            let error = assembler.error(message::PLACE, &(0..0), "`start` is missing in the text");
            assembler.found.push(error.fix("write `start` before the first command"));
        }
        assembler.place();
        let segments = segments(assembler);
        let keys = self.keys.into_iter();
        let keys = keys.map(|(range, place)| KeyedRange {
            address: assembler.known(&place, u64::MAX).unwrap_or(0),
            ..range
        });
        let keys = keys.collect();
        let steps = self.steps.into_iter().filter_map(|step| resolved(assembler, step)).collect();
        let program = Program {
            source: assembler.source.clone(),
            storage_bytes: assembler.storage_bytes,
            keys,
            segments,
            steps,
        };
        (program, self.assembler.found)
    }
}

fn segments(assembler: &mut Assembler) -> Vec<Segment> {
    let mut segments = Vec::new();
    for number in 0..assembler.fragments.len() {
        let fragment = &mut assembler.fragments[number];
        let (address, span) = (fragment.address.unwrap_or(0), fragment.span.clone());
        let Some(content) = fragment.content.take() else { continue };
        let octets = assembler.octets(&content);
        if !octets.is_empty() {
            segments.push(Segment { address, octets, span });
        }
    }
    segments.sort_by_key(|segment| segment.address);
    segments
}

fn resolved(assembler: &mut Assembler, step: PlannedStep) -> Option<Step> {
    let function = match step.function {
        Planned::Start(start, program) => Function::Start(orb(assembler, &start, &program, &step.span)?),
        Planned::Resume => Function::Resume,
        Planned::Halt => Function::Halt,
        Planned::Clear => Function::Clear,
        Planned::Cancel => Function::Cancel,
        Planned::Store(place, content) => {
            let address = assembler.known(&place, u64::MAX)?;
            let octets = assembler.octets(&content);
            Function::Store { address, octets }
        }
    };
    let mut checks = Vec::new();
    for (expectation, place, span) in step.checks {
        let check = check(assembler, expectation, place)?;
        checks.push(PlacedCheck { check, span });
    }
    let mut views = Vec::new();
    for PlannedView { area, only_stored, file } in step.views {
        let address = assembler.known(&area.address, u64::MAX)?;
        views.push(View { address, bytes: area.bytes, only_stored, file });
    }
    Some(Step { function, checks, views, span: step.span })
}

fn orb(assembler: &mut Assembler, start: &Start, program: &AddressText, span: &Range<usize>) -> Option<Orb> {
    let address = assembler.known(program, u64::from(u32::MAX))? as u32;
    let program = if start.transport {
        OrbProgram::Transport { address }
    } else {
        let idaw_format = start.idaws;
        OrbProgram::Command { flags: start.flags, ccw_format: start.format, idaw_format, address }
    };
    let priorities = start.priorities;
    let orb = Orb {
        interruption_parameter: start.interruption_parameter,
        key: start.key,
        path_mask: start.path_mask,
        program,
        priorities: priorities.map(|(css, cu)| OrbPriorities { channel_subsystem: css, control_unit: cu }),
    };
    if let Err(error) = Orb::parse(&orb.emit()) {
        let error =
            assembler.error(message::ORB, span, format!("start subchannel refuses this ORB: {error}"));
        let fix = match start.format {
            CcwFormat::Zero if !start.transport => "programs of format 0 lie below 16 MiB, on a doubleword",
            _ => "CCWs lie on a doubleword, a TCW on a boundary of 64 bytes, both below 2 GiB",
        };
        assembler.found.push(error.fix(fix));
        return None;
    }
    Some(orb)
}

fn check(assembler: &mut Assembler, expectation: Expectation, place: Option<AddressText>) -> Option<Check> {
    Some(match expectation {
        Expectation::Normal => Check::Normal,
        Expectation::Suspended => Check::Suspended,
        Expectation::ConditionCode(code) => Check::ConditionCode(code),
        Expectation::DeviceStatus(status) => Check::DeviceStatus(status),
        Expectation::SubchannelStatus(status) => Check::SubchannelStatus(status),
        Expectation::Residual(count) => Check::Residual(count),
        Expectation::CcwAddress(address) => Check::CcwAddress(assembler.known(&address, u64::MAX)?),
        Expectation::Sense(bits) => Check::Sense(bits),
        Expectation::SenseOctets(at, octets) => Check::SenseOctets(at, octets),
        Expectation::Reason(reason) => Check::Reason(reason),
        Expectation::DcwOffset(offset) => Check::DcwOffset(offset),
        Expectation::Octets(content) => {
            let address = assembler.known(&place?, u64::MAX)?;
            let octets = assembler.octets(&content);
            Check::Octets { address, octets }
        }
    })
}
