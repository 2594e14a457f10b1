import { INT, type Type } from '../../language/types.js';
import type { Span } from '../../source/span.js';
import type {
  AssignmentStatement,
  AssignmentTarget,
  Declaration,
  Expression,
  ForEachStatement,
  Place,
  SizedType,
  Statement,
} from '../../syntax/ast.js';
import { type Typed, unsizedTypeOf } from '../typed.js';
import type { FreshNames } from './fresh-names.js';
import type { Step, Term } from './outline.js';
import { builtin, elementOf, library, nameTerm, ONE, placeTerm, toCallee, toTerm } from './terms.js';
import { incrementOf, truncationSteps } from './truncation.js';

/** The steps of a statement, in the order of stanc's intermediate representation. */
export function toSteps(names: FreshNames, node: Statement<Typed>): readonly Step[] {
  const { span } = node;
  switch (node.kind) {
    case 'declaration':
      return localDeclaration(node);
    case 'assignment':
      return [assignment(names, node)];
    case 'callStatement': {
      const callee = toCallee(node.callee, node.function.name, node.dropsConstants);
      const call = { ...builtin('', node.arguments.map(toTerm), { kind: 'void' }), callee };
      return [{ kind: 'call', call, span }];
    }
    case 'target':
    case 'jacobian':
      return [{ kind: node.kind, value: toTerm(node.value), span }];
    case 'tilde':
      return [incrementOf(node), ...truncationSteps(names, node)];
    case 'break':
    case 'continue':
    case 'empty':
      return [{ kind: node.kind, span }];
    case 'return':
      return [{ kind: 'return', span, ...(node.value && { value: toTerm(node.value) }) }];
    case 'print':
    case 'reject':
    case 'fatal_error': {
      const values = node.items.flatMap((item) => (item.kind === 'value' ? [toTerm(item.value)] : []));
      return [{ kind: 'call', call: builtin(node.kind, values, { kind: 'void' }), span }];
    }
    case 'if': {
      const consequence = toStep(names, node.consequence);
      const branches =
        node.alternative === undefined
          ? ([consequence] as const)
          : ([consequence, toStep(names, node.alternative)] as const);
      return [{ kind: 'if', condition: toTerm(node.condition), branches, span }];
    }
    case 'while':
      return [{ kind: 'while', condition: toTerm(node.condition), body: toStep(names, node.body), span }];
    case 'for': {
      const body = toStep(names, node.body);
      return [
        {
          kind: 'for',
          name: node.variable.name,
          bounds: [toTerm(node.lower), toTerm(node.upper)],
          body: body.kind === 'block' ? body : { kind: 'block', steps: [body], ...(body.span && { span: body.span }) },
          span,
        },
      ];
    }
    case 'forEach':
      return [forEach(names, node)];
    case 'block':
    case 'profile':
      return [{ kind: node.kind, steps: node.statements.flatMap((statement) => toSteps(names, statement)), span }];
  }
}

function toStep(names: FreshNames, node: Statement<Typed>): Step {
  const steps = toSteps(names, node);
  return steps.length === 1 ? steps[0] : { kind: 'list', steps, span: node.span };
}

/** Steps that read the sizes of a type. */
export function sizeSteps(type: SizedType<Typed>): readonly Step[] {
  return sizesOf(type).map((size) => ({
    kind: 'call',
    call: builtin('size', [toTerm(size)], { kind: 'void' }),
    span: size.span,
  }));
}

function sizesOf(type: SizedType<Typed>): readonly Expression<Typed>[] {
  switch (type.kind) {
    case 'array':
      return [...type.sizes, ...sizesOf(type.element)];
    case 'tuple':
      return type.elements.flatMap(sizesOf);
    case 'matrix':
    case 'complex_matrix':
      return [type.rows, type.columns];
    case 'int':
    case 'real':
    case 'complex':
      return [];
    default:
      return [type.size];
  }
}

/** The declaration of one variable and the assignment of its initial value. */
export function declarationSteps(node: Declaration<Typed>, index: number): readonly Step[] {
  const { name, initialValue } = node.variables[index];
  const { span } = node;
  const declared: Step = { kind: 'declare', name: name.name, span };
  if (initialValue === undefined) return [declared];
  const value = toTerm(initialValue);
  return [declared, { kind: 'assignment', name: name.name, type: value.type, isWhole: true, value, span }];
}

function localDeclaration(node: Declaration<Typed>): readonly Step[] {
  return node.variables.flatMap((_, i) => [...sizeSteps(node.type), ...declarationSteps(node, i)]);
}

function assignment(names: FreshNames, node: AssignmentStatement<Typed>): Step {
  const { target, operator, value, span } = node;
  if (target.kind === 'tuplePattern' || operator === '=') return assignTo(names, target, toTerm(value), span);
  const place = placeTerm(target);
  const sum = library(operator.slice(0, -1), [place, toTerm(value)], place.type);
  return assignTo(names, target, { ...sum, span: { begin: target.span.begin, end: value.span.end } }, span);
}

function assignTo(names: FreshNames, target: AssignmentTarget<Typed>, value: Term, span: Span): Step {
  if (target.kind !== 'tuplePattern') {
    const isWhole = target.kind === 'variable';
    return { kind: 'assignment', name: variableOf(target), type: target.type, isWhole, value, span };
  }
  return names.within((name) => {
    const tuple = nameTerm(name, value.type, value.span);
    const slots = target.targets.map((part, i) =>
      assignTo(names, part, { kind: 'slot', tuple, slot: i + 1, type: slotType(value.type, i) }, span),
    );
    const steps: readonly Step[] = [
      { kind: 'declare', name },
      { kind: 'assignment', name, type: value.type, isWhole: true, value },
      ...slots,
    ];
    return { kind: 'block', steps, span };
  });
}

function slotType(type: Type, index: number): Type {
  return type.kind === 'tuple' ? type.elements[index] : type;
}

function variableOf(place: Place<Typed>): string {
  switch (place.kind) {
    case 'variable':
      return place.name;
    case 'slot':
      return variableOf(place.tuple);
    case 'indexed':
      return variableOf(place.container);
  }
}

function forEach(names: FreshNames, { variable, container, body, span }: ForEachStatement<Typed>): Step {
  const inner = toStep(names, body);
  const bodySteps = inner.kind === 'block' ? inner.steps : [inner];
  const perElement = (element: Term): Step => ({
    kind: 'block',
    steps: [
      { kind: 'declare', name: variable.name, span },
      { kind: 'assignment', name: variable.name, type: element.type, isWhole: true, value: element, span },
      ...bodySteps,
    ],
    span,
  });
  const iterated = toTerm(container);
  if (iterated.kind === 'name') return eachElement(names, iterated, perElement, span);
  return names.within((name) => ({
    kind: 'block',
    steps: [
      { kind: 'declare', name },
      { kind: 'assignment', name, type: iterated.type, isWhole: true, value: iterated },
      eachElement(names, nameTerm(name, iterated.type, iterated.span), perElement, span),
    ],
    span,
  }));
}

/** A loop over the elements of a container; for a matrix, nested loops over rows and their elements. */
function eachElement(names: FreshNames, container: Term, body: (element: Term) => Step, span: Span): Step {
  const isMatrix = container.type.kind === 'matrix' || container.type.kind === 'complex_matrix';
  const count = isMatrix ? library('rows', [container], INT) : builtin('length', [container], INT);
  return names.within((name) => {
    const element = elementOf(container, nameTerm(name, INT, span));
    const inner = isMatrix ? eachElement(names, element, body, span) : body(element);
    return { kind: 'for', name, bounds: [ONE, count], body: { kind: 'block', steps: [inner], span }, span };
  });
}

/** The type of a declared variable. */
export function declaredType(node: Declaration<Typed>): Type {
  return unsizedTypeOf(node.type);
}
