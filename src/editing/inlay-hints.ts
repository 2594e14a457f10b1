/** Hints that an editor shows within the text: types of loop variables, and parameter names in calls of the program's functions. */
import type { Typed, TypedExpression, TypedProgram, UserFunction, Variable } from '../check/typed.js';
import { type Stretch, stretchOf } from '../derive/symbols.js';
import { showType } from '../language/types.js';
import { spanText } from '../source/span.js';
import type { SizedType } from '../syntax/ast.js';
import { visitProgram } from '../syntax/walk.js';

export interface InlayHint {
  readonly kind: 'type' | 'parameter';
  /** The location of the name or expression. The type of a variable is shown behind it, and a parameter name before its argument. */
  readonly at: Stretch;
  readonly text: string;
}

/** The hints of one file, in the order of the text. */
export function inlayHints({ tree, variables, functions }: TypedProgram, file: string): readonly InlayHint[] {
  const hints: InlayHint[] = [];
  const names = new Map(
    functions.map(({ function: { id }, definition }) => [id, definition.parameters.map(({ name }) => name.name)]),
  );
  const sizes = new Map<Variable, SizedType<Typed>>();
  const add = (hint: InlayHint) => {
    if (hint.at.file === file) hints.push(hint);
  };
  /** `first`: the index of the parameter of the first argument. */
  const call = (called: UserFunction, values: readonly TypedExpression[], first: number) => {
    for (const [index, value] of values.entries()) {
      const text = names.get(called.id)?.[first + index];
      const isSame = value.kind === 'variable' && value.name === text;
      if (text !== undefined && !isSame) add({ kind: 'parameter', at: stretchOf(value.span), text });
    }
  };
  visitProgram(tree, {
    expression: (node) => {
      if (node.kind === 'call' && node.callee.kind === 'user') call(node.callee.function, node.arguments, 0);
    },
    statement: (node) => {
      if (node.kind === 'callStatement' && node.callee.kind === 'user') call(node.callee.function, node.arguments, 0);
      if (node.kind === 'tilde' && node.callee.kind === 'user') call(node.callee.function, node.arguments, 1);
      if (node.kind === 'declaration') {
        for (const { name } of node.variables) {
          const variable = variables.get(name);
          if (variable !== undefined) sizes.set(variable, node.type);
        }
      }
      if (node.kind !== 'forEach') return;
      const variable = variables.get(node.variable);
      if (variable === undefined) return;
      const { container } = node;
      const symbol = container.kind === 'variable' ? container.symbol : undefined;
      const element = symbol?.kind === 'variable' ? elementOf(sizes.get(symbol)) : undefined;
      if (element !== undefined) sizes.set(variable, element);
      const text = element === undefined ? showType(variable.type) : textOf(element);
      add({ kind: 'type', at: stretchOf(node.variable.span), text });
    },
  });
  return hints.sort((a, b) => a.at.from - b.at.from);
}

/** The type of the elements of an array. */
function elementOf(type: SizedType<Typed> | undefined): SizedType<Typed> | undefined {
  if (type?.kind !== 'array') return undefined;
  return type.sizes.length === 1 ? type.element : { ...type, sizes: type.sizes.slice(1) };
}

/** A type with its sizes as they are declared. */
function textOf(type: SizedType<Typed>): string {
  if (type.kind !== 'array') return spanText(type.span);
  return `array[${type.sizes.map(({ span }) => spanText(span)).join(', ')}] ${textOf(type.element)}`;
}
