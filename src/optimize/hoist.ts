import { Movable } from '../dataflow/movable.js';
import { Builder, type Names } from '../ir/builder.js';
import { add, get, int, iterationsOf, load, mul, real, sub, toReal } from '../ir/expressions.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf, TargetTerm, Variable } from '../ir/nodes.js';
import { OPS } from '../ir/ops.js';
import { sameExpression } from '../ir/same.js';
import { termsOf } from '../ir/sums.js';
import { mapExpressions, operandsOf, visitExpression, visitStatements, withOperands } from '../ir/walk.js';
import { substituteVariables } from './substitute.js';

/**
 * Moves what depends on data alone out of the log density into a block that runs once a data set: whole statements,
 * the checks and `target` terms of loops that also do other things (the loop is split), and the costly data-only parts
 * of expressions; inside loops with data bounds those become arrays over the loops' indexes.
 * Wants a block without exits.
 */
export function hoistData(
  names: Names,
  block: Block,
  inputs: readonly Variable[],
): { precompute: Block; logDensity: Block } {
  const hoist = new Hoist(names, new Movable(block, inputs));
  const { early, rest } = hoist.block(block, []);
  const start = hoist.start();
  const shared = hoist.globalsFor([...start, ...rest]);
  return {
    precompute: substituteVariables([...hoist.initial(), ...early], shared),
    logDensity: substituteVariables([...start, ...rest], shared),
  };
}

type ForStatement = StatementOf<'for'>;

interface Parts {
  readonly early: Block;
  readonly rest: Block;
}

/** A loop that is being split, with the arrays that its early half fills. */
interface LoopFrame {
  readonly loop: ForStatement;
  readonly arrays: { readonly value: Expr; readonly ref: Ref; readonly index: Expr }[];
  /** Statements before the early loop, at the depth of the outermost one. */
  readonly header: Statement[];
  /** What the outermost of the loops around writes, and so all that the loops write. */
  readonly written: ReadonlySet<Variable>;
}

class Hoist {
  readonly #builder: Builder;
  readonly #movable: Movable;
  readonly #sums = new Map<TargetTerm, Local>();

  constructor(names: Names, movable: Movable) {
    this.#builder = new Builder(names);
    this.#movable = movable;
  }

  /** Data-only sums of `target` terms start at zero. */
  initial(): Block {
    return [...this.#sums.values()].map((local) => ({ kind: 'assign', local, value: real(0) }));
  }

  start(): Block {
    return [...this.#sums].map(([term, local]) => ({ kind: 'target', value: get(local), term }));
  }

  /** Variables computed early and read in the rest get a global each. */
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
    visitStatements(rest, (statement) => this.#movable.mentioned(statement, promote));
    return globals;
  }

  block(block: Block, loops: readonly LoopFrame[]): Parts {
    const early: Statement[] = [];
    const rest: Statement[] = [];
    for (const statement of block) {
      const parts = this.#statement(statement, loops);
      early.push(...parts.early);
      rest.push(...parts.rest);
    }
    return { early, rest };
  }

  #statement(statement: Statement, loops: readonly LoopFrame[]): Parts {
    if (this.#movable.isData(statement)) {
      if (loops.length === 0) return { early: [statement], rest: [] };
      if (this.#movable.isSelfContained(statement)) return { early: [statement], rest: [] };
      // What the statement reads may be what it writes: it comes last.
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
      const then = this.block(statement.then, loops);
      const otherwise = this.block(statement.otherwise, loops);
      return {
        early: [{ ...statement, then: then.early, otherwise: otherwise.early }],
        rest: [{ ...statement, then: then.rest, otherwise: otherwise.rest }],
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
    const frame: LoopFrame = { loop: statement, arrays: [], header, written };
    const body = this.block(statement.body, [...loops, frame]);
    return {
      early: [...header, { ...statement, body: body.early }],
      rest: [{ ...statement, body: body.rest }],
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
      } else rest.push({ ...statement, value: toReal(signed) });
    }
    const merged = rest.length > 1 && early.length === 0 ? [statement] : rest;
    return { early, rest: merged.map((s) => this.#expand(s, loops, early)) };
  }

  #sum(term: TargetTerm): Local {
    let sum = this.#sums.get(term);
    if (sum === undefined) {
      sum = this.#builder.newLocal('real', `data_${term}`, 'global');
      this.#sums.set(term, sum);
    }
    return sum;
  }

  /** Replaces costly data-only parts of the statement's expressions by what `early` computes. */
  #expand(statement: Statement, loops: readonly LoopFrame[], early: Statement[]): Statement {
    const done = new Map<Expr, Expr>();
    const rewrite = (e: Expr): Expr => {
      const known = done.get(e);
      if (known !== undefined) return known;
      let result: Expr;
      if (
        this.#movable.isDataExpr(e) &&
        (e.type === 'real' ? isWorth(e, loops.length > 0) : isIndirect(e, loops.length > 0))
      ) {
        result = this.#precomputed(e, loops, early) ?? e;
      } else {
        const operands = operandsOf(e);
        result = operands.length === 0 ? e : withOperands(e, operands.map(rewrite));
      }
      done.set(e, result);
      return result;
    };
    return mapExpressions(statement, rewrite);
  }

  #precomputed(value: Expr, loops: readonly LoopFrame[], early: Statement[]): Expr | null {
    const needed = this.#loopsOf(value, loops);
    if (needed === null) return null;
    if (needed.length === 0) {
      const local = this.#builder.newLocal(value.type, 'data', 'global');
      early.push({ kind: 'assign', local, value });
      return get(local);
    }
    const innermost = needed[needed.length - 1];
    const known = innermost.arrays.find((array) => sameExpression(array.value, value));
    if (known !== undefined && this.#movable.isWrittenOnce(value)) return load(known.ref, known.index);
    let index: Expr = int(0);
    for (const { loop } of needed) {
      index = add(mul(index, sub(loop.to, loop.from)), sub(get(loop.index), loop.from));
    }
    const sizes = needed.map(({ loop }) => iterationsOf(loop.from, loop.to));
    const ref = this.#builder.newRef(value.type, sizes.length, 'data', 'global');
    needed[0].header.push({ kind: 'allocate', ref, sizes, fill: 'zero' });
    early.push({ kind: 'store', ref, index, value });
    innermost.arrays.push({ value, ref, index });
    return load(ref, index);
  }

  /** The loops around on whose indexes the value depends; null if their extents vary or are not known outside. */
  #loopsOf(value: Expr, loops: readonly LoopFrame[]): readonly LoopFrame[] | null {
    const variables = this.#movable.dependencies(value);
    const needed = loops.filter((frame) => variables.has(frame.loop.index));
    for (const { loop, written } of needed) {
      for (const bound of [loop.from, loop.to]) {
        for (const variable of this.#movable.dependencies(bound)) if (written.has(variable)) return null;
      }
    }
    return needed;
  }
}

function asRef(variable: Variable): Ref | null {
  return variable.kind === 'ref' ? variable : null;
}

/** In a loop: real arithmetic or a gather. Outside: something costly only. */
function isWorth(e: Expr, inLoop: boolean): boolean {
  let worth = false;
  visitExpression(e, (node) => {
    if (node.kind === 'apply') {
      if (OPS[node.op].cost === 'expensive') worth = true;
      else if (inLoop && node.type === 'real' && node.op !== 'to_real') worth = true;
    } else if (inLoop && isGather(node)) worth = true;
  });
  return worth;
}

/** An int that is looked up through another one. */
function isIndirect(e: Expr, inLoop: boolean): boolean {
  if (!inLoop) return false;
  let indirect = false;
  visitExpression(e, (node) => {
    if (isGather(node)) indirect = true;
  });
  return indirect;
}

function isGather(node: Expr): boolean {
  if (node.kind !== 'load') return false;
  let gathers = false;
  visitExpression(node.index, (inner) => {
    if (inner.kind === 'load') gathers = true;
  });
  return gathers;
}
