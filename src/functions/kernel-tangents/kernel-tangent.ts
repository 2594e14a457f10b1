/**
 * Forward derivatives of kernels. They consist of loops and of differentiable kernels, so that they can be differentiated again. Source:
 * Giles, Collected matrix derivative results for forward and reverse mode algorithmic differentiation (2008), and the sources of individual
 * rules.
 */
import type { Builder } from '../../ir/builder.js';
import { int, isNumber } from '../../ir/expressions.js';
import type { Expr, KernelArgument, Ref } from '../../ir/nodes.js';

/**
 * Emits, after a kernel, the statements that write the tangents of its outputs. `tangents[k]` is the tangent of the pointer at position k,
 * or null if it is constant.
 */
export type KernelTangent = (
  builder: Builder,
  args: readonly KernelArgument[],
  tangents: readonly (KernelArgument | null)[],
) => void;

/** Memory for a number of reals that is the product of the factors. A factor must be a size, or a sum of sizes of existing containers. */
export function scratch(builder: Builder, ...factors: readonly Expr[]): KernelArgument {
  const ref = builder.allocate('real', factors, 'scratch');
  return { kind: 'pointer', ref, offset: null, adjoint: false };
}

/** Memory for `size` zeros. */
export function zeros(builder: Builder, size: Expr): KernelArgument {
  const ref = builder.allocate('real', [size], 'zeros', 'zero');
  return { kind: 'pointer', ref, offset: null, adjoint: false };
}

export function number(argument: KernelArgument): Expr {
  if (!isNumber(argument)) throw new Error('kernel: a number was expected');
  return argument;
}

export function place(argument: KernelArgument): { readonly ref: Ref; readonly offset: Expr } {
  if (argument.kind !== 'pointer') throw new Error('kernel: a pointer was expected');
  return { ref: argument.ref, offset: argument.offset ?? int(0) };
}
