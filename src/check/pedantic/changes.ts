import {
  common,
  difference,
  joined,
  type Numbering,
  type SharedMap,
  visitCommon,
  withValue,
} from '../../base/shared-map.js';
import { isLoop, type Nodes, together } from './flow.js';
import { type Step, stepsIn } from './outline.js';

/** For each variable that changes, the nodes that change it last on some path. */
export type Changes = SharedMap<Nodes>;

/** The names of the variables that a step changes, and of those whose earlier changes no longer matter after it. */
export interface Effects {
  readonly changed: readonly string[];
  readonly replaced: readonly string[];
}

interface Passage {
  readonly changes: Changes;
  /** Variables that are replaced on all paths. */
  readonly replaced: SharedMap<true>;
}

interface Loop {
  /** The index of the loop around it. */
  readonly around: number | undefined;
  /** The changes inside the body that reach its end. */
  readonly changes: Changes;
}

const NOTHING: Passage = { changes: undefined, replaced: undefined };

/**
 * The loops of a program, with changes that certainly reach their start again. A solver that adds these when it enters a loop need not
 * revisit inner loops for each enclosing loop. Changes before a jump may be missing. Loops share changes with the enclosing loops.
 */
export class Loops {
  readonly #loops = new Map<number, Loop>();

  /** @param effectsOf what a step does itself, apart from the steps inside it */
  constructor(root: Step, names: Numbering<string>, effectsOf: (step: Step) => Effects) {
    let next = 0;
    const visit = (step: Step, around: number | undefined): Passage => {
      const index = next;
      next++;
      const inner = stepsIn(step).map((part) => visit(part, isLoop(step) ? index : around));
      const { changed, replaced } = effectsOf(step);
      const only = withValue<true>(undefined, index, true);
      const own: Passage = {
        changes: changed.reduce<Changes>((all, name) => withValue(all, names.of(name), only), undefined),
        replaced: replaced.reduce<SharedMap<true>>((all, name) => withValue(all, names.of(name), true), undefined),
      };
      if (step.kind === 'if') return inOrder(own, eitherOf(inner[0], inner[1] ?? NOTHING));
      if (isLoop(step)) {
        const { changes } = inOrder(own, inner[0]);
        this.#loops.set(index, { around, changes });
        return { changes, replaced: own.replaced };
      }
      const passed = inner.reduce(inOrder, NOTHING);
      // A scope comes after the steps inside it.
      return step.kind === 'block' || step.kind === 'profile' ? inOrder(passed, own) : inOrder(own, passed);
    };
    visit(root, undefined);
  }

  /**
   * Calls `visit` for the variables that are known on entry to a node, if that is a loop, and change in it. It skips those with the same
   * facts and changes at the enclosing loop.
   * @param known what is known before each node so far
   */
  visitChanges<V>(
    index: number,
    entry: SharedMap<V>,
    known: (index: number) => SharedMap<V>,
    visit: (name: number, value: V, nodes: Nodes, changes: Changes) => void,
  ): void {
    const loop = this.#loops.get(index);
    if (loop === undefined) return;
    const { around, changes } = loop;
    const outer = around === undefined ? undefined : this.#loops.get(around);
    const visited = outer && around !== undefined ? ([known(around), outer.changes] as const) : undefined;
    visitCommon([entry, changes], visited, (name, value, nodes) => visit(name, value, nodes, changes));
  }
}

function inOrder(first: Passage, second: Passage): Passage {
  if (first === NOTHING) return second;
  return {
    changes: joined(difference(first.changes, second.replaced), second.changes, together),
    replaced: joined(first.replaced, second.replaced, () => true),
  };
}

function eitherOf(first: Passage, second: Passage): Passage {
  return {
    changes: joined(first.changes, second.changes, together),
    replaced: common(first.replaced, second.replaced, () => true),
  };
}
