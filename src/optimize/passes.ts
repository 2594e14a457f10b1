import { checkpointLoops } from './checkpoints.js';
import { shareCommon } from './common.js';
import { propagateConstants } from './constants.js';
import { removeDead } from './dead.js';
import { forwardElements } from './forward-elements.js';
import { forwardSums } from './forward-sums.js';
import { groupIterations } from './group-iterations.js';
import { hoistData } from './hoist.js';
import { inlineCalls } from './inline-calls.js';
import { hoistInvariants } from './invariant.js';
import { moveInvariantSums } from './invariant-sums.js';
import { resolveSizes } from './known-sizes.js';
import { shareExponentials } from './logistic.js';
import { mergeBranches } from './merge-branches.js';
import { mergeRows } from './merge-rows.js';
import { nameCostly } from './name-costly.js';
import { removeOverwritten } from './overwritten.js';
import { pairLogarithms } from './pair-logarithms.js';
import { partitionIterations } from './partition.js';
import type { Pass } from './pass.js';
import { shareReciprocals } from './reciprocals.js';
import { releaseMemory } from './release-memory.js';
import { runningLogSums } from './running-log-sums.js';
import { replaceByScalars } from './scalars.js';
import { separateAssignments } from './separate-assignments.js';
import { shareKernels } from './share-kernels.js';
import { sparseProducts } from './sparse-products.js';
import { specializeSizes } from './specialize-sizes.js';
import { splitDeep } from './split-deep.js';
import { removeExits } from './structure.js';
import { sufficientStatistics } from './sufficient-statistics.js';
import { tabulateValues } from './tabulate-values.js';
import { thinTape } from './tape.js';
import { unrollShortLoops } from './unroll.js';

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

/** The passes of each part of a program, in order. `docs/architecture.md` explains them. */
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
