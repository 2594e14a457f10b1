import { Activity } from '../dataflow/activity.js';
import { usesOf } from '../dataflow/cached.js';
import { Uses } from '../dataflow/uses.js';
import { Builder, type Names } from '../ir/builder.js';
import type { Block, IrFunction, Local, Variable } from '../ir/nodes.js';
import { activityKey, asLocal, clearedIn, type DifferentiatedCallee, isRealScalar, saveAcrossCall } from './callee.js';
import { Differentiator } from './differentiator.js';
import { Needs } from './needs.js';

export interface Differentiated {
  readonly gradient: Block;
  /** The forward and reverse parts of called functions. */
  readonly functions: readonly IrFunction[];
  /** For each of `functions`: the function that it is the forward part of; null for a reverse part. */
  readonly originals: ReadonlyMap<number, number | null>;
}

/**
 * Reverse-mode differentiation of the log density: one block that computes `target` and leaves its gradient in the adjoints of the inputs.
 *
 * Each statement has a forward part and a reverse part. A statement is closed if nothing active that it writes is read outside and what it
 * reads does not change afterwards; since the adjoint of `target` is the constant 1, its reverse then runs directly after its forward part,
 * without a tape. For a loop with closed iterations, it runs within each iteration. Other statements are reversed after the rest of their
 * block, in reverse order; overwritten values that the reverse reads are restored from the tape (to-be-recorded analysis: Hascoët, Naumann
 * & Pascual 2005), or recomputed if that is cheap.
 */
export function differentiate(
  names: Names,
  block: Block,
  inputs: readonly Variable[],
  keepJacobian: Local,
  functions: readonly IrFunction[] = [],
): Differentiated {
  const callees = new Callees(names, functions, keepJacobian);
  const uses = usesOf(block);
  const activity = new Activity(block, inputs);
  const gradient = settle((known) => {
    const differentiator = new Differentiator(names, uses, activity, keepJacobian, callees.get, known);
    return { made: differentiator.whole(block), needs: differentiator.needs, presumed: differentiator.presumed };
  });
  callees.makeWaiting();
  return { gradient, functions: callees.made, originals: callees.originals };
}

/**
 * Differentiates again until the reverse parts read nothing that they were assumed not to read: saving a value may require others (an
 * element's index, the pointer of its container).
 */
function settle<T>(
  differentiateWith: (known: Needs) => { readonly made: T; readonly needs: Needs; readonly presumed: Needs },
): T {
  const known = new Needs();
  for (;;) {
    const { made, needs, presumed } = differentiateWith(known);
    if (!presumed.intersects(needs)) return made;
    known.addAll(needs);
  }
}

/** Thrown if a function is called with more combinations of active containers than the limit. */
export class TooManyVariants extends Error {
  readonly functionName: string;

  constructor(functionName: string) {
    super(`differentiate: ${functionName} has too many variants`);
    this.functionName = functionName;
  }
}

/**
 * After this number of variants of a function, all scalars count as active, so that each combination of containers adds only one variant.
 */
const DISTINGUISHED_VARIANTS = 16;
const MAX_VARIANTS = 256;

/**
 * The called functions, differentiated for each combination of active parameters that occurs, up to a limit. They are created iteratively,
 * not recursively, because chains of calls may be long.
 */
class Callees {
  readonly made: IrFunction[] = [];
  readonly originals = new Map<number, number | null>();
  readonly #names: Names;
  readonly #functions: ReadonlyMap<number, IrFunction>;
  readonly #keepJacobian: Local;
  readonly #known = new Map<string, DifferentiatedCallee>();
  readonly #variants = new Map<number, number>();
  readonly #waiting: (() => void)[] = [];

  constructor(names: Names, functions: readonly IrFunction[], keepJacobian: Local) {
    this.#names = names;
    this.#functions = new Map(functions.map((f) => [f.id, f]));
    this.#keepJacobian = keepJacobian;
  }

  readonly get = (callee: number, active: readonly boolean[]): DifferentiatedCallee => {
    const known = this.#known.get(activityKey(callee, active));
    if (known !== undefined) return known;
    const original = this.#functions.get(callee);
    if (original === undefined) throw new Error(`differentiate: there is no function ${callee}`);
    const variants = this.#variants.get(callee) ?? 0;
    if (variants >= MAX_VARIANTS) throw new TooManyVariants(original.name);
    const { parameters } = original;
    const chosen =
      variants < DISTINGUISHED_VARIANTS ? active : active.map((isActive, k) => isActive || isRealScalar(parameters[k]));
    const key = activityKey(callee, chosen);
    const general = this.#known.get(key);
    if (general !== undefined) return general;
    this.#variants.set(callee, variants + 1);
    const promised: DifferentiatedCallee = {
      forward: this.#names.fresh(),
      reverse: this.#names.fresh(),
      results: original.results.filter(isRealScalar),
      parameters: parameters.flatMap((parameter, k) => (chosen[k] && isRealScalar(parameter) ? [k] : [])),
    };
    this.#known.set(key, promised);
    this.originals.set(promised.forward, callee).set(promised.reverse, null);
    this.#waiting.push(() => this.#make(original, chosen, promised));
    return promised;
  };

  /** Creates the variants that have been requested, and those that they call. */
  makeWaiting(): void {
    for (let make = this.#waiting.pop(); make !== undefined; make = this.#waiting.pop()) make();
  }

  #make(original: IrFunction, active: readonly boolean[], promised: DifferentiatedCallee): void {
    const { results, parameters } = promised;
    const inputs = original.parameters.filter((_, k) => active[k]);
    const uses = new Uses(original.body, [...original.parameters, ...original.results]);
    const activity = new Activity(original.body, inputs, original.results);
    const builder = new Builder(this.#names);
    const adjoints = new Map<Local, Local>();
    const adjointOf = (local: Local): Local => {
      const adjoint = adjoints.get(local) ?? builder.newLocal('real', `${local.name}_adjoint`);
      adjoints.set(local, adjoint);
      return adjoint;
    };
    const dual = settle((needs) => {
      const differentiator = new Differentiator(
        this.#names,
        uses,
        activity,
        this.#keepJacobian,
        this.get,
        needs,
        adjointOf,
      );
      const made = differentiator.callee(original.body, results.map(adjointOf), inputs.filter(isRealScalar));
      return { made, needs: differentiator.needs, presumed: differentiator.presumed };
    });
    const needs = new Needs();
    needs.addBlock(dual.reverse);
    const { save, restore } = saveAcrossCall(original, dual.forward, needs);
    this.made.push(
      {
        ...original,
        id: promised.forward,
        name: `${original.name}_forward`,
        body: [...dual.forward, ...save],
        cleared: clearedIn(original, needs),
      },
      {
        id: promised.reverse,
        name: `${original.name}_reverse`,
        parameters: results.map(adjointOf),
        results: parameters.map((k) => adjointOf(asLocal(original.parameters[k]))),
        body: [...restore, ...dual.reverse],
      },
    );
  }
}
