# Each target does all of its set-up: on a fresh Debian or Ubuntu machine only the Swift toolchain is needed.
SHELL := /bin/bash
SWIFT ?= swift
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
PACKAGES := libopenblas-dev libomp-dev
# The tests run the ARM kernels in an emulator.
ifeq ($(shell uname -m),x86_64)
test: PACKAGES += gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
endif

.PHONY: demo test build verify bench bench-build format setup clean

demo: build
	@"$$($(SWIFT) build -c release --show-bin-path)/gemma" run demo "Once upon a time"

test: setup
	$(SWIFT) test -c release

build: setup
	$(SWIFT) build -c release --product gemma

# The bundled model on every kernel level, thread count and chunk size: the bits must be the same.
verify: build
	"$$($(SWIFT) build -c release --show-bin-path)/gemma" verify demo

# An overview of the kernels, then of the bundled model; Benchmarks/README.md says more.
bench: bench-build
	Benchmarks/.build/release/kernel-bench --kernel q4g64 --rows 1,4,256 --repetitions 3
	Benchmarks/.build/release/model-bench Sources/DemoModel/Resources/demo --depths 128,512,2048

bench-build: setup
	$(SWIFT) build --package-path Benchmarks -c release

format: PACKAGES := clang-format
format: setup
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests \
	  Benchmarks/Package.swift Benchmarks/Sources
	clang-format -i $$(git ls-files '*.c' '*.h')

# Asks the package manager only for what is missing, so that a prepared machine needs neither network nor sudo.
setup:
	@if [ "$$(uname -s)" = Linux ]; then \
	  missing=""; \
	  for package in $(PACKAGES); do \
	    dpkg-query -W -f='$${db:Status-Status}\n' $$package 2>/dev/null | grep -qx installed || missing="$$missing $$package"; \
	  done; \
	  if [ -n "$$missing" ]; then \
	    if ! command -v apt-get >/dev/null; then \
	      echo "Install the development files of OpenBLAS and of OpenMP (LLVM) with your package manager." >&2; \
	      exit 1; \
	    fi; \
	    $(SUDO) apt-get update && $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $$missing; \
	  fi; \
	fi

clean:
	rm -rf .build Benchmarks/.build
