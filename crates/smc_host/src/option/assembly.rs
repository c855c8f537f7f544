//! Instructions of the kernel's machine (RFC 9669), and labels.

use std::collections::HashMap;

/// Registers: result, arguments, and those that a call leaves alone.
pub const R0: u8 = 0;
pub const R1: u8 = 1;
pub const R2: u8 = 2;
pub const R3: u8 = 3;
pub const R4: u8 = 4;
pub const R5: u8 = 5;
pub const R6: u8 = 6;
pub const R7: u8 = 7;
pub const R8: u8 = 8;
/// End of the stack.
pub const R10: u8 = 10;

/// Conditions of a jump between a register and a number or a register.
#[derive(Debug, Clone, Copy)]
#[repr(u8)]
pub enum If {
    Equal = 0x10,
    Greater = 0x20,
    AnyBit = 0x40,
    NotEqual = 0x50,
    Negative = 0xC0,
}

/// Text of a program.
#[derive(Debug, Default)]
pub struct Assembly {
    words: Vec<u64>,
    labels: HashMap<&'static str, usize>,
    jumps: Vec<(usize, &'static str)>,
}

impl Assembly {
    fn add(&mut self, code: u8, (to, from): (u8, u8), offset: i16, number: i32) -> &mut Self {
        let registers = u64::from(to | from << 4) << 8;
        let offset = u64::from(offset.cast_unsigned()) << 16;
        self.words.push(u64::from(code) | registers | offset | u64::from(number.cast_unsigned()) << 32);
        self
    }

    /// Names the next instruction.
    pub fn label(&mut self, name: &'static str) -> &mut Self {
        self.labels.insert(name, self.words.len());
        self
    }

    /// Sets a register to a number.
    pub fn set(&mut self, to: u8, number: i32) -> &mut Self {
        self.add(0xB7, (to, 0), 0, number)
    }

    /// Copies a register.
    pub fn copy(&mut self, to: u8, from: u8) -> &mut Self {
        self.add(0xBF, (to, from), 0, 0)
    }

    /// Adds a number.
    pub fn plus(&mut self, to: u8, number: i32) -> &mut Self {
        self.add(0x07, (to, 0), 0, number)
    }

    /// Keeps bits.
    pub fn and(&mut self, to: u8, number: i32) -> &mut Self {
        self.add(0x57, (to, 0), 0, number)
    }

    /// Sets bits.
    pub fn or(&mut self, to: u8, number: i32) -> &mut Self {
        self.add(0x47, (to, 0), 0, number)
    }

    /// Loads 32 bits.
    pub fn load(&mut self, to: u8, from: u8, offset: i16) -> &mut Self {
        self.add(0x61, (to, from), offset, 0)
    }

    /// Loads a pointer.
    pub fn load_pointer(&mut self, to: u8, from: u8, offset: i16) -> &mut Self {
        self.add(0x79, (to, from), offset, 0)
    }

    /// Stores 32 bits of a register.
    pub fn store(&mut self, to: u8, offset: i16, from: u8) -> &mut Self {
        self.add(0x63, (to, from), offset, 0)
    }

    /// Stores a number of 32 bits.
    pub fn store_number(&mut self, to: u8, offset: i16, number: i32) -> &mut Self {
        self.add(0x62, (to, 0), offset, number)
    }

    /// Sets a register to the map of this descriptor.
    pub fn map(&mut self, to: u8, descriptor: i32) -> &mut Self {
        self.add(0x18, (to, 1), 0, descriptor).add(0, (0, 0), 0, 0)
    }

    /// Calls a function of the kernel.
    pub fn call(&mut self, function: i32) -> &mut Self {
        self.add(0x85, (0, 0), 0, function)
    }

    /// Goes to a label.
    pub fn go(&mut self, label: &'static str) -> &mut Self {
        self.jumps.push((self.words.len(), label));
        self.add(0x05, (0, 0), 0, 0)
    }

    /// Goes to a label where a register is so, compared with a number.
    pub fn go_if(&mut self, register: u8, condition: If, number: i32, label: &'static str) -> &mut Self {
        self.jumps.push((self.words.len(), label));
        self.add(0x05 | condition as u8, (register, 0), 0, number)
    }

    /// Goes to a label where a register is so, compared with another.
    pub fn go_if_both(&mut self, register: u8, condition: If, other: u8, label: &'static str) -> &mut Self {
        self.jumps.push((self.words.len(), label));
        self.add(0x0D | condition as u8, (register, other), 0, 0)
    }

    /// Ends with a result.
    pub fn end(&mut self, result: i32) -> &mut Self {
        self.set(R0, result).add(0x95, (0, 0), 0, 0)
    }

    /// Returns the instructions.
    ///
    /// # Panics
    /// A jump leads to no label, or too far.
    pub fn words(&self) -> Vec<u64> {
        let mut words = self.words.clone();
        for (at, label) in &self.jumps {
            let distance = self.labels[label] as i64 - *at as i64 - 1;
            let distance = i16::try_from(distance).expect("a program is short");
            words[*at] |= u64::from(distance.cast_unsigned()) << 16;
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_lead_to_their_labels() {
        let mut assembly = Assembly::default();
        assembly.label("again").set(R1, -1).go_if(R1, If::Equal, 2, "end").go("again").label("end").end(1);
        let words = assembly.words();
        assert_eq!(words[0], 0xFFFF_FFFF_0000_01B7);
        assert_eq!(words[1], 0x0000_0002_0001_0115, "one further");
        assert_eq!(words[2], 0x0000_0000_FFFD_0005, "three back");
        assert_eq!(words[3..], [0x0000_0001_0000_00B7, 0x95]);
    }
}
