//! A directory of figures, one experiment and one study, which tests change.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

const FIGURES: &str = "source = 'mine'\ntitle = 'Mine'\n";

/// Five figures, in the order of the file.
const ALL: [(&str, &str, &str); 5] = [
    ("rate", ">", "iops"),
    ("fex32s-zhpf-4k-read-max-iops", "=", "iops"),
    ("jobs", ">=", "count"),
    ("odd", "~", "iops"),
    ("left", "=", "iops"),
];

const EXPERIMENT: &str = "\
[[experiment]]
name = 'reads'
study = 'small'
program = 'one read of 4 KiB'
[[experiment.point]]
name = 'some'
set = ['workload.stream.READ.closed.jobs=8']

[[experiment.answer]]
figure = 'rate'
value = 'rate_per_s:READ@some'
[[experiment.answer]]
figure = 'fex32s-zhpf-4k-read-max-iops'
value = 'rate_per_s:READ@some'
[[experiment.answer]]
figure = 'jobs'
value = 'completed:READ@some'
status = 'definition'
reason = 'as many as one likes'
[[experiment.answer]]
figure = 'odd'
value = 'rate_per_s:READ@some'
status = 'contradicted'
reason = 'it cannot be'
readings = ['one', 'another']
";

/// A directory for `--published`.
pub struct Directory(TempDir);

impl Directory {
    /// Creates five figures of which four are answered; the study measures 5 ms.
    pub fn new() -> Self {
        let directory = Self(tempfile::tempdir().expect("temporary directory"));
        let figures: String =
            ALL.iter().map(|(id, relation, quantity)| figure(id, relation, quantity)).collect();
        directory.write("mine.toml", &format!("{FIGURES}{figures}"));
        directory.write("experiments/mine.toml", EXPERIMENT);
        let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/fex32s-zhpf-4k");
        for file in ["deck.iocp", "plant.toml", "workload.toml"] {
            let text = fs::read_to_string(study.join(file)).expect("a study of the repository");
            let text = text
                .replace("READ4K", "READ")
                .replace("interval_s = 1.0", "interval_s = 0.005")
                .replace("warmup_s = 0.05", "warmup_s = 0.001");
            directory.write(&format!("studies/small/{file}"), &text);
        }
        directory
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a directory above")).expect("directory");
        fs::write(path, text).expect("file");
    }

    /// Changes the text of a file.
    pub fn edit(&self, name: &str, change: impl FnOnce(&str) -> String) {
        let before = fs::read_to_string(self.path().join(name)).expect("file");
        let after = change(&before);
        assert_ne!(before, after, "{name} is unchanged");
        self.write(name, &after);
    }
}

/// Returns a measured figure that any run passes when it is one-sided.
pub fn figure(id: &str, relation: &str, quantity: &str) -> String {
    let unit = if quantity == "iops" { "IO/s" } else { "jobs" };
    format!(
        "[[figure]]\nid = '{id}'\nwhere = 'Figure 1'\nwhat = 'A figure'\nquantity = '{quantity}'\n\
         relation = '{relation}'\nvalue = 1\nunit = '{unit}'\nkind = 'measured'\nparams = {{}}\n"
    )
}
