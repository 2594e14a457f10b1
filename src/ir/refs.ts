import type { Ref } from './nodes.js';

/** The container that owns the memory of a view. A container that owns its memory is its own root. */
export function rootOf(ref: Ref): Ref {
  let root = ref;
  while (root.parent !== null) root = root.parent;
  return root;
}
