//! Reading an operator's command.
//!
//! Source: z/OS MVS System Commands for operands and what they are when left out; of z/VM's commands as `isfc` has them.

use halftrack_input::Diagnostic;
use halftrack_isfc::islink::CommandError;

use super::command::{Command, DeviceNumber, IOS_AREAS, PcieArea, UnitChoice, UnitClass};
use super::cursor::{ANSWERED, Cursor};

/// Lines that `D U` shows by default (MVS System Commands).
const UNIT_LINES: u32 = 16;
/// Most devices of one `DS P` (MVS System Commands).
const PATH_DEVICES: u32 = 256;
/// Devices, channel paths or control units of one command.
const LISTED: usize = 256;

/// Outcome of reading a command, or the message about its mistake.
type Reading<T> = Result<T, Box<Diagnostic>>;

/// Reads a command as an operator types it, in capitals or not, long or short.
///
/// # Errors
/// A message that underlines the mistake and names what was expected there.
pub fn parse(text: &str) -> Result<Command, Box<Diagnostic>> {
    let mut cursor = Cursor::new(text);
    cursor.blanks();
    let (verb, span) = cursor.word();
    let is_display = match verb.as_str() {
        "D" | "DISPLAY" => true,
        "DS" | "DEVSERV" => false,
        _ if is_of_islinks(&verb) => return islink(&cursor, text),
        _ => {
            return Err(cursor.error(
                cursor.at_least(span),
                "the command begins with D, DISPLAY, DS, ACTIVATE, DEACTIVE or QUERY".to_owned(),
                "D M=DEV(1000)",
            ));
        }
    };
    if !cursor.blanks() {
        let message = format!("a blank is expected after {verb}");
        return Err(cursor.error(cursor.here(), message, "D M=DEV(1000)"));
    }
    let command = if is_display { display(&mut cursor) } else { devserv(&mut cursor) }?;
    Ok(command)
}

/// Returns true for the verbs of z/VM's commands on logical links; QUERY may be cut to its first letter.
fn is_of_islinks(verb: &str) -> bool {
    let is_query = !verb.is_empty() && "QUERY".starts_with(verb);
    is_query || matches!(verb, "ACTIVATE" | "DEACTIVE" | "DEACTIVATE")
}

/// Reads `QUERY ISLINK D000` and its kin. A mistake is the reply of CP, with the operand underlined that it names.
fn islink(cursor: &Cursor, text: &str) -> Reading<Command> {
    const EXAMPLE: &str = "QUERY ISLINK";
    text.parse().map(Command::IsLink).map_err(|error: CommandError| {
        let named = match &error {
            CommandError::Operand(word) | CommandError::Extra(word) => word.as_str(),
            CommandError::Unknown(_) | CommandError::Missing => text.trim(),
        };
        let begins = text.rfind(named).unwrap_or(0);
        cursor.error(begins..begins + named.len(), error.to_string(), EXAMPLE)
    })
}

fn display(cursor: &mut Cursor) -> Reading<Command> {
    let (word, span) = cursor.word();
    match word.as_str() {
        "M" => matrix(cursor),
        "IOS" => ios(cursor),
        "PCIE" => pcie(cursor),
        "U" => units(cursor),
        "" => Err(cursor.error(cursor.here(), ANSWERED.to_owned(), "D M=DEV(1000)")),
        _ => Err(cursor.error(span, format!("D {word} is unknown: {ANSWERED}"), "D M=DEV(1000)")),
    }
}

fn matrix(cursor: &mut Cursor) -> Reading<Command> {
    cursor.expect('=', "D M=DEV(1000)")?;
    let (word, span) = cursor.word();
    match word.as_str() {
        "DEV" | "DEVICE" => devices(cursor),
        "CHP" => chpids(cursor),
        "CU" => control_units(cursor),
        "SWITCH" | "CONFIG" | "CORE" | "CPU" | "HIGH" | "STOR" | "STORAGE" | "SIDE" => {
            Err(cursor.no_answer(span, &format!("D M={word}")))
        }
        _ => {
            let span = cursor.at_least(span);
            Err(cursor.error(span, "DEV, CHP or CU is expected after M=".to_owned(), "D M=DEV(1000)"))
        }
    }
}

/// Reads `(7800)`, `(07800-0780F,7900)`, `(7800,(50))`.
fn devices(cursor: &mut Cursor) -> Reading<Command> {
    const EXAMPLE: &str = "D M=DEV(1000) or D M=DEV(1000,(50))";
    cursor.expect('(', EXAMPLE)?;
    let mut devices = Vec::new();
    let mut paths = None;
    loop {
        if !devices.is_empty() && cursor.take('(') {
            paths = Some(list(cursor, EXAMPLE, chpid, u32::from, |number| number as u8)?);
            cursor.expect(')', EXAMPLE)?;
            break;
        }
        let begins = cursor.here().start;
        let first = device_number(cursor, EXAMPLE)?;
        let last = if cursor.take('-') { device_number(cursor, EXAMPLE)? } else { first };
        let numbers = first.number..=last.number;
        if last.number < first.number || last.set.unwrap_or(0) != first.set.unwrap_or(0) {
            let span = begins..cursor.here().start;
            return Err(cursor.error(span, "the range does not go up in one set".to_owned(), EXAMPLE));
        }
        devices.extend(numbers.map(|number| DeviceNumber { set: first.set, number }).take(LISTED + 1));
        too_many(cursor, devices.len(), begins, EXAMPLE)?;
        if !cursor.take(',') {
            break;
        }
    }
    cursor.expect(')', EXAMPLE)?;
    if cursor.take(',') {
        let (word, span) = cursor.word();
        return Err(match word.as_str() {
            "ROUTE" | "LINKINFO" | "ZHYPERLINK" | "HEALTH" => cursor.no_answer(span, &word),
            _ => cursor.error(span, format!("{word} is no operand of D M=DEV"), EXAMPLE),
        });
    }
    cursor.end(EXAMPLE)?;
    Ok(Command::Devices { devices, chpids: paths })
}

fn too_many(cursor: &Cursor, count: usize, begins: usize, example: &str) -> Reading<()> {
    if count <= LISTED {
        return Ok(());
    }
    let span = begins..cursor.here().start;
    Err(cursor.error(span, format!("one command shows at most {LISTED}"), example))
}

/// Reads nothing, `(50)`, `(40-43,50)`, `(50),PATHINFO`.
fn chpids(cursor: &mut Cursor) -> Reading<Command> {
    const EXAMPLE: &str = "D M=CHP(50) or D M=CHP(50),PATHINFO";
    if cursor.is_over() {
        return Ok(Command::ChannelPaths);
    }
    cursor.expect('(', EXAMPLE)?;
    let chpids = list(cursor, EXAMPLE, chpid, u32::from, |number| number as u8)?;
    cursor.expect(')', EXAMPLE)?;
    let mut path_info = false;
    if cursor.take(',') {
        let (word, span) = cursor.word();
        path_info = word == "PATHINFO";
        if !path_info {
            let span = cursor.at_least(span);
            return Err(cursor.error(span, "PATHINFO is expected here".to_owned(), EXAMPLE));
        }
    }
    cursor.end(EXAMPLE)?;
    Ok(Command::Chpids { chpids, path_info })
}

fn control_units(cursor: &mut Cursor) -> Reading<Command> {
    const EXAMPLE: &str = "D M=CU(1000)";
    cursor.expect('(', EXAMPLE)?;
    let units = list(cursor, EXAMPLE, control_unit, u32::from, |number| number as u16)?;
    cursor.expect(')', EXAMPLE)?;
    cursor.end(EXAMPLE)?;
    Ok(Command::ControlUnits(units))
}

/// Returns one or several numbers and ranges of them.
fn list<T: Copy + Ord>(
    cursor: &mut Cursor,
    example: &str,
    number: fn(&mut Cursor, &str) -> Reading<T>,
    wide: fn(T) -> u32,
    narrow: fn(u32) -> T,
) -> Reading<Vec<T>> {
    let mut found = Vec::new();
    loop {
        let begins = cursor.here().start;
        let first = number(cursor, example)?;
        let last = if cursor.take('-') { number(cursor, example)? } else { first };
        if last < first {
            let span = begins..cursor.here().start;
            return Err(cursor.error(span, "the range does not go up".to_owned(), example));
        }
        found.extend((wide(first)..=wide(last)).map(narrow).take(LISTED + 1));
        too_many(cursor, found.len(), begins, example)?;
        if !cursor.take(',') {
            return Ok(found);
        }
    }
}

fn chpid(cursor: &mut Cursor, example: &str) -> Reading<u8> {
    digits(cursor, 1..=2, "a CHPID of two hexadecimal digits", example).map(|number| number as u8)
}

fn control_unit(cursor: &mut Cursor, example: &str) -> Reading<u16> {
    digits(cursor, 1..=4, "a control-unit number of four hexadecimal digits", example)
        .map(|number| number as u16)
}

/// Reads `7800`, `/7800`, `07800`.
fn device_number(cursor: &mut Cursor, example: &str) -> Reading<DeviceNumber> {
    cursor.take('/');
    let begins = cursor.here().start;
    let words = "a device number of three or four hexadecimal digits, or five with the subchannel set first";
    let number = digits(cursor, 3..=5, words, example)?;
    let written = cursor.here().start - begins;
    let set = (written == 5).then_some((number >> 16) as u8);
    Ok(DeviceNumber { set, number: number as u16 })
}

/// Returns a hexadecimal number of so many digits.
fn digits(
    cursor: &mut Cursor,
    lengths: std::ops::RangeInclusive<usize>,
    words: &str,
    example: &str,
) -> Reading<u32> {
    let (word, span) = cursor.word();
    let number = u32::from_str_radix(&word, 16).ok().filter(|_| lengths.contains(&word.len()));
    number.ok_or_else(|| {
        let span = cursor.at_least(span);
        cursor.error(span, format!("{words} is expected here"), example)
    })
}

fn ios(cursor: &mut Cursor) -> Reading<Command> {
    const EXAMPLE: &str = "D IOS,CONFIG";
    cursor.expect(',', EXAMPLE)?;
    let (word, span) = cursor.word();
    let Some((_, area)) = IOS_AREAS.iter().find(|(name, _)| *name == word) else {
        let names: Vec<&str> = IOS_AREAS.iter().map(|(name, _)| *name).collect();
        let span = cursor.at_least(span);
        return Err(cursor.error(span, format!("one of {} is expected here", names.join(", ")), EXAMPLE));
    };
    cursor.end(EXAMPLE)?;
    Ok(Command::Ios(*area))
}

fn pcie(cursor: &mut Cursor) -> Reading<Command> {
    const EXAMPLE: &str = "D PCIE or D PCIE,PFID=0011";
    let mut area = PcieArea::All;
    if cursor.take(',') {
        let (word, span) = cursor.word();
        area = match word.as_str() {
            "DD" => PcieArea::Drivers,
            "PFID" => {
                cursor.expect('=', EXAMPLE)?;
                let words = "a function identifier of one to eight hexadecimal digits";
                PcieArea::Function(digits(cursor, 1..=8, words, EXAMPLE)?)
            }
            _ => {
                let span = cursor.at_least(span);
                return Err(cursor.error(span, "PFID= or DD is expected here".to_owned(), EXAMPLE));
            }
        };
    }
    cursor.end(EXAMPLE)?;
    Ok(Command::Pcie(area))
}

/// Reads `,DASD,ONLINE,1000,8`; each may be left out.
fn units(cursor: &mut Cursor) -> Reading<Command> {
    const EXAMPLE: &str = "D U,DASD,ONLINE,1000,8";
    let mut choice = UnitChoice { class: None, online: None, first: None, lines: UNIT_LINES };
    let mut nth = 0;
    while cursor.take(',') {
        nth += 1;
        let next = cursor.here();
        let is_left_out = cursor.is_over() || cursor.is_next(',');
        match nth {
            _ if is_left_out && nth <= 4 => {}
            1 => choice.class = unit_class(cursor, EXAMPLE)?,
            2 => choice.online = Some(unit_state(cursor, EXAMPLE)?),
            3 => choice.first = Some(device_number(cursor, EXAMPLE)?),
            4 => choice.lines = count(cursor, 99_999, EXAMPLE)?,
            _ => return Err(cursor.error(next, "D U has no more operands".to_owned(), EXAMPLE)),
        }
    }
    cursor.end(EXAMPLE)?;
    Ok(Command::Units(choice))
}

fn unit_class(cursor: &mut Cursor, example: &str) -> Reading<Option<UnitClass>> {
    let (word, span) = cursor.word();
    match word.as_str() {
        "DASD" => Ok(Some(UnitClass::Dasd)),
        "TAPE" => Ok(Some(UnitClass::Tape)),
        "CTC" => Ok(Some(UnitClass::Ctc)),
        "ALL" => Ok(None),
        "GRAPHIC" | "TP" | "UR" | "IPLVOL" | "VOL" => Err(cursor.no_answer(span, &format!("D U,{word}"))),
        _ => {
            Err(cursor.error(cursor.at_least(span), "DASD, TAPE or CTC is expected here".to_owned(), example))
        }
    }
}

fn unit_state(cursor: &mut Cursor, example: &str) -> Reading<bool> {
    let (word, span) = cursor.word();
    match word.as_str() {
        "ONLINE" => Ok(true),
        "OFFLINE" => Ok(false),
        "ALLOC" | "AUTOSWITCH" | "AS" => Err(cursor.no_answer(span, &format!("D U,,{word}"))),
        _ => {
            Err(cursor.error(cursor.at_least(span), "ONLINE or OFFLINE is expected here".to_owned(), example))
        }
    }
}

/// Returns a decimal number from 1.
fn count(cursor: &mut Cursor, most: u32, example: &str) -> Reading<u32> {
    let (word, span) = cursor.word();
    let number = word.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| {
        let message = format!("a decimal number from 1 to {most} is expected here");
        cursor.error(cursor.at_least(span), message, example)
    })
}

/// Reads `P,1000` or `P,1000,4`; `PATHS` is the long form.
fn devserv(cursor: &mut Cursor) -> Reading<Command> {
    const EXAMPLE: &str = "DS P,1000,4";
    let (word, span) = cursor.word();
    match word.as_str() {
        "P" | "PATHS" => {}
        "QP" | "QPAV" | "QD" | "QDASD" | "S" | "SMS" => {
            return Err(cursor.no_answer(span, &format!("DS {word}")));
        }
        _ => return Err(cursor.error(cursor.at_least(span), "P is expected here".to_owned(), EXAMPLE)),
    }
    cursor.expect(',', EXAMPLE)?;
    let first = device_number(cursor, EXAMPLE)?;
    let count = if cursor.take(',') { count(cursor, PATH_DEVICES, EXAMPLE)? } else { 1 };
    cursor.end(EXAMPLE)?;
    Ok(Command::Paths { first, count })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn device(number: u16) -> DeviceNumber {
        DeviceNumber { set: None, number }
    }

    #[test]
    fn spellings_mean_the_same() {
        let wanted = Command::Devices { devices: vec![device(0x7800)], chpids: Some(vec![0x50]) };
        for text in [
            "D M=DEV(7800,(50))",
            "d m=dev(7800,(50))",
            "  DISPLAY  M=DEVICE(/7800,(50))  ",
            "D M=DEV(7800,(050))",
        ] {
            let read = parse(text);
            match text.contains("050") {
                true => assert!(read.is_err(), "a CHPID has two digits"),
                false => assert_eq!(read.expect("a command"), wanted, "{text}"),
            }
        }
        let in_set = DeviceNumber { set: Some(1), number: 0x78D0 };
        let wanted = Command::Devices { devices: vec![in_set], chpids: None };
        assert_eq!(parse("D M=DEV(178D0)").expect("a command"), wanted);
        let range = Command::Chpids { chpids: vec![0x40, 0x41, 0x42, 0x50], path_info: true };
        assert_eq!(parse("D M=CHP(40-42,50),PATHINFO").expect("a command"), range);
    }

    #[test]
    fn operands_of_d_u_may_be_left_out() {
        let read = |text| match parse(text).expect("a command") {
            Command::Units(choice) => choice,
            other => panic!("{other:?}"),
        };
        let all = UnitChoice { class: None, online: None, first: None, lines: UNIT_LINES };
        assert_eq!((read("D U"), read("D U,")), (all, all));
        let first = Some(device(0x1000));
        assert_eq!(read("D U,,,1000,2"), UnitChoice { first, lines: 2, ..all });
        let dasd = UnitChoice { class: Some(UnitClass::Dasd), online: Some(true), first, ..all };
        assert_eq!(read("D U,DASD,ONLINE,1000"), dasd);
        assert!(parse("D U,DASD,ONLINE,1000,2,3").is_err());
    }

    #[test]
    fn commands_of_cp_are_read_by_their_own_rules() {
        for text in
            ["QUERY ISLINK", "q islink", " Que ISLINK ", "DEACTIVE ISLINK D000", "deactivate islink d000"]
        {
            assert!(matches!(parse(text), Ok(Command::IsLink(_))), "{text}");
        }
        let refused = parse("ACTIVATE ISLINK D000 XYZ").expect_err("no device");
        assert_eq!(refused.at.span, 21..24);
        assert!(refused.message.contains("HCP002E Invalid operand - XYZ"), "{}", refused.message);
        assert!(
            parse("QUEUE ISLINK").is_err()
                && parse("QUERY DASD").is_err()
                && parse("ACTIVATE ISLINK").is_err()
        );
    }

    #[test]
    fn one_command_does_not_ask_for_the_whole_machine() {
        assert!(parse("D M=DEV(1000-10FF)").is_ok());
        let refused = parse("D M=DEV(0000-FFFF)").expect_err("too many");
        assert_eq!(refused.at.span, 8..17);
        assert!(parse("D M=DEV(10FF-1000)").is_err());
        assert!(parse("D M=DEV(0FFFF-10000)").is_err());
    }

    /// Returns pieces of commands, so that texts get past the first word.
    fn pieces() -> impl Strategy<Value = String> {
        let known = [
            "D ",
            "DISPLAY ",
            "DS ",
            "M=",
            "DEV",
            "CHP",
            "CU",
            "(",
            ")",
            ",",
            "-",
            "/",
            "1000",
            "50",
            "IOS,",
            "ACTIVATE ",
            "QUERY ",
            "ISLINK ",
            "NODE ",
            "CONFIG",
            "PCIE",
            "PFID=",
            "U",
            "DASD",
            "ONLINE",
            "P",
            "PATHINFO",
            "\u{e9}",
            "FFFFF",
            " ",
            "=",
        ];
        proptest::collection::vec(proptest::sample::select(known.to_vec()), 0..12)
            .prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in any::<String>(), more in pieces()) {
            for text in [&text, &more, &format!("{more}{text}")] {
                if let Err(refused) = parse(text) {
                    prop_assert!(refused.at.span.end <= text.len());
                    prop_assert!(text.get(refused.at.span.clone()).is_some());
                    prop_assert!(refused.fix.is_some());
                }
            }
        }
    }
}
