# Two commands: `make run` and `make test`. Everything that they need beside cargo is fetched by cargo itself;
# rust-toolchain.toml names the compiler, which rustup installs on first use.

STUDY ?= studies/z16-oltp
ARGS ?=
HALFTRACK := $(or $(CARGO_TARGET_DIR),target)/ship/halftrack

.PHONY: run test cargo

run: cargo
	@cargo build --profile ship --package halftrack-cli
	@"$(HALFTRACK)" run $(STUDY) $(ARGS)

test: cargo
	cargo test --workspace

cargo:
	@command -v cargo >/dev/null || { \
	  echo 'halftrack needs cargo. Install Rust with rustup (https://rustup.rs):'; \
	  echo '  Debian, Ubuntu:  sudo apt-get install gcc rustup'; \
	  echo '  elsewhere:       see https://rustup.rs'; \
	  exit 1; } >&2
