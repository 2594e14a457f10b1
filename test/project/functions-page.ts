import type { FunctionEntry } from '../../src/functions/entry.js';
import { FAMILIES } from '../../src/functions/families.js';
import {
  BINARY,
  BINARY_REAL,
  INT_AND_INT,
  INT_THEN_REAL,
  type Pattern,
  REAL_THEN_INT,
  UNARY,
} from '../../src/functions/signatures.js';
import { FUNCTIONS } from '../../src/functions/table.js';
import { messagesOf } from './function-messages.js';

/** Writes the pages of all library functions from their table: signatures, what they compute, domains and errors. */

/** Signatures that many functions share, and what they describe. */
const SHARED: readonly (readonly [string, readonly Pattern[], string])[] = [
  ['UNARY', UNARY, 'elementwise over one argument of any shape'],
  ['BINARY', BINARY, 'elementwise over two arguments of the same shape, or over a scalar and any shape'],
  ['BINARY_REAL', BINARY_REAL, 'like `BINARY`, but only over reals'],
  ['INT_THEN_REAL', INT_THEN_REAL, 'elementwise over integers and reals'],
  ['REAL_THEN_INT', REAL_THEN_INT, 'elementwise over reals and integers'],
  ['INT_AND_INT', INT_AND_INT, 'elementwise over integers, with integer results'],
];

const INTRODUCTION = `# The function library

\`npm run accept\` generates this page and its chapters from the table in \`src/functions/\`, and a test fails if they differ.

The [index](#index) lists all functions, and the [chapters](#chapters) describe them.

## Notation

A line such as \`(array[N] T, int | real) => array[N] T where T = vector | matrix; N = 1..7\` stands for several signatures.
\`|\` separates alternatives for an argument. A capital letter stands for each of the types listed after \`where\`; a letter in
\`array[…]\` stands for a number of dimensions, 0 to 7 by default. An argument marked \`data\` must not depend on parameters. Groups of
types have names:

| name               | types                                                      |
| ------------------ | ---------------------------------------------------------- |
| \`reals\`            | \`real\`, \`array[] real\`, \`vector\`, \`row_vector\`             |
| \`ints\`             | \`int\`, \`array[] int\`                                       |
| \`numbers\`          | \`reals\`, \`ints\`                                            |
| \`vectors\`          | \`vector\`, \`row_vector\`, and one-dimensional arrays of them |
| \`matrices\`         | \`vector\`, \`row_vector\`, \`matrix\`                           |
| \`complex_matrices\` | \`complex_vector\`, \`complex_row_vector\`, \`complex_matrix\`   |

In one call, all one-dimensional arguments must have the same size; scalars are broadcast.

The functions of a distribution are listed together. \`_lpdf\` and \`_lpmf\` are log densities and log probabilities; the forms \`_lupdf\`
and \`_lupmf\` drop the terms that depend only on data. \`_cdf\` is the probability of a value of at most y, \`_lcdf\` its logarithm,
and \`_lccdf\` the log probability of a value above y. \`_rng\` draws a value, in transformed data, generated quantities and functions
whose names end in \`_rng\`. \`_constrain\` transforms free values, \`_jacobian\` also adds the log Jacobian to the log density, and
\`_unconstrain\` is the inverse. All functions except \`_rng\` are differentiable in every argument that is not \`int\` or \`data\`.

"Requires" lists conditions on values: if \`Scale parameter\` must be positive but is -1, the evaluation fails with
\`normal_lpdf: Scale parameter is -1, but must be positive!\`. "Errors" lists other messages about values; … stands for a value.
Suffixes in parentheses name the functions to which a condition applies. Without suffixes, it applies to all of them, except
\`_rng\` if that has no such argument. Sizes and indexes are also checked.

## Shared signatures
`;

/** Suffixes of the functions of one distribution or transform, in the order of the page. */
const FORMS = ['lpdf', 'lpmf', 'cdf', 'lcdf', 'lccdf', 'rng', 'constrain', 'jacobian', 'unconstrain'];
const FORM = new RegExp(`^(.+)_(${FORMS.join('|')})$`);

/** Functions that the page describes together. */
type Group = readonly FunctionEntry[];

/** A chapter: the functions of one family. */
interface Chapter {
  readonly title: string;
  readonly path: string;
  readonly groups: readonly Group[];
}

/** The texts of the pages, by their paths. */
export function functionPages(): ReadonlyMap<string, string> {
  const chapters = chaptersOf(groups());
  return new Map([
    ['docs/functions.md', start(chapters)],
    ...chapters.map(({ groups, path, title }): [string, string] => {
      const reference = '[The function library](../functions.md) explains the notation and the shared signatures.';
      return [`docs/${path}`, `# ${title}\n\n${reference}\n\n${groups.map(section).join('\n')}`];
    }),
  ]);
}

function chaptersOf(groups: readonly Group[]): Chapter[] {
  return [...grouped(groups, ([{ family }]) => family)]
    .map(([family, members]) => ({
      title: capital(family),
      path: `functions/${family.toLowerCase().replaceAll(' ', '-')}.md`,
      groups: members.sort(([a], [b]) => (a.name < b.name ? -1 : 1)),
    }))
    .sort((a, b) => (a.title < b.title ? -1 : 1));
}

/** The notation, the shared signatures, the chapters and the index. */
function start(chapters: readonly Chapter[]): string {
  const shared = SHARED.map(([name, patterns, what]) => `\`${name}\`: ${what}.\n\n${code(patterns)}\n`);
  const listed = chapters.map(({ path, title }) => `- [${title}](${path})`);
  const links = chapters.flatMap(({ groups, path }) =>
    groups.map((group) => {
      const heading = headingOf(group);
      const fragment = heading.replaceAll(',', '').replaceAll(' ', '-').toLowerCase();
      return { key: heading.toLowerCase(), link: `[${heading}](${path}#${fragment})` };
    }),
  );
  const initials = grouped(
    links.sort((a, b) => (a.key < b.key ? -1 : 1)),
    ({ key }) => key.slice(0, 1).toUpperCase(),
  );
  const index = [...initials].map(
    ([initial, members]) => `**${initial}** ${members.map(({ link }) => link).join(',\n')}\n`,
  );
  return [INTRODUCTION, ...shared, '## Chapters\n', `${listed.join('\n')}\n`, '## Index\n', ...index].join('\n');
}

/** Functions grouped by distribution or transform, others by description. */
function groups(): Group[] {
  const entries = FAMILIES.flat().filter(({ name }) => FUNCTIONS.lookup(name).length > 0);
  const byKey = grouped(entries, ({ name, family, documentation }) => {
    return FORM.exec(name)?.[1] ?? `${family}: ${JSON.stringify(documentation)}`;
  });
  const order = ({ name }: FunctionEntry): number => FORMS.indexOf(FORM.exec(name)?.[2] ?? '');
  return [...byKey.values()].map((group) => group.sort((a, b) => order(a) - order(b) || (a.name < b.name ? -1 : 1)));
}

function section(group: Group): string {
  return [
    `## ${headingOf(group)}\n`,
    `${[sentence(group[0].documentation.computes), ...remarks(group, 'domain'), ...remarks(group, 'source')].join(' ')}\n`,
    `${signatures(group)}\n`,
    ...errors(group),
  ].join('\n');
}

/** Domains or sources, each with the functions for which it is given. */
function remarks(group: Group, kind: 'domain' | 'source'): string[] {
  const texts = grouped(group, ({ documentation }) => documentation[kind] ?? '');
  texts.delete('');
  return [...texts].map(([text, entries]) => {
    const of = entries.length === group.length ? '' : ` of ${entries.map(short).join(', ')}`;
    return `${capital(kind)}${of}: ${sentence(text)}`;
  });
}

/** Lines of signatures; if they differ within the group, each follows the functions that have it. */
function signatures(group: Group): string {
  const byPatterns = grouped(group, (entry) => abbreviated(entry.signatures.patterns).join('\n'));
  const [first, ...others] = [...byPatterns];
  if (others.length === 0) return code([first[0]]);
  return code(
    [first, ...others].flatMap(([patterns, entries]) => {
      const names = entries.map(({ name }) => FORM.exec(name)?.[2] ?? name);
      return patterns
        .split('\n')
        .map((pattern) => `${names.map((name) => (FORMS.includes(name) ? `_${name}` : name)).join(' ')} ${pattern}`);
    }),
  );
}

/** The patterns, those of a shared list as its name. */
function abbreviated(patterns: readonly Pattern[]): readonly string[] {
  const shared = SHARED.find(([, all]) => all.every((pattern) => patterns.includes(pattern)));
  if (shared === undefined) return patterns;
  const [name, all] = shared;
  return [name, ...patterns.filter((pattern) => !all.includes(pattern))];
}

/** A message, or a condition that a message states. */
interface Message {
  /** The argument of a condition, or null. */
  readonly argument: string | null;
  readonly text: string;
  readonly of: Group;
}

function errors(group: Group): string[] {
  const found = group.flatMap((entry) => messagesOf(entry).map((message) => ({ entry, message })));
  const all = [...grouped(found, ({ message }) => message.replace('must not be', 'must be not'))].map(
    ([message, uses]) => ({
      ...parsed(message),
      of: uses.map(({ entry }) => entry),
    }),
  );
  const scope = ({ of, argument }: Message): string => {
    const others = group.filter((entry) => !of.includes(entry));
    const unmentioned = all.every(
      (other) => other.argument !== argument || !others.some((entry) => other.of.includes(entry)),
    );
    if (others.length === 0 || (argument !== null && unmentioned && others.every(({ name }) => name.endsWith('_rng'))))
      return '';
    return ` (${of.map(short).join(', ')})`;
  };
  const conditions = grouped(all, ({ argument }) => argument ?? '');
  const others = conditions.get('') ?? [];
  conditions.delete('');
  const listed = [...conditions].map(
    ([argument, of]) => `\`${argument}\` ${of.map((message) => `${message.text}${scope(message)}`).join(', ')}`,
  );
  return [
    ...(listed.length === 0 ? [] : [`Requires: ${listed.join('; ')}.\n`]),
    ...(others.length === 0
      ? []
      : [`Errors:\n\n${others.map((message) => `- \`${message.text}\`${scope(message)}`).join('\n')}\n`]),
  ];
}

/** The argument and the condition of a message "ARGUMENT is …, but must be CONDITION!". */
function parsed(message: string): { argument: string | null; text: string } {
  const found = /^([^:]+?) is (?:…|nan), but must be (.+?)!?$/.exec(message);
  if (found === null) return { argument: null, text: message };
  return { argument: found[1], text: found[2] };
}

/** The items by key, in the order of first occurrence. */
function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

const headingOf = (group: Group): string => group.map(({ name }) => name).join(', ');
const code = (lines: readonly string[]): string => `\`\`\`\n${lines.join('\n')}\n\`\`\``;
const short = ({ name }: FunctionEntry): string => `\`${name.replace(FORM, '_$2')}\``;
const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
