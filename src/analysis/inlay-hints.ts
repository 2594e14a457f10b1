/** Hints that an editor shows within the text: types of loop variables, and parameter names in calls of the program's functions. */
import type { TypedExpression, TypedProgram, UserFunction } from '../check/typed.js';
import { showType } from '../language/types.js';
import { visitProgram } from '../syntax/walk.js';
import { type Stretch, stretchOf } from './symbols.js';

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
      if (node.kind !== 'forEach') return;
      const variable = variables.get(node.variable);
      if (variable === undefined) return;
      add({ kind: 'type', at: stretchOf(node.variable.span), text: showType(variable.type) });
    },
  });
  return hints.sort((a, b) => a.at.from - b.at.from);
}
