//! The functions of a source by counting braces.

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    /// Name.
    pub name: String,
    /// Line of the word `fn`, from 1.
    pub line: usize,
    /// Lines from there to the closing brace.
    pub lines: usize,
}

/// Finds the functions in `code`, Rust text without comments and literals.
pub fn functions(code: &str) -> Vec<Function> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let after_word = code[..at].ends_with(|last: char| last.is_alphanumeric() || last == '_');
        let is_name = |char: char| char.is_alphanumeric() || char == '_';
        let name: String = code[at + 3..].chars().take_while(|&char| is_name(char)).collect();
        if after_word || name.is_empty() {
            continue;
        }
        if let Some(length) = length(&code[at..]) {
            let line = code[..at].matches('\n').count() + 1;
            let lines = code[at..at + length].matches('\n').count() + 1;
            found.push(Function { name, line, lines });
        }
    }
    found
}

/// Returns the bytes of the function that `code` begins with; `None` when it has no body.
fn length(code: &str) -> Option<usize> {
    let (mut brackets, mut braces) = (0_i32, 0_i32);
    for (at, char) in code.char_indices() {
        match char {
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets -= 1,
            ';' if brackets == 0 && braces == 0 => return None,
            '{' => braces += 1,
            '}' => {
                braces -= 1;
                if braces == 0 && brackets == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[test]
fn bodies_are_measured_to_their_closing_brace() {
    let code =
        "fn one() {}\ntrait T { fn none(x: [u8; 2]); }\nfn two(\n  f: fn (u8) -> u8,\n) {\n  if x { y }\n}\n";
    let found: Vec<_> = functions(code).into_iter().map(|one| (one.name, one.line, one.lines)).collect();
    assert_eq!(found, [("one".to_owned(), 1, 1), ("two".to_owned(), 3, 5)]);
}
