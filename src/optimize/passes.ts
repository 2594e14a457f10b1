import { shareExponentials } from './algebra/logistic.js';
import { pairLogarithms } from './algebra/pair-logarithms.js';
import { shareReciprocals } from './algebra/reciprocals.js';
import { runningLogSums } from './algebra/running-log-sums.js';
import { forwardElements } from './loops/forward-elements.js';
import { forwardSums } from './loops/forward-sums.js';
import { hoistData } from './loops/hoist.js';
import { hoistInvariants } from './loops/invariant.js';
import { moveInvariantSums } from './loops/invariant-sums.js';
import { specializeSizes } from './loops/specialize-sizes.js';
import { checkpointLoops } from './memory/checkpoints.js';
import { releaseMemory } from './memory/release-memory.js';
import { thinTape } from './memory/tape.js';
import type { Pass } from './pass.js';
import { groupIterations } from './rows/group-iterations.js';
import { mergeRows } from './rows/merge-rows.js';
import { partitionIterations } from './rows/partition.js';
import { sparseProducts } from './rows/sparse-products.js';
import { sufficientStatistics } from './rows/sufficient-statistics.js';
import { tabulateValues } from './rows/tabulate-values.js';
import { shareCommon } from './simplify/common.js';
import { propagateConstants } from './simplify/constants.js';
import { removeDead } from './simplify/dead.js';
import { inlineCalls } from './simplify/inline-calls.js';
import { resolveSizes } from './simplify/known-sizes.js';
import { mergeBranches } from './simplify/merge-branches.js';
import { nameCostly } from './simplify/name-costly.js';
import { removeOverwritten } from './simplify/overwritten.js';
import { replaceByScalars } from './simplify/scalars.js';
import { separateAssignments } from './simplify/separate-assignments.js';
import { shareKernels } from './simplify/share-kernels.js';
import { splitDeep } from './simplify/split-deep.js';
import { removeExits } from './simplify/structure.js';
import { unrollShortLoops } from './simplify/unroll.js';

/** Every pass by its name. The docstring of its function states what it does and what must precede it. */
export const PASSES = {
  inlineCalls: { run: (block, { names, functions }) => inlineCalls(names, block, functions) },
  removeExits: {
    required: 'later passes and differentiation expect loops and conditions only',
    run: (block, { names, labels }) => removeExits(names, block, labels),
  },
  removeDead: {
    required: 'the log density alone is what it leaves of the gradient',
    run: (block, { results }) => removeDead(block, results),
  },
  resolveSizes: {
    run: (block, { keepsChecks }) => resolveSizes(block, keepsChecks),
  },
  specializeSizes: {
    run: (block, { names, keepsChecks }) => specializeSizes(names, block, keepsChecks),
  },
  unrollShortLoops: {
    run: (block, { names, keepsChecks }) => unrollShortLoops(names, block, keepsChecks),
  },
  replaceByScalars: { run: (block, { names }) => replaceByScalars(names, block) },
  removeOverwritten: { run: removeOverwritten },
  propagateConstants: { run: propagateConstants },
  pairLogarithms: {
    run: (block, { names, parameters, writesGlobals }) => pairLogarithms(names, block, parameters, writesGlobals),
  },
  forwardSums: { run: forwardSums },
  forwardElements: { run: forwardElements },
  partitionIterations: {
    run: (block, { names, inputs }) => partitionIterations(names, block, inputs),
  },
  mergeRows: {
    run: (block, { names, inputs, decide }) => mergeRows(names, block, inputs, decide),
  },
  moveInvariantSums: { run: (block, { names }) => moveInvariantSums(names, block) },
  groupIterations: {
    run: (block, { names, inputs, decide }) => groupIterations(names, block, inputs, decide),
  },
  tabulateValues: {
    run: (block, { names, inputs, decide }) => tabulateValues(names, block, inputs, decide),
  },
  hoistData: {
    run: (block, { names, inputs, precompute }) => {
      const split = hoistData(names, block, inputs);
      precompute(split.precompute);
      return split.logDensity;
    },
  },
  sufficientStatistics: {
    run: (block, { names, inputs, precompute, decide }) => {
      const split = sufficientStatistics(names, { precompute: [], logDensity: block }, inputs, decide);
      precompute(split.precompute);
      return split.logDensity;
    },
  },
  shareKernels: { run: shareKernels },
  sparseProducts: {
    run: (block, { names, precompute }) => {
      const split = sparseProducts(names, block);
      precompute(split.precompute);
      return split.logDensity;
    },
  },
  separateAssignments: { run: (block, { names }) => separateAssignments(names, block) },
  splitDeep: { run: (block, { names }) => splitDeep(names, block) },
  nameCostly: { run: (block, { names }) => nameCostly(names, block) },
  runningLogSums: { run: (block, { names }) => runningLogSums(names, block) },
  mergeBranches: { run: mergeBranches },
  thinTape: { run: (block, { names }) => thinTape(names, block) },
  checkpointLoops: { run: (block, { names }) => checkpointLoops(names, block) },
  hoistInvariants: {
    run: (block, { names, isQuotientStepped }) => hoistInvariants(names, block, isQuotientStepped(block)),
  },
  shareExponentials: { run: shareExponentials },
  shareReciprocals: {
    run: (block, { names, isQuotientStepped }) => (isQuotientStepped(block) ? block : shareReciprocals(names, block)),
  },
  shareCommon: { run: (block, { names }) => shareCommon(names, block) },
  releaseMemory: { run: releaseMemory },
} as const satisfies Readonly<Record<string, Pass>>;

export type PassName = keyof typeof PASSES;

/** A pass, or several passes, the later ones of which run only if the first one has changed the block. */
export type Step = PassName | readonly [PassName, ...PassName[]];

const DIFFERENTIATED = ['hoistInvariants', 'shareExponentials', 'shareReciprocals', 'shareCommon'] as const;
const GRADIENT = ['mergeBranches', 'thinTape', 'checkpointLoops', ...DIFFERENTIATED, 'removeDead'] as const;

const SCALARS = [
  'replaceByScalars',
  'removeOverwritten',
  'separateAssignments',
  'propagateConstants',
  'removeDead',
] as const;

/** The passes of each part of a program, in order. `docs/compiler.md` explains them. */
export const PIPELINES = {
  /** Checks of data, transformed data. */
  prepare: ['pairLogarithms', 'releaseMemory'],
  /** The log density from which the conditional distribution of parameters is derived. */
  integrand: [
    'inlineCalls',
    'removeExits',
    'removeDead',
    'resolveSizes',
    'unrollShortLoops',
    SCALARS,
    'forwardSums',
    ['forwardElements', 'removeDead'],
  ],
  /** The same with all loops, for effects that form blocks: products of matrices read them in loops. */
  'rolled integrand': [
    'inlineCalls',
    'removeExits',
    'removeDead',
    'resolveSizes',
    SCALARS,
    'forwardSums',
    ['forwardElements', 'removeDead'],
  ],
  /** Before differentiation. */
  'log density': [
    'inlineCalls',
    'removeExits',
    'removeDead',
    'resolveSizes',
    'unrollShortLoops',
    SCALARS,
    ['pairLogarithms', 'removeDead'],
    'forwardSums',
    ['forwardElements', 'removeDead'],
    'partitionIterations',
    'mergeRows',
    ['specializeSizes', 'unrollShortLoops', ...SCALARS],
    'moveInvariantSums',
    'groupIterations',
    'tabulateValues',
    'shareKernels',
    'hoistData',
    'removeDead',
    'sufficientStatistics',
    'sparseProducts',
    'splitDeep',
    'nameCostly',
    'runningLogSums',
  ],
  /** The block that has moved out of the log density and runs once per data set. */
  precompute: ['removeDead', 'shareCommon', 'releaseMemory'],
  /**
   * A function that is called, before differentiation. Computations that depend on data alone are not moved, because calls may pass
   * different data.
   */
  'called function': [
    'inlineCalls',
    'removeExits',
    'removeDead',
    'resolveSizes',
    ['pairLogarithms', 'removeDead'],
    'splitDeep',
    'nameCostly',
    'runningLogSums',
  ],
  /** A function whose calls in the log density are all inlined. */
  'inlined function': ['removeDead', 'pairLogarithms'],
  /** A function of several calls of solvers. Parameters and results are kept, because the function's body is between two calls. */
  'shared function': [
    'removeExits',
    'removeDead',
    'resolveSizes',
    'unrollShortLoops',
    SCALARS,
    ['pairLogarithms', 'removeDead'],
    ['forwardElements', 'removeDead'],
    'splitDeep',
    'nameCostly',
    'runningLogSums',
  ],
  gradient: GRADIENT,
  /** The forward or reverse part of a function that is called. */
  'differentiated function': DIFFERENTIATED,
  /** The log density alone, derived from the optimized gradient. */
  value: ['removeDead'],
  /** The derivative of the log density along a direction, before it is differentiated. */
  'directional derivative': ['removeDead', 'splitDeep', 'nameCostly'],
  /** The gradient of that derivative. */
  'Hessian product': GRADIENT,
  'generated quantities': ['pairLogarithms'],
  unconstrain: ['pairLogarithms'],
} as const satisfies Readonly<Record<string, readonly Step[]>>;

/** A block of a program that has its own passes. */
export type Part = keyof typeof PIPELINES;
