import type { CallAnnotation } from '../check/typed.js';
import type { FunctionEntry } from '../functions/entry.js';
import { levelOf } from '../ir/builder.js';
import { MOST_LEVELS } from '../ir/depth.js';
import type { Value } from '../ir/value.js';
import { REAL, type Type } from '../language/types.js';
import type { Span } from '../source/span.js';
import type { Lowering } from './lowering.js';
import { sumOfTerms } from './sinks.js';
import { unsupported } from './unsupported.js';
import { scalarValue } from './values.js';

/** The library's entry for a name, for calls that the lowering itself creates. */
export function entryOf(lowering: Lowering, name: string, span: Span): FunctionEntry {
  return lowering.table.entry(name) ?? unsupported(span, `The function ${name} is`);
}

/** A call of a library function with given values. */
export function buildCall(
  lowering: Lowering,
  name: string,
  span: Span,
  args: readonly Value[],
  result: Type,
  dropConstants = false,
): Value {
  const { builder, jacobian } = lowering;
  return entryOf(lowering, name, span).build(builder, args, { name, result, dropConstants, jacobian });
}

/** A library call as a value. A density that may drop constants includes them in the value if the host keeps constants. */
export function libraryCall(
  lowering: Lowering,
  span: Span,
  name: string,
  args: readonly Value[],
  type: Type,
  dropConstants: boolean,
): Value {
  const entry = entryOf(lowering, name, span);
  const { addTo } = entry;
  const shallow = args.map((arg) => withoutDepth(lowering, arg));
  if (addTo === undefined || type.kind !== 'real') return buildCall(lowering, name, span, shallow, type, false);
  const value = sumOfTerms(lowering, (sink) =>
    addTo(lowering.builder, shallow, sink, { name, result: type, dropConstants, jacobian: null }),
  );
  return scalarValue(REAL, levelOf(args), value);
}

/** The argument, assigned to a local if it is deep: otherwise each statement of the call, such as a check, would contain all of it. */
function withoutDepth({ builder, depths }: Lowering, arg: Value): Value {
  if (arg.kind !== 'scalar' || depths.of(arg.value) < MOST_LEVELS) return arg;
  return { ...arg, value: builder.bind(arg.value, 'deep') };
}

/** Whether the call may drop constants: `~` and `_lupdf`, unless the surrounding function was itself called with them. */
export function dropsConstants(lowering: Lowering, call: CallAnnotation): boolean {
  const { phase, frame } = lowering.scope;
  if (!call.dropsConstants || phase !== 'logDensity') return false;
  return frame === null || frame.dropConstants || frame.function.suffix === 'lp';
}
