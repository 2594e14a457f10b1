import { INT, type Type } from '../../language/types.js';
import type {
  Block,
  Declaration,
  Expression,
  SizedType,
  Statement,
  Constraint as SyntaxConstraint,
} from '../../syntax/ast.js';
import type { Typed, TypedProgram } from '../typed.js';
import { FreshNames } from './fresh-names.js';
import type { Constraint, OutlinedFunction, ParameterOutline, ProgramOutline, Step, Term } from './outline.js';
import { declarationSteps, declaredType, sizeSteps, toSteps } from './steps.js';
import { builtin, nameTerm, toTerm } from './terms.js';

/** Flags that select the outputs of stanc's programs. */
export const FLAGS: readonly string[] = ['emit_transformed_parameters__', 'emit_generated_quantities__'];

/** Converts a typed program to stanc's intermediate representation, as far as the pedantic analyses need it. */
export function outlineOf({ tree, functions }: TypedProgram): ProgramOutline {
  const names = new FreshNames();
  const data = globals(tree.data);
  const parameters = globals(tree.parameters);
  const transformedParameters = statementsOf(tree.transformedParameters);
  const generatedQuantities = statementsOf(tree.generatedQuantities);
  const declareParameters = parameters.flatMap((node) => constrained(node, 'constrain'));
  const transformed = checksLast(blockSteps(names, transformedParameters));
  const generated = checksLast(blockSteps(names, generatedQuantities));
  const model = statementsOf(tree.model);
  const [early, late] = [FLAGS, FLAGS.slice(1)].map(
    (flags): Step => ({
      kind: 'if',
      condition: builtin(
        'none of',
        flags.map((name) => nameTerm(name, INT)),
        INT,
      ),
      branches: [{ kind: 'return' }],
    }),
  );
  return {
    functions: functions.map(({ definition }) => outlineFunction(names, definition)),
    data: new Map(
      data.flatMap((node) =>
        node.variables.map(({ name }) => [name.name, { isInt: node.type.kind === 'int' }] as const),
      ),
    ),
    parameters: parameters.flatMap(outlineParameters),
    outputs: new Set(
      [...parameters, ...declarationsIn(transformedParameters), ...declarationsIn(generatedQuantities)].flatMap(
        (node) => node.variables.map(({ name }) => name.name),
      ),
    ),
    prepare: [
      ...data.flatMap((node) => [...sizesPerVariable(node), ...constrained(node, 'check')]),
      ...checksLast(dataSteps(names, statementsOf(tree.transformedData))),
      ...[...parameters, ...declarationsIn(transformedParameters), ...declarationsIn(generatedQuantities)].flatMap(
        sizesPerVariable,
      ),
    ],
    density: [
      ...declareParameters,
      ...transformed,
      ...(model.length === 0
        ? []
        : [{ kind: 'block', steps: model.flatMap((node) => toSteps(names, node)), span: model[0].span } as const]),
    ],
    generate: [
      ...declareParameters,
      ...transformed.filter(({ kind }) => kind === 'declare'),
      early,
      ...transformed.filter(({ kind }) => kind !== 'declare'),
      late,
      ...generated,
    ],
  };
}

function statementsOf(block: Block<Statement<Typed>> | undefined): readonly Statement<Typed>[] {
  return block?.statements ?? [];
}

function globals(
  block: Block<Declaration<Typed> | { readonly kind: 'empty' }> | undefined,
): readonly Declaration<Typed>[] {
  return (block?.statements ?? []).filter((node) => node.kind === 'declaration');
}

function declarationsIn(statements: readonly Statement<Typed>[]): readonly Declaration<Typed>[] {
  return statements.filter((node) => node.kind === 'declaration').filter(({ isGlobal }) => isGlobal);
}

function outlineFunction(
  names: FreshNames,
  definition: TypedProgram['functions'][number]['definition'],
): OutlinedFunction {
  const body = definition.body === undefined ? [] : toSteps(names, definition.body);
  return {
    name: definition.name.name,
    parameters: definition.parameters.map(({ name }) => name.name),
    body: body[0] ?? { kind: 'empty' },
  };
}

function sizesPerVariable(node: Declaration<Typed>): readonly Step[] {
  return node.variables.flatMap(() => sizeSteps(node.type));
}

/** The statements of a block whose sizes are checked before it runs. */
function blockSteps(names: FreshNames, statements: readonly Statement<Typed>[]): readonly Step[] {
  return statements.flatMap((node) =>
    node.kind === 'declaration' && node.isGlobal ? constrained(node, 'check') : toSteps(names, node),
  );
}

function dataSteps(names: FreshNames, statements: readonly Statement<Typed>[]): readonly Step[] {
  return statements.flatMap((node) =>
    node.kind === 'declaration' && node.isGlobal
      ? node.variables.flatMap((_, i) => [...sizeSteps(node.type), ...constrainedVariable(node, i, 'check')])
      : toSteps(names, node),
  );
}

/** Moves checks of values to the end of their block. */
function checksLast(steps: readonly Step[]): readonly Step[] {
  const isCheck = (step: Step) =>
    step.kind === 'call' && step.call.callee.kind === 'builtin' && step.call.callee.name === 'check';
  return [...steps.filter((step) => !isCheck(step)), ...steps.filter(isCheck)];
}

function constrained(node: Declaration<Typed>, action: 'constrain' | 'check'): readonly Step[] {
  return node.variables.flatMap((_, i) => constrainedVariable(node, i, action));
}

function constrainedVariable(node: Declaration<Typed>, index: number, action: 'constrain' | 'check'): readonly Step[] {
  const { span } = node;
  const variable = nameTerm(node.variables[index].name.name, declaredType(node), span);
  const bounds = boundsOf(node.type);
  const shapes = bounds.filter(({ type }) => !isScalar(type));
  const call = (name: string, parts: readonly Term[]): Step => ({
    kind: 'call',
    call: builtin(name, parts, { kind: 'void' }),
    span,
  });
  return [
    ...declarationSteps(node, index),
    ...shapes.map((bound) => call('shape', [variable, bound])),
    ...(action === 'check' && isChecked(node.type) ? [call('check', [variable, ...bounds])] : []),
  ];
}

function isScalar(type: Type): boolean {
  return type.kind === 'int' || type.kind === 'real' || type.kind === 'complex';
}

function constraintsIn(type: SizedType<Typed>): readonly SyntaxConstraint<Typed>[] {
  if (type.kind === 'array') return constraintsIn(type.element);
  return type.kind === 'tuple' ? type.elements.flatMap(constraintsIn) : [type.constraint];
}

function isChecked(type: SizedType<Typed>): boolean {
  return constraintsIn(type).some(
    ({ kind }) => kind !== 'none' && kind !== 'offset' && kind !== 'multiplier' && kind !== 'offset_multiplier',
  );
}

function boundsOf(type: SizedType<Typed>): readonly Term[] {
  return constraintsIn(type).flatMap(boundExpressions).map(toTerm);
}

function boundExpressions(constraint: SyntaxConstraint<Typed>): readonly Expression<Typed>[] {
  switch (constraint.kind) {
    case 'lower':
      return [constraint.lower];
    case 'upper':
      return [constraint.upper];
    case 'lower_upper':
      return [constraint.lower, constraint.upper];
    case 'offset':
      return [constraint.offset];
    case 'multiplier':
      return [constraint.multiplier];
    case 'offset_multiplier':
      return [constraint.offset, constraint.multiplier];
    default:
      return [];
  }
}

function outlineParameters(node: Declaration<Typed>): readonly ParameterOutline[] {
  const constraint = outlineConstraint(node.type);
  return node.variables.map(({ name }) => ({ name: name.name, constraint, span: node.span }));
}

function outlineConstraint(type: SizedType<Typed>): Constraint {
  if (type.kind === 'array') return outlineConstraint(type.element);
  if (type.kind === 'tuple') return { kind: 'none' };
  const { constraint } = type;
  switch (constraint.kind) {
    case 'lower':
      return { kind: 'bounds', lower: toTerm(constraint.lower) };
    case 'upper':
      return { kind: 'bounds', upper: toTerm(constraint.upper) };
    case 'lower_upper':
      return { kind: 'bounds', lower: toTerm(constraint.lower), upper: toTerm(constraint.upper) };
    case 'none':
    case 'offset':
    case 'multiplier':
    case 'offset_multiplier':
      return { kind: 'none' };
    default:
      return { kind: 'named', name: constraint.kind };
  }
}
