import { type CompoundOperator, compoundValueTypes, resolveCompound } from '../language/operators.js';
import { isFunctionType, promotionCost } from '../language/promotion.js';
import { type Type, unwindArray } from '../language/types.js';
import type { Span } from '../source/span.js';
import type {
  AssignmentOperator,
  AssignmentStatement,
  AssignmentTarget,
  Expression,
  Index,
  Place,
  Untyped,
} from '../syntax/ast.js';
import { partsOfIndex } from '../syntax/walk.js';
import { asArgument, promote } from './annotate.js';
import { type Context, refuse } from './environment.js';
import {
  checkExpression,
  checkIndex,
  checkVariable,
  indexedAnnotation,
  indexShape,
  slotAnnotation,
} from './expressions.js';
import * as messages from './messages.js';
import { checkName, variableNames } from './names.js';
import type { Typed } from './typed.js';

type TypedPlace = Place<Typed>;
type TypedTarget = AssignmentTarget<Typed>;

export function checkAssignment(context: Context, node: AssignmentStatement<Untyped>): AssignmentStatement<Typed> {
  const target = checkTarget(context, node.target);
  checkDistinct(target);
  const value = checkExpression(context, node.value);
  const operator = compoundOperator(node.operator);
  if (operator === undefined) {
    if (isSamePlace(node.target, node.value)) context.environment.warn(node.span, messages.assignedItself());
    checkAssignable(target, value.type, value.span, node.span);
    return { ...node, target, value: promote(value, typeOfTarget(target)) };
  }
  const type = typeOfTarget(target);
  const signature = resolveCompound(operator, type, asArgument(value));
  if (signature === undefined) {
    const wanted = compoundValueTypes(operator, type);
    refuse(value.span, messages.badCompoundAssignment(operator, type, value.type, wanted));
  }
  return { ...node, target, value: promote(value, signature.parameters[1].type) };
}

function compoundOperator(operator: AssignmentOperator): CompoundOperator | undefined {
  switch (operator) {
    case '=':
      return undefined;
    case '+=':
      return '+';
    case '-=':
      return '-';
    case '*=':
      return '*';
    case '/=':
      return '/';
    case '.*=':
      return '.*';
    case './=':
      return './';
  }
}

function checkTarget(context: Context, node: AssignmentTarget<Untyped>): TypedTarget {
  if (node.kind !== 'tuplePattern') return checkPlace(context, node);
  return { ...node, targets: node.targets.map((target) => checkTarget(context, target)) };
}

function checkPlace(context: Context, node: Place<Untyped>): TypedPlace {
  switch (node.kind) {
    case 'variable':
      checkName(node.name, node.span);
      checkWritable(context, node.name, node.span);
      return { ...node, ...checkVariable(context, node) };
    case 'slot': {
      const tuple = checkPlace(context, node.tuple);
      return { ...node, tuple, ...slotAnnotation(node.span, tuple, node.slot) };
    }
    case 'indexed': {
      const { place, outer } = checkIndexed(context, node.container);
      const indices = node.indices.map((index) => checkIndex(context, index));
      const annotation = indexedAnnotation(node.span, place, indices);
      if (outer.some((index) => indexShape(index) === 'multi')) refuse(node.span, messages.assignToNestedMulti());
      return { ...node, container: place, indices, ...annotation };
    }
  }
}

/** An assignable expression that is indexed further, with all its indices. */
function checkIndexed(
  context: Context,
  node: Place<Untyped>,
): { readonly place: TypedPlace; readonly outer: readonly Index<Typed>[] } {
  if (node.kind !== 'indexed') return { place: checkPlace(context, node), outer: [] };
  const { place, outer } = checkIndexed(context, node.container);
  const indices = node.indices.map((index) => checkIndex(context, index));
  return {
    place: { ...node, container: place, indices, ...indexedAnnotation(node.span, place, indices) },
    outer: [...outer, ...indices],
  };
}

function checkWritable({ environment, block }: Context, name: string, span: Span): void {
  const variable = environment.variable(name);
  if (variable !== undefined) {
    if (variable.role === 'global' && variable.block !== block) {
      refuse(span, messages.assignToGlobal(name, `${variable.block} block`));
    }
    if (variable.role === 'loop' || variable.role === 'parameter') refuse(span, messages.assignToReadOnly(name));
  } else if (environment.functions(name).length > 0) {
    if (block !== 'functions') refuse(span, messages.assignToGlobal(name, 'functions block'));
  } else if (environment.isLibraryName(name)) {
    refuse(span, messages.assignToGlobal(name, 'Stan Math Library'));
  } else {
    refuse(span, messages.nameUnknown(name, environment.nearest(name)));
  }
}

function typeOfTarget(target: TypedTarget): Type {
  if (target.kind !== 'tuplePattern') return target.type;
  return { kind: 'tuple', elements: target.targets.map(typeOfTarget) };
}

function checkAssignable(target: TypedTarget, value: Type, valueSpan: Span, statement: Span): void {
  if (target.kind === 'tuplePattern') {
    if (value.kind !== 'tuple' || value.elements.length !== target.targets.length) {
      refuse(valueSpan, messages.badAssignment(typeOfTarget(target), value));
    }
    for (const [i, element] of value.elements.entries()) {
      checkAssignable(target.targets[i], element, valueSpan, statement);
    }
    return;
  }
  refuseFunctions(nameOf(target), value, statement);
  if (promotionCost(target.type, value) === undefined) refuse(valueSpan, messages.badAssignment(target.type, value));
}

function refuseFunctions(name: string, type: Type, span: Span): void {
  if (isFunctionType(type)) refuse(span, messages.assignFunction(type, name));
  if (type.kind === 'tuple') for (const element of type.elements) refuseFunctions(name, element, span);
}

function nameOf(place: TypedPlace): string {
  switch (place.kind) {
    case 'variable':
      return place.name;
    case 'slot':
      return nameOf(place.tuple);
    case 'indexed':
      return nameOf(place.container);
  }
}

/** Whether the value and the target have the same source text. */
function isSamePlace(target: AssignmentTarget<Untyped>, value: Expression): boolean {
  if (target.kind === 'tuplePattern') {
    return (
      value.kind === 'tupleLiteral' &&
      value.elements.length === target.targets.length &&
      target.targets.every((inner, i) => isSamePlace(inner, value.elements[i]))
    );
  }
  if (value.kind === 'parenthesis') return isSamePlace(target, value.inner);
  return value.kind === target.kind && isSameExpression(target, value);
}

type Comparable = Place<Untyped> | Expression;

function isSameExpression(a: Comparable, b: Comparable): boolean {
  return JSON.stringify(a, withoutSpans) === JSON.stringify(b, withoutSpans);
}

function withoutSpans(key: string, value: unknown): unknown {
  return key === 'span' || key === 'operatorSpan' ? undefined : value;
}

/**
 * Checks that no part of a tuple pattern is assigned twice, and that no index in it reads an assigned variable, so that the order of the
 * assignments has no effect.
 */
function checkDistinct(target: TypedTarget): void {
  const places = placesOf(target);
  const written = places.flatMap((place) => slotsOf(place.type, pathOf(place)));
  const seen = new Map<string, number>();
  const twice: Path[] = [];
  for (const path of written) {
    const count = (seen.get(path.key) ?? 0) + 1;
    seen.set(path.key, count);
    if (count === 2) twice.push(path);
  }
  twice.sort((a, b) => (a.key < b.key ? -1 : 1));
  if (twice.length > 0) refuse(target.span, messages.assignedTwice(twice.map(({ text }) => text)));
  const names = new Set(places.map(nameOf));
  const read = [...new Set(places.flatMap(namesInIndices))].filter((name) => names.has(name)).sort();
  if (read.length > 0) refuse(target.span, messages.assignedAndRead(read));
}

/** An assignable expression without its indices, for comparison and display. */
interface Path {
  readonly key: string;
  readonly text: string;
}

function placesOf(target: TypedTarget): TypedPlace[] {
  return target.kind === 'tuplePattern' ? target.targets.flatMap(placesOf) : [target];
}

/** The paths of all slots of a tuple. */
function slotsOf(type: Type, { key, text }: Path): Path[] {
  const { element } = unwindArray(type);
  if (element.kind !== 'tuple') return [{ key, text }];
  return element.elements.flatMap((slot, i) => slotsOf(slot, { key: `${key}.${i + 1}`, text: `${text}.${i + 1}` }));
}

function pathOf(place: TypedPlace): Path {
  switch (place.kind) {
    case 'variable':
      return { key: place.name, text: place.name };
    case 'slot': {
      const { key, text } = pathOf(place.tuple);
      return { key: `${key}.${place.slot}`, text: `${text}.${place.slot}` };
    }
    case 'indexed': {
      const { key, text } = pathOf(place.container);
      return { key, text: `${text}[...]` };
    }
  }
}

function namesInIndices(place: TypedPlace): string[] {
  switch (place.kind) {
    case 'variable':
      return [];
    case 'slot':
      return namesInIndices(place.tuple);
    case 'indexed':
      return [
        ...namesInIndices(place.container),
        ...place.indices.flatMap((index) => partsOfIndex(index)).flatMap(variableNames),
      ];
  }
}
