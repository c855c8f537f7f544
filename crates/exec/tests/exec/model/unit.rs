//! The control unit and its device: commands executed in the plainest way on a volume of lists.

use std::collections::BTreeMap;

use crate::model::chain::{At, Before, Chain, Extent};
use crate::model::fault::{Fault, INVALID_COMMAND, INVALID_PARAMETER, INVALID_SEQUENCE, SHORT_COUNT, Sense};
use crate::model::line::{Done, Line, Outcome, done, parameters, unknown};
use crate::model::volume::{HEADS, Record, Track, Volume};

/// How a command ended.
#[derive(Debug, Clone, Copy)]
pub struct End {
    /// Device status.
    pub status: u8,
    /// Bytes that the device had to send or could take.
    pub device_bytes: u32,
    /// Ended with its initial status.
    pub immediate: bool,
    /// Sense of a unit check.
    pub sense: Option<Sense>,
}

/// The control unit with its one device.
pub struct Unit {
    /// The volume.
    pub volume: Volume,
    /// The chain in progress.
    pub chain: Chain,
    /// Home addresses cannot be other than they are: a choice where the image has no room for others.
    pub fixed_homes: bool,
    /// Whether a command outside the model was executed.
    pub uncertain: bool,
    /// Commands that ended normally, and whether inside a domain.
    pub completed: BTreeMap<(u8, bool), u32>,
}

impl Unit {
    /// Creates a device on this volume.
    pub fn new(volume: Volume) -> Self {
        Self { volume, chain: Chain::new(), fixed_homes: false, uncertain: false, completed: BTreeMap::new() }
    }

    /// Ends the chain: behind a command that ended without unit check and did not indicate command chaining, or
    /// otherwise. The sense of the unit check with which it ends then, if it may not end there: an incomplete domain,
    /// as an emulator has it. There a chain may end behind a Locate Record.
    pub fn end_chain(&mut self, unchained: bool) -> Option<Sense> {
        let chain = std::mem::replace(&mut self.chain, Chain::new());
        let open = chain.domain.is_some_and(|domain| !domain.is_suffix());
        let located = matches!(chain.commands.last(), Some(0x47 | 0x4B | 0xE7));
        (unchained && open && !located).then_some([0x81, 0, 0])
    }

    /// Checks what stands before a command that reserves or releases the device, as an emulator does.
    fn in_place(&self, command: u8) -> Result<(), Fault> {
        let chain = &self.chain;
        let stands = match command {
            0x94 => chain.extent.is_none() && chain.mask.is_none(),
            _ => chain.commands.is_empty() || chain.commands == [0x5B],
        };
        if stands { Ok(()) } else { Err(INVALID_SEQUENCE) }
    }

    /// Returns the track that the device is at; a command that needs one is out of sequence before any seek.
    pub fn located(&self) -> Result<u32, Fault> {
        self.chain.track.ok_or(INVALID_SEQUENCE)
    }

    /// Returns the track that the device is at.
    pub fn track(&self) -> &Track {
        &self.volume.tracks[self.chain.track.unwrap_or(0) as usize]
    }

    /// Returns the same, to write.
    pub fn track_mut(&mut self) -> &mut Track {
        &mut self.volume.tracks[self.chain.track.unwrap_or(0) as usize]
    }

    /// Returns the record at a place of it.
    pub fn record(&self, place: usize) -> &Record {
        &self.track().records[place]
    }

    /// Executes one command of a chain of CCWs.
    pub fn execute(&mut self, command: u8, line: &mut impl Line) -> End {
        match self.run(command, line) {
            Ok(done) => End {
                status: 0x0C | done.status,
                device_bytes: done.device_bytes,
                immediate: matches!(command, 0x03 | 0x13 | 0x5B),
                sense: None,
            },
            Err((_, sense)) => End { status: 0x0E, device_bytes: 0, immediate: false, sense: Some(sense) },
        }
    }

    fn run(&mut self, command: u8, line: &mut impl Line) -> Result<Done, (Fault, Sense)> {
        let control = command & 0x03 == 0x03;
        let mut outcome = if control {
            let parameters = parameters(command, line);
            self.control(command, &parameters)
        } else {
            self.access(command, line)
        };
        // An imbedded command has a meaning in a DCW only.
        let imbeds = self.chain.domain.as_ref().is_some_and(|domain| domain.imbedded.is_some());
        if control && outcome.is_ok() && imbeds {
            outcome = Err(INVALID_PARAMETER);
        }
        outcome.map_err(|fault| (fault, self.sense_of(fault, command)))
    }

    /// Returns the sense of a fault. That of a write that fails inside a domain has an imprecise ending.
    pub fn sense_of(&self, fault: Fault, command: u8) -> Sense {
        let mut sense = fault.sense();
        let precise = matches!(fault, Fault::Reject(_) | Fault::OtherLength);
        if self.chain.domain.is_some() && is_write(command) && !precise {
            sense[1] |= 0x01;
        }
        sense
    }

    /// Executes a command that moves data.
    pub fn access(&mut self, command: u8, line: &mut impl Line) -> Outcome {
        let inside = self.chain.domain.is_some();
        let outcome = if inside { self.in_domain(command, line) } else { self.outside_domain(command, line) };
        if outcome.is_ok() {
            self.chain.commands.push(command);
            *self.completed.entry((command, inside)).or_insert(0) += 1;
        }
        outcome
    }

    fn outside_domain(&mut self, command: u8, line: &mut impl Line) -> Outcome {
        let many = command & 0x80 != 0;
        let outcome = match command {
            0x04 | 0xA4 => unknown(32, line),
            0x14 | 0x94 | 0xB4 => {
                self.in_place(command)?;
                unknown(32, line)
            }
            0x34 => unknown(12, line),
            0x3E => self.not_modelled(),
            0x64 => unknown(64, line),
            0xE4 => self.not_modelled(),
            0xFA => unknown(256, line),
            0x22 => self.read_sector(line),
            0x02 => self.read_ipl(line),
            0x06 | 0x86 => self.read_data(many, line),
            0x0E | 0x8E => self.read_key_and_data(many, line),
            0x12 | 0x92 => self.read_count(many, line),
            0x1E | 0x9E => self.read_count_key_and_data(many, line),
            0x16 | 0x96 => self.read_record_zero(many, line),
            0x0A | 0x1A | 0x9A => self.read_home_address(command, line),
            0x5E => self.read_multiple(line),
            0x31 | 0x51 | 0x71 | 0xB1 | 0xD1 | 0xF1 => self.search_id(command, line),
            0x29 | 0x49 | 0x69 | 0xA9 | 0xC9 | 0xE9 => self.search_key(command, line),
            0x39 | 0xB9 => self.search_home_address(many, line),
            0x05 | 0x0D | 0x85 | 0x8D => self.classic_update(command, line),
            0x1D => self.format_behind(line),
            0x11 => self.erase(line),
            0x15 => self.write_record_zero(line),
            0x19 => self.write_home_address(line),
            0xDE => self.read_track(line),
            0x9D | 0xA5 | 0xA6 | 0x95 => Err(INVALID_SEQUENCE),
            _ => return Err(INVALID_COMMAND),
        }?;
        self.chain.before = self.after(command, outcome.status);
        Ok(outcome)
    }

    /// Returns the effect of a command that moved data on the next one.
    pub fn after(&self, command: u8, status: u8) -> Before {
        match command {
            0xDE => Before::ReadTrack,
            0x19 => Before::FoundHome,
            0x15 | 0x1D | 0x9D => Before::Format,
            0x31 | 0xB1 if status & 0x40 != 0 => Before::FoundId,
            0x29 | 0xA9 if status & 0x40 != 0 => Before::FoundKey,
            0x39 | 0xB9 if status & 0x40 != 0 => Before::FoundHome,
            _ => Before::Other,
        }
    }

    fn not_modelled(&mut self) -> Outcome {
        self.uncertain = true;
        done(0)
    }

    fn read_sector(&mut self, line: &mut impl Line) -> Outcome {
        self.located()?;
        unknown(1, line)
    }

    /// Executes a control command with its parameters.
    pub fn control(&mut self, command: u8, parameters: &[u8]) -> Outcome {
        // Perform Subsystem Function and Set Path Group ID, not even how many parameters they take.
        self.uncertain |= matches!(command, 0x27 | 0xAF);
        let known = [0x03, 0x07, 0x0B, 0x13, 0x1B, 0x1F, 0x23, 0x27, 0x47, 0x4B, 0x5B, 0x63, 0xAF, 0xE7];
        if !known.contains(&command) {
            return Err(INVALID_COMMAND);
        }
        if self.chain.domain.is_some() {
            return Err(INVALID_SEQUENCE);
        }
        let outcome = match command {
            0x03 | 0x5B => done(0),
            0x07 | 0x0B | 0x1B | 0x13 => self.seek(command, parameters),
            0x1F => self.set_file_mask(parameters),
            0x23 => self.set_sector(parameters),
            0x63 => self.define_extent(parameters),
            0x47 => self.locate_record(parameters),
            0x4B => self.locate_record_extended(parameters),
            0xE7 => self.prefix(parameters),
            _ => done(0),
        }?;
        let locates = matches!(command, 0x47 | 0x4B | 0xE7);
        self.chain.before = if locates { Before::Locate } else { Before::Other };
        self.chain.commands.push(command);
        *self.completed.entry((command, false)).or_insert(0) += 1;
        Ok(outcome)
    }

    /// Goes to a track, if the extent has it.
    pub fn go(&mut self, track: u32) -> Result<(), Fault> {
        if self.chain.extent.is_some_and(|extent| track < extent.begin || track > extent.end) {
            return Err(Fault::FileProtected);
        }
        self.chain.track = Some(track);
        self.chain.at = At::Index;
        self.chain.passes = 0;
        Ok(())
    }

    fn seek(&mut self, command: u8, argument: &[u8]) -> Outcome {
        let control = self.chain.mask() & 0x18;
        let masked = match command {
            0x07 | 0x13 => control != 0,
            0x0B => control > 0x08,
            _ => control == 0x18,
        };
        if masked {
            return Err(Fault::FileProtected);
        }
        if command == 0x13 {
            self.go(0)?;
            return done(0);
        }
        if argument.len() < 6 {
            return Err(SHORT_COUNT);
        }
        if argument[0] != 0 || argument[1] != 0 {
            return Err(INVALID_PARAMETER);
        }
        let mut cchh = [argument[2], argument[3], argument[4], argument[5]];
        if command == 0x1B {
            let here = crate::model::volume::cchh(self.located()? / HEADS * HEADS);
            cchh = [here[0], here[1], 0, cchh[3] & 0x0F];
        }
        let track = self.volume.find(&cchh).ok_or(INVALID_PARAMETER)?;
        self.go(track)?;
        done(6)
    }

    fn set_file_mask(&mut self, argument: &[u8]) -> Outcome {
        if self.chain.extent.is_some() || self.chain.mask.is_some() {
            return Err(INVALID_SEQUENCE);
        }
        let mask = *argument.first().ok_or(SHORT_COUNT)?;
        if mask & 0x20 != 0 || mask & 0x06 == 0x06 {
            return Err(INVALID_PARAMETER);
        }
        self.chain.mask = Some(mask);
        done(1)
    }

    fn set_sector(&mut self, argument: &[u8]) -> Outcome {
        self.located()?;
        match *argument.first().ok_or(SHORT_COUNT)? {
            0..=223 | 0xFF => done(1),
            _ => Err(INVALID_PARAMETER),
        }
    }

    fn read_ipl(&mut self, line: &mut impl Line) -> Outcome {
        if self.chain.extent.is_some() {
            return Err(INVALID_SEQUENCE);
        }
        let end = self.volume.tracks.len() as u32 - 1;
        self.chain.extent = Some(Extent { mask: 0, block_bytes: 0, begin: 0, end, records: None });
        self.go(0)?;
        self.read_data(false, line)
    }
}

/// Returns whether a command changes the track.
pub fn is_write(command: u8) -> bool {
    matches!(command, 0x05 | 0x0D | 0x85 | 0x8D | 0x1D | 0x9D | 0x11 | 0x15 | 0x19 | 0x95 | 0xA5)
}
