//! A made-up site of two hundred channels: deck, plant and workload.
//!
//! Eight directors; thirteen boxes with two ports on each director; eight logical control units a box, each with eight
//! paths, one by each director. Channel `i` is on director `i mod 8`; two channels a director serve a box, the last
//! box has one. Twelve partitions in two channel subsystems share everything.

use std::fmt::Write;

/// Channels of the site.
pub const CHANNELS: usize = 200;
const DIRECTORS: usize = 8;
const BOXES: usize = 13;
const LCUS_A_BOX: usize = 8;
const LPARS_A_CSS: usize = 6;
/// Bases of a logical control unit, and as many aliases.
const BASES: usize = 64;
/// Last column of a card's statement; the mark of continuation follows.
const STATEMENT_COLUMNS: usize = 71;
/// Columns before the text of a continued card.
const CONTINUED_COLUMNS: usize = 15;

/// The three files, by name.
pub fn files() -> [(&'static str, String); 3] {
    [("deck.iocp", deck()), ("plant.toml", plant()), ("workload.toml", workload())]
}

fn lpar(css: usize, number: usize) -> String {
    format!("LP{css}{number}")
}

/// Channel, link address and so on of director `director` for an image of a box.
fn channel(director: usize, storage_box: usize, image: usize) -> usize {
    let place = 2 * storage_box + image % 2;
    let last = CHANNELS / DIRECTORS - 1;
    place.min(last) * DIRECTORS + director
}

fn pchid(channel: usize) -> usize {
    0x100 + channel / 2 * 4 + channel % 2
}

fn director(number: usize) -> usize {
    0x11 + number
}

fn adapter_port(storage_box: usize, side: usize) -> usize {
    0x80 + 2 * storage_box + side
}

fn deck() -> String {
    let mut deck = String::new();
    card(&mut deck, "ID", "MSG1='LARGE',MSG2='TWO HUNDRED CHANNELS',SYSTEM=(3931,1)");
    let partitions = [0, 1].map(|css| {
        let lpars: Vec<_> = (1..=LPARS_A_CSS).map(|mif| format!("({},{mif})", lpar(css, mif))).collect();
        format!("(CSS({css}),{})", lpars.join(","))
    });
    let maximum = "MAXDEV=((CSS(0),65280,65535),(CSS(1),65280,65535))";
    card(&mut deck, "RESOURCE", &format!("PARTITION=({}),{maximum}", partitions.join(",")));
    for number in 0..CHANNELS {
        let (switch, pchid) = (director(number % DIRECTORS), pchid(number));
        let path = format!("PATH=(CSS(0,1),{number:02X}),SHARED,SWITCH={switch:02X}");
        card(&mut deck, "CHPID", &format!("{path},PCHID={pchid:03X},TYPE=FC"));
    }
    for storage_box in 0..BOXES {
        (0..LCUS_A_BOX).for_each(|image| control_unit(&mut deck, storage_box, image));
    }
    deck
}

fn control_unit(deck: &mut String, storage_box: usize, image: usize) {
    let number = lcu(storage_box, image);
    let list = |item: &dyn Fn(usize) -> String| {
        let items: Vec<_> = (0..DIRECTORS).map(item).collect();
        let items = items.join(",");
        format!("((CSS(0),{items}),(CSS(1),{items}))")
    };
    let paths = list(&|director| format!("{:02X}", channel(director, storage_box, image)));
    let port = adapter_port(storage_box, image / 2 % 2);
    let links = list(&|number| format!("{:02X}{port:02X}", director(number)));
    let operands = format!(
        "CUNUMBR={number:04X},PATH={paths},UNITADD=((00,256)),LINK={links},CUADD={image:X},UNIT=2107"
    );
    card(deck, "CNTLUNIT", &operands);
    let devices = |first: usize, rest: &str| {
        format!("ADDRESS=({first:04X},{BASES}),CUNUMBR=({number:04X}),STADET=Y,{rest}")
    };
    card(deck, "IODEVICE", &devices(number, "UNIT=3390B"));
    card(deck, "IODEVICE", &devices(number + BASES, "SCHSET=1,UNIT=3390A"));
}

fn lcu(storage_box: usize, image: usize) -> usize {
    0x1000 + 0x100 * (storage_box * LCUS_A_BOX + image)
}

/// Writes a statement, continued after commas where it is longer than a card.
fn card(deck: &mut String, operation: &str, operands: &str) {
    let mut line = format!("         {operation} ");
    let mut parts = operands.split_inclusive(',').peekable();
    while let Some(part) = parts.next() {
        line.push_str(part);
        let next = parts.peek().map_or(0, |next| next.len());
        if line.len() + next > STATEMENT_COLUMNS {
            let _ = writeln!(deck, "{line:STATEMENT_COLUMNS$}*");
            line = " ".repeat(CONTINUED_COLUMNS);
        }
    }
    let _ = writeln!(deck, "{line}");
}

fn plant() -> String {
    let mut plant = "[cpc]\nmodel = \"z16-max39\"\n".to_owned();
    for (css, number) in (0..2).flat_map(|css| (1..=LPARS_A_CSS).map(move |number| (css, number))) {
        let name = lpar(css, number);
        let _ = writeln!(plant, "[[lpar]]\nname = \"{name}\"\ncps = 8\nzhpf = \"YES\"\nhyperpav = \"YES\"");
    }
    for pair in 0..CHANNELS / 2 {
        let (one, other) = (pchid(2 * pair), pchid(2 * pair + 1));
        let _ = writeln!(plant, "[[card]]\ntype = \"fex32s\"\npchids = [\"{one:03X}\", \"{other:03X}\"]");
    }
    for number in 0..CHANNELS {
        let (pchid, director, port) =
            (pchid(number), director(number % DIRECTORS), 0x20 + number / DIRECTORS);
        let _ = writeln!(
            plant,
            "[[cable]]\npchid = \"{pchid:03X}\"\nto = \"{director:02X}.{port:02X}\"\nkm = 0.1"
        );
    }
    for number in 0..DIRECTORS {
        let _ = writeln!(plant, "[[director]]\nid = \"{:02X}\"\ntype = \"director-32g\"", director(number));
    }
    for storage_box in 0..BOXES {
        let name = (b'A' + storage_box as u8) as char;
        let _ = writeln!(
            plant,
            "[[control_unit]]\nname = \"BOX{name}\"\ntype = \"ds8950\"\nvolser = \"V{name}####\""
        );
        for (number, side) in (0..DIRECTORS).flat_map(|number| [(number, 0), (number, 1)]) {
            let (director, port) = (director(number), adapter_port(storage_box, side));
            let _ = writeln!(
                plant,
                "[[control_unit.port]]\nid = \"{number:02X}3{side}\"\nto = \"{director:02X}.{port:02X}\"\nkm = 0.2"
            );
        }
    }
    plant
}

/// A stream for each partition, on two boxes of its own choice, and one that fills a logical control unit's paths.
fn workload() -> String {
    let mut workload = "[run]\nwarmup_s = 0.002\ninterval_s = 0.004\nintervals = 6\nseed = 1\n".to_owned();
    let devices = |storage_box: usize| {
        let numbers = (0..LCUS_A_BOX).map(|image| lcu(storage_box, image));
        let ranges = numbers.map(|number| format!("\"{number:04X}-{:04X}\"", number + BASES - 1));
        ranges.collect::<Vec<_>>().join(", ")
    };
    for (css, number) in (0..2).flat_map(|css| (1..=LPARS_A_CSS).map(move |number| (css, number))) {
        let storage_box = css * LPARS_A_CSS + number - 1;
        let (name, devices) = (lpar(css, number), devices(storage_box));
        let rate = 20_000 + 9_000 * storage_box;
        let _ = writeln!(
            workload,
            "[[stream]]\nname = \"OLTP{css}{number}\"\nlpar = \"{name}\"\ndevices = [{devices}]\n\
             select = {{ zipf = 0.5 }}\nprogram = {{ block = \"4K\" }}\nread_share = 0.8\nhit_ratio = 0.9\n\
             open = {{ rate_per_s = {rate} }}"
        );
    }
    let _ = writeln!(
        workload,
        "[[stream]]\nname = \"<script>document.title='broken'</script>\"\nlpar = \"LP01\"\n\
         devices = [\"{0:04X}-{1:04X}\"]\nprogram = {{ block = \"half-track\", records = 12 }}\n\
         closed = {{ jobs = 48 }}",
        lcu(BOXES - 1, 0),
        lcu(BOXES - 1, 0) + BASES - 1
    );
    workload
}
