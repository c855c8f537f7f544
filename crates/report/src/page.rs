//! Page geometry of RMF's Postprocessor listings: headings, page breaks, page numbers.
//!
//! Lines have no carriage-control character; pages are separated by a blank line. The two heading lines are aligned as
//! in RMF's own listings (fields 27 positions apart), so that `RMF` and `TIME` stand seven blanks apart, on which
//! readers of the text rely.

use crate::field::Line;
use crate::virtual_date::{VirtualDate, interval_length};
use crate::{MeasureError, Scope};

/// Lines of a page, headings included.
const PAGE_LINES: usize = 60;
/// Print position of `PAGE`.
const PAGE_NUMBER_LEFT: usize = 122;
/// Print positions of the three fields of the heading lines.
const HEADING_LEFT: [usize; 4] = [10, 35, 62, 89];
/// Operating-system and RMF version that headings state.
const RPT_VERSION: &str = "V3R1";
/// Signs for an IODF number, a date and a time that the deck does not state.
const UNKNOWN_NUMBER: &str = "--";
const UNKNOWN_DATE: &str = "--/--/----";
const UNKNOWN_TIME: &str = "--.--.--";
/// Characters of a system id of which only the partition name is known.
const SYSTEM_ID_CHARACTERS: usize = 4;
/// Print position of `IODF` in the configuration line of the device and I/O queuing reports. RMF has the number of its
/// samples before it: here utilisations are integrals of busy time, and nothing is sampled.
const IODF_LEFT: usize = 25;

/// Title of a report.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Title {
    /// Print position.
    pub left: usize,
    /// Text, spaced.
    pub text: &'static str,
}

/// A report being printed, page after page.
#[derive(Debug)]
pub(crate) struct Listing {
    title: Title,
    page_heading: Vec<String>,
    table_heading: &'static [&'static str],
    lines: Vec<String>,
    on_page: usize,
    pages: u32,
}

impl Listing {
    /// Creates an empty report; `configuration` is the line about the configuration below the two heading lines.
    pub fn new(title: Title, scope: &Scope, configuration: String) -> Result<Self, MeasureError> {
        let mut page_heading = heading_lines(scope)?;
        page_heading.push(configuration);
        Ok(Self { title, page_heading, table_heading: &[], lines: Vec::new(), on_page: 0, pages: 0 })
    }

    /// Begins a table: its heading is repeated on each page until the next table.
    pub fn table(&mut self, heading: &'static [&'static str]) {
        self.table_heading = heading;
        let blank_and_row = 2;
        if self.pages == 0 || self.on_page + blank_and_row + heading.len() > PAGE_LINES {
            self.new_page();
        } else {
            self.lines.push(String::new());
            self.push_table_heading();
            self.on_page += 1;
        }
    }

    /// Prints a row, on a new page when this one is full.
    pub fn row(&mut self, row: String) {
        if self.on_page >= PAGE_LINES {
            self.new_page();
        }
        self.lines.push(row);
        self.on_page += 1;
    }

    /// Returns the report, each line ended by a newline.
    pub fn finish(self) -> String {
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }

    fn new_page(&mut self) {
        if self.pages > 0 {
            self.lines.push(String::new());
        }
        self.pages += 1;
        let number = format!("PAGE{:>5}", self.pages);
        self.lines.push(
            Line::new()
                .text(self.title.left, PAGE_NUMBER_LEFT, self.title.text)
                .text(PAGE_NUMBER_LEFT, number.len(), &number)
                .finish(),
        );
        self.lines.extend(self.page_heading.iter().cloned());
        self.on_page = 1 + self.page_heading.len();
        self.push_table_heading();
    }

    fn push_table_heading(&mut self) {
        self.lines.extend(self.table_heading.iter().map(|&line| line.to_owned()));
        self.on_page += self.table_heading.len();
    }
}

/// Returns the two lines with system, time, length and release.
fn heading_lines(scope: &Scope) -> Result<Vec<String>, MeasureError> {
    let interval = scope.interval;
    let begin = VirtualDate::parse(&scope.run.header.start)?
        .after_ps(interval.start_ps)
        .ok_or(MeasureError::PastCalendar { index: interval.index })?;
    let system_id = match scope.system.smfid.as_str() {
        "" => scope.system.name.chars().take(SYSTEM_ID_CHARACTERS).collect(),
        smfid => smfid.to_owned(),
    };
    let cycle_ms = scope.run.header.cycle_ms;
    let cycle = format!("CYCLE {}.{:03} SECONDS", cycle_ms / 1000, cycle_ms % 1000);
    let line = |fields: [String; 4]| {
        HEADING_LEFT
            .iter()
            .zip(fields)
            .fold(Line::new(), |line, (&left, field)| line.text(left, 26, &field))
            .finish()
    };
    Ok(vec![
        line([
            if scope.system.has_ifls { "IFL".to_owned() } else { format!("z/OS {RPT_VERSION}") },
            format!("SYSTEM ID {system_id}"),
            format!("DATE {}", begin.date()),
            format!("INTERVAL {}", interval_length(interval.length_ps)),
        ]),
        line([
            String::new(),
            format!("RPT VERSION {RPT_VERSION} RMF"),
            format!("TIME {}", begin.time()),
            cycle,
        ]),
    ])
}

/// IODF number, date and time of creation, as channel and device reports state them.
///
/// The token that HCD leaves in a deck names the IODF and when it was written. Without one the number is that of the IOCDS
/// name, where HCD chose it (`IODF6B`), and the date is not known.
pub(crate) struct Iodf {
    /// Two characters.
    pub number: String,
    /// `mm/dd/yyyy`.
    pub date: String,
    /// `hh.mm.ss`.
    pub time: String,
}

impl Iodf {
    /// Returns the configuration of a run.
    pub fn of(scope: &Scope) -> Self {
        let machine = scope.machine();
        let file = machine.definition_file.as_ref();
        let number = file.and_then(|file| iodf_number(&file.name)).or(iodf_number(&machine.iocds));
        let created = file.and_then(|file| VirtualDate::parse(&file.created).ok());
        Self {
            number: number.unwrap_or(UNKNOWN_NUMBER).to_owned(),
            date: created.map_or_else(|| UNKNOWN_DATE.to_owned(), VirtualDate::date),
            time: created.map_or_else(|| UNKNOWN_TIME.to_owned(), VirtualDate::time),
        }
    }

    /// Returns the configuration line of the device and I/O queuing reports.
    pub fn line(scope: &Scope) -> String {
        let Self { number, date, time } = Self::of(scope);
        let text = format!("IODF = {number}   CR-DATE: {date}   CR-TIME: {time}     ACT: POR");
        Line::new().text(IODF_LEFT, text.len(), &text).finish()
    }
}

/// Parses `6B` of `IODF6B`.
fn iodf_number(name: &str) -> Option<&str> {
    let number = name.strip_prefix("IODF")?.get(..2)?;
    number.chars().all(|digit| digit.is_ascii_hexdigit()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;
    use halftrack_record::DefinitionFile;

    const TITLE: Title = Title { left: 10, text: "T I T L E" };
    const TABLE: &[&str] = &["FIRST", "SECOND"];

    fn listing(rows: usize) -> Vec<String> {
        let run = golden::run();
        let scope = Scope::new(&run, "SYN1", 0).unwrap();
        let mut listing = Listing::new(TITLE, &scope, "CONFIGURATION".to_owned()).unwrap();
        listing.table(TABLE);
        (0..rows).for_each(|row| listing.row(row.to_string()));
        listing.finish().lines().map(str::to_owned).collect()
    }

    #[test]
    fn pages_hold_sixty_lines_and_repeat_headings() {
        let room = PAGE_LINES - 6;
        assert_eq!(listing(room).len(), PAGE_LINES);
        let lines = listing(2 * room + 1);
        assert_eq!(lines.len(), PAGE_LINES + 1 + PAGE_LINES + 1 + 7);
        let second = PAGE_LINES + 1;
        assert!(lines[second].ends_with("PAGE    2"));
        assert_eq!(
            lines[second + 4..second + 7],
            ["FIRST".to_owned(), "SECOND".to_owned(), room.to_string()]
        );
        assert!(lines[2 * second].ends_with("PAGE    3"));
    }

    #[test]
    fn a_table_is_not_begun_at_the_foot_of_a_page() {
        let run = golden::run();
        let scope = Scope::new(&run, "SYN1", 0).unwrap();
        let mut listing = Listing::new(TITLE, &scope, "CONFIGURATION".to_owned()).unwrap();
        listing.table(TABLE);
        (0..PAGE_LINES - 9).for_each(|row| listing.row(row.to_string()));
        listing.table(&["THIRD", "FOURTH"]);
        listing.row("last".to_owned());
        let lines: Vec<_> = listing.finish().lines().map(str::to_owned).collect();
        assert!(lines[PAGE_LINES - 2].ends_with("PAGE    2"), "{lines:#?}");
        assert_eq!(lines[lines.len() - 3..], ["THIRD", "FOURTH", "last"]);
    }

    #[test]
    fn heading_fields_align() {
        let lines = listing(1);
        assert!(lines[0].starts_with("          T I T L E  "));
        assert_eq!(lines[0].find("PAGE    1"), Some(122));
        assert_eq!(
            (
                lines[1].find("SYSTEM ID SYN1"),
                lines[1].find("DATE 01/01/2025"),
                lines[1].find("INTERVAL 14.59.999")
            ),
            (Some(35), Some(62), Some(89))
        );
        assert_eq!(
            (lines[2].find("RMF       TIME 08.00.00"), lines[2].find("CYCLE 1.000 SECONDS")),
            (Some(52), Some(89))
        );
    }

    fn line(run: &halftrack_record::Run, system: &str) -> String {
        Iodf::line(&Scope::new(run, system, 0).unwrap())
    }

    #[test]
    fn the_iodf_line_comes_from_the_token_of_the_deck() {
        let mut run = golden::run();
        let created = "2006-05-24T13:29:40".to_owned();
        run.header.definition_file = Some(DefinitionFile { name: "IODF45".to_owned(), created });
        let text = "IODF = 45   CR-DATE: 05/24/2006   CR-TIME: 13.29.40     ACT: POR";
        assert_eq!(line(&run, "SYN1"), format!("{:IODF_LEFT$}{text}", ""));
    }

    #[test]
    fn iodf_number_comes_from_the_iocds_name_where_there_is_no_token() {
        let mut run = golden::run();
        run.header.definition_file = None;
        for (iocds, number) in [("IODF6B", "6B"), ("IODF3931", "39"), ("TWIN", "--"), ("IODFXY", "--")] {
            run.header.iocds = iocds.to_owned();
            let text = format!("IODF = {number}   CR-DATE: --/--/----   CR-TIME: --.--.--     ACT: POR");
            assert_eq!(line(&run, "SYN1").trim_start(), text, "{iocds}");
        }
    }

    /// Utilisations are integrals: no number of samples can be stated.
    #[test]
    fn no_report_speaks_of_samples() {
        let run = golden::run();
        let text = crate::postprocessor(&run, "SYN1", 0).unwrap();
        assert!(!text.contains("SAMPLES") && text.contains("IODF = 00"), "{text}");
    }

    #[test]
    fn the_system_id_is_that_of_smf() {
        let mut run = golden::run();
        let ids = |run: &halftrack_record::Run| {
            let heading = |system| heading_lines(&Scope::new(run, system, 0).unwrap()).unwrap()[0].clone();
            [heading("SYN1"), heading("SYN2PROD")].map(|line| line[35..61].trim_end().to_owned())
        };
        run.header.systems[1].smfid = "PRD2".to_owned();
        assert_eq!(ids(&run), ["SYSTEM ID SYN1", "SYSTEM ID PRD2"]);
        // Records of before there was one.
        run.header.systems[1].smfid = String::new();
        assert_eq!(ids(&run), ["SYSTEM ID SYN1", "SYSTEM ID SYN2"]);
    }
}
