//! Figures and experiments of several files and directories together.

use std::collections::BTreeSet;

use halftrack_catalog::Catalog;
use halftrack_input::Diagnostic;
use halftrack_published::{Builtin, Kind, Library};

use crate::directory::{Directory, figure};

fn load(directory: &Directory) -> (Library, Vec<String>) {
    let (library, found) = Library::load(&[directory.path()], Builtin::UnitsOnly);
    let path = format!("{}/", directory.path().display());
    (library, found.iter().map(|one| one.line().replace(&path, "")).collect())
}

#[test]
fn the_built_in_library_is_whole_and_without_messages() {
    let (library, found) = Library::load(&[], Builtin::Under);
    assert_eq!(found, []);
    let ids: BTreeSet<&str> = library.figures().map(|figure| figure.id.as_str()).collect();
    assert_eq!(ids.len(), library.figures().count());
    let sizes: Vec<_> =
        library.documents.iter().map(|one| (one.source.as_str(), one.figures.len())).collect();
    let expected =
        [("fex32s-2023", 300), ("ficon-2002", 178), ("isfc", 24), ("pcie-2015", 113), ("sap-2023", 142)];
    assert_eq!(sizes, expected);
    assert!(library.experiments.iter().all(|one| !one.answers.is_empty()));
}

#[test]
fn every_figure_that_the_catalog_names_is_there() {
    let (library, _) = Library::load(&[], Builtin::Under);
    let ids: BTreeSet<&str> = library.figures().map(|figure| figure.id.as_str()).collect();
    let (catalog, _) = Catalog::load(&[]);
    let mut named = 0;
    for (directory, id, _) in catalog.sources() {
        for parameter in catalog.parameters(directory, id) {
            for figure in halftrack_published::named_figures(&parameter) {
                named += 1;
                assert!(ids.contains(figure.as_str()), "{}: {figure}", parameter.name());
            }
        }
    }
    assert!(named > 20);
}

#[test]
fn the_printed_generation_codes_are_those_of_the_catalog() {
    let (library, _) = Library::load(&[], Builtin::Under);
    let (catalog, _) = Catalog::load(&[]);
    let codes: Vec<_> = library.documents.iter().flat_map(|document| &document.codes).collect();
    let mut checked = 0;
    for code in &codes {
        let id = match code["channel"].as_str() {
            "FEx32S" => "fex32s",
            "FEx16SA" => "fex16sa",
            "FEx16S+" => "fex16sp",
            _ => continue,
        };
        let card = catalog.channels.get(id).unwrap_or_else(|| panic!("no {id}"));
        let speed = card.speeds.iter().find(|speed| {
            speed.gbps.to_string() == code["link_gbps"] && speed.fec.to_string() == code["fec"]
        });
        let generation = speed.map(|speed| format!("{:02X}", speed.generation.value));
        assert_eq!(generation.as_deref(), Some(code["code"].as_str()), "{code:?}");
        checked += 1;
    }
    assert_eq!((codes.len(), checked), (11, 11));
}

#[test]
fn one_id_in_two_files_is_refused_with_both_places() {
    let directory = Directory::new();
    let again = format!("source = 'other'\ntitle = 'Other'\n{}", figure("left", "=", "iops"));
    directory.write("other.toml", &again);
    let (library, found) = Library::load(&[directory.path()], Builtin::UnitsOnly);
    let said = found.iter().map(Diagnostic::to_string).collect::<String>();
    assert!(
        said.starts_with("HTK970E ") && said.contains("other.toml:4:6 two figures have the id `left`"),
        "{said}"
    );
    assert!(said.contains("mine.toml:"), "{said}");
    assert_eq!(library.figures().count(), 6);
}

#[test]
fn an_answer_to_no_figure_and_a_second_answer_are_refused() {
    let directory = Directory::new();
    directory
        .edit("experiments/mine.toml", |text| text.replace("'odd'", "'rate'").replace("'jobs'", "'jops'"));
    let (_, said) = load(&directory);
    assert_eq!(
        said,
        [
            "HTK974E experiments/mine.toml:16:10 no file has a figure `jops`",
            "HTK975E experiments/mine.toml:21:10 `rate` is answered twice",
        ]
    );
}

#[test]
fn a_quantity_of_another_unit_is_refused() {
    let directory = Directory::new();
    directory.edit("experiments/mine.toml", |text| text.replacen("rate_per_s:READ", "response_ms:READ", 1));
    let (_, said) = load(&directory);
    let expected = "HTK979E experiments/mine.toml:11:9 `rate` is in IO/s, which is compared with values in 1/s; \
                    the answer is in ms";
    assert_eq!(said, [expected]);
}

#[test]
fn a_file_of_the_same_name_replaces_the_built_in_one() {
    let directory = Directory::new();
    let mine = format!("source = 'isfc'\ntitle = 'Mine'\n{}", figure("isfc-mine", "=", "iops"));
    directory.write("isfc.toml", &mine);
    let answer = "[[experiment]]\nname = 'mine too'\n[[experiment.answer]]\nfigure = 'isfc-mine'\n\
                  status = 'definition'\nreason = 'an input'\n";
    directory.write("experiments/isfc.toml", answer);
    directory
        .write("units.toml", "[[unit]]\nquantity = 'count'\nwords = ['jobs']\ncompared_with = 'count'\n");
    directory.edit("mine.toml", |text| text.replace("'fex32s-zhpf-4k-read-max-iops'", "'mine-max'"));
    directory
        .edit("experiments/mine.toml", |text| text.replace("'fex32s-zhpf-4k-read-max-iops'", "'mine-max'"));
    let (library, found) = Library::load(&[directory.path()], Builtin::Under);
    assert_eq!(found, []);
    let isfc: Vec<_> =
        library.figures().filter(|one| one.source == "isfc").map(|one| one.id.as_str()).collect();
    assert_eq!(isfc, ["isfc-mine"]);
    assert!(library.figures().any(|one| one.source == "fex32s-2023" && one.kind == Kind::Measured));
    assert!(library.answer("mine-max").is_some());
    assert!(library.answer("isfc-mine").is_some() && library.answer("isfc-fe4-link-rate").is_none());
}

#[test]
fn a_study_beside_the_experiment_and_a_study_that_is_not_there() {
    let directory = Directory::new();
    directory.edit("experiments/mine.toml", |text| text.replace("'small'", "'../studies/small'"));
    assert_eq!(load(&directory).1, Vec::<String>::new());
    directory.edit("experiments/mine.toml", |text| text.replace("'../studies/small'", "'smal'"));
    let (library, found) = Library::load(&[directory.path()], Builtin::UnitsOnly);
    assert_eq!(found[0].fix.as_deref(), Some("did you mean `small`?"));
    assert!(library.experiments.is_empty());
}

#[test]
fn a_directory_that_is_not_there_is_said() {
    let directory = Directory::new();
    let (_, found) = Library::load(&[&directory.path().join("nowhere")], Builtin::UnitsOnly);
    assert_eq!(found.iter().map(Diagnostic::code).collect::<Vec<_>>(), ["HTK890E"]);
}
