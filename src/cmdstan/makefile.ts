import { STAN_VERSION_TEXT } from '../formats/stan-version.js';
import { MAKE_FLAGS } from './executable.js';

/** Variables of CmdStan's makefile that would change results in CmdStan and are not supported here. */
export const REFUSED_VARIABLES: readonly string[] = ['STAN_OPENCL', 'STAN_MPI', 'USER_HEADER'];

/** The error for an unsupported variable. */
export function refusalOf(variable: string): string {
  return `${variable} is set, but models are compiled to WebAssembly here: there is no C++ for it`;
}

/**
 * The makefile of a home, for GNU make, with the targets and variables of CmdStan's makefile that interfaces use.
 * `remakeTools` is the command that writes the tools again, which interfaces run if a tool is missing.
 */
export function makefileText(tools: readonly string[], remakeTools: string): string {
  const refused = REFUSED_VARIABLES.map((name) => `ifdef ${name}\n$(error ${refusalOf(name)})\nendif`);
  const variables = MAKE_FLAGS.map((flag) => `${flag}=$(${flag})`).join(' ');
  const [target, program] = ['$@', '$<'].map((name) => quoted(`$(subst \\,/,${name})`));
  return `# A CmdStan home by Leapfrog: make path/to/model compiles path/to/model.stan.
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:

# The default target
help:

-include make/local

CMDSTAN_VERSION := ${STAN_VERSION_TEXT}
EXE :=
STANCFLAGS ?=
STAN_TARGETS = $(patsubst %.stan,%$(EXE),$(wildcard $(patsubst %$(EXE),%.stan,$(MAKECMDGOALS))))

${refused.join('\n')}

.PHONY: help build clean clean-all clean-deps clean-build compile_info
help:
\t@echo 'CmdStan v$(CMDSTAN_VERSION) by Leapfrog: models are compiled to WebAssembly.'
\t@echo ''
\t@echo '  Given a Stan program at foo/bar.stan, build an executable by typing:'
\t@echo '    > $(MAKE) foo/bar'
\t@echo ''
\t@echo '  STANCFLAGS: options for stanc, such as --include-paths=DIR or --warn-pedantic'
\t@echo '  STAN_THREADS: set, the executable may run several chains at a time (num_threads)'
\t@echo ''
\t@echo '  Variables can be set in make/local. Those of the C++ compiler have no meaning here.'

build: bin/stanc bin/stansummary bin/print bin/diagnose
\t@echo ''
\t@echo '--- CmdStan v$(CMDSTAN_VERSION) built ---'

${tools.join(' ')}:
\t@${remakeTools.replaceAll('$', '$$$$')}

clean clean-all clean-deps:
\t@echo '  removing built example model'
\t@rm -f examples/bernoulli/bernoulli examples/bernoulli/*.csv

clean-build: clean-all build

compile_info:
\t@: $(info bin/stanc $(STANCFLAGS))

print-% : ; @: $(info $* = $($*))

%.hpp : %.stan
\tbin/stanc $(STANCFLAGS) --o=${target} ${program}

% : %.stan
\t@echo ''
\t@echo '--- Translating Stan model to WebAssembly ---'
\tbin/stanc $(STANCFLAGS) --o=${quoted('$@')} --executable=${quoted(variables)} ${quoted('$<')}
`;
}

/** An expression of make whose value becomes one word for the shell, which does not interpret it. */
function quoted(expression: string): string {
  return `'$(subst ','\\'',${expression})'`;
}
