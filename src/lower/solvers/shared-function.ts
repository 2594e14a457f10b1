import { container, elementOf } from '../../ir/builder.js';
import { composite } from '../../ir/composite.js';
import { get, size } from '../../ir/expressions.js';
import type { Expr, Ref, Variable } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { type AutodiffLevel, rankOf } from '../../language/types.js';
import type { Lowering } from '../lowering.js';
import { scalarValue } from '../values.js';

/** Work that is lowered once for all calls with the same signature. */
export interface SharedWork {
  readonly name: string;
  readonly level: AutodiffLevel;
  /** Everything but the arguments that determines the statements of the work. */
  readonly key: string;
  /** Constants among them are part of the signature. */
  readonly arguments: readonly Value[];
  /** Numbers that the function receives even if they are constants. */
  readonly settings: readonly Value[];
  readonly write: (args: readonly Value[], settings: readonly Value[]) => ContainerValue;
}

/** The result of the work as a call of a function. A log density with a single call contains its statements instead (`optimize/simplify/inline-calls.ts`). */
export function callShared(lowering: Lowering, work: SharedWork): Ref {
  const { builder, called } = lowering;
  const args = work.arguments.map((value) => parameterOf(lowering, value, true));
  const settings = work.settings.map((value) => parameterOf(lowering, value, false));
  const all = [...args, ...settings];
  const phase = lowering.differentiates ? lowering.scope.phase : 'values';
  const key = [work.key, phase, ...all.map((parameter) => parameter.key)].join(' ');
  const { id, result } = called.shared.get(key) ?? lowerWork(lowering, work, key, args, settings);
  const { span, callers } = builder;
  const returned = builder.newRef(result.element, result.rank, result.name);
  builder.emit({
    kind: 'call',
    callee: id,
    args: all.flatMap(({ passed }) => passed),
    results: [returned],
    span,
    callers,
  });
  return returned;
}

function lowerWork(
  lowering: Lowering,
  { name, level, write }: SharedWork,
  key: string,
  args: readonly Parameter[],
  settings: readonly Parameter[],
): { readonly id: number; readonly result: Ref } {
  const { builder, called } = lowering;
  const { span, callers } = builder;
  // The location of each call is recorded where it is called.
  builder.span = null;
  builder.callers = [];
  const { block, result } = lowering.keepingBindings(() =>
    builder.captureResult(() =>
      lowering.within({ frame: null, loops: [] }, () => {
        const [given, set] = [args, settings].map((parameters) => parameters.map(({ value }) => value));
        return builder.materialize(write(given, set)).ref;
      }),
    ),
  );
  builder.span = span;
  builder.callers = callers;
  const id = builder.names.fresh();
  const parameters = [...args, ...settings].flatMap(({ variables }) => variables);
  called.lowered.push({
    id,
    name,
    parameters,
    results: [result],
    body: block,
    inlined: level === 'autodiff' ? 'few' : 'always',
  });
  const shared = { id, result };
  called.shared.set(key, shared);
  return shared;
}

/** An argument as the function sees it. */
interface Parameter {
  readonly value: Value;
  readonly variables: readonly Variable[];
  /** What the call passes for the variables. */
  readonly passed: readonly (Expr | Ref)[];
  readonly key: string;
}

function parameterOf(lowering: Lowering, value: Value, specializes: boolean): Parameter {
  const { builder, known } = lowering;
  switch (value.kind) {
    case 'scalar': {
      const fixed = specializes ? fixedKey(lowering, value.value) : null;
      if (fixed !== null) return { value, variables: [], passed: [], key: `${value.level}=${fixed}` };
      const local = builder.newLocal(value.value.type, 'shared');
      known.stable.add(local);
      const own = { ...scalarValue(value.type, value.level, get(local)), level: value.level };
      return { value: own, variables: [local], passed: [value.value], key: `${value.level}:${local.type}` };
    }
    case 'container': {
      const { ref: passed } = builder.materialize(value);
      const { type, level } = value;
      const ref = builder.newRef(elementOf(type), rankOf(type), 'shared');
      const fixed = value.sizes.map((expression) => fixedKey(lowering, expression));
      const sizes = value.sizes.map((expression, axis) => (fixed[axis] === null ? size(ref, axis) : expression));
      const key = `${level}[${fixed.map((text) => text ?? '').join()}]`;
      return { value: container(type, level, ref, sizes), variables: [ref], passed: [passed], key };
    }
    case 'composite': {
      const parts = value.parts.map((part) => parameterOf(lowering, part, specializes));
      return {
        value: composite(
          value.type,
          parts.map((part) => part.value),
        ),
        variables: parts.flatMap(({ variables }) => variables),
        passed: parts.flatMap((part) => part.passed),
        key: `(${parts.map((part) => part.key).join()})`,
      };
    }
  }
}

/** Identifies a value that is the same in each call: a constant, or a scalar that is set once per data set. Null for others. */
function fixedKey({ scope }: Lowering, e: Expr): string | null {
  if (e.kind === 'const') return `${e.type}${Object.is(e.value, -0) ? '-0' : e.value}`;
  if (e.kind !== 'get' || e.local.storage !== 'global' || scope.phase === 'prepare') return null;
  return `#${e.local.id}`;
}
