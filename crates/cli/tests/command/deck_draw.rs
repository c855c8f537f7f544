//! `halftrack deck draw`: a page that is used in a browser, and a picture that stands alone.

use std::fs;

use serde_json::{Value, json};

use crate::browser::{assert_usable, browser, open};
use crate::deck::Shelf;
use crate::deck_export::example;
use crate::support::{Study, code, halftrack, stderr, stdout};

/// Bytes that the page of two hundred channels may have.
const BYTES_MAX: usize = 2_000_000;

/// Returns the output of `halftrack deck draw DECK -o NAME ARGUMENTS`.
fn drawn(deck: &str, name: &str, arguments: &[&str]) -> String {
    let shelf = Shelf::new();
    let out = shelf.place(name);
    let drawing = ["deck", "draw", deck, "-o", out.to_str().expect("UTF-8")];
    let output = halftrack(&[&drawing, arguments].concat());
    assert_eq!((code(&output), stdout(&output), stderr(&output)), (0, "", ""));
    fs::read_to_string(out).expect("written")
}

/// Makes two hundred channels that span two channel subsystems, on four directors, with eight boxes.
fn large() -> Study {
    let sizes = ["--channels", "200", "--bases", "6656", "--aliases", "6656"];
    Study::new(&[&["--model", "Max82", "--lpars", "12", "--css", "2"], &sizes[..]].concat())
}

/// Makes the expected values: `[CHPID, PCHID, device, CU, LPAR]`.
fn expected(sought: [&str; 5]) -> Value {
    let [chpid, pchid, device, unit, lpar] = sought;
    json!({
        "sought": {
            "CHPID": [chpid, "^CHPID "],
            "PCHID": [pchid, "^CHPID .*PCHID "],
            "device": [device, "^Device "],
            "CU": [unit, "^CU "],
            "LPAR": [lpar, "^LPAR "],
        },
        "passed": "Its paths pass .*; Switch .*; CU .*; ",
        "ends": ["LPAR ", "Switch ", "CU ", "Device "],
    })
}

#[test]
fn a_small_deck_is_drawn_and_can_be_used() {
    let page = drawn(&example(), "page.html", &[]);
    for part in
        ["ZIOEXA01 - halftrack", "0,1.40 FC", "Switch 11", "CU 1000", "1000-107F", "1.1080-10FF", "LNX1"]
    {
        assert!(page.contains(part), "{part}");
    }
    assert_usable(&page, &expected(["40", "118", "1005", "CU 2100", "PROD2"]));
}

#[test]
fn two_hundred_channels_are_drawn_and_can_be_used() {
    let study = large();
    let deck = study.path().join("deck.iocp");
    let page = drawn(deck.to_str().expect("UTF-8"), "page.html", &[]);
    assert!(page.len() < BYTES_MAX, "{} bytes", page.len());
    assert_eq!(page.matches("aria-label=\"CHPID 0,1.").count(), 200);
    assert_usable(&page, &expected(["C7", "1E5", "0705", "CU 0700", "LP12"]));
}

#[test]
fn the_picture_alone_has_the_shown_boxes_apart_and_no_script() {
    let study = large();
    let deck = study.path().join("deck.iocp");
    for unfold in [&[][..], &["--unfold"]] {
        let svg = drawn(deck.to_str().expect("UTF-8"), "picture.svg", unfold);
        assert!(svg.len() < BYTES_MAX && !svg.contains("<script") && !svg.contains("var("), "{}", svg.len());
        assert!(svg.contains(">Switch "), "switches are drawn");
        let Some(browser) = browser() else { return };
        let (_, picture) = svg.split_once("?>\n").expect("a declaration");
        let page = format!("<!DOCTYPE html><body style=\"margin:0\">{picture}</body>");
        let opened = open(browser, &page, APART);
        assert!(
            opened.console.is_empty() && opened.dom.contains("<output id=\"checks\">all held<"),
            "{:?}",
            {
                opened.dom.split_once("<output").map(|(_, found)| found.chars().take(300).collect::<String>())
            }
        );
    }
}

/// Boxes of a picture without a script: none lies over another, and every text is inside its own.
const APART: &str = "
const boxes = [...document.querySelectorAll('.item')].map((item) => ({
  rect: item.querySelector('.box').getBoundingClientRect(),
  texts: [...item.querySelectorAll('text')].map((text) => text.getBoundingClientRect()),
  words: item.getAttribute('aria-label') }));
const wrong = boxes.flatMap(({ rect, texts, words }, at) => [
  ...texts.filter((text) => text.width && (text.left < rect.left || text.right > rect.right)).map(() => words + ' overflows'),
  ...boxes.slice(at + 1).filter(({ rect: other }) => rect.left < other.right && other.left < rect.right
    && rect.top < other.bottom && other.top < rect.bottom).map((other) => words + ' lies over ' + other.words)]);
const output = document.createElement('output');
output.id = 'checks';
output.textContent = boxes.length > 10 && !wrong.length ? 'all held' : boxes.length + ' boxes; ' + wrong.slice(0, 5).join('; ');
document.body.append(output);";

#[test]
fn a_filter_draws_a_part_and_a_wrong_deck_is_drawn_as_far_as_understood() {
    let part = drawn(&example(), "part.svg", &["--cu", "1000", "--lpar", "PROD1", "--unfold"]);
    assert!(part.contains("CU 1000") && part.contains("PROD1"));
    assert!(!part.contains("CU 2000") && !part.contains("LNX1") && !part.contains("FCP"));
    let shelf = Shelf::new();
    let text = fs::read_to_string(example()).expect("a deck").replace("TYPE=OSD", "TYPE=OSQ");
    let file = shelf.with("wrong.iocp", text.as_bytes());
    let out = shelf.place("wrong.html");
    let drawing = halftrack(&["deck", "draw", &file, "-o", out.to_str().expect("UTF-8")]);
    assert_eq!(code(&drawing), 1);
    assert!(stderr(&drawing).contains("1 error; what is understood is shown") && out.exists());
}

#[test]
fn what_cannot_be_drawn_is_said() {
    for (arguments, words) in [
        (&["-o", "picture.png"][..], "the name must end in .html, for a page, or .svg, for a picture"),
        (&[], "--out <OUT>"),
        (&["-o", "a.svg", "--lpar", "NOBODY"], "--lpar NOBODY is not in the deck; it has LNX1"),
        (&["-o", "a.svg", "--type", "FCP", "--switch", "11"], "no statement of the deck passes all filters"),
    ] {
        let refused = halftrack(&[&["deck", "draw", &example()], arguments].concat());
        assert_eq!(code(&refused), 2, "{arguments:?}");
        assert!(stderr(&refused).contains(words), "{arguments:?}: {}", stderr(&refused));
    }
}

#[test]
fn names_from_the_deck_are_shown_and_not_run() {
    let shelf = Shelf::new();
    let text = fs::read_to_string(example()).expect("a deck");
    let text = text.replacen(
        "MSG1='ZIOEXA01',MSG2='EXAMPLE A - TWO SITES',    ",
        "MSG1='</TITLE><SCRIPT>THROW 1</SCRIPT>',MSG2='X',",
        1,
    );
    let file = shelf.with("evil.iocp", text.as_bytes());
    let out = shelf.place("evil.html");
    halftrack(&["deck", "draw", &file, "-o", out.to_str().expect("UTF-8")]);
    let page = fs::read_to_string(out).expect("drawn");
    assert!(page.contains("&lt;SCRIPT&gt;THROW 1") && !page.contains("<SCRIPT>"), "{}", &page[..600]);
}

/// Follows what is sought, as a reader does.
const FOLLOWED: &str = "
const search = document.getElementById('search');
const lit = (text) => {
  search.value = text;
  search.dispatchEvent(new Event('input'));
  return [...document.querySelectorAll('.item.lit:not(.group)')].map((item) => item.getAttribute('aria-label').split(/[:, ]/).slice(0, 2).join(' '));
};
document.getElementById('unfold').click();
const found = SOUGHT.map(lit);
const output = document.createElement('output');
output.id = 'lit';
output.textContent = JSON.stringify(found);
document.body.append(output);";

#[test]
fn a_partition_leads_to_what_it_may_use_and_a_device_to_those_who_may() {
    let page = drawn(&example(), "page.html", &[]);
    let Some(found) = lit(&page, &["PROD4", "LNX1", "6005", "1.10C0"]) else { return };
    let lights = |at: usize, words: &str| found[at].iter().any(|one| one.starts_with(words));
    let (prod4, lnx1, fcp, alias) = (0, 1, 2, 3);
    assert!(lights(prod4, "LPAR PROD4") && lights(prod4, "Device 1000-107F") && !lights(prod4, "LPAR LNX1"));
    assert!(!lights(prod4, "Device 6000-601F"), "FCP is only for LNX1");
    assert!(lights(lnx1, "Device 6000-601F") && lights(lnx1, "Device 1000-107F"), "{:?}", found[lnx1]);
    assert!(
        lights(fcp, "LPAR LNX1") && lights(fcp, "CHPID 1.60") && !lights(fcp, "LPAR PROD"),
        "{:?}",
        found[fcp]
    );
    assert!(lights(alias, "Device 1.1080-10FF") && !lights(alias, "Device 1000"), "{:?}", found[alias]);
    assert!(lights(alias, "CU 1000") && !lights(alias, "CU 1100") && lights(alias, "LPAR TEST1"));
}

/// Searches for each of `sought`; returns the hits, and the elements that light up with them.
fn lit(page: &str, sought: &[&str]) -> Option<Vec<Vec<String>>> {
    let browser = browser()?;
    let list = serde_json::to_string(sought).expect("a list");
    let opened = open(browser, page, &FOLLOWED.replace("SOUGHT", &list));
    assert!(opened.console.is_empty(), "{:?}", opened.console);
    let (_, found) = opened.dom.split_once("<output id=\"lit\">").expect("the script ran to its end");
    let found = found.split_once("</output>").expect("output").0.replace("&amp;", "&");
    Some(serde_json::from_str(&found).expect("lists"))
}

#[test]
fn functions_are_found_and_lead_to_the_partition_that_has_them() {
    let page = drawn(&example(), "page.html", &[]);
    assert!(page.contains("FUNCTION 0011-0012, HYL, PCHID 128, port 1, VF 1-2: partition PROD1 of CSS 0"));
    let Some(found) = lit(&page, &["FID 12", "PCHID 128", "0012", "PRODNET"]) else { return };
    assert_eq!(found[0], ["LPAR PROD1", "FUNCTION 0011-0012"]);
    assert_eq!(found[1], found[0]);
    let starts = |at: usize, words: &str| found[at].iter().filter(|one| one.starts_with(words)).count();
    assert_eq!((starts(2, "FUNCTION 0011-0012"), starts(2, "Device 0012")), (1, 1), "{:?}", found[2]);
    assert_eq!((starts(3, "FUNCTION "), starts(3, "CHPID 0")), (3, 1), "{:?}", found[3]);
    let svg = drawn(&example(), "picture.svg", &["--type", "HYL"]);
    assert!(svg.contains("FID 11-12 HYL") && svg.contains("PROD1") && !svg.contains("CHPID 0"), "{svg}");
}

#[test]
fn both_ends_of_coupling_links_and_ctc_are_followed() {
    let shelf = Shelf::new();
    let file = shelf.with("coupled.iocp", COUPLED.as_bytes());
    let page = drawn(&file, "page.html", &[]);
    let sought = ["F0", "CPC2", "CU 4000"];
    let Some(found) = lit(&page, &sought) else { return };
    assert_eq!(found[0], ["LPAR LP1", "LPAR CF1", "CHPID 0.F0", "CHPID 0.F1"]);
    assert_eq!(found[1], ["LPAR LP1", "LPAR CF1", "CHPID 0.E0", "CPC2 0.E1"]);
    let ctc = ["LPAR LP1", "LPAR CF1", "CHPID 0.40", "CHPID 0.41", "Switch 11", "CU 4000", "CU 4010"];
    assert!(ctc.iter().all(|end| found[2].iter().any(|lit| lit == end)), "{:?}", found[2]);
}

/// An internal link, a link to another machine, and two channels that talk to each other.
const COUPLED: &str = "\
         ID SYSTEM=(3931,1),LSYSTEM=CPC1
         RESOURCE PART=((LP1,1),(CF1,2)),MAXDEV=9
         CHPID PATH=F0,SHARED,CPATH=F1,TYPE=ICP
         CHPID PATH=F1,SHARED,CPATH=F0,TYPE=ICP
         CHPID PATH=E0,SHARED,AID=0B,PORT=1,CPATH=(CSS(0),E1),         *
               CSYSTEM=CPC2,TYPE=CS5
         CHPID PATH=40,SHARED,SWITCH=11,PCHID=100,TYPE=FC
         CHPID PATH=41,SHARED,SWITCH=11,PCHID=120,TYPE=FC
         CNTLUNIT CUNUMBR=4000,PATH=40,UNITADD=((00,4)),LINK=1121,     *
               CUADD=2,UNIT=FCTC
         IODEVICE ADDRESS=(4000,4),UNITADD=00,CUNUMBR=4000,PART=LP1,   *
               UNIT=FCTC
         CNTLUNIT CUNUMBR=4010,PATH=41,UNITADD=((00,4)),LINK=1120,     *
               CUADD=1,UNIT=FCTC
         IODEVICE ADDRESS=(4000,4),UNITADD=00,CUNUMBR=4010,PART=CF1,   *
               UNIT=FCTC
";
