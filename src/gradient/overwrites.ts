import type { Expr, Local, Ref, Statement } from '../ir/nodes.js';
import type { LoopStatement, Uses, WriteSite } from '../optimize/effects.js';

/**
 * Whether a write to a container may replace an element that was written before, so that the old value (and its
 * adjoint) counts. It can't where the container is filled once: one write since its allocation at an index that is
 * different in every round of the loops between, or several whose indexes can be told apart (`x[1] = …;
 * for (t in 2:T) x[t] = …`). Elements never written are NaN in Stan, so what is read of them does not matter.
 */
export function overwritesContents(statement: Statement, root: Ref, uses: Uses, region: Statement | null): boolean {
  const definitions = uses.definitions(root);
  if (definitions.length !== 1) return true;
  const [definition] = definitions;
  if (definition.statement.kind !== 'allocate' || definition.statement.fill === 'zero') return true;
  if (region !== null && !uses.contains(region, definition.position)) return true;
  const writes = uses.writes(root).filter((site) => site.statement !== definition.statement);
  const places = writes.map((site) => placeOf(site, definition.loops));
  if (places.some((place) => place === null)) return true;
  if (writes.length === 1) return false;
  if (statement.kind !== 'store') return true;
  const ranges = places.filter((place) => place?.kind === 'range');
  if (ranges.length > 1) return true;
  const points = new Set<number>();
  for (const place of places) {
    if (place === null) return true;
    if (place.kind === 'whole') return true;
    if (place.kind === 'point') {
      if (points.has(place.at)) return true;
      points.add(place.at);
    }
  }
  const [range] = ranges;
  if (range === undefined || range === null || range.kind !== 'range') return false;
  const { first } = range;
  return first === null || [...points].some((point) => point >= first);
}

type Place =
  /** Constant index outside of loops. */
  | { readonly kind: 'point'; readonly at: number }
  /** A different element every round, from `first` upward where that is known. */
  | { readonly kind: 'range'; readonly first: number | null }
  /** Everything, once. */
  | { readonly kind: 'whole' };

function placeOf(site: WriteSite, outside: readonly LoopStatement[]): Place | null {
  const loops = site.loops.filter((loop) => !outside.includes(loop));
  if (site.statement.kind === 'kernel') return loops.length === 0 ? { kind: 'whole' } : null;
  if (site.statement.kind !== 'store') return null;
  const { index } = site.statement;
  if (loops.length === 0) return index.kind === 'const' ? { kind: 'point', at: index.value } : { kind: 'whole' };
  const counts = new Map<Local, number>();
  if (!isAffine(index, counts)) return null;
  for (const loop of loops) {
    if (loop.kind !== 'for' || counts.get(loop.index) !== 1) return null;
  }
  return { kind: 'range', first: loops.length === 1 ? firstIndex(index, loops[0]) : null };
}

/** Sums and products of locals, sizes and constants; counts how often each local occurs. */
function isAffine(e: Expr, counts: Map<Local, number>): boolean {
  switch (e.kind) {
    case 'const':
    case 'size':
      return true;
    case 'get':
      counts.set(e.local, (counts.get(e.local) ?? 0) + 1);
      return true;
    case 'apply':
      return (
        (e.op === 'add_int' || e.op === 'sub_int' || e.op === 'mul_int') && e.args.every((arg) => isAffine(arg, counts))
      );
    default:
      return false;
  }
}

function firstIndex(index: Expr, loop: LoopStatement): number | null {
  if (loop.kind !== 'for' || loop.from.kind !== 'const') return null;
  if (index.kind === 'get') return loop.from.value;
  if (
    index.kind === 'apply' &&
    index.op === 'add_int' &&
    index.args[1].kind === 'const' &&
    index.args[0].kind === 'get'
  ) {
    return loop.from.value + index.args[1].value;
  }
  return null;
}
