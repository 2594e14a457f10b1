import { append } from '../../base/multimap.js';
import { writesOf } from '../../dataflow/effects.js';
import { get, load, real, select } from '../../ir/expressions.js';
import type { Block, Expr, Local, Ref, Variable } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import { definedRefs, visitStatements } from '../../ir/walk.js';
import { endOf, type Form, RECOGNIZERS } from './shares.js';

/** The form that all values of a variable have, without its argument. */
type Kind = Pick<Form, 'share' | 'isLog'>;

/** `open`: still undetermined, because all values seen are constants or copies of other undetermined variables. */
type Guess = Kind | 'open' | null;

/** A new variable of the same type, which holds the argument of a variable's value. */
export interface Arguments {
  local(of: Local): Local;
  ref(of: Ref): Ref;
}

/**
 * The forms of expressions, traced through locals and containers: a variable has a form if every value that is written to it has the same form. Its
 * argument is then another variable, which is written wherever the first one is.
 *
 * The constants 0 and 1, which are the values at infinite arguments, and NaN are also accepted.
 */
export class Forms {
  readonly #arguments: Arguments;
  readonly #values = new Map<Variable, Expr[]>();
  #kinds = new Map<Variable, Guess>();
  #known = new Map<Expr, Form | 'open' | null>();

  /** `writesGlobals`: as in `PassContext`. */
  constructor(block: Block, args: Arguments, parameters: readonly Variable[], writesGlobals: boolean) {
    this.#arguments = args;
    this.#collect(block, writesGlobals);
    for (const parameter of parameters) this.#values.delete(parameter);
    for (const variable of this.#values.keys()) this.#kinds.set(variable, 'open');
    this.#settle();
    // Variables that are still open receive only constants and copies of each other.
    for (const [variable, kind] of this.#kinds) if (kind === 'open') this.#kinds.set(variable, null);
    this.#settle();
  }

  /** Whether a variable has a form. */
  get hasVariables(): boolean {
    for (const kind of this.#kinds.values()) if (kind !== null) return true;
    return false;
  }

  /** The form of an expression. */
  of(e: Expr): Form | null {
    const form = this.#of(e);
    return form === 'open' ? null : form;
  }

  /** The argument of a value that is written to a variable; null if the variable has no form. */
  argument(variable: Variable, value: Expr): Expr | null {
    const kind = this.#kinds.get(variable);
    if (kind === undefined || kind === null || kind === 'open') return null;
    return this.#argumentOf(value, kind);
  }

  /** The arguments of all values that are written to a variable. */
  argumentsOf(variable: Variable): readonly Expr[] {
    return (this.#values.get(variable) ?? []).flatMap((value) => this.argument(variable, value) ?? []);
  }

  /** Variables whose every write is an assignment or a store of this block. */
  #collect(block: Block, writesGlobals: boolean): void {
    const others = new Set<Variable>();
    const defined = new Set<Ref>();
    visitStatements(block, (statement) => {
      if (statement.kind === 'assign') this.#note(statement.local, statement.value);
      else if (statement.kind === 'store') this.#note(rootOf(statement.ref), statement.value);
      else for (const variable of writesOf(statement)) if (variable.kind === 'local') others.add(variable);
      if (statement.kind === 'kernel' || statement.kind === 'call') {
        for (const variable of writesOf(statement)) others.add(variable.kind === 'ref' ? rootOf(variable) : variable);
      }
      for (const ref of definedRefs(statement)) {
        if (statement.kind === 'allocate' ? statement.fill === 'zero' : statement.kind !== 'view')
          others.add(rootOf(ref));
        defined.add(ref);
      }
    });
    for (const variable of this.#values.keys()) {
      const isForeign =
        variable.kind === 'ref' ? !defined.has(variable) : variable.storage === 'global' && !writesGlobals;
      const isReal = (variable.kind === 'ref' ? variable.element : variable.type) === 'real';
      if (others.has(variable) || isForeign || !isReal) this.#values.delete(variable);
    }
  }

  #note(variable: Variable, value: Expr): void {
    append(this.#values, variable, value);
  }

  #settle(): void {
    while (this.#sweep());
    this.#known = new Map();
  }

  /** Updates the form of each variable from the forms of its values; returns whether any has changed. */
  #sweep(): boolean {
    this.#known = new Map();
    let changed = false;
    for (const [variable, values] of this.#values) {
      const before = this.#kinds.get(variable);
      if (before === null) continue;
      const kind = this.#common(values);
      if (before !== 'open' && before !== undefined && isSame(before, kind)) continue;
      if (kind === 'open') continue;
      this.#kinds.set(variable, kind);
      changed = true;
    }
    return changed;
  }

  #common(values: readonly Expr[]): Guess {
    let common: Guess = 'open';
    for (const value of values) {
      if (value.kind === 'const') continue;
      const form = this.#of(value);
      if (form === 'open') continue;
      if (form === null || (form.share === 'exponential' && form.isLog)) return null;
      if (common === 'open') common = { share: form.share, isLog: form.isLog };
      else if (!isSame(common, form)) return null;
    }
    if (common === 'open') return common;
    const kind: Kind = common;
    return values.every((value) => value.kind !== 'const' || endOf(kind, value.value) !== null) ? kind : null;
  }

  #of(e: Expr): Form | 'open' | null {
    if (e.kind === 'const' || e.type !== 'real') return null;
    const known = this.#known.get(e);
    if (known !== undefined) return known;
    const form = this.#find(e);
    this.#known.set(e, form);
    return form;
  }

  #find(e: Expr): Form | 'open' | null {
    if (e.kind === 'get') return this.#ofVariable(e.local, () => get(this.#arguments.local(e.local)));
    if (e.kind === 'load') {
      return this.#ofVariable(rootOf(e.ref), () => load(this.#arguments.ref(e.ref), e.index));
    }
    if (e.kind !== 'apply') return null;
    if (e.op === 'select') return this.#ofSelect(e.args);
    const recognizer = RECOGNIZERS[e.op];
    if (recognizer === undefined) return null;
    let isOpen = false;
    const form = recognizer(e.args, (operand) => {
      const found = this.#of(operand);
      if (found !== 'open') return found;
      isOpen = true;
      return null;
    });
    return isOpen ? 'open' : form;
  }

  #ofVariable(variable: Variable, argument: () => Expr): Form | 'open' | null {
    const kind = this.#kinds.get(variable) ?? null;
    return kind === null || kind === 'open' ? kind : { ...kind, of: argument() };
  }

  #ofSelect([condition, ...branches]: readonly Expr[]): Form | 'open' | null {
    const kind = this.#common(branches);
    if (kind === null || kind === 'open') return kind;
    const [then, otherwise] = branches.map((branch) => this.#argumentOf(branch, kind));
    return then === null || otherwise === null ? null : { ...kind, of: select(condition, then, otherwise) };
  }

  #argumentOf(value: Expr, kind: Kind): Expr | null {
    if (value.kind === 'const') {
      const end = endOf(kind, value.value);
      return end === null ? null : real(end);
    }
    const form = this.#of(value);
    return form !== null && form !== 'open' && isSame(form, kind) ? form.of : null;
  }
}

function isSame(a: Kind, b: Guess): boolean {
  return b !== null && b !== 'open' && a.share === b.share && a.isLog === b.isLog;
}
