# `make run` (which leaves report.html and the other outputs of STUDY in OUT) and `make test`; `make matrix` compares bursts with frames in every cell, `make second-simulator` the twin with
# tests/second_simulator on all of its studies; `make figures` draws the curves of docs/curves again and `make scoreboard`
# writes the tables of docs/scoreboard.md. Everything that they need beside
# cargo is fetched by cargo itself; rust-toolchain.toml names the compiler, which rustup installs on first use.

STUDY ?= studies/z16-oltp
ARGS ?=
OUT ?= out/$(notdir $(STUDY:%/=%))
HALFTRACK := $(or $(CARGO_TARGET_DIR),target)/ship/halftrack

.PHONY: run test zedc ship python matrix processes second-simulator figures scoreboard cargo

run: ship
	@"$(HALFTRACK)" run $(STUDY) --out "$(OUT)" $(ARGS)
	@echo "report: $(OUT)/report.html" >&2

test: cargo
	cargo test

# For the page on cards: nothing is run.
zedc: ship

# The command that users run, the library in the place of zlib, and the one of SMC-R, with the fastest engine of zEDC cards that this machine can
# build, which is named.
ship: cargo
	@engines=$$(.ci/engines) && cargo build --profile ship --package halftrack-cli --package halftrack-zlib --package halftrack-smc-preload $$engines

# A wheel of the Python package in a virtual environment of its own under target/, with its tests and types.
python: cargo
	@.ci/python wheel

# Bursts against frames, every cell, for docs/matrix.md: minutes of all cores.
matrix: cargo
	cargo test --release --package halftrack-sweep --test sweep -- --ignored every_cell_is_on_the_page

# 60 runs of real processes that are killed, stopped, reset and out of room: two minutes. As root with a full disk.
processes: cargo
	cargo test --package halftrack-cli --test processes -- --ignored --nocapture

second-simulator: cargo
	HALFTRACK_PYTHON=required HALFTRACK_SECOND_SIMULATOR=all \
	  cargo test --package halftrack-cli --test command second_simulator -- --nocapture

# The commands are those that the pages show, so that a reader who copies one gets the same picture.
figures: ship
	@awk '/^```sh$$/ { shown = 1; next } /^```$$/ { shown = 0 } shown' docs/curves/*.md \
	  | PATH="$(abspath $(dir $(HALFTRACK))):$$PATH" sh -eu >/dev/null

scoreboard: ship
	@sed '/^<!-- below:/q' docs/scoreboard.md >docs/scoreboard.new
	@{ echo; "$(HALFTRACK)" published --markdown; } >>docs/scoreboard.new
	@mv docs/scoreboard.new docs/scoreboard.md

cargo:
	@command -v cargo >/dev/null || { \
	  echo 'halftrack needs cargo. Install Rust with rustup (https://rustup.rs):'; \
	  echo '  Debian, Ubuntu:  sudo apt-get install gcc rustup'; \
	  echo '  elsewhere:       see https://rustup.rs'; \
	  exit 1; } >&2
