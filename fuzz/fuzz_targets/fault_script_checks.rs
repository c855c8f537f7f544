//! Laws for any octets as a script of faults. The tests of `faults` run the committed corpus through the same function.

use halftrack_config::fault_script::{read_script, read_study_script};
use halftrack_faults::{Machine, Script};
use halftrack_input::SourceFile;

/// Reads a script, for a link and for a study. It has a meaning where nothing is wrong, and every message is about a place in
/// the text. Fitted to the machine of its seed it is printed as a file that reads back as that script.
pub fn fault_script(octets: &[u8]) {
    let source = SourceFile::new("s.toml", String::from_utf8_lossy(octets));
    let (file, mut found) = read_script(&source);
    let file = file.filter(|_| found.is_empty());
    assert!(file.is_some() || !found.is_empty(), "nothing is wrong, and there is no script");
    let (events, of_study) = read_study_script(&source);
    assert!(events.is_some() || !of_study.is_empty(), "nothing is wrong, and there are no events");
    found.extend(of_study);
    let hosts = file.as_ref().and_then(|file| file.hosts);
    let machine = Machine::new(file.as_ref().and_then(|file| file.seed).unwrap_or(0), hosts);
    match file.map(|file| Script::from_file(&file, &machine)) {
        Some(Ok(script)) => {
            let text = script.to_string();
            let (again, wrong) = read_script(&SourceFile::new("s.toml", &*text));
            assert!(wrong.is_empty(), "{wrong:?}\n{text}");
            let again = again.expect("nothing is wrong");
            assert_eq!(Script::from_file(&again, &machine), Ok(script), "{text}");
        }
        Some(Err(missing)) => found.extend(missing),
        None => {}
    }
    for one in &found {
        assert!(source.text.get(one.at.span.clone()).is_some(), "{one:?}");
    }
}
