import { mentionsOf, writesOf } from '../dataflow/effects.js';
import type { Sources } from '../dataflow/sources.js';
import { Builder, count, type Names } from '../ir/builder.js';
import { add, get, int, load, size } from '../ir/expressions.js';
import type { Block, Ref, Statement, StatementOf, Variable } from '../ir/nodes.js';
import { OPS } from '../ir/ops.js';
import { withBody } from '../ir/remake.js';
import { mapBlocks, visitOwnExpressions, visitStatements } from '../ir/walk.js';
import type { Span } from '../source/span.js';

/*
 * Gradients of increasing parts of the log density, to measure the time of each statement. The log density is cut after each of its steps,
 * and the gradient of the part before each cut is compiled. The difference between the times of successive gradients is the time of a step,
 * including its forward and reverse part. The optimized log density is cut, so that each step has the same code as in the gradient.
 */

/** Statements that the steps' time is divided among. */
interface StepPart {
  readonly source: Span;
  /** Estimated number of operations in one execution. */
  readonly weight: number;
  /** Counter of its executions; null outside of loops and branches. */
  readonly counter: number | null;
}

interface Step {
  /** The log density up to the end of the step, with a term for each value that later steps read; null for the whole log density. */
  readonly prefix: Block | null;
  readonly parts: readonly StepPart[];
}

export interface Steps {
  readonly steps: readonly Step[];
  /** The log density, which also adds 1 to the counter of each of its blocks whenever the block begins. */
  readonly counted: Block;
  /** Counters, of ints. */
  readonly counts: Ref;
  readonly counters: number;
}

/** Maximum number of steps. In programs with more, whole loops become steps, and then short sequences of statements. */
const MOST_STEPS = 64;

/** Cuts an optimized log density into steps. */
export function stepsOf(names: Names, block: Block, sources: Sources): Steps {
  const counts = new Builder(names).newRef('int', 1, 'counts', 'global');
  const cutting = new Cutting(names, sources);
  const fine = cutting.block(block, { isLoop: false, outside: new Set(), splitsLoops: true });
  const cuts = fine.length <= MOST_STEPS ? fine : merged(cutting.block(block, OUTERMOST), MOST_STEPS);
  const steps = cuts.map(({ kept, removed, parts }) => ({
    prefix: removed.length === 0 ? null : kept,
    parts,
  }));
  return { steps, counted: counting(block, cutting.counters, counts), counts, counters: cutting.counters.size };
}

interface Cut {
  /** The statements before the cut, and sinks for the values that are read after it. */
  readonly kept: Block;
  /** The statements after the cut. */
  readonly removed: Block;
  readonly parts: readonly StepPart[];
}

interface Surroundings {
  /** Whether the block is repeated. */
  readonly isLoop: boolean;
  /** Variables that are mentioned outside of the block. */
  readonly outside: ReadonlySet<Variable>;
  readonly splitsLoops: boolean;
}

const OUTERMOST: Surroundings = { isLoop: false, outside: new Set(), splitsLoops: false };

class Cutting {
  /** Counters of blocks that are executed more or less than once. */
  readonly counters = new Map<Block, number>();
  readonly #builder: Builder;
  readonly #sources: Sources;

  constructor(names: Names, sources: Sources) {
    this.#builder = new Builder(names);
    this.#sources = sources;
  }

  /** The cuts of a block in order; the last one keeps the whole block. */
  block(block: Block, surroundings: Surroundings): readonly Cut[] {
    const { isLoop, outside, splitsLoops } = surroundings;
    const cuts: Cut[] = [];
    let waiting: StepPart[] = [];
    /** `own`: the statements of this block that are not divided by the cut. */
    const cut = (kept: Block, removed: Block, parts: readonly StepPart[], own: Block): void => {
      waiting.push(...parts);
      const isPossible = !(isLoop && isCarried(kept, removed)) && waiting.length > 0;
      if (removed.length > 0 && !isPossible) return;
      cuts.push({ kept: [...kept, ...this.#sinks(kept, removed, own, outside)], removed, parts: waiting });
      waiting = [];
    };
    const runs = this.#runs(block, isLoop);
    let end = 0;
    for (const run of runs) {
      const before = block.slice(0, end);
      end += run.length;
      const after = block.slice(end);
      const [first] = run;
      const others = [...before, ...after];
      const inner = splitsLoops && first.kind === 'for' ? this.#inLoop(first, others, surroundings) : [];
      for (const each of inner.slice(0, -1)) {
        cut([...before, ...each.kept], [...each.removed, ...after], each.parts, others);
      }
      cut(block.slice(0, end), after, inner.at(-1)?.parts ?? this.#partsOf(run), block);
    }
    if (cuts.length === 0) return [{ kept: block, removed: [], parts: waiting }];
    return cuts;
  }

  /** Cuts of a loop's body, in the loop. */
  #inLoop(loop: StatementOf<'for'>, others: Block, { outside, ...surroundings }: Surroundings): readonly Cut[] {
    const around = new Set([...outside, ...mentionedIn(others)]);
    const cuts = this.block(loop.body, { ...surroundings, isLoop: true, outside: around });
    const counter = this.#counterOf(loop.body);
    return cuts.map(({ kept, parts, removed }) => ({
      kept: [withBody(loop, kept)],
      removed,
      parts: parts.map((part) => (part.counter === null ? { ...part, counter } : part)),
    }));
  }

  /**
   * Groups of adjacent statements that form one step: in a loop, those that belong to the same statements of the program; outside of loops,
   * where they take little time, all statements without loops and kernels. A statement whose source is unknown belongs to the next one, for
   * which it computes a value.
   */
  #runs(block: Block, isLoop: boolean): readonly (readonly Statement[])[] {
    const runs: Statement[][] = [];
    let last: { readonly key: string; readonly isOpen: boolean } | undefined;
    const keys = new Map<Span, number>();
    for (const statement of block) {
      const sources = this.#allSources([statement]);
      for (const source of sources) if (!keys.has(source)) keys.set(source, keys.size);
      const own = isSimple(statement) && !isLoop ? 'simple' : [...sources].map((source) => keys.get(source)).join();
      const key = own === '' ? (last?.key ?? '') : own;
      const continues = last !== undefined && (last.isOpen || last.key === key);
      if (continues) runs.at(-1)?.push(statement);
      else runs.push([statement]);
      last = { key, isOpen: own === '' };
    }
    // A loop is split only if it is alone.
    return runs.flatMap((run) => separated(run));
  }

  #allSources(block: Block): ReadonlySet<Span> {
    const found = new Set<Span>();
    visitStatements(block, (statement) => {
      for (const source of this.#sources.of(statement)) found.add(source);
    });
    return found;
  }

  /**
   * What statements compute, by statement of the program. Statements whose source is unknown belong to the program's statements of their
   * neighbors or of the loop.
   */
  #partsOf(block: Block, counter: number | null = null): readonly StepPart[] {
    const parts: StepPart[] = [];
    let unknown = 0;
    for (const statement of block) {
      const own = this.#sources.of(statement);
      const weight = weightOf(statement);
      if (own.length === 0 || statement.kind === 'for') unknown += weight;
      else {
        for (const source of own) parts.push({ source, counter, weight: (weight + unknown) / own.length });
        unknown = 0;
      }
      mapBlocks(statement, (inner) => {
        if (inner.length > 0) parts.push(...this.#partsOf(inner, this.#counterOf(inner)));
        return inner;
      });
    }
    const last = parts.at(-1);
    return last === undefined || unknown === 0 ? parts : [...parts, { ...last, counter, weight: unknown }];
  }

  #counterOf(block: Block): number {
    const known = this.counters.get(block);
    if (known !== undefined) return known;
    const counter = this.counters.size;
    this.counters.set(block, counter);
    return counter;
  }

  /**
   * Terms of `target` for the values that are computed before the cut and read after it, so that the gradient computes them as it does in
   * the whole log density. Terms for values that only a divided loop mentions are in that loop.
   */
  #sinks(kept: Block, removed: Block, own: Block, outside: ReadonlySet<Variable>): Block {
    const later = mentionedIn(removed);
    const read = new Set([...mentionedIn(own)].filter((variable) => later.has(variable)));
    const written = new Set<Variable>();
    visitStatements(kept, (statement) => {
      for (const variable of writesOf(statement)) written.add(variable);
    });
    const allocated = new Set(kept.flatMap((statement) => (statement.kind === 'allocate' ? [statement.ref] : [])));
    return this.#builder.capture(() => {
      for (const variable of written) {
        if (!read.has(variable) || outside.has(variable)) continue;
        if (variable.kind === 'local') {
          if (variable.type === 'real' && variable.storage === 'local') this.#builder.target(get(variable));
        } else if (variable.element === 'real' && variable.parent === null && allocated.has(variable)) {
          const sizes = Array.from({ length: variable.rank }, (_, axis) => size(variable, axis));
          this.#builder.each(count(sizes), (k) => this.#builder.target(load(variable, k)));
        }
      }
    });
  }
}

function separated(run: readonly Statement[]): readonly (readonly Statement[])[] {
  if (run.length === 1 || run.every((statement) => statement.kind !== 'for')) return [run];
  const pieces: Statement[][] = [];
  let isOpen = false;
  for (const statement of run) {
    if (isOpen && statement.kind !== 'for') pieces.at(-1)?.push(statement);
    else pieces.push([statement]);
    isOpen = statement.kind !== 'for';
  }
  return pieces;
}

/** Whether the part of a loop's body that is kept reads what the rest has written in an earlier iteration. */
function isCarried(kept: Block, removed: Block): boolean {
  const mentioned = mentionedIn(kept);
  let isFound = false;
  visitStatements(removed, (statement) => {
    for (const variable of writesOf(statement)) isFound ||= mentioned.has(variable);
  });
  return isFound;
}

function mentionedIn(block: Block): ReadonlySet<Variable> {
  const mentioned = new Set<Variable>();
  visitStatements(block, (statement) => mentionsOf(statement, (variable) => mentioned.add(variable)));
  return mentioned;
}

/** Whether a statement has neither loops nor kernels nor calls. */
function isSimple(statement: Statement): boolean {
  let found = true;
  visitStatements([statement], ({ kind }) => {
    if (kind === 'for' || kind === 'while' || kind === 'kernel' || kind === 'call') found = false;
  });
  return found;
}

/** Assumed number of operations of a kernel on containers, or of a function. */
const CALL_WEIGHT = 100;
const EXPENSIVE_WEIGHT = 10;

/** A rough number of operations in a statement without its blocks. */
function weightOf(statement: Statement): number {
  let weight = statement.kind === 'kernel' || statement.kind === 'call' ? CALL_WEIGHT : 1;
  visitOwnExpressions(statement, (node) => {
    if (node.kind === 'apply') weight += OPS[node.op].cost === 'cheap' ? 1 : EXPENSIVE_WEIGHT;
  });
  return weight;
}

/** Joins neighbors until at most `most` cuts remain. */
function merged(cuts: readonly Cut[], most: number): readonly Cut[] {
  const each = Math.ceil(cuts.length / most);
  const groups: Cut[] = [];
  for (let from = 0; from < cuts.length; from += each) {
    const group = cuts.slice(from, from + each);
    const last = group.at(-1);
    if (last !== undefined) groups.push({ ...last, parts: group.flatMap(({ parts }) => parts) });
  }
  return groups;
}

function counting(block: Block, counters: ReadonlyMap<Block, number>, counts: Ref): Block {
  return block.map((statement) =>
    mapBlocks(statement, (inner) => {
      const own = counting(inner, counters, counts);
      const counter = counters.get(inner);
      if (counter === undefined) return own;
      const place = int(counter);
      return [{ kind: 'store', ref: counts, index: place, value: add(load(counts, place), int(1)) }, ...own];
    }),
  );
}
