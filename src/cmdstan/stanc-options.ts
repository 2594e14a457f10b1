/** The options of stanc 2.40, as listed in its help, and the parser of its command line. */

interface StancOption {
  readonly names: readonly string[];
  /** The placeholder after `=`; absent for a boolean option. */
  readonly value?: string;
}

const OPTIONS: readonly StancOption[] = [
  { names: ['allow-undefined'] },
  { names: ['auto-format'] },
  { names: ['canonicalize'], value: 'OPTIONS' },
  { names: ['color'], value: 'WHEN' },
  // An extension: writes an executable. The value lists variables of the makefile that are set.
  { names: ['executable'], value: 'VARIABLES' },
  { names: ['filename-in-msg'], value: 'FILENAME' },
  { names: ['include-paths', 'I'], value: 'DIRS' },
  { names: ['info'] },
  { names: ['max-line-length'], value: 'LENGTH' },
  { names: ['name'], value: 'NAME' },
  { names: ['output', 'o'], value: 'FILENAME' },
  { names: ['O0'] },
  { names: ['O1', 'O'] },
  { names: ['Oexperimental'] },
  { names: ['print-canonical'] },
  { names: ['print-cpp'] },
  { names: ['standalone-functions'] },
  { names: ['use-opencl'] },
  { names: ['version'] },
  { names: ['help', '?'] },
  { names: ['warn-pedantic'] },
  { names: ['warn-uninitialized'] },
];

export interface StancWords {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  readonly files: readonly string[];
  /** The given options, without those for outputs. */
  readonly given: readonly string[];
}

/** Options for outputs. */
const OUTPUTS: ReadonlySet<string> = new Set(['executable', 'output']);

/** Parses a command line. Options may be abbreviated to an unambiguous prefix. */
export function readStancWords(words: readonly string[]): StancWords | { readonly problem: string } {
  const flags = new Set<string>();
  const values = new Map<string, string>();
  const files: string[] = [];
  const all: string[] = [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-') || word === '-') {
      files.push(word);
      continue;
    }
    const [, name, given] = /^--?([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    const option = name === undefined ? undefined : findOption(name);
    if (option === undefined) return { problem: `unknown option ${word.replace(/=.*$/s, '')}.` };
    const [key] = option.names;
    if (!OUTPUTS.has(key)) all.push(word);
    if (option.value === undefined) flags.add(key);
    else {
      const value = given ?? rest.shift();
      if (value === undefined) return { problem: `option --${key} needs an argument` };
      if (given === undefined && !OUTPUTS.has(key)) all.push(value);
      values.set(key, value);
    }
  }
  return { flags, values, files, given: all };
}

function findOption(name: string): StancOption | undefined {
  const exact = OPTIONS.find(({ names }) => names.includes(name));
  if (exact !== undefined || name === '') return exact;
  const matching = OPTIONS.filter(({ names }) => names.some((each) => each.startsWith(name)));
  return matching.length === 1 ? matching[0] : undefined;
}

/** The output of `--help`. */
export function stancHelp(): string {
  const rows = OPTIONS.map(({ names, value }) => {
    const texts = names.map((name) => (name.length === 1 && name !== 'O' ? `-${name}` : `--${name}`));
    return `  ${texts.join(', ')}${value === undefined ? '' : `=${value}`}`;
  });
  return ['Usage: stanc [OPTION]… [MODEL_FILE]', '', 'Options:', ...rows].join('\n');
}
