import { isFunctionType, promotionCost } from '../language/promotion.js';
import { INT, REAL, type Type } from '../language/types.js';
import type {
  BlockStatement,
  CallStatement,
  ForEachStatement,
  ForStatement,
  IfStatement,
  OutputStatement,
  Printable,
  ReturnStatement,
  Statement,
  Untyped,
  WhileStatement,
} from '../syntax/ast.js';
import { promote } from './annotate.js';
import { checkAssignment } from './assignments.js';
import { checkPlace, resolveKnown } from './calls.js';
import { checkDeclaration } from './declarations.js';
import { type Context, type Environment, refuse } from './environment.js';
import { checkExpression, checkInt } from './expressions.js';
import * as messages from './messages.js';
import { checkFreshVariable, checkName } from './names.js';
import { checkTilde } from './tilde.js';
import type { Typed, TypedExpression } from './typed.js';

/**
 * Whether control can reach the end of a statement: `leaves` if every way out of it returns or fails, `passes` if
 * some way continues with the next statement, `jumps` if some way leads out of a loop by `break`.
 */
type Flow = 'passes' | 'jumps' | 'leaves';

/** A typed statement, or several, and where control goes from there. */
export interface Checked<T> {
  readonly node: T;
  readonly flow: Flow;
}

const passing = <T>(node: T): Checked<T> => ({ node, flow: 'passes' });

/** Types a statement; declarations in it stay in scope. */
export function checkStatement(context: Context, node: Statement): Checked<Statement<Typed>> {
  switch (node.kind) {
    case 'declaration':
      return passing(checkDeclaration(context, node));
    case 'assignment':
      return passing(checkAssignment(context, node));
    case 'callStatement':
      return passing(checkCallStatement(context, node));
    case 'tilde':
      return passing(checkTilde(context, node));
    case 'target': {
      const value = checkExpression(context, node.value);
      if (context.enclosing?.suffix !== 'lp' && context.block !== 'model') {
        refuse(node.span, messages.targetNotAllowed());
      }
      return passing({ ...node, value: checkIncrement(value, node) });
    }
    case 'jacobian': {
      const value = checkExpression(context, node.value);
      if (context.enclosing?.suffix !== 'jacobian' && context.block !== 'transformed parameters') {
        refuse(node.span, messages.jacobianNotAllowed());
      }
      return passing({ ...node, value: checkIncrement(value, node) });
    }
    case 'break':
      if (context.loopDepth === 0) refuse(node.span, messages.breakOutsideLoop());
      return { node, flow: 'jumps' };
    case 'continue':
      if (context.loopDepth === 0) refuse(node.span, messages.continueOutsideLoop());
      return passing(node);
    case 'return':
      return { node: checkReturn(context, node), flow: 'leaves' };
    case 'print':
    case 'reject':
    case 'fatal_error':
      return { node: checkOutput(context, node), flow: node.kind === 'print' ? 'passes' : 'leaves' };
    case 'empty':
      return passing(node);
    case 'if':
      return checkIf(context, node);
    case 'while':
      return checkWhile(context, node);
    case 'for':
      return checkFor(context, node);
    case 'forEach':
      return checkForEach(context, node);
    case 'profile': {
      const { node: statements, flow } = checkNested(context, node.statements);
      return { node: { ...node, statements }, flow };
    }
    case 'block':
      return checkBlock(context, node);
  }
}

/** Types the statements of a `{ … }`; what they declare is forgotten at the end. */
export function checkBlock(context: Context, node: BlockStatement): Checked<BlockStatement<Typed>> {
  const { node: statements, flow } = checkNested(context, node.statements);
  return { node: { ...node, statements }, flow };
}

function checkNested(context: Context, nodes: readonly Statement[]): Checked<Statement<Typed>[]> {
  const checked = context.environment.scoped(() => nodes.map((node) => checkStatement(context, node)));
  const reached = warnOfUnreachable(context.environment, checked);
  return {
    node: checked.map(({ node }) => node),
    flow: reached.map(({ flow }) => flow).reduce(inSequence, 'passes'),
  };
}

/** The statements that control can reach; warns about the first that it cannot reach. */
export function warnOfUnreachable<T extends Checked<Statement<Typed>>>(
  environment: Environment,
  statements: readonly T[],
): readonly T[] {
  const last = statements.findIndex(({ node }, i) => i < statements.length - 1 && ESCAPES.has(node.kind));
  if (last < 0) return statements;
  environment.warn(statements[last + 1].node.span, messages.unreachable());
  return statements.slice(0, last + 1);
}

const ESCAPES: ReadonlySet<Statement['kind']> = new Set<Statement['kind']>([
  'break',
  'continue',
  'reject',
  'fatal_error',
  'return',
]);

function inSequence(first: Flow, second: Flow): Flow {
  if (first === 'jumps' || second === 'jumps') return 'jumps';
  return second;
}

function inBranches(first: Flow, second: Flow): Flow {
  if (first === 'jumps' || second === 'jumps') return 'jumps';
  return first === 'leaves' && second === 'leaves' ? 'leaves' : 'passes';
}

function checkCallStatement(context: Context, node: CallStatement<Untyped>): CallStatement<Typed> {
  const { environment } = context;
  const { function: identifier, span } = node;
  const { name } = identifier;
  const args = node.arguments.map((argument) => checkExpression(context, argument));
  checkName(name, identifier.span);
  checkPlace(context, span, identifier, args);
  if (environment.variable(name) !== undefined && !environment.isLibraryName(name)) {
    refuse(span, messages.voidButValue(name));
  }
  if (!environment.isKnown(name)) refuse(span, messages.voidButUnknown(name, environment.nearest(name)));
  const resolved = resolveKnown(environment, span, name, args);
  if (resolved.result.kind !== 'void') refuse(span, messages.voidButReturning(name));
  environment.use(context.enclosing, resolved.callee, node.span);
  return { ...node, arguments: resolved.arguments, callee: resolved.callee, dropsConstants: false };
}

function checkIncrement(value: TypedExpression, node: Statement): TypedExpression {
  if (isFunctionType(value.type)) refuse(node.span, messages.incrementExpected(value.type));
  return value;
}

function checkReturn(context: Context, node: ReturnStatement<Untyped>): ReturnStatement<Typed> {
  const result = context.enclosing?.result;
  if (node.value === undefined) {
    if (result?.kind !== 'void') refuse(node.span, messages.emptyReturnOutside());
    return { kind: 'return', span: node.span };
  }
  if (result === undefined || result.kind === 'void') refuse(node.span, messages.valueReturnOutside());
  const value = checkExpression(context, node.value);
  if (promotionCost(result, value.type) === undefined) refuse(node.span, messages.badReturn(result, value.type));
  return { ...node, value: promote(value, result) };
}

function checkOutput(context: Context, node: OutputStatement<Untyped>): OutputStatement<Typed> {
  return { ...node, items: node.items.map((item) => checkPrintable(context, item)) };
}

function checkPrintable(context: Context, item: Printable<Untyped>): Printable<Typed> {
  if (item.kind === 'text') return item;
  const value = checkExpression(context, item.value);
  if (isFunctionType(value.type)) refuse(value.span, messages.functionNotPrintable());
  return { ...item, value };
}

function checkScoped(context: Context, node: Statement): Checked<Statement<Typed>> {
  return context.environment.scoped(() => checkStatement(context, node));
}

function checkIf(context: Context, node: IfStatement<Untyped>): Checked<IfStatement<Typed>> {
  const condition = checkInt(context, node.condition, 'Condition in conditional');
  const consequence = checkScoped(context, node.consequence);
  const alternative = node.alternative && checkScoped(context, node.alternative);
  return {
    node: {
      kind: 'if',
      span: node.span,
      condition,
      consequence: consequence.node,
      ...(alternative === undefined ? {} : { alternative: alternative.node }),
    },
    flow: inBranches(consequence.flow, alternative?.flow ?? 'passes'),
  };
}

function checkWhile(context: Context, node: WhileStatement<Untyped>): Checked<WhileStatement<Typed>> {
  const condition = checkInt(context, node.condition, 'Condition in while-loop');
  const body = checkScoped({ ...context, loopDepth: context.loopDepth + 1 }, node.body);
  const isEndless = condition.kind === 'int' && /[1-9]/.test(condition.text);
  const isLeft = body.flow === 'leaves' || (body.flow === 'passes' && isEndless);
  return { node: { ...node, condition, body: body.node }, flow: isLeft ? 'leaves' : 'passes' };
}

function checkFor(context: Context, node: ForStatement<Untyped>): Checked<ForStatement<Typed>> {
  const lower = checkInt(context, node.lower, 'Lower bound of for-loop');
  const upper = checkInt(context, node.upper, 'Upper bound of for-loop');
  checkName(node.variable.name, node.variable.span);
  const body = checkLoopBody(context, node, INT, false);
  return { node: { ...node, lower, upper, body: body.node }, flow: body.flow };
}

function checkForEach(context: Context, node: ForEachStatement<Untyped>): Checked<ForEachStatement<Typed>> {
  const container = checkExpression(context, node.container);
  checkName(node.variable.name, node.variable.span);
  const body = checkLoopBody(context, node, elementOf(container), container.level === 'autodiff');
  return { node: { ...node, container, body: body.node }, flow: body.flow };
}

function elementOf({ type, span }: TypedExpression): Type {
  if (type.kind === 'array') return type.element;
  if (type.kind === 'vector' || type.kind === 'row_vector' || type.kind === 'matrix') return REAL;
  return refuse(span, messages.loopContainerExpected(type));
}

function checkLoopBody(
  context: Context,
  { variable, body }: ForStatement<Untyped> | ForEachStatement<Untyped>,
  type: Type,
  isActive: boolean,
): Checked<Statement<Typed>> {
  const { environment, block, loopDepth } = context;
  checkFreshVariable(environment, variable);
  return environment.scoped(() => {
    environment.declare(variable, type, block, 'loop', isActive);
    const { node, flow } = checkStatement({ ...context, loopDepth: loopDepth + 1 }, body);
    return { node, flow: flow === 'leaves' ? 'leaves' : 'passes' };
  });
}
