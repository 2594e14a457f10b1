import { isQuotientStepped } from '../dataflow/steps.js';
import type { Names } from '../ir/builder.js';
import type { Block, IrFunction, Variable } from '../ir/nodes.js';
import { shareCommon } from './common.js';
import { propagateConstants } from './constants.js';
import { removeDead } from './dead.js';
import { forwardElements } from './forward-elements.js';
import { forwardSums } from './forward-sums.js';
import { groupIterations } from './group-iterations.js';
import { hoistData } from './hoist.js';
import { hoistInvariants } from './invariant.js';
import { resolveSizes } from './known-sizes.js';
import { shareExponentials } from './logistic.js';
import { mergeRows } from './merge-rows.js';
import { nameCostly } from './name-costly.js';
import { removeOverwritten } from './overwritten.js';
import { pairLogarithms } from './pair-logarithms.js';
import { partitionIterations } from './partition.js';
import { shareReciprocals } from './reciprocals.js';
import { replaceByScalars } from './scalars.js';
import { splitDeep } from './split-deep.js';
import { removeExits } from './structure.js';
import { sufficientStatistics } from './sufficient-statistics.js';
import { thinTape } from './tape.js';
import { unrollShortLoops } from './unroll.js';

/** Called with the name of each pass and what it made: printing, verifying, timing. */
export type Observer = (pass: string, block: Block) => void;

/**
 * The log density before differentiation: exits become conditions, dead work goes, what depends on data alone moves
 * into `precompute`.
 */
export function optimizeLogDensity(
  names: Names,
  block: Block,
  inputs: readonly Variable[],
  observe: Observer = () => {},
  keepsChecks = false,
): { readonly precompute: Block; readonly logDensity: Block } {
  const structured = removeExits(names, block);
  observe('removeExits', structured);
  const alive = removeDead(structured);
  observe('removeDead', alive);
  const sized = resolveSizes(alive, keepsChecks);
  observe('resolveSizes', sized);
  const unrolled = unrollShortLoops(names, sized, keepsChecks);
  observe('unrollShortLoops', unrolled);
  const replaced = replaceByScalars(names, unrolled);
  const scalar = replaced === unrolled ? unrolled : removeDead(propagateConstants(removeOverwritten(replaced)));
  observe('replaceByScalars', scalar);
  const paired = pairLogarithms(names, scalar);
  const exact = paired === scalar ? scalar : removeDead(paired);
  observe('pairLogarithms', exact);
  const forwarded = forwardSums(exact);
  observe('forwardSums', forwarded);
  const direct = forwardElements(forwarded);
  const fused = direct === forwarded ? forwarded : removeDead(direct);
  observe('forwardElements', fused);
  const sorted = partitionIterations(names, fused, inputs);
  observe('partitionIterations', sorted);
  const merged = mergeRows(names, sorted, inputs);
  observe('mergeRows', merged);
  const grouped = groupIterations(names, merged, inputs);
  observe('groupIterations', grouped);
  const hoisted = hoistData(names, grouped, inputs);
  const split = { ...hoisted, logDensity: removeDead(hoisted.logDensity) };
  observe('hoistData', split.logDensity);
  const summed = sufficientStatistics(names, split, inputs);
  const logDensity = nameCostly(names, splitDeep(names, summed.logDensity));
  observe('sufficientStatistics', logDensity);
  const precompute = shareCommon(names, removeDead(summed.precompute, names.globals));
  observe('precompute', precompute);
  return { precompute, logDensity };
}

/** The derivative of an optimized log density along a direction, before it is differentiated itself. */
export function optimizeDirectional(names: Names, block: Block, observe: Observer = () => {}): Block {
  const directional = nameCostly(names, splitDeep(names, removeDead(block)));
  observe('directional', directional);
  return directional;
}

/**
 * A function that is called, before differentiation, so that what calls it may leave it only at its end. What depends on data alone stays
 * where it is, as the function may be called with other data.
 */
export function optimizeFunction(names: Names, f: IrFunction, leaving: number, keepsChecks = false): IrFunction {
  const structured = removeExits(names, f.body, [leaving]);
  const sized = resolveSizes(removeDead(structured, f.results), keepsChecks);
  return { ...f, body: nameCostly(names, splitDeep(names, sized)) };
}

/** The forward or the reverse part of a function that is called. */
export function optimizePart(names: Names, f: IrFunction): IrFunction {
  const isExact = isQuotientStepped(f.body);
  const expanded = shareExponentials(hoistInvariants(names, f.body, isExact));
  const divided = isExact ? expanded : shareReciprocals(names, expanded);
  return { ...f, body: shareCommon(names, divided) };
}

/** The gradient after differentiation: unchanging work leaves the loops, common work is done once, dead work goes. */
export function optimizeGradient(names: Names, block: Block, observe: Observer = () => {}): Block {
  const thin = thinTape(names, block);
  observe('thinTape', thin);
  const isExact = isQuotientStepped(thin);
  const lifted = hoistInvariants(names, thin, isExact);
  observe('hoistInvariants', lifted);
  const expanded = shareExponentials(lifted);
  observe('shareExponentials', expanded);
  const divided = isExact ? expanded : shareReciprocals(names, expanded);
  observe('shareReciprocals', divided);
  const shared = shareCommon(names, divided);
  observe('shareCommon', shared);
  const alive = removeDead(shared);
  observe('removeDead', alive);
  return alive;
}
