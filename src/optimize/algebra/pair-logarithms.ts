import { Builder, type Names } from '../../ir/builder.js';
import {
  and,
  compare,
  int,
  isConst,
  isValue,
  log,
  log1p,
  mul,
  neg,
  or,
  real,
  select,
  ZERO,
} from '../../ir/expressions.js';
import { sameExpression } from '../../ir/interned.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf, Variable } from '../../ir/nodes.js';
import type { OpName } from '../../ir/ops.js';
import { rootOf } from '../../ir/refs.js';
import { withChecked } from '../../ir/remake.js';
import {
  expressionsOf,
  mapBlocks,
  mapEach,
  mapExpression,
  mapExpressions,
  mapStatements,
  operandsOf,
  visitExpression,
  visitOwnExpressions,
  visitStatements,
  withOperands,
} from '../../ir/walk.js';
import { Forms } from './share-variables.js';
import { complementOf, type Form, isDifference, logOfRatio, SHARES } from './shares.js';

/**
 * Computes logarithms of probabilities, and of 1 minus probabilities, from the arguments of the functions that return the probabilities:
 * log(1 - inv_cloglog(u)) is -exp(u), even if the probability is rounded to 1, and has the derivative of -exp(u). `shares.ts` defines the
 * functions and the expressions that count as one of them.
 *
 * Follows locals and containers: if the argument from which `p[n]` was computed is needed, each store to `p` is paired with a store of the
 * argument. Values of `p` stay for other readers. Checks that a probability is in [0, 1] become checks that the argument is a number.
 *
 * If a probability is rounded to 0, its logarithm is finite instead of -infinity.
 *
 * `parameters` are those of the function whose body the block is; callers set them. `writesGlobals`: as in `PassContext`.
 */
export function pairLogarithms(
  names: Names,
  block: Block,
  parameters: readonly Variable[] = [],
  writesGlobals = false,
): Block {
  if (!hasLogarithms(block)) return block;
  const beside = new Beside(names);
  const forms = new Forms(block, beside, parameters, writesGlobals);
  const used = usedArguments(block, forms, beside);
  return new Pairing(names, forms, beside, used).block(block);
}

const LOGARITHMS: ReadonlySet<OpName> = new Set<OpName>(['log', 'log1p', 'log1m_exp', 'log_diff_exp', 'lmultiply']);

function hasLogarithms(block: Block): boolean {
  let found = false;
  visitStatements(block, (statement) => {
    if (found) return;
    visitOwnExpressions(statement, (e) => {
      if (e.kind === 'apply' && LOGARITHMS.has(e.op)) found = true;
    });
  });
  return found;
}

const NO_VARIABLES: readonly Variable[] = [];

/** The variables that hold arguments, created when they are first needed. */
class Beside {
  readonly #builder: Builder;
  readonly #made = new Map<Variable, Variable>();
  readonly #owners = new Map<Variable, Variable>();

  constructor(names: Names) {
    this.#builder = new Builder(names);
  }

  local(of: Local): Local {
    const known = this.#made.get(of);
    if (known?.kind === 'local') return known;
    const local = this.#builder.newLocal('real', of.name);
    this.#note(of, local);
    return local;
  }

  ref(of: Ref): Ref {
    const known = this.#made.get(of);
    if (known?.kind === 'ref') return known;
    const parent = of.parent === null ? null : this.ref(of.parent);
    const ref = this.#builder.newRef('real', of.rank, of.name, 'local', parent);
    this.#note(of, ref);
    return ref;
  }

  #note(of: Variable, made: Variable): void {
    this.#made.set(of, made);
    this.#owners.set(made, of);
  }

  /** The variables whose arguments an expression reads. A container is represented by its root. */
  readBy(e: Expr): readonly Variable[] {
    if (this.#owners.size === 0) return NO_VARIABLES;
    const found: Variable[] = [];
    visitExpression(e, (node) => {
      const variable = node.kind === 'get' ? node.local : node.kind === 'load' ? rootOf(node.ref) : null;
      const owner = variable === null ? undefined : this.#owners.get(variable);
      if (owner !== undefined) found.push(owner);
    });
    return found;
  }
}

/** The variables whose arguments the logarithms need, and the variables from which these are copied. */
function usedArguments(block: Block, forms: Forms, beside: Beside): ReadonlySet<Variable> {
  const used = new Set<Variable>();
  if (!forms.hasVariables) return used;
  const rewriting = new Rewriting(forms, () => false);
  const note = (e: Expr): void => {
    for (const variable of beside.readBy(rewriting.of(e))) used.add(variable);
  };
  visitStatements(block, (statement) => {
    expressionsOf(statement).forEach(note);
  });
  // Iterating over a growing set also visits added elements.
  for (const variable of used) for (const argument of forms.argumentsOf(variable)) note(argument);
  return used;
}

/** Rewrites expressions so that logarithms are computed from arguments. */
class Rewriting {
  readonly #forms: Forms;
  readonly #isChecked: (of: Expr) => boolean;
  readonly #done = new Map<Expr, Expr>();
  readonly #hopeless = { log: new Set<Expr>(), log1m: new Set<Expr>() };

  /** `isChecked`: whether checks and comparisons of a share may be replaced by those of its argument. */
  constructor(forms: Forms, isChecked: (argument: Expr) => boolean) {
    this.#forms = forms;
    this.#isChecked = isChecked;
  }

  of(e: Expr): Expr {
    if (operandsOf(e).length === 0) return e;
    const known = this.#done.get(e);
    if (known !== undefined) return known;
    const result = this.#replacement(e) ?? this.#inside(e);
    this.#done.set(e, result);
    return result;
  }

  #inside(e: Expr): Expr {
    return withOperands(
      e,
      mapEach(operandsOf(e), (operand) => this.of(operand)),
    );
  }

  #replacement(e: Expr): Expr | null {
    if (e.kind !== 'apply') return null;
    const [x, y] = e.args;
    switch (e.op) {
      case 'log':
        return this.#logOf(x);
      case 'log1p':
        return isDifference(x) ? this.#log1mOf(neg(x)) : null;
      case 'log1m_exp':
        return this.#logarithm(e);
      case 'log_diff_exp':
        return this.#logarithm(e) ?? this.#logOfDifference(x, y, true);
      case 'lmultiply': {
        const logarithm = this.#logOf(y);
        return logarithm && select(compare('eq', x, ZERO), ZERO, mul(this.of(x), logarithm));
      }
      case 'ge':
      case 'le':
      case 'eq':
      case 'ne':
        return this.#comparison(e.op, x, y);
      case 'and':
      case 'or':
        return this.#both(e.op, x, y);
      default:
        return null;
    }
  }

  /** The logarithm of a share, computed from its argument. */
  #logarithm(e: Expr): Expr | null {
    const form = this.#forms.of(e);
    return form?.isLog === true ? this.#logBy(form) : null;
  }

  /** The logarithm of a share in the branch in which `taken` holds. */
  #logBy({ share, of }: Form, taken: Taken = ALWAYS): Expr {
    const { log: logarithm, chosenLog } = SHARES[share];
    const argument = this.of(of);
    return taken === ALWAYS || chosenLog === undefined ? logarithm(argument) : chosenLog(argument, taken.guard);
  }

  /** The logarithm of the difference of two probabilities from the same function, given as probabilities or as logarithms. */
  #logOfDifference(more: Expr, less: Expr, areLogs: boolean): Expr | null {
    const [first, second] = [this.#forms.of(more), this.#forms.of(less)];
    if (first === null || second === null || first.share !== second.share) return null;
    if (first.isLog !== areLogs || second.isLog !== areLogs) return null;
    return SHARES[first.share].logDifference(this.of(first.of), this.of(second.of));
  }

  /** log p, if it can be computed more accurately than from p. */
  #logOf(p: Expr, taken: Taken = ALWAYS): Expr | null {
    return this.#unlessHopeless(this.#hopeless.log, p, () => {
      const form = isChoiceOfConstant(p) ? null : this.#forms.of(p);
      if (form?.isLog === false) return this.#logBy(form, taken);
      if (p.kind !== 'apply') return null;
      const [first, second] = p.args;
      if (p.op === 'sub' && isValue(first, 1)) return this.#log1mOf(second, taken);
      if (p.op === 'sub') {
        const isTurned = isDifference(first) && isDifference(second);
        return isTurned
          ? this.#logOfDifference(neg(second), neg(first), false)
          : this.#logOfDifference(first, second, false);
      }
      if (p.op === 'select') return this.#choice(p.args, taken, (e, inner) => this.#logOf(e, inner), log);
      if (p.op !== 'div') return null;
      const [above, below] = [this.#forms.of(first), this.#forms.of(second)];
      if (above?.isLog !== false || below?.isLog !== false) return null;
      return logOfRatio({ ...above, of: this.of(above.of) }, { ...below, of: this.of(below.of) });
    });
  }

  /** log(1 - p), if it can be computed more accurately than from p. */
  #log1mOf(p: Expr, taken: Taken = ALWAYS): Expr | null {
    return this.#unlessHopeless(this.#hopeless.log1m, p, () => {
      const form = isChoiceOfConstant(p) ? null : complementOf(this.#forms.of(p));
      if (form !== null) return this.#logBy(form, taken);
      if (p.kind !== 'apply') return null;
      const [first, second] = p.args;
      if (p.op === 'sub' && isValue(first, 1)) return this.#logOf(second, taken);
      if (p.op !== 'select') return null;
      return this.#choice(p.args, taken, (e, inner) => this.#log1mOf(e, inner), log1m);
    });
  }

  /** Skips expressions that an earlier search has found to have no better logarithm. */
  #unlessHopeless(hopeless: Set<Expr>, p: Expr, find: () => Expr | null): Expr | null {
    if (hopeless.has(p)) return null;
    const found = find();
    if (found === null) hopeless.add(p);
    return found;
  }

  /** The logarithm of the selected branch, if one of the branches has a better logarithm. */
  #choice(
    [condition, ...branches]: readonly Expr[],
    taken: Taken,
    exact: (branch: Expr, taken: Taken) => Expr | null,
    usual: (branch: Expr) => Expr,
  ): Expr | null {
    const depth = taken.depth + 1;
    if (depth > MOST_CHOICES) return null;
    const chosen = this.of(condition);
    const inner: readonly Taken[] = [
      { depth, guard: (x, other) => taken.guard(select(chosen, x, other), other) },
      { depth, guard: (x, other) => taken.guard(select(chosen, other, x), other) },
    ];
    const logarithms = branches.map((branch, k) => exact(branch, inner[k]));
    if (logarithms.every((logarithm) => logarithm === null)) return null;
    const [then, otherwise] = logarithms.map((logarithm, k) => logarithm ?? usual(this.of(branches[k])));
    return select(chosen, then, otherwise);
  }

  /** A share is between 0 and 1, and equal to itself, if its argument is a number. */
  #comparison(op: 'ge' | 'le' | 'eq' | 'ne', x: Expr, y: Expr): Expr | null {
    if (op === 'eq' || op === 'ne') {
      const of = x === y ? this.checked(x) : null;
      return of && compare(op, of, of);
    }
    const of =
      (op === 'ge' && isValue(y, 0)) || (op === 'le' && isValue(y, 1))
        ? this.checked(x)
        : op === 'ge' && isValue(y, -1) && x.kind === 'apply' && x.op === 'neg'
          ? this.checked(x.args[0])
          : null;
    return of && compare('eq', of, of);
  }

  /** The argument of a share whose values are in [0, 1] or NaN. */
  checked(x: Expr): Expr | null {
    const form = this.#forms.of(x);
    if (form === null || form.isLog || !SHARES[form.share].isBounded || !this.#isChecked(form.of)) return null;
    return this.of(form.of);
  }

  #both(op: 'and' | 'or', x: Expr, y: Expr): Expr | null {
    const [first, second] = [this.of(x), this.of(y)];
    if (first === x && second === y) return null;
    if (sameExpression(first, second)) return first;
    const isEither = op === 'or' && isNanTest(first, 'ne') && isNanTest(second, 'eq');
    if (isEither && sameExpression(first.args[0], second.args[0])) return int(1);
    return op === 'and' ? and(first, second) : or(first, second);
  }
}

/** The choices under which a logarithm is taken. */
interface Taken {
  /** The number of nested choices. */
  readonly depth: number;
  /** The argument where the logarithm is taken, another number elsewhere. */
  readonly guard: (argument: Expr, otherwise: Expr) => Expr;
}

const ALWAYS: Taken = { depth: 0, guard: (argument) => argument };
/** Choices within choices are searched to this depth, because branches may share their own branches. */
const MOST_CHOICES = 8;

function log1m(p: Expr): Expr {
  return isConst(p) ? log(real(1 - p.value)) : log1p(neg(p));
}

function isChoiceOfConstant(p: Expr): boolean {
  return p.kind === 'apply' && p.op === 'select' && p.args.some(isConst);
}

function isNanTest(e: Expr, op: 'eq' | 'ne'): e is Extract<Expr, { kind: 'apply' }> {
  return e.kind === 'apply' && e.op === op && sameExpression(e.args[0], e.args[1]);
}

/** Rewrites a block so that logarithms are computed from arguments; stores the arguments of the variables that need them. */
class Pairing {
  readonly #builder: Builder;
  readonly #forms: Forms;
  readonly #beside: Beside;
  readonly #used: ReadonlySet<Variable>;
  readonly #rewriting: Rewriting;

  constructor(names: Names, forms: Forms, beside: Beside, used: ReadonlySet<Variable>) {
    this.#builder = new Builder(names);
    this.#forms = forms;
    this.#beside = beside;
    this.#used = used;
    const isKept = (of: Expr): boolean => beside.readBy(of).every((variable) => used.has(variable));
    this.#rewriting = new Rewriting(forms, isKept);
  }

  block(block: Block): Block {
    return mapStatements(block, (statement) => {
      const inner = mapBlocks(statement, (body) => this.block(body));
      const own =
        inner.kind === 'check' ? this.#check(inner) : mapExpressions(inner, (root) => this.#rewriting.of(root));
      if (own === null) return [];
      return this.#withArgument(statement, own);
    });
  }

  /** A check that reports a NaN share reports the argument, which is also NaN. */
  #check(check: StatementOf<'check'>): Statement | null {
    const condition = this.#rewriting.of(check.condition);
    if (isConst(condition) && condition.value !== 0) return null;
    const values = mapEach(check.values, (value) => {
      const argument = isNanTest(condition, 'eq') ? this.#rewriting.checked(value) : null;
      const shown = argument !== null && isNanTest(condition, 'eq') && sameExpression(argument, condition.args[0]);
      return shown ? argument : this.#rewriting.of(value);
    });
    return condition === check.condition && values === check.values ? check : withChecked(check, condition, values);
  }

  #withArgument(before: Statement, own: Statement): Statement | readonly Statement[] {
    switch (before.kind) {
      case 'assign':
      case 'store':
        return this.#written(before, own);
      case 'allocate':
      case 'view':
        if (own.kind !== before.kind || !this.#used.has(rootOf(before.ref))) return own;
        return [own, { ...own, ref: this.#beside.ref(before.ref) }];
      default:
        return own;
    }
  }

  #written(before: StatementOf<'assign' | 'store'>, own: Statement): Statement | readonly Statement[] {
    const variable = before.kind === 'assign' ? before.local : rootOf(before.ref);
    const argument = this.#used.has(variable) ? this.#forms.argument(variable, before.value) : null;
    if (argument === null || (own.kind !== 'assign' && own.kind !== 'store')) return own;
    const of = this.#rewriting.of(argument);
    return this.#builder.capture(() => {
      // The statement may write what the argument reads.
      const bound = of.kind === 'const' ? of : this.#builder.bind(of, 'u');
      this.#builder.emit({ ...own, value: mapExpression(own.value, (node) => (node === of ? bound : node)) });
      if (before.kind === 'assign') this.#builder.assign(this.#beside.local(before.local), bound);
      else if (own.kind === 'store') this.#builder.store(this.#beside.ref(before.ref), own.index, bound);
    });
  }
}
