import type { Typed } from '../../check/typed.js';
import { containerOf } from '../../functions/broadcast.js';
import type { Sink } from '../../functions/entry.js';
import { larger } from '../../functions/kernels.js';
import { container, levelOf } from '../../ir/builder.js';
import { add, compare, get, int, load, mul } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { Value } from '../../ir/value.js';
import { type AutodiffLevel, type Type, VECTOR } from '../../language/types.js';
import type { CallShape } from '../../syntax/ast.js';
import { elementAt } from '../indexing.js';
import type { Lowering } from '../lowering.js';
import { lengthOf } from '../values.js';
import { functionInto, functionOf, hold, lowerFrom } from './callback.js';

function elementTypeOf(type: Type): Type {
  if (type.kind !== 'array') throw new Error('map_rect takes arrays');
  return type.element;
}

type Site = Pick<CallShape<Typed>, 'span' | 'arguments'>;

/** The jobs of a call, and their arguments. */
interface Jobs {
  readonly count: Expr;
  readonly level: AutodiffLevel;
  readonly argumentsOf: (job: Expr) => readonly Value[];
}

function jobsOf(lowering: Lowering, call: Site): Jobs {
  const { builder } = lowering;
  const [shared, ...perJob] = lowerFrom(lowering, call, 1).map((value) => hold(lowering, value));
  const [parameters, ...data] = perJob;
  const jobs = lengthOf(parameters);
  for (const [k, words] of ['real data', 'int data'].entries()) {
    const size = lengthOf(data[k]);
    builder.check(
      compare('eq', jobs, size),
      `map_rect: size of job parameters ({0}) and size of ${words} ({1}) must match in size`,
      [jobs, size],
      'error',
    );
  }
  return {
    count: jobs,
    level: levelOf([shared, parameters]),
    argumentsOf: (job) => [
      shared,
      ...perJob.map((value) => elementAt(lowering, value, job, elementTypeOf(value.type))),
    ],
  };
}

/**
 * Adds the elements of `map_rect(f, phi, theta, x_r, x_i)` to a sink, job by job. Their sum needs no memory, and jobs share nothing but the
 * sink, so that each is differentiated at once, and slices can divide them.
 */
export function addMapRect(lowering: Lowering, call: Site, sink: Sink): void {
  const jobs = jobsOf(lowering, call);
  const invoke = functionInto(lowering, call, call.arguments[0]);
  lowering.builder.each(jobs.count, (job) => invoke(jobs.argumentsOf(job), sink));
}

/** `map_rect(f, phi, theta, x_r, x_i)`: the concatenated results of f for each job, which may differ in size. */
export function lowerMapRect(lowering: Lowering, call: Site): Value {
  const { builder } = lowering;
  const jobs = jobsOf(lowering, call);
  const invoke = functionOf(lowering, call, call.arguments[0]);
  const results = builder.allocate('real', [int(0)], 'results');
  const capacity = builder.newLocal('int', 'capacity');
  const total = builder.newLocal('int', 'total');
  builder.assign(capacity, int(0));
  builder.assign(total, int(0));
  builder.each(jobs.count, (job) => {
    const result = builder.materialize(containerOf(invoke(jobs.argumentsOf(job), false)));
    const needed = builder.bind(add(get(total), result.sizes[0]), 'needed');
    builder.if(compare('gt', needed, get(capacity)), () => {
      // Space for all jobs if their results have the size of this one, but at least twice the previous size.
      const room = builder.bind(larger(mul(int(2), needed), mul(jobs.count, result.sizes[0])), 'room');
      const grown = builder.allocate('real', [room], 'grown');
      builder.each(get(total), (k) => builder.store(grown, k, load(results, k)));
      builder.allocateRef(results, [room]);
      builder.each(get(total), (k) => builder.store(results, k, load(grown, k)));
      builder.assign(capacity, room);
    });
    builder.each(result.sizes[0], (k) => builder.store(results, add(get(total), k), result.flat(k)));
    builder.assign(total, needed);
  });
  return container(VECTOR, jobs.level, builder.view(results, int(0), [get(total)], 'mapped'));
}
