import type { Block, Expr, Local, Ref, Statement } from '../ir/nodes.js';
import { definedRefs, expressionsOf, operandsOf, visitExpression, visitStatements } from '../ir/walk.js';
import { rootOf } from './aliasing.js';
import { sameExpression } from './same.js';

/**
 * Whether the rounds of a loop are independent of one another but for sums into locals and `target`: straight-line
 * statements whose stores go to another element in each round, that read of what they write only that very element, and
 * whose other locals live within a round. `isOwn` tells the locals that the body itself brings in.
 */
export function hasIndependentRounds(body: Block, index: Local, isOwn: (local: Local) => boolean): boolean {
  const stores = new Map<Ref, Extract<Statement, { kind: 'store' }>>();
  const assigned = new Set<Local>();
  for (const statement of body) {
    switch (statement.kind) {
      case 'assign':
        assigned.add(statement.local);
        break;
      case 'store': {
        const root = rootOf(statement.ref);
        const other = stores.get(root);
        if (other !== undefined && !isSamePlace(other, statement)) return false;
        stores.set(root, statement);
        break;
      }
      case 'target':
      case 'check':
        break;
      default:
        return false;
    }
  }
  const isFixed = (e: Expr): boolean => {
    if (e.kind === 'get') return e.local !== index && !assigned.has(e.local);
    if (e.kind === 'target' || (e.kind === 'load' && stores.has(rootOf(e.ref)))) return false;
    return operandsOf(e).every(isFixed);
  };
  for (const store of stores.values()) if (!movesWith(store.index, index, isFixed)) return false;

  const known = new Set<Local>();
  for (const statement of body) {
    const sum = statement.kind === 'assign' && !isOwn(statement.local) ? addend(statement) : null;
    if (statement.kind === 'assign' && !isOwn(statement.local) && sum === null) return false;
    for (const root of sum === null ? expressionsOf(statement) : [sum]) {
      if (!readsOnly(root, stores, (local) => !assigned.has(local) || known.has(local))) return false;
    }
    if (statement.kind === 'assign' && isOwn(statement.local)) known.add(statement.local);
  }
  return true;
}

function isSamePlace(
  a: { readonly ref: Ref; readonly index: Expr },
  b: { readonly ref: Ref; readonly index: Expr },
): boolean {
  return a.ref === b.ref && sameExpression(a.index, b.index);
}

/** An int that differs in every round: the index, plus or minus what is fixed, times a constant. */
function movesWith(e: Expr, index: Local, isFixed: (e: Expr) => boolean): boolean {
  if (e.kind === 'get') return e.local === index;
  if (e.kind !== 'apply') return false;
  const [a, b] = e.args;
  switch (e.op) {
    case 'add_int':
    case 'sub_int':
      return (movesWith(a, index, isFixed) && isFixed(b)) || (isFixed(a) && movesWith(b, index, isFixed));
    case 'mul_int':
      return (movesWith(a, index, isFixed) && isNonZero(b)) || (isNonZero(a) && movesWith(b, index, isFixed));
    default:
      return false;
  }
}

function isNonZero(e: Expr): boolean {
  return e.kind === 'const' && e.value !== 0;
}

/** What `s = s + e` adds to its local; null for any other assignment. */
function addend({ local, value }: Extract<Statement, { kind: 'assign' }>): Expr | null {
  if (value.kind !== 'apply' || local.type !== 'real') return null;
  const [a, b] = value.args;
  const isSelf = (e: Expr): boolean => e.kind === 'get' && e.local === local;
  if (value.op === 'add' && isSelf(a)) return b;
  if (value.op === 'add' && isSelf(b)) return a;
  return value.op === 'sub' && isSelf(a) ? b : null;
}

function readsOnly(
  root: Expr,
  stores: ReadonlyMap<Ref, { readonly ref: Ref; readonly index: Expr }>,
  isReadable: (local: Local) => boolean,
): boolean {
  let fine = true;
  visitExpression(root, (node) => {
    if (node.kind === 'target') fine = false;
    if (node.kind === 'get' && !isReadable(node.local)) fine = false;
    if (node.kind !== 'load') return;
    const store = stores.get(rootOf(node.ref));
    if (store !== undefined && !isSamePlace(store, node)) fine = false;
  });
  return fine;
}

/** The block without windows that nothing looks through. */
export function withoutUnusedViews(block: Block): Block {
  const used = new Set<Ref>();
  visitStatements(block, (statement) => {
    for (const e of expressionsOf(statement)) {
      visitExpression(e, (node) => {
        if (node.kind === 'load' || node.kind === 'size') used.add(node.ref);
      });
    }
    for (const ref of mentionedRefs(statement)) used.add(ref);
  });
  const isUnused = (statement: Statement): boolean =>
    statement.kind === 'view' && definedRefs(statement).every((ref) => !used.has(ref));
  return block.filter((statement) => !isUnused(statement));
}

function mentionedRefs(statement: Statement): readonly Ref[] {
  switch (statement.kind) {
    case 'store':
      return [statement.ref];
    case 'view':
      return statement.ref.parent === null ? [] : [statement.ref.parent];
    case 'kernel':
      return statement.args.flatMap((argument) => (argument.kind === 'pointer' ? [argument.ref] : []));
    case 'call':
      return statement.args.flatMap((argument) => (argument.kind === 'ref' ? [argument] : []));
    case 'print':
    case 'reject':
      return statement.parts.flatMap((part) => (part.kind === 'container' ? [part.ref] : []));
    default:
      return [];
  }
}
