import { lacksSecondDerivatives } from '../language/higher-order.js';
import type { Span } from '../source/span.js';
import { type Environment, refuse } from './environment.js';
import * as messages from './messages.js';

/**
 * Refuses likelihoods of Laplace approximations that call, themselves or through other functions, library functions
 * without second derivatives. Overloads are not distinguished, and the last approximation is checked first, as in Stan.
 */
export function checkSecondOrder(environment: Environment): void {
  const visited = new Set<string>();
  const visit = (name: string, use: Span): void => {
    if (visited.has(name)) return;
    visited.add(name);
    for (const used of environment.usesIn(name)) {
      if (!used.isLibrary) visit(used.name, use);
      else if (lacksSecondDerivatives(used.name)) refuse(use, messages.lacksSecondDerivatives(used.name));
    }
  };
  for (const { name, span } of environment.secondOrder.toReversed()) visit(name, span);
}
