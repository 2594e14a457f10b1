import type { Activity } from '../dataflow/activity.js';
import type { Builder } from '../ir/builder.js';
import { add, div, get, isValue, mul, neg, select, ZERO } from '../ir/expressions.js';
import type { Expr, Local } from '../ir/nodes.js';
import { OPS, usesValue } from '../ir/ops.js';

/** Where the adjoints of one differentiated block are stored. */
export interface Adjoints {
  readonly activity: Activity;
  /** The scalar that accumulates the adjoint of an active local. */
  of(local: Local): Local;
}

/**
 * Reverse mode through one expression: emits, for each active variable that `e` reads, the addition of `weight` times the derivative of `e`
 * with respect to it to its adjoint. Shared nodes are visited once, with the sum of their parents' contributions (Griewank & Walther, Evaluating
 * Derivatives, chapter 3).
 *
 * Under a `select`, the branch not taken may have an infinite derivative. Its products with the zero weight are masked again, so that only
 * the branch taken counts, as in a program with `if`.
 *
 * `value` returns the value of `e` if it is still available; derivatives that are formed from the value use it.
 */
export function propagate(
  builder: Builder,
  adjoints: Adjoints,
  e: Expr,
  weight: Expr,
  value: (() => Expr) | null = null,
): void {
  const order = activeNodes(e, adjoints.activity);
  const active = new Set(order);
  const weights = new Map<Expr, Expr>([[e, weight]]);
  const guards = new Map<Expr, Expr | null>([[e, null]]);
  const send = (node: Expr, value: Expr, guard: Expr | null): void => {
    const before = weights.get(node);
    weights.set(node, before === undefined ? value : add(before, value));
    const known = guards.get(node);
    guards.set(node, known === undefined || known === guard ? guard : null);
  };
  for (let k = order.length - 1; k >= 0; k--) {
    const node = order[k];
    const sent = weights.get(node);
    if (sent === undefined || isValue(sent, 0)) continue;
    if (node.kind === 'get') {
      const adjoint = adjoints.of(node.local);
      builder.assign(adjoint, add(get(adjoint), sent));
    } else if (node.kind === 'load') {
      builder.emit({ kind: 'add_adjoint', ref: node.ref, index: node.index, value: sent });
    } else if (node.kind === 'apply') {
      distribute(builder, active, node, sent, guards.get(node) ?? null, send, node === e ? value : null);
    }
  }
}

function distribute(
  builder: Builder,
  active: ReadonlySet<Expr>,
  node: Extract<Expr, { kind: 'apply' }>,
  sent: Expr,
  guard: Expr | null,
  send: (node: Expr, value: Expr, guard: Expr | null) => void,
  value: (() => Expr) | null,
): void {
  if (node.op === 'select') {
    const [condition, then, otherwise] = node.args;
    const weight = trivial(sent) ? sent : builder.bind(sent, 'w');
    if (active.has(then)) send(then, select(condition, weight, ZERO), condition);
    if (active.has(otherwise)) {
      send(otherwise, select(condition, ZERO, weight), { kind: 'apply', type: 'int', op: 'not', args: [condition] });
    }
    return;
  }
  const rule = OPS[node.op].partials;
  if (rule === null) return;
  const partials = rule(node.args, value !== null && usesValue(rule, node.args) ? value() : node);
  const receivers = node.args.flatMap((argument, k) => {
    const partial = partials[k];
    return partial != null && active.has(argument) ? [{ argument, partial }] : [];
  });
  const weight = receivers.length > 1 && !trivial(sent) ? builder.bind(sent, 'w') : sent;
  const masked = guard !== null && !BOUNDED.has(node.op);
  for (const { argument, partial } of receivers) {
    const product = node.op === 'div' ? throughQuotient(weight, partial, node.args[1]) : chain(weight, partial);
    send(argument, masked && guard !== null ? select(guard, product, ZERO) : product, guard);
  }
}

/** Operations whose partial derivatives are constants, so that a zero weight stays zero. */
const BOUNDED: ReadonlySet<string> = new Set(['add', 'sub', 'neg']);

function trivial(e: Expr): boolean {
  return e.kind === 'const' || e.kind === 'get';
}

function chain(weight: Expr, partial: Expr): Expr {
  if (partial.kind === 'apply' && partial.op === 'div' && isValue(partial.args[0], 1)) {
    return isValue(weight, 1) ? partial : div(weight, partial.args[1]);
  }
  return mul(weight, partial);
}

/**
 * The weight times 1/y or -(x/y)/y, divided by y first: the derivative of 1/y overflows where y is below 1e-154, its product with the
 * weight usually does not.
 */
function throughQuotient(weight: Expr, partial: Expr, y: Expr): Expr {
  if (partial.kind !== 'apply' || partial.op !== 'neg') return chain(weight, partial);
  const [quotient] = partial.args;
  if (quotient.kind !== 'apply' || quotient.op !== 'div') return chain(weight, partial);
  return neg(mul(div(weight, y), quotient.args[0]));
}

/** Nodes through which an adjoint passes, operands before their users. */
function activeNodes(e: Expr, activity: Activity): Expr[] {
  const order: Expr[] = [];
  const active = new Map<Expr, boolean>();
  const visit = (node: Expr): boolean => {
    const known = active.get(node);
    if (known !== undefined) return known;
    let reached = false;
    if (node.type === 'real') {
      if (node.kind === 'get') reached = activity.isActive(node.local);
      else if (node.kind === 'load') reached = activity.isActive(node.ref);
      else if (node.kind === 'apply' && (node.op === 'select' || OPS[node.op].partials !== null)) {
        for (const argument of node.args) reached = visit(argument) || reached;
      }
    }
    active.set(node, reached);
    if (reached) order.push(node);
    return reached;
  };
  visit(e);
  return order;
}
