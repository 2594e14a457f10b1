import { writesOf } from '../dataflow/effects.js';
import { Builder, type Names } from '../ir/builder.js';
import { get } from '../ir/expressions.js';
import type { Block, Expr, Local, Statement } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { definedRefs, mapBlocks, mapExpressions, operandsOf, visitStatements, withOperands } from '../ir/walk.js';

/**
 * Common subexpressions: what is computed twice with the same values of all that it reads is computed once and kept
 * in a local. Value numbering over the structured program: a value found in an outer block serves the blocks inside it;
 * each write gives what it changes a new version (Briggs, Cooper & Simpson 1997, dominator-based value numbering).
 */
export function shareCommon(names: Names, block: Block): Block {
  const counting = new Numbering(names, null);
  counting.block(block);
  return new Numbering(names, counting.values).block(block);
}

interface NumberedValue {
  uses: number;
  local: Local | null;
}

class Numbering {
  /** In the order in which they are first met; the second walk meets them in the same order. */
  readonly values: NumberedValue[] = [];
  readonly #counted: readonly NumberedValue[] | null;
  readonly #builder: Builder;
  readonly #versions = new Map<number, number>();
  #scopes: Map<string, number>[] = [];
  #keys = new Map<Expr, string>();
  #pending: Statement[] = [];
  #nextVersion = 1;
  readonly #ids = new Map<string, number>();

  constructor(names: Names, counted: readonly NumberedValue[] | null) {
    this.#counted = counted;
    this.#builder = new Builder(names);
  }

  block(block: Block): Block {
    this.#scopes.push(new Map());
    const result: Statement[] = [];
    for (const statement of block) this.#statement(statement, result);
    this.#scopes.pop();
    return result;
  }

  #statement(statement: Statement, result: Statement[]): void {
    const isLoop = statement.kind === 'for' || statement.kind === 'for_reverse' || statement.kind === 'while';
    this.#keys = new Map();
    const outer = this.#pending;
    this.#pending = [];
    let own: Statement = statement;
    if (statement.kind === 'while') {
      // The condition is evaluated again each iteration: nothing of it may be kept.
      this.#bumpWrites(statement);
    } else {
      own = mapExpressions(statement, (root) => this.#expression(root));
    }
    result.push(...this.#pending);
    this.#pending = outer;
    if (isLoop && statement.kind !== 'while') this.#bumpWrites(statement);
    own = mapBlocks(own, (inner) => this.block(inner));
    result.push(own);
    this.#bumpWrites(statement);
  }

  /** Gives everything that the statement or its blocks write a new version. */
  #bumpWrites(statement: Statement): void {
    visitStatements([statement], (inner) => {
      for (const variable of writesOf(inner)) this.#bump(variable.kind === 'ref' ? rootOf(variable).id : variable.id);
      for (const ref of definedRefs(inner)) this.#bump(-ref.id);
      if (inner.kind === 'call') for (const variable of inner.results) this.#bump(variable.id);
      if (inner.kind === 'target') this.#bump(0);
    });
  }

  #bump(id: number): void {
    this.#versions.set(id, this.#nextVersion++);
  }

  #version(id: number): number {
    return this.#versions.get(id) ?? 0;
  }

  #expression(e: Expr): Expr {
    if (e.kind === 'const' || e.kind === 'get' || e.kind === 'size' || e.kind === 'target') return e;
    if (e.kind === 'load_adjoint') return { ...e, index: this.#expression(e.index) };
    const key = this.#key(e);
    const known = this.#find(key);
    if (known !== null) {
      const value = this.values[known];
      value.uses++;
      return value.local === null ? e : get(value.local);
    }
    const rewritten = withOperands(
      e,
      operandsOf(e).map((operand) => this.#expression(operand)),
    );
    const number = this.values.length;
    const value: NumberedValue = { uses: 1, local: null };
    this.values.push(value);
    this.#scopes[this.#scopes.length - 1].set(key, number);
    if (this.#counted !== null && this.#counted[number].uses > 1) {
      const local = this.#builder.newLocal(e.type, 'c');
      this.#pending.push({ kind: 'assign', local, value: rewritten });
      value.local = local;
      return get(local);
    }
    return rewritten;
  }

  #find(key: string): number | null {
    for (let k = this.#scopes.length - 1; k >= 0; k--) {
      const number = this.#scopes[k].get(key);
      if (number !== undefined) return number;
    }
    return null;
  }

  /** Same key, same value: structure plus the versions of what is read. */
  #key(e: Expr): string {
    const known = this.#keys.get(e);
    if (known !== undefined) return known;
    let key: string;
    switch (e.kind) {
      case 'const':
        key = `${e.type === 'int' ? 'i' : 'r'}${Object.is(e.value, -0) ? '-0' : e.value}`;
        break;
      case 'get':
        key = `l${e.local.id}@${this.#version(e.local.id)}`;
        break;
      case 'size':
        key = `s${e.ref.id}.${e.axis}@${this.#version(-e.ref.id)}`;
        break;
      case 'load':
        key = `m${e.ref.id}@${this.#version(-e.ref.id)}.${this.#version(rootOf(e.ref).id)}[${this.#id(e.index)}]`;
        break;
      case 'apply':
        key = `${e.op}(${e.args.map((argument) => this.#id(argument)).join()})`;
        break;
      default:
        key = `u${this.#nextVersion++}`;
    }
    this.#keys.set(e, key);
    return key;
  }

  /** A short name for a key, so that keys of deep expressions stay short. */
  #id(e: Expr): number {
    const key = this.#key(e);
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#ids.size;
    this.#ids.set(key, id);
    return id;
  }
}
