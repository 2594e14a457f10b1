import { movableOf, usesOf } from '../../dataflow/cached.js';
import { mentionsOf, mentionsOfNode } from '../../dataflow/effects.js';
import type { Movable } from '../../dataflow/movable.js';
import type { Uses } from '../../dataflow/uses.js';
import { Builder, type Names } from '../../ir/builder.js';
import {
  add,
  and,
  apply,
  call1,
  get,
  int,
  iterationsOf,
  load,
  mul,
  real,
  select,
  sub,
  toReal,
} from '../../ir/expressions.js';
import { Interner } from '../../ir/interned.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf, TargetTerm, Variable } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import { withBody, withBranches, withTerms } from '../../ir/remake.js';
import { SmallMap } from '../../ir/small.js';
import { termsOf } from '../../ir/sums.js';
import { mapExpression, mapExpressions, operandsOf, someNode, visitStatements, withOperands } from '../../ir/walk.js';
import { substituteVariables } from '../simplify/substitute.js';
import { Worth } from './hoist-worth.js';
import { atIndex } from './iterations.js';
import { isWithinBounds, readableAnywhere } from './within-bounds.js';

/**
 * Moves what depends on data alone out of the log density into a block that runs once per data set: whole statements, the checks and
 * `target` terms of loops that also do other things (the loop is split), and the costly data-only parts of expressions; inside loops with
 * data bounds, these become arrays over the loops' indexes. If the bounds of the inner loop depend on the index of an outer one, a list
 * contains where the values of each outer iteration start. Requires a block without exits. `following` are statements after the block, of which
 * nothing moves.
 */
export function hoistData(
  names: Names,
  block: Block,
  inputs: readonly Variable[],
  following: Block = [],
): { precompute: Block; logDensity: Block } {
  const hoist = new Hoist(names, movableOf(block, inputs), usesOf(block));
  const { early, rest } = hoist.block(block, []);
  const start = hoist.start();
  const left = [...start, ...rest, ...following];
  const shared = hoist.globalsFor(left);
  return {
    precompute: substituteVariables([...hoist.initial(), ...early], shared),
    logDensity: substituteVariables(left, shared),
  };
}

type ForStatement = StatementOf<'for'>;

interface Parts {
  readonly early: Block;
  readonly rest: Block;
}

/** A loop that is being split, with the arrays that its hoisted part fills. */
interface LoopFrame {
  readonly loop: ForStatement;
  /** Arrays by the number of the value that they contain. */
  readonly arrays: Map<number, { readonly ref: Ref; readonly index: Expr }>;
  /** Statements before the early loop, at the depth of the outermost loop. */
  readonly header: Statement[];
  /** Everything that the outermost of the enclosing loops writes. */
  readonly written: ReadonlySet<Variable>;
  /** The number of conditions around it. */
  readonly conditions: number;
  /** Where the values of each iteration of the enclosing loops start. */
  readonly starts: Starts[];
}

interface Starts {
  readonly outer: readonly LoopFrame[];
  readonly list: Ref;
  /** The number of values. */
  readonly total: Local;
}

/** An array over the indexes of loops. */
interface Place {
  readonly sizes: readonly Expr[];
  readonly index: Expr;
}

class Hoist {
  readonly #builder: Builder;
  readonly #movable: Movable;
  readonly #uses: Uses;
  /** The number of conditions around the statement. */
  #conditions = 0;
  readonly #sums = new Map<TargetTerm, Local>();
  readonly #interner = new Interner();
  /** Arrays that the enclosing blocks have filled, in order. */
  readonly #filled: { readonly arrays: Map<number, unknown>; readonly number: number }[] = [];
  readonly #worthInLoops = new Worth(true);
  readonly #worthOutside = new Worth(false);

  constructor(names: Names, movable: Movable, uses: Uses) {
    this.#builder = new Builder(names);
    this.#movable = movable;
    this.#uses = uses;
  }

  /** Data-only sums of `target` terms start at zero. */
  initial(): Block {
    return [...this.#sums.values()].map((local) => ({ kind: 'assign', local, value: real(0) }));
  }

  start(): Block {
    return [...this.#sums].map(([term, local]) => ({ kind: 'target', value: get(local), term, span: null }));
  }

  /** Creates a global for each variable that is computed early and read in the rest. */
  globalsFor(rest: Block): Map<Variable, Variable> {
    const globals = new Map<Variable, Variable>();
    const promote = (variable: Variable): Variable => {
      if (variable.storage === 'global' || !this.#movable.isHoisted(variable)) return variable;
      const known = globals.get(variable);
      if (known !== undefined) return known;
      const made =
        variable.kind === 'local'
          ? this.#builder.newLocal(variable.type, variable.name, 'global')
          : this.#builder.newRef(
              variable.element,
              variable.rank,
              variable.name,
              'global',
              variable.parent === null ? null : asRef(promote(variable.parent)),
            );
      globals.set(variable, made);
      return made;
    };
    visitStatements(rest, (statement) => mentionsOf(statement, promote));
    return globals;
  }

  block(block: Block, loops: readonly LoopFrame[]): Parts {
    const early: Statement[] = [];
    const rest: Statement[] = [];
    const outside = this.#filled.length;
    for (const statement of block) {
      const parts = this.#statement(statement, loops);
      early.push(...parts.early);
      rest.push(...parts.rest);
    }
    // This block may not run, so the arrays that it fills may be empty.
    for (const { arrays, number } of this.#filled.splice(outside)) arrays.delete(number);
    return { early, rest };
  }

  #statement(statement: Statement, loops: readonly LoopFrame[]): Parts {
    if (this.#movable.isData(statement)) {
      if (loops.length === 0) return { early: [statement], rest: [] };
      if (this.#movable.isSelfContained(statement)) return { early: [statement], rest: [] };
      // Added last, because the statement may write what it reads.
      const early: Statement[] = [];
      const rest = [statement.kind === 'assign' ? this.#expand(statement, loops, early) : statement];
      return { early: [...early, statement], rest };
    }
    if (
      statement.kind === 'for' &&
      this.#movable.isDataExpr(statement.from) &&
      this.#movable.isDataExpr(statement.to)
    ) {
      return this.#for(statement, loops);
    }
    if (statement.kind === 'if' && this.#movable.isDataExpr(statement.condition)) {
      this.#conditions++;
      const then = this.block(statement.then, loops);
      const otherwise = this.block(statement.otherwise, loops);
      this.#conditions--;
      return {
        early: [withBranches(statement, then.early, otherwise.early)],
        rest: [withBranches(statement, then.rest, otherwise.rest)],
      };
    }
    if (statement.kind === 'target') return this.#target(statement, loops);
    if (statement.kind === 'if' || statement.kind === 'while' || statement.kind === 'for')
      return { early: [], rest: [statement] };
    const early: Statement[] = [];
    return { early, rest: [this.#expand(statement, loops, early)] };
  }

  #for(statement: ForStatement, loops: readonly LoopFrame[]): Parts {
    const header: Statement[] = [];
    const written = loops.at(0)?.written ?? this.#movable.writtenIn(statement);
    const conditions = this.#conditions;
    const frame: LoopFrame = { loop: statement, arrays: new Map(), header, written, conditions, starts: [] };
    const body = this.block(statement.body, [...loops, frame]);
    return {
      early: [...header, withBody(statement, body.early)],
      rest: [withBody(statement, body.rest)],
    };
  }

  #target(statement: StatementOf<'target'>, loops: readonly LoopFrame[]): Parts {
    const early: Statement[] = [];
    const rest: Statement[] = [];
    for (const { value, negative } of termsOf(statement.value)) {
      const signed = negative ? sub(real(0), value) : value;
      if (this.#movable.isDataExpr(value)) {
        const sum = this.#sum(statement.term);
        early.push({ kind: 'assign', local: sum, value: add(get(sum), toReal(signed)) });
      } else rest.push(withTerms(statement, toReal(signed)));
    }
    const merged = rest.length > 1 && early.length === 0 ? [statement] : rest;
    return { early, rest: merged.map((s) => this.#expand(s, loops, early, statement)) };
  }

  #sum(term: TargetTerm): Local {
    let sum = this.#sums.get(term);
    if (sum === undefined) {
      sum = this.#builder.newLocal('real', `data_${term}`, 'global');
      this.#sums.set(term, sum);
    }
    return sum;
  }

  /**
   * Replaces costly data-only subexpressions of the statement, sums over inner loops, and logarithms of the bases of powers by values that
   * `early` computes. `original` is the corresponding statement of the block.
   */
  #expand(
    statement: Statement,
    loops: readonly LoopFrame[],
    early: Statement[],
    original: Statement = statement,
  ): Statement {
    const done = new SmallMap<Expr, Expr>();
    const worth = loops.length > 0 ? this.#worthInLoops : this.#worthOutside;
    const innermost = loops.at(-1)?.loop;
    const precomputed = (e: Expr): Expr | null => this.#precomputed(e, loops, early, original);
    const rewrite = (e: Expr): Expr => {
      const isSum = e.kind === 'get' && innermost !== undefined && this.#movable.isAccumulatedIn(e.local, innermost);
      if (operandsOf(e).length === 0 && !isSum) return e;
      const known = done.get(e);
      if (known !== undefined) return known;
      let result: Expr;
      if (this.#movable.isDataExpr(e) && (isSum || worth.of(e))) {
        result = precomputed(e) ?? e;
      } else {
        result = this.#powerOfLogarithm(e, rewrite, precomputed) ?? withOperands(e, operandsOf(e).map(rewrite));
      }
      done.set(e, result);
      return result;
    };
    return mapExpressions(statement, rewrite);
  }

  /** A power whose base depends on data alone, computed from the logarithm of the base, which halves the work. Null for other expressions. */
  #powerOfLogarithm(e: Expr, rewrite: (e: Expr) => Expr, precomputed: (e: Expr) => Expr | null): Expr | null {
    if (e.kind !== 'apply' || e.op !== 'pow' || !this.#movable.isDataExpr(e.args[0])) return null;
    const [base, exponent] = e.args;
    const high = precomputed(call1('log_high', base));
    const low = precomputed(call1('log_low', base));
    if (high === null || low === null) return null;
    return apply('pow_of_log', 'real', rewrite(base), rewrite(exponent), high, low);
  }

  #precomputed(value: Expr, loops: readonly LoopFrame[], early: Statement[], reader: Statement): Expr | null {
    const needed = this.#loopsOf(value, loops, reader);
    if (needed.length === 0) {
      const local = this.#builder.newLocal(value.type, 'data', 'global');
      early.push({ kind: 'assign', local, value });
      return get(local);
    }
    const innermost = needed[needed.length - 1];
    const number = this.#interner.numberOf(value);
    const known = innermost.arrays.get(number);
    if (known !== undefined && this.#movable.isWrittenOnce(value)) return load(known.ref, known.index);
    const place = this.#placeOf(value, needed, loops);
    if (place === null) return null;
    const { sizes, index } = place;
    const ref = this.#builder.newRef(value.type, sizes.length, 'data', 'global');
    // Allocated before all loops, not only those of its indexes: under a condition, each iteration of the other loops fills a different
    // part.
    loops[0].header.push({ kind: 'allocate', ref, sizes, fill: 'zero' });
    early.push({ kind: 'store', ref, index, value });
    if (known === undefined) {
      innermost.arrays.set(number, { ref, index });
      this.#filled.push({ arrays: innermost.arrays, number });
    }
    return load(ref, index);
  }

  /** The enclosing loops on whose indexes the value depends. */
  #loopsOf(value: Expr, loops: readonly LoopFrame[], reader: Statement): readonly LoopFrame[] {
    const indexes = this.#movable.loopIndexes(value, reader);
    return loops.filter((frame) => indexes.has(frame.loop.index));
  }

  /** An array over the loops; null if their extents are not known outside of them. */
  #placeOf(value: Expr, needed: readonly LoopFrame[], loops: readonly LoopFrame[]): Place | null {
    if (needed.every((frame) => !this.#varies(frame))) {
      return { sizes: needed.map(({ loop }) => iterationsOf(loop.from, loop.to)), index: indexIn(needed) };
    }
    const starts = this.#startsOf(value, needed, loops);
    if (starts === null) return null;
    const { index, from } = needed[needed.length - 1].loop;
    return { sizes: [get(starts.total)], index: add(load(starts.list, indexIn(starts.outer)), sub(get(index), from)) };
  }

  /** Whether the number of iterations depends on the enclosing loops. */
  #varies({ loop, written }: LoopFrame): boolean {
    return [loop.from, loop.to].some((bound) => {
      for (const variable of this.#movable.dependencies(bound, loop)) if (written.has(variable)) return true;
      return false;
    });
  }

  /**
   * Where the values of each iteration of the loops around `innermost` start. Null if `innermost` runs conditionally, or if its bounds are
   * not known outside of all loops or depend on a loop whose index the value does not read: the value would then be stored many times.
   */
  #startsOf(value: Expr, needed: readonly LoopFrame[], loops: readonly LoopFrame[]): Starts | null {
    const [outermost] = loops;
    const innermost = needed[needed.length - 1];
    if (innermost === outermost || innermost.conditions !== outermost.conditions) return null;
    const { loop } = innermost;
    const around = loops.slice(0, loops.indexOf(innermost));
    const before = this.#uses.position(loop);
    const [from, to] = [loop.from, loop.to].map((bound) => this.#written(bound, around, before));
    if (from === null || to === null) return null;
    const outer = needed.slice(0, -1);
    if (!outer.every((frame) => this.#reads(value, frame.loop.index))) return null;
    if (outer.some((frame) => this.#varies(frame))) return null;
    const known = innermost.starts.find((starts) => outer.every((frame, k) => frame === starts.outer[k]));
    if (known !== undefined && known.outer.length === outer.length) return known;
    const starts = this.#count(outer, from, to, outermost.header);
    innermost.starts.push(starts);
    return starts;
  }

  /** Counts the iterations from `from` to `to` of all iterations of `outer`, before the outermost loop. */
  #count(outer: readonly LoopFrame[], from: Expr, to: Expr, header: Statement[]): Starts {
    const builder = this.#builder;
    const total = builder.newLocal('int', 'total');
    const list = builder.newRef('int', outer.length, 'starts', 'global');
    const sizes = outer.map(({ loop }) => iterationsOf(loop.from, loop.to));
    let block = builder.capture(() => {
      builder.store(list, indexIn(outer), get(total));
      builder.assign(total, add(get(total), iterationsWithin(from, to)));
    });
    for (const { loop } of [...outer].reverse()) {
      const index = builder.newLocal('int', loop.index.name);
      block = [{ kind: 'for', index, from: loop.from, to: loop.to, body: atIndex(block, loop.index, get(index)) }];
    }
    header.push({ kind: 'assign', local: total, value: int(0) });
    header.push({ kind: 'allocate', ref: list, sizes, fill: 'zero' }, ...block);
    return { outer, list, total };
  }

  /** Whether the value reads the loop's index, and not only because that index limits another one that the value reads. */
  #reads(value: Expr, index: Local, followed = new Set<Variable>()): boolean {
    return someNode(value, (node) => {
      let reads = false;
      mentionsOfNode(node, (variable) => {
        if (variable === index) reads = true;
        if (reads || followed.has(variable)) return;
        followed.add(variable);
        reads = this.#uses
          .writes(variable)
          .some(({ statement }) => statement.kind === 'assign' && this.#reads(statement.value, index, followed));
      });
      return reads;
    });
  }

  /**
   * A bound in terms of the loops' indexes and of variables that the outermost loop does not write; null if that is not possible. `before`:
   * the position in the block where the bound is read.
   */
  #written(bound: Expr, loops: readonly LoopFrame[], before: number): Expr | null {
    let isPossible = true;
    const [{ written }] = loops;
    const result = mapExpression(bound, (node) => {
      mentionsOfNode(node, (variable) => {
        if (variable.kind === 'ref' && written.has(rootOf(variable))) isPossible = false;
      });
      if (node.kind !== 'get' || !written.has(node.local) || loops.some(({ loop }) => loop.index === node.local)) {
        return node;
      }
      const [{ statement }, ...others] = this.#uses.writes(node.local);
      const position = this.#uses.position(statement);
      const isDefinition =
        statement.kind === 'assign' && others.length === 0 && loops.some(({ loop }) => loop.body.includes(statement));
      const value = isDefinition && position < before ? this.#written(statement.value, loops, position) : null;
      if (value === null) isPossible = false;
      return value ?? node;
    });
    return isPossible ? result : null;
  }
}

/** The position of an iteration among all iterations of nested loops. */
function indexIn(frames: readonly LoopFrame[]): Expr {
  let index: Expr = int(0);
  for (const { loop } of frames) {
    index = add(mul(index, sub(loop.to, loop.from)), sub(get(loop.index), loop.from));
  }
  return index;
}

/** The number of iterations; 0 if a bound is read from outside its container: a check then fails before the loop. */
function iterationsWithin(from: Expr, to: Expr): Expr {
  let isInside: Expr = int(1);
  const guard = (node: Expr): Expr => {
    if (node.kind !== 'load') return node;
    isInside = and(isInside, isWithinBounds(node));
    return readableAnywhere(node);
  };
  const count = iterationsOf(mapExpression(from, guard), mapExpression(to, guard));
  return select(isInside, count, int(0));
}

function asRef(variable: Variable): Ref | null {
  return variable.kind === 'ref' ? variable : null;
}
