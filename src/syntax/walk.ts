import type {
  Annotations,
  AssignmentTarget,
  Block,
  BlockName,
  Constraint,
  Declaration,
  EmptyStatement,
  Expression,
  FunctionDefinition,
  Index,
  Place,
  Program,
  SizedType,
  Statement,
} from './ast.js';

/** Callbacks for every node of a tree; a node is visited before its parts. */
export interface Visitor<A extends Annotations> {
  readonly expression: (node: Expression<A>) => void;
  readonly statement: (node: Statement<A> | FunctionDefinition<A>) => void;
}

type AnyStatement = Statement | FunctionDefinition | Declaration | EmptyStatement;

/** The existing blocks of a program, by name, in their required order. */
export function blocksOf(program: Program): [BlockName, Block<AnyStatement>][] {
  const { functions, data, transformedData, parameters, transformedParameters, model, generatedQuantities } = program;
  const blocks: [BlockName, Block<AnyStatement> | undefined][] = [
    ['functions', functions],
    ['data', data],
    ['transformed data', transformedData],
    ['parameters', parameters],
    ['transformed parameters', transformedParameters],
    ['model', model],
    ['generated quantities', generatedQuantities],
  ];
  return blocks.flatMap(([name, block]) => (block === undefined ? [] : [[name, block]]));
}

/** Visits every statement and expression of a program, in the order of the text. */
export function visitProgram<A extends Annotations>(program: Program<A>, visitor: Visitor<A>): void {
  for (const definition of program.functions?.statements ?? []) visitDefinition(definition, visitor);
  const { data, transformedData, parameters, transformedParameters, model, generatedQuantities } = program;
  for (const block of [data, transformedData, parameters, transformedParameters, model, generatedQuantities]) {
    for (const statement of block?.statements ?? []) visitStatement(statement, visitor);
  }
}

export function visitDefinition<A extends Annotations>(definition: FunctionDefinition<A>, visitor: Visitor<A>): void {
  visitor.statement(definition);
  if (definition.body !== undefined) visitStatement(definition.body, visitor);
}

export function visitStatement<A extends Annotations>(node: Statement<A>, visitor: Visitor<A>): void {
  visitor.statement(node);
  const expression = (part: Expression<A> | undefined) => part && visitExpression(part, visitor);
  const statement = (part: Statement<A> | undefined) => part && visitStatement(part, visitor);
  switch (node.kind) {
    case 'declaration':
      for (const part of partsOfType(node.type)) expression(part);
      for (const { initialValue } of node.variables) expression(initialValue);
      break;
    case 'assignment':
      visitTarget(node.target, visitor);
      expression(node.value);
      break;
    case 'callStatement':
      node.arguments.forEach(expression);
      break;
    case 'tilde':
      expression(node.variate);
      node.arguments.forEach(expression);
      expression(node.truncation?.lower);
      expression(node.truncation?.upper);
      break;
    case 'target':
    case 'jacobian':
    case 'return':
      expression(node.value);
      break;
    case 'print':
    case 'reject':
    case 'fatal_error':
      for (const item of node.items) if (item.kind === 'value') expression(item.value);
      break;
    case 'if':
      expression(node.condition);
      statement(node.consequence);
      statement(node.alternative);
      break;
    case 'while':
      expression(node.condition);
      statement(node.body);
      break;
    case 'for':
      expression(node.lower);
      expression(node.upper);
      statement(node.body);
      break;
    case 'forEach':
      expression(node.container);
      statement(node.body);
      break;
    case 'block':
    case 'profile':
      node.statements.forEach(statement);
      break;
    case 'break':
    case 'continue':
    case 'empty':
      break;
  }
}

function visitTarget<A extends Annotations>(target: AssignmentTarget<A>, visitor: Visitor<A>): void {
  if (target.kind === 'tuplePattern') for (const part of target.targets) visitTarget(part, visitor);
  else visitPlace(target, visitor);
}

function visitPlace<A extends Annotations>(place: Place<A>, visitor: Visitor<A>): void {
  if (place.kind === 'indexed') {
    visitPlace(place.container, visitor);
    for (const part of place.indices.flatMap(partsOfIndex)) visitExpression(part, visitor);
  } else if (place.kind === 'slot') {
    visitPlace(place.tuple, visitor);
  }
}

export function visitExpression<A extends Annotations>(node: Expression<A>, visitor: Visitor<A>): void {
  visitor.expression(node);
  for (const part of partsOf(node)) visitExpression(part, visitor);
}

function partsOf<A extends Annotations>(node: Expression<A>): readonly Expression<A>[] {
  switch (node.kind) {
    case 'conditional':
      return [node.condition, node.consequence, node.alternative];
    case 'binary':
      return [node.left, node.right];
    case 'prefix':
    case 'transpose':
      return [node.operand];
    case 'call':
      return node.arguments;
    case 'indexed':
      return [node.container, ...node.indices.flatMap(partsOfIndex)];
    case 'slot':
      return [node.tuple];
    case 'arrayLiteral':
    case 'rowVectorLiteral':
    case 'tupleLiteral':
      return node.elements;
    case 'parenthesis':
      return [node.inner];
    case 'variable':
    case 'int':
    case 'real':
    case 'imaginary':
    case 'targetValue':
      return [];
  }
}

/** The expressions of an index. */
export function partsOfIndex<A extends Annotations>(index: Index<A>): readonly Expression<A>[] {
  switch (index.kind) {
    case 'all':
      return [];
    case 'single':
      return [index.index];
    case 'from':
      return [index.lower];
    case 'to':
      return [index.upper];
    case 'between':
      return [index.lower, index.upper];
  }
}

/** The sizes and bounds of a declared type. */
export function partsOfType<A extends Annotations>(type: SizedType<A>): readonly Expression<A>[] {
  if (type.kind === 'array') return [...type.sizes, ...partsOfType(type.element)];
  if (type.kind === 'tuple') return type.elements.flatMap((element) => partsOfType(element));
  const bounds = partsOfConstraint(type.constraint);
  if ('size' in type) return [...bounds, type.size];
  if ('rows' in type) return [...bounds, type.rows, type.columns];
  return bounds;
}

function partsOfConstraint<A extends Annotations>(constraint: Constraint<A>): readonly Expression<A>[] {
  const bounds: Expression<A>[] = [];
  if ('lower' in constraint) bounds.push(constraint.lower);
  if ('upper' in constraint) bounds.push(constraint.upper);
  if ('offset' in constraint) bounds.push(constraint.offset);
  if ('multiplier' in constraint) bounds.push(constraint.multiplier);
  return bounds;
}
