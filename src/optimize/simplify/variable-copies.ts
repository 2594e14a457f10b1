import type { Names } from '../../ir/builder.js';
import type { Ref, Variable } from '../../ir/nodes.js';

/**
 * A new variable for each of `own`. A view of one of them becomes a view of the new container, and a view of a container that `outer` replaces a
 * view of its replacement.
 */
export function copiesOf(
  names: Names,
  own: ReadonlySet<Variable>,
  outer: ReadonlyMap<Variable, Variable>,
): ReadonlyMap<Variable, Variable> {
  const copies = new Map<Variable, Variable>();
  const copyOf = (ref: Ref): Ref => {
    const known = copies.get(ref) ?? (own.has(ref) ? undefined : outer.get(ref));
    if (known?.kind === 'ref') return known;
    const parent = ref.parent === null ? null : copyOf(ref.parent);
    if (!own.has(ref) && parent === ref.parent) return ref;
    const copy: Ref = { ...ref, id: names.fresh(), parent };
    copies.set(ref, copy);
    return copy;
  };
  for (const variable of own) {
    if (variable.kind === 'ref') copyOf(variable);
    else copies.set(variable, { ...variable, id: names.fresh() });
  }
  return copies;
}
