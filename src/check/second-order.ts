import { lacksSecondDerivatives } from '../language/higher-order.js';
import type { Span } from '../source/span.js';
import type { FunctionDefinition, VariableShape } from '../syntax/ast.js';
import { refuse } from './environment.js';
import * as messages from './messages.js';
import type { Callee, ExpressionAnnotation, Typed } from './typed.js';

/**
 * Refuses likelihoods of Laplace approximations that call, themselves or through other functions, library functions
 * without second derivatives. Overloads are not told apart, as in Stan.
 */
export function checkSecondOrder(
  likelihoods: readonly VariableShape[],
  definitions: readonly FunctionDefinition<Typed>[],
): void {
  const visited = new Set<string>();
  const visit = (name: string, use: Span): void => {
    if (visited.has(name)) return;
    visited.add(name);
    for (const definition of definitions) {
      if (definition.name.name !== name || definition.body === undefined) continue;
      for (const used of functionsUsed(definition.body)) {
        if (!used.isLibrary) visit(used.name, use);
        else if (lacksSecondDerivatives(used.name)) refuse(use, messages.lacksSecondDerivatives(used.name));
      }
    }
  };
  for (const { name, span } of likelihoods) visit(name, span);
}

interface Used {
  readonly name: string;
  readonly isLibrary: boolean;
}

const NOT_CHILDREN: ReadonlySet<string> = new Set(['span', 'operatorSpan', 'type', 'callee', 'symbol']);

/** Every function that a part of a program calls or names, in the order of the text. */
function* functionsUsed(part: unknown): Iterable<Used> {
  if (typeof part !== 'object' || part === null) return;
  if ('callee' in part) yield calledName(part as { readonly callee: Callee });
  else if ('symbol' in part) yield* namedFunction(part as ExpressionAnnotation);
  for (const [key, child] of Object.entries(part)) if (!NOT_CHILDREN.has(key)) yield* functionsUsed(child);
}

function calledName({ callee }: { readonly callee: Callee }): Used {
  switch (callee.kind) {
    case 'library':
      return { name: callee.signature.name, isLibrary: true };
    case 'user':
      return { name: callee.function.name, isLibrary: false };
    case 'higherOrder':
      return { name: callee.name, isLibrary: true };
  }
}

function* namedFunction({ symbol }: ExpressionAnnotation): Iterable<Used> {
  if (symbol?.kind === 'function' && symbol.function !== undefined) {
    yield { name: symbol.function.name, isLibrary: false };
  }
}
