/** Memory that the host and a module share, and its description in the artifact. */
import type { IrProgram, Statement } from '../ir/nodes.js';
import { isBefore, spanText } from '../source/span.js';
import type { Artifact, DataLayout, OutputLayout, StepsLayout } from './artifact.js';
import type { EmittedProfile } from './emit-input.js';
import { siteValues, slotCount, stretchOf } from './sites.js';

/** Start of the module's area; the static data of the kernels are below it. */
const CONTROL_AREA = 65536;
const RANDOM_STATE_BYTES = 240;
/** Address of the second result of a kernel over two lanes. */
const DERIVATIVES_BYTES = 16;
/** Maximum number of open calls in messages; further calls replace the oldest. */
const KNOWN_CALLS = 16384;

export interface Layout {
  readonly memory: Artifact['layout'];
  /** Address where a kernel stores the derivatives that it computes with its values. */
  readonly derivatives: number;
  readonly data: readonly DataLayout[];
  readonly outputs: readonly OutputLayout[];
}

export function layOut(program: IrProgram, statements: readonly Statement[], callsFunctions: boolean): Layout {
  const randomState = CONTROL_AREA;
  const derivatives = randomState + RANDOM_STATE_BYTES;
  const values = derivatives + DERIVATIVES_BYTES;
  let slots = 1;
  for (const statement of statements) {
    if (statement.kind === 'check' || statement.kind === 'print' || statement.kind === 'reject') {
      slots = Math.max(slots, slotCount(siteValues(statement)));
    }
  }
  let next = values + 8 * slots;
  const data = program.data.map(({ name, arrayDepth, declaredAt, element, variable, complexPart }): DataLayout => {
    const slot = next;
    const rank = variable.kind === 'ref' ? variable.rank : 0;
    next += variable.kind === 'ref' ? align(4 * (1 + rank), 8) : 8;
    const type = variable.kind === 'ref' ? variable.element : variable.type;
    return {
      name,
      arrayDepth,
      element,
      type,
      rank,
      slot,
      declaredAt: stretchOf(declaredAt ?? null),
      ...(complexPart === undefined ? {} : { complexPart }),
    };
  });
  const outputs = program.outputs.map((output): OutputLayout => {
    const { name, block, arrayDepth, element, tupleAxes = [], isComplex = false, declaredAt } = output;
    const sizes = next;
    const rank = output.sizes.length;
    const unconstrainedRank = output.unconstrainedSizes.length;
    next += 4 * (rank + unconstrainedRank);
    return {
      name,
      block,
      arrayDepth,
      element,
      sizes,
      rank,
      unconstrainedRank,
      ...(tupleAxes.length === 0 ? {} : { tupleAxes }),
      ...(isComplex ? { isComplex } : {}),
      ...(declaredAt ? { declaredAt: stretchOf(declaredAt) } : {}),
    };
  });
  const free = align(next, 16);
  const calls = { count: free, sites: free + 16, room: KNOWN_CALLS };
  const memory = callsFunctions
    ? { randomState, values, calls, free: calls.sites + 4 * KNOWN_CALLS }
    : { randomState, values, free };
  return { memory, derivatives, data, outputs };
}

function align(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit;
}

export function stepsLayout({ counters, statements, steps }: EmittedProfile): StepsLayout {
  const parts = steps.flatMap((step) => step.parts);
  const sources = [...new Set([...parts.map(({ source }) => source), ...statements])].sort((one, other) =>
    isBefore(one.begin, other.begin) ? -1 : 1,
  );
  const places = new Map(sources.map((source, place) => [source, place]));
  return {
    sources: sources.map((source) => ({ ...stretchOf(source), text: spanText(source) })),
    steps: steps.map(({ parts }) =>
      parts.map(({ counter, source, weight }) => ({ source: places.get(source) ?? 0, weight, counter })),
    ),
    counters,
  };
}
