import type { FunctionEntry } from '../../src/functions/entry.js';
import { Builder, container, Names, scalar } from '../../src/ir/builder.js';
import { get } from '../../src/ir/expressions.js';
import type { Block } from '../../src/ir/nodes.js';
import type { Value } from '../../src/ir/value.js';
import { visitStatements } from '../../src/ir/walk.js';
import type { Signature } from '../../src/language/signature.js';
import type { Type } from '../../src/language/types.js';

/** Messages about values that end an evaluation of a function. `…` stands for a value. */

/** The checks in the IR of two calls: one over as many scalars as possible, one over as many vectors. */
export function messagesOf(entry: FunctionEntry): string[] {
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

/** A value of which only the type is known. */
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

/** The message without the function's name, values and positions. */
function shown(template: string, name: string): string {
  const text = template.startsWith(`${name}: `) ? template.slice(name.length + 2) : template;
  return text
    .replace(/\{\d+(?::\w+)?\}/g, '…')
    .replace(/\[…\]/g, '')
    .replaceAll('`', "'");
}
