import { Builder, type Names } from '../../ir/builder.js';
import type { Block, IrFunction, Ref } from '../../ir/nodes.js';
import { refuseFinal } from './missing-derivatives.js';
import { TangentFunctions } from './tangent-functions.js';
import { writeTangents } from './tangents.js';

/** The directional derivative of a log density, and the functions that it calls. */
export interface Directional {
  /** Computes the derivative in `target`. */
  readonly block: Block;
  /** The functions of the log density and those made for the derivative. */
  readonly functions: readonly IrFunction[];
}

/**
 * The derivative of a log density at `position` along `direction`, a vector of the same size. The result is an ordinary log density, whose
 * gradient with respect to the position is the product of the Hessian with the direction. Source: Pearlmutter, Fast exact multiplication by
 * the Hessian (1994); Griewank & Walther, Evaluating Derivatives, section 5.4.
 *
 * Throws `NoTangent` if a derivative of first or second order does not exist.
 */
export function directionalDerivative(
  names: Names,
  logDensity: Block,
  position: Ref,
  direction: Ref,
  functions: readonly IrFunction[],
): Directional {
  const builder = new Builder(names);
  const all = [...functions];
  const tangentFunctions = new TangentFunctions(builder, all);
  const written = builder.captureResult(() =>
    writeTangents(builder, logDensity, new Map([[position, direction]]), tangentFunctions),
  );
  written.result.refuseFinal(written.block);
  for (const { body } of all.slice(functions.length)) refuseFinal(body);
  return { block: written.block, functions: all };
}
