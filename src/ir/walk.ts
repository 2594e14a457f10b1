import type { Block, Expr, KernelArgument, Local, PrintPart, Ref, Statement, Variable } from './nodes.js';
import {
  withArguments,
  withBody,
  withBranches,
  withChecked,
  withCondition,
  withElement,
  withIndex,
  withKernelArguments,
  withOffset,
  withRange,
  withSizes,
  withValue,
  withView,
} from './remake.js';
import { SmallMap, SmallSet } from './small.js';

/*
 * A compilation ends before V8 has optimized most of these functions. The most frequent ones index arrays and create none, because
 * unoptimized `for … of` allocates an object per element.
 */

/** The direct operands of an expression. */
export function operandsOf(e: Expr): readonly Expr[] {
  switch (e.kind) {
    case 'apply':
      return e.args;
    case 'load':
    case 'load_adjoint':
      return [e.index];
    default:
      return NO_OPERANDS;
  }
}

const NO_OPERANDS: readonly Expr[] = [];

/** The expression with other operands; itself if all are unchanged. */
export function withOperands(e: Expr, operands: readonly Expr[]): Expr {
  switch (e.kind) {
    case 'apply':
      return haveSame(operands, e.args) ? e : withArguments(e, operands);
    case 'load':
    case 'load_adjoint':
      return operands[0] === e.index ? e : withIndex(e, operands[0]);
    default:
      return e;
  }
}

function haveSame(some: readonly Expr[], others: readonly Expr[]): boolean {
  for (let k = 0; k < some.length; k++) if (some[k] !== others[k]) return false;
  return true;
}

/**
 * Visits every node of `e`, operands first. Visits shared nodes once, but constants as often as they occur. Pass `seen` to visit nodes that
 * several roots share once.
 */
export function visitExpression(e: Expr, visit: (node: Expr) => void, seen = new SmallSet<Expr>()): void {
  // Constants are a third of all nodes.
  if (e.kind === 'const') {
    visit(e);
    return;
  }
  if (!seen.add(e)) return;
  if (e.kind === 'apply') {
    const { args } = e;
    for (let k = 0; k < args.length; k++) visitExpression(args[k], visit, seen);
  } else if (e.kind === 'load' || e.kind === 'load_adjoint') visitExpression(e.index, visit, seen);
  visit(e);
}

/** Visits every node of the statement's own expressions, operands first. Visits shared nodes once, but constants as often as they occur. */
export function visitOwnExpressions(statement: Statement, visit: (node: Expr) => void): void {
  switch (statement.kind) {
    case 'assign':
    case 'target':
    case 'push':
      visitRoot(statement.value, visit);
      return;
    case 'store':
    case 'add_adjoint':
    case 'set_adjoint':
      visitRoots(statement.index, statement.value, visit);
      return;
    case 'for':
    case 'for_reverse':
      visitRoots(statement.from, statement.to, visit);
      return;
    case 'while':
    case 'if':
      visitRoot(statement.condition, visit);
      return;
    default: {
      const roots = expressionsOf(statement);
      if (roots.length === 0) return;
      if (roots.length === 1) {
        visitRoot(roots[0], visit);
        return;
      }
      const seen = new SmallSet<Expr>();
      for (let k = 0; k < roots.length; k++) visitExpression(roots[k], visit, seen);
    }
  }
}

/** Visits the nodes of one expression. */
function visitRoot(root: Expr, visit: (node: Expr) => void): void {
  if (isShallow(root)) visitShallow(root, visit);
  else visitExpression(root, visit);
}

/** Visits the nodes of two expressions; shared nodes once. */
function visitRoots(first: Expr, second: Expr, visit: (node: Expr) => void): void {
  // A constant is visited as often as it occurs.
  if (first.kind === 'const' || second.kind === 'const') {
    visitRoot(first, visit);
    visitRoot(second, visit);
  } else if (first !== second && isLeaf(first) && isLeaf(second)) {
    visit(first);
    visit(second);
  } else {
    const seen = new SmallSet<Expr>();
    visitExpression(first, visit, seen);
    visitExpression(second, visit, seen);
  }
}

/** Visits an expression for which `isShallow` holds. */
function visitShallow(e: Expr, visit: (node: Expr) => void): void {
  if (e.kind === 'apply') {
    visit(e.args[0]);
    if (e.args.length > 1) visit(e.args[1]);
  } else if (e.kind === 'load' || e.kind === 'load_adjoint') visit(e.index);
  visit(e);
}

function isLeaf(e: Expr): boolean {
  return e.kind !== 'apply' && e.kind !== 'load' && e.kind !== 'load_adjoint';
}

/** Whether the expression has at most two operands, which are different nodes without operands. */
export function isShallow(e: Expr): boolean {
  if (e.kind === 'apply') {
    const { args } = e;
    if (args.length === 1) return isLeaf(args[0]);
    return args.length === 2 && args[0] !== args[1] && isLeaf(args[0]) && isLeaf(args[1]);
  }
  return e.kind === 'load' || e.kind === 'load_adjoint' ? isLeaf(e.index) : true;
}

/** Whether the test holds for some node of `e`. */
export function someNode(e: Expr, test: (node: Expr) => boolean, seen = new SmallSet<Expr>()): boolean {
  if (isLeaf(e)) return test(e);
  if (!seen.add(e)) return false;
  if (test(e)) return true;
  for (const operand of operandsOf(e)) if (someNode(operand, test, seen)) return true;
  return false;
}

/** The number of distinct nodes of an expression. Stops counting above `most`. */
export function countNodes(e: Expr, most: number): number {
  let count = 0;
  someNode(e, () => ++count > most);
  return count;
}

/** Whether the test holds for every node of `e`. */
export function everyNode(e: Expr, test: (node: Expr) => boolean): boolean {
  return operandsOf(e).length === 0 ? test(e) : !someNode(e, (node) => !test(node));
}

/** Results of mapping, by node. */
type Done = Map<Expr, Expr> | SmallMap<Expr, Expr>;

/**
 * Rebuilds an expression bottom-up: `f` receives each node with its operands already mapped. A shared node is mapped once and stays shared.
 * Pass `done` to keep nodes shared across several roots.
 */
export function mapExpression(e: Expr, f: (node: Expr) => Expr, done?: Done): Expr {
  if (done === undefined) return isLeaf(e) ? f(e) : mapInto(e, f, new SmallMap());
  return mapInto(e, f, done);
}

function mapInto(e: Expr, f: (node: Expr) => Expr, done: Done): Expr {
  if (e.kind === 'const') return f(e);
  const known = done.get(e);
  if (known !== undefined) return known;
  const result = f(withMappedOperands(e, f, done));
  done.set(e, result);
  return result;
}

function withMappedOperands(e: Expr, f: (node: Expr) => Expr, done: Done): Expr {
  if (e.kind === 'apply') {
    const { args } = e;
    let mapped: Expr[] | undefined;
    for (let k = 0; k < args.length; k++) {
      const operand = mapInto(args[k], f, done);
      if (operand !== args[k]) mapped ??= args.slice(0, k);
      mapped?.push(operand);
    }
    return mapped === undefined ? e : withArguments(e, mapped);
  }
  if (e.kind === 'load' || e.kind === 'load_adjoint') {
    const index = mapInto(e.index, f, done);
    return index === e.index ? e : withIndex(e, index);
  }
  return e;
}

/** The statement with its own expressions rebuilt by `mapExpression`. Nodes that several of them share stay shared. */
export function mapOwnNodes(statement: Statement, f: (node: Expr) => Expr): Statement {
  if (statement.kind === 'assign' && isLeaf(statement.value)) {
    const value = f(statement.value);
    return value === statement.value ? statement : withValue(statement, value);
  }
  const done = new SmallMap<Expr, Expr>();
  return mapExpressions(statement, (root) => mapExpression(root, f, done));
}

/** The statement's own expressions, in the order of evaluation, without those of nested blocks. */
export function expressionsOf(statement: Statement): readonly Expr[] {
  switch (statement.kind) {
    case 'assign':
    case 'target':
    case 'push':
      return [statement.value];
    case 'store':
    case 'add_adjoint':
    case 'set_adjoint':
      return [statement.index, statement.value];
    case 'allocate':
      return statement.sizes;
    case 'view':
      return [statement.offset, ...statement.sizes];
    case 'for':
    case 'for_reverse':
      return [statement.from, statement.to];
    case 'while':
    case 'if':
      return [statement.condition];
    case 'kernel':
      return statement.args.flatMap((argument) => {
        if (argument.kind === 'random_state') return [];
        if (argument.kind === 'pointer') return argument.offset === null ? [] : [argument.offset];
        return [argument];
      });
    case 'call':
      return statement.args.filter((argument): argument is Expr => argument.kind !== 'ref');
    case 'check':
      return [statement.condition, ...statement.values];
    case 'print':
    case 'reject':
      return statement.parts.flatMap((part) => (part.kind === 'scalar' ? [part.value] : []));
    case 'labeled':
    case 'exit':
    case 'arena':
    case 'pop':
    case 'push_ref':
    case 'pop_ref':
      return NO_OPERANDS;
  }
}

/** Applies `f` to each element. Returns the same array if no element changes. */
export function mapEach<T>(elements: readonly T[], f: (element: T) => T): readonly T[] {
  let mapped: T[] | undefined;
  for (let k = 0; k < elements.length; k++) {
    const result = f(elements[k]);
    if (result !== elements[k]) mapped ??= elements.slice(0, k);
    mapped?.push(result);
  }
  return mapped ?? elements;
}

/**
 * The statement with `f` applied to each of its own root expressions, but not to those of nested blocks. Returns the same statement if none
 * changes.
 */
export function mapExpressions(statement: Statement, f: (root: Expr) => Expr): Statement {
  switch (statement.kind) {
    case 'assign':
    case 'target':
    case 'push': {
      const value = f(statement.value);
      return value === statement.value ? statement : withValue(statement, value);
    }
    case 'store':
    case 'add_adjoint':
    case 'set_adjoint': {
      const index = f(statement.index);
      const value = f(statement.value);
      return index === statement.index && value === statement.value ? statement : withElement(statement, index, value);
    }
    case 'allocate': {
      const sizes = mapEach(statement.sizes, f);
      return sizes === statement.sizes ? statement : withSizes(statement, sizes);
    }
    case 'view': {
      const offset = f(statement.offset);
      const sizes = mapEach(statement.sizes, f);
      return offset === statement.offset && sizes === statement.sizes ? statement : withView(statement, offset, sizes);
    }
    case 'for':
    case 'for_reverse': {
      const from = f(statement.from);
      const to = f(statement.to);
      return from === statement.from && to === statement.to ? statement : withRange(statement, from, to);
    }
    case 'while':
    case 'if': {
      const condition = f(statement.condition);
      return condition === statement.condition ? statement : withCondition(statement, condition);
    }
    case 'kernel': {
      const args = mapEach(statement.args, (argument) => mapKernelArgument(argument, f));
      return args === statement.args ? statement : withKernelArguments(statement, args);
    }
    case 'call': {
      const args = mapEach(statement.args, (argument) => (argument.kind === 'ref' ? argument : f(argument)));
      return args === statement.args ? statement : { ...statement, args };
    }
    case 'check': {
      const condition = f(statement.condition);
      const values = mapEach(statement.values, f);
      return condition === statement.condition && values === statement.values
        ? statement
        : withChecked(statement, condition, values);
    }
    case 'print':
    case 'reject': {
      const parts = mapEach(statement.parts, (part) => mapPart(part, f));
      return parts === statement.parts ? statement : { ...statement, parts };
    }
    case 'labeled':
    case 'exit':
    case 'arena':
    case 'pop':
    case 'push_ref':
    case 'pop_ref':
      return statement;
  }
}

function mapKernelArgument(argument: KernelArgument, f: (root: Expr) => Expr): KernelArgument {
  if (argument.kind === 'random_state') return argument;
  if (argument.kind !== 'pointer') return f(argument);
  if (argument.offset === null) return argument;
  const offset = f(argument.offset);
  return offset === argument.offset ? argument : withOffset(argument, offset);
}

function mapPart(part: PrintPart, f: (root: Expr) => Expr): PrintPart {
  if (part.kind !== 'scalar') return part;
  const value = f(part.value);
  return value === part.value ? part : { ...part, value };
}

/** The blocks directly inside a statement. */
export function blocksOf(statement: Statement): readonly Block[] {
  switch (statement.kind) {
    case 'for':
    case 'for_reverse':
    case 'while':
    case 'labeled':
    case 'arena':
      return [statement.body];
    case 'if':
      return [statement.then, statement.otherwise];
    default:
      return NO_BLOCKS;
  }
}

const NO_BLOCKS: readonly Block[] = [];

/** The statement with `f` applied to each block directly inside it. Returns the same statement if none changes. */
export function mapBlocks(statement: Statement, f: (block: Block) => Block): Statement {
  switch (statement.kind) {
    case 'for':
    case 'for_reverse':
    case 'while':
    case 'labeled':
    case 'arena': {
      const body = f(statement.body);
      return body === statement.body ? statement : withBody(statement, body);
    }
    case 'if': {
      const then = f(statement.then);
      const otherwise = f(statement.otherwise);
      return then === statement.then && otherwise === statement.otherwise
        ? statement
        : withBranches(statement, then, otherwise);
    }
    default:
      return statement;
  }
}

/** The block with `f` applied to each statement. Returns the same block if none changes. */
export function mapStatements(
  block: Block,
  f: (statement: Statement, position: number) => Statement | readonly Statement[],
): Block {
  let mapped: Statement[] | undefined;
  for (let k = 0; k < block.length; k++) {
    const statement = block[k];
    const result = f(statement, k);
    if (result === statement || (!('kind' in result) && result.length === 1 && result[0] === statement)) {
      mapped?.push(statement);
      continue;
    }
    mapped ??= block.slice(0, k);
    if ('kind' in result) mapped.push(result);
    else for (const made of result) mapped.push(made);
  }
  return mapped ?? block;
}

/** The block itself if it consists of the same statements, so that its cached analyses stay valid; otherwise `statements`. */
export function sameBlock(block: Block, statements: Block): Block {
  const isSame = statements.length === block.length && statements.every((statement, k) => statement === block[k]);
  return isSame ? block : statements;
}

/** Visits every statement of a block and of the blocks inside it, outer statements first. */
export function visitStatements(block: Block, visit: (statement: Statement) => void): void {
  for (let k = 0; k < block.length; k++) {
    const statement = block[k];
    visit(statement);
    switch (statement.kind) {
      case 'for':
      case 'for_reverse':
      case 'while':
      case 'labeled':
      case 'arena':
        visitStatements(statement.body, visit);
        break;
      case 'if':
        visitStatements(statement.then, visit);
        visitStatements(statement.otherwise, visit);
        break;
      default:
        break;
    }
  }
}

/** Visits every expression node of a statement and of the blocks inside it. Nodes that are shared within one statement are visited once. */
export function visitExpressions(statement: Statement, visit: (node: Expr) => void): void {
  visitOwnExpressions(statement, visit);
  for (const block of blocksOf(statement)) for (const inner of block) visitExpressions(inner, visit);
}

/** The locals that the statement itself assigns, including a loop's index, without those of nested blocks. */
export function assignedLocals(statement: Statement): readonly Local[] {
  switch (statement.kind) {
    case 'assign':
    case 'pop':
      return [statement.local];
    case 'for':
    case 'for_reverse':
      return [statement.index];
    case 'kernel':
      return statement.result === null ? NO_LOCALS : [statement.result];
    case 'call':
      return statement.results.filter((result: Variable): result is Local => result.kind === 'local');
    default:
      return NO_LOCALS;
  }
}

const NO_LOCALS: readonly Local[] = [];

/** The refs whose pointer and sizes the statement itself sets, without those of nested blocks. */
export function definedRefs(statement: Statement): readonly Ref[] {
  switch (statement.kind) {
    case 'allocate':
    case 'view':
    case 'pop_ref':
      return [statement.ref];
    case 'call':
      return statement.results.filter((result: Variable): result is Ref => result.kind === 'ref');
    default:
      return NO_REFS;
  }
}

const NO_REFS: readonly Ref[] = [];

/** Refs whose adjoints the block reads or writes. */
export function adjointRefs(block: Block): Set<Ref> {
  const refs = new Set<Ref>();
  const add = (ref: Ref): void => {
    for (let at: Ref | null = ref; at !== null; at = at.parent) refs.add(at);
  };
  visitStatements(block, (statement) => {
    if (statement.kind === 'add_adjoint' || statement.kind === 'set_adjoint') add(statement.ref);
    if (statement.kind === 'kernel') {
      for (const argument of statement.args) if (argument.kind === 'pointer' && argument.adjoint) add(argument.ref);
    }
    visitOwnExpressions(statement, (node) => {
      if (node.kind === 'load_adjoint') add(node.ref);
    });
  });
  return refs;
}
