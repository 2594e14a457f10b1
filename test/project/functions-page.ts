import type { FunctionEntry } from '../../src/functions/entry.js';
import { FAMILIES } from '../../src/functions/families.js';
import { FUNCTIONS } from '../../src/functions/table.js';
import { Builder, container, Names, scalar } from '../../src/ir/builder.js';
import { get } from '../../src/ir/expressions.js';
import type { Block } from '../../src/ir/nodes.js';
import type { Value } from '../../src/ir/value.js';
import { visitStatements } from '../../src/ir/walk.js';
import type { Signature } from '../../src/language/signature.js';
import type { Type } from '../../src/language/types.js';

/** Writes the page of all library functions from their table: signatures, what they compute, domains and errors. */

const INTRODUCTION = `# The function library

\`npm run accept\` generates this page from the table in \`src/functions/\`, and a test fails if the two differ.

A line such as \`(array[N] T, int | real) => array[N] T where T = vector | matrix; N = 1..7\` stands for several signatures.
\`|\` separates alternatives for an argument. A capital letter stands for each of the types listed after \`where\`; a letter in
\`array[…]\` stands for a number of dimensions, 0 to 7 by default. Some groups of types have names: \`reals\` is
\`real | array[] real | vector | row_vector\`, \`ints\` is \`int | array[] int\`, \`numbers\` is any of these, and \`vectors\` is
\`vector | row_vector | array[] vector | array[] row_vector\`. In one call, all one-dimensional arguments must have the same size;
scalars are broadcast. An argument marked \`data\` must not depend on parameters.

Every \`_lpdf\` and \`_lpmf\` has a form \`_lupdf\` or \`_lupmf\` that drops the terms that depend only on data. Functions are differentiable
in every argument that is not \`int\` or \`data\`. Functions that end in \`_rng\` are not differentiable, and are allowed only where random numbers
can be drawn. "Errors" lists the messages about values that end an evaluation; … stands for a value. Sizes and indexes are also checked.
`;

export function functionsPage(): string {
  const families = new Map<string, FunctionEntry[]>();
  for (const entry of FAMILIES.flat()) {
    if (FUNCTIONS.lookup(entry.name).length === 0) continue;
    families.set(entry.family, [...(families.get(entry.family) ?? []), entry]);
  }
  const names = [...families.keys()].sort();
  return [
    INTRODUCTION,
    ...names.map((name) => {
      const entries = (families.get(name) ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));
      return `## ${capital(name)}\n\n${entries.map(section).join('\n')}`;
    }),
  ].join('\n');
}

function section(entry: FunctionEntry): string {
  const { computes, domain, source } = entry.documentation;
  const messages = messagesOf(entry);
  return [
    `### ${entry.name}\n`,
    `${sentence(computes)}${domain === undefined ? '' : ` Domain: ${sentence(domain)}`}${
      source === undefined ? '' : ` Source: ${sentence(source)}`
    }\n`,
    `\`\`\`\n${entry.signatures.patterns.join('\n')}\n\`\`\`\n`,
    ...(messages.length === 0 ? [] : [`Errors:\n\n${messages.map((text) => `- \`${text}\``).join('\n')}\n`]),
  ].join('\n');
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The checks in the IR of two calls: one over as many scalars as possible, one over as many vectors. */
function messagesOf(entry: FunctionEntry): string[] {
  const signatures = entry.signatures().filter(({ parameters }) => parameters.every(({ type }) => isPlain(type)));
  const most = (kind: Type['kind'], from: readonly Signature[]): Signature | undefined => {
    const count = ({ parameters }: Signature): number => parameters.filter(({ type }) => type.kind === kind).length;
    return [...from].sort((a, b) => count(b) - count(a))[0];
  };
  const chosen = new Set([most('real', signatures), most('vector', signatures)]);
  const messages = [...chosen].flatMap((signature) => (signature === undefined ? [] : checksOf(entry, signature)));
  return [...new Set(messages.filter((text) => !ABOUT_SIZES.test(text)).map((text) => shown(text, entry.name)))];
}

/** Messages about sizes and indexes, which the page does not list: nearly every function has several. */
const ABOUT_SIZES = /same size|match in size|out of range|has dimension = |non-zero size|more than the \{?\d/;

function isPlain(type: Type): boolean {
  if (type.kind === 'array') return isPlain(type.element);
  return ['int', 'real', 'vector', 'row_vector', 'matrix'].includes(type.kind);
}

function checksOf(entry: FunctionEntry, { name, parameters, result }: Signature): string[] {
  const builder = new Builder(new Names());
  const messages: string[] = [];
  const block: Block = builder.capture(() => {
    const args = parameters.map(({ type }) => unknown(builder, type));
    const value = entry.build(builder, args, { name, result, dropConstants: false, jacobian: null });
    if (value.kind === 'container') builder.materialize(value);
  });
  visitStatements(block, (statement) => {
    if (statement.kind === 'check') messages.push(...textsOf(statement.failure.template));
  });
  return messages;
}

/** A message about an index has one text for an empty container and one for others. */
function textsOf(template: string): readonly string[] {
  const texts = ['container is empty and cannot be indexed', 'expecting index to be between 1 and {$1}'];
  const range = /\{(\d+):range\}/;
  return range.test(template) ? texts.map((text) => template.replace(range, text)) : [template];
}

/** A value of which nothing is known but its type. */
function unknown(builder: Builder, type: Type): Value {
  const depth = depthOf(type);
  const element = elementKind(type);
  if (depth === 0) return scalar(get(builder.newLocal(element, 'argument')), element === 'int' ? 'data' : 'autodiff');
  return container(type, element === 'int' ? 'data' : 'autodiff', builder.newRef(element, depth, 'argument'));
}

function depthOf(type: Type): number {
  if (type.kind === 'array') return 1 + depthOf(type.element);
  return { matrix: 2, vector: 1, row_vector: 1 }[type.kind as string] ?? 0;
}

function elementKind(type: Type): 'int' | 'real' {
  if (type.kind === 'array') return elementKind(type.element);
  return type.kind === 'int' ? 'int' : 'real';
}

/** The message without the function's name, values and places. */
function shown(template: string, name: string): string {
  const text = template.startsWith(`${name}: `) ? template.slice(name.length + 2) : template;
  return text
    .replace(/\{\d+(?::\w+)?\}/g, '…')
    .replace(/\[…\]/g, '')
    .replaceAll('`', "'");
}
