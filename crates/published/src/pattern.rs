//! Choosing figures by a piece of their id or source, or by a pattern with `*` and `?`.

use crate::figure::Figure;

/// Returns true when `pattern` is a part of the id or source of `figure`. With `*` (any characters) or `?` (one) in it,
/// it must match one of them whole.
pub fn chooses(pattern: &str, figure: &Figure) -> bool {
    [&figure.id, &figure.source].into_iter().any(|name| match pattern.contains(['*', '?']) {
        true => glob(pattern.as_bytes(), name.as_bytes()),
        false => name.contains(pattern),
    })
}

/// Returns true when `name` matches `pattern` whole. Works its way back to the last `*` only, so that no pattern is
/// slow.
fn glob(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&byte) if byte == b'?' || byte == name[n] => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                p = at + 1;
                n = taken + 1;
            }
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::tests::figure;
    use crate::figure::{Printed, Relation};

    #[test]
    fn parts_and_patterns() {
        let mut one = figure(Relation::Equal, Printed::Value(1.0));
        one.id = "fex32s-zhpf-4k-mbps".into();
        one.source = "fex32s-2023".into();
        for right in ["zhpf", "2023", "fex32s", "*-mbps", "fex*4k*", "f?x32s-2023", "*"] {
            assert!(chooses(right, &one), "{right}");
        }
        for wrong in ["zHPF", "*-mbp", "mbps*", "?", "fex32s-????-"] {
            assert!(!chooses(wrong, &one), "{wrong}");
        }
    }

    #[test]
    fn many_stars_are_not_slow() {
        let name = "a".repeat(4000);
        assert!(!glob("*a".repeat(200).replace("aa", "a").as_bytes(), format!("{name}b").as_bytes()));
    }
}
