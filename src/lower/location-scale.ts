/**
 * Parameters whose prior has a location and a scale, such as `theta ~ normal(mu, tau)`, or `theta ~ multi_normal(mu, Sigma)` for vectors.
 * In place of such a parameter, the unconstrained position can contain another coordinate, whose distribution depends less on location and
 * scale (`partial-centering.ts`).
 */
import type { Typed, TypedExpression, TypedProgram, Variable } from '../check/typed.js';
import { unwindArray } from '../language/types.js';
import { spanText } from '../source/span.js';
import type { Declaration, Identifier, SizedType } from '../syntax/ast.js';
import { partsOfType, type Visitor, visitExpression, visitStatement } from '../syntax/walk.js';
import { type Definition, Slicer } from './definitions.js';
import { type Loop, type Origin, type Outcome, outcomeOf, type Prior, priorsOf, variableOf } from './priors.js';

/** A parameter with the location and the scale of its prior. */
export interface Located extends Origin {
  readonly variable: Variable;
  /** Computes what location and scale read, before the loops. */
  readonly definitions: readonly Definition[];
  /** The loops around the prior, each over an axis of the parameter, outermost first. The other axes belong to the prior's outcome. */
  readonly loops: readonly AxisLoop[];
}

interface AxisLoop {
  readonly variable: Variable;
  readonly axis: number;
  /** Computes what location and scale read, in each iteration. */
  readonly definitions: readonly Definition[];
}

/** A parameter with such a prior that keeps its coordinates, and the reason, as the end of a sentence about the parameter. */
interface LeftAlone {
  readonly name: string;
  readonly reason: string;
}

export interface LocationScales {
  readonly located: ReadonlyMap<Variable, Located>;
  readonly leftAlone: readonly LeftAlone[];
  /** All parameters, ordered so that each follows those that its coordinates depend on. */
  readonly order: readonly Variable[];
}

/** Finds such parameters from the statements of the model that run once, or once for each element or part. */
export function findLocationScales(program: TypedProgram): LocationScales {
  return new Search(program).result();
}

class Search {
  readonly #program: TypedProgram;
  readonly #slicer: Slicer;
  /** Parameters and their declarations. */
  readonly #parameters = new Map<Variable, Declaration<Typed>>();
  readonly #located = new Map<Variable, Located>();
  readonly #reasons = new Map<Variable, string>();

  constructor(program: TypedProgram) {
    this.#program = program;
    this.#slicer = new Slicer(program);
    for (const declaration of program.tree.parameters?.statements ?? []) {
      if (declaration.kind !== 'declaration') continue;
      for (const { name } of declaration.variables) this.#parameters.set(this.#declared(name), declaration);
    }
  }

  result(): LocationScales {
    for (const prior of priorsOf(this.#program.tree.model?.statements ?? [])) this.#consider(prior);
    const order = this.#order();
    const leftAlone = [...this.#reasons]
      .filter(([variable]) => !this.#located.has(variable))
      .map(([{ name }, reason]) => ({ name, reason }));
    return { located: this.#located, leftAlone, order };
  }

  #declared(name: Identifier): Variable {
    const found = this.#program.variables.get(name);
    if (found === undefined) throw new Error(`${name.name} is not declared`);
    return found;
  }

  #consider({ lists, origin, outcome, problem, values }: Prior): void {
    const place = outcomeOf(outcome);
    const declaration = place && this.#parameters.get(place.variable);
    const isFixed = (origin === null ? values : [origin.location, origin.scale]).every(({ level }) => level === 'data');
    if (place === undefined || declaration === undefined || isFixed || this.#located.has(place.variable)) return;
    const { variable } = place;
    const leave = (reason: string): void => {
      if (!this.#reasons.has(variable)) this.#reasons.set(variable, reason);
    };
    if (problem !== undefined || origin === null) {
      if (problem !== undefined) leave(problem);
      return;
    }
    const { location, scale } = origin;
    const reason =
      typeProblem(declaration.type) ??
      (depthOf(outcome) < depthOf(location) ? 'its distribution has several locations' : undefined);
    if (reason !== undefined) {
      leave(reason);
      return;
    }
    const around = [...new Set(lists.flatMap(({ loop }) => loop ?? []))];
    const axes = axesOf(place, around, declaration.type, (loop) => this.#declared(loop.variable));
    if ('problem' in axes) {
      leave(axes.problem);
      return;
    }
    const transformed = { before: this.#program.tree.transformedParameters?.statements ?? [] };
    const sliced = this.#slicer.definitions(
      [location, scale],
      [transformed, ...lists],
      new Set(axes.map((axis) => axis.variable)),
    );
    if ('problem' in sliced) {
      leave(sliced.problem);
      return;
    }
    const of = (loop: Loop | null): readonly Definition[] =>
      lists.flatMap((list, k) => (list.loop === loop ? sliced.lists[k + 1] : []));
    const found: Located = {
      ...origin,
      variable,
      definitions: [...sliced.lists[0], ...of(null)],
      loops: around.map((loop, k) => ({ ...axes[k], definitions: of(loop) })),
    };
    if (this.#dependencies(found).has(variable)) leave('its location or scale depends on it');
    else this.#located.set(variable, found);
  }

  /** The parameters that location and scale depend on. */
  #dependencies({ definitions, location, loops, scale }: Located): ReadonlySet<Variable> {
    const found = new Set<Variable>();
    const visitor = this.#reads(found);
    for (const expression of [location, scale]) visitExpression(expression, visitor);
    for (const definition of [...definitions, ...loops.flatMap((loop) => loop.definitions)]) {
      if (definition.kind === 'statement') visitStatement(definition.statement, visitor);
      else if (definition.initialValue !== undefined) visitExpression(definition.initialValue, visitor);
    }
    return found;
  }

  /** Adds the parameters that expressions read to a set. */
  #reads(found: Set<Variable>): Visitor<Typed> {
    return {
      statement: () => undefined,
      expression: (node) => {
        const variable = node.kind === 'variable' ? variableOf(node.symbol) : undefined;
        if (variable !== undefined && this.#parameters.has(variable)) found.add(variable);
      },
    };
  }

  /** Orders the parameters. In a cycle of dependencies, the last parameter with a location keeps its coordinates. */
  #order(): readonly Variable[] {
    const order = new Set<Variable>();
    const waiting = new Set(this.#parameters.keys());
    const needs = (variable: Variable): ReadonlySet<Variable> => {
      const located = this.#located.get(variable);
      const found = new Set(located && this.#dependencies(located));
      const declaration = this.#parameters.get(variable);
      for (const part of declaration === undefined ? [] : partsOfType(declaration.type)) {
        visitExpression(part, this.#reads(found));
      }
      return found;
    };
    while (waiting.size > 0) {
      const ready = [...waiting].find((variable) => [...needs(variable)].every((each) => order.has(each)));
      if (ready !== undefined) {
        waiting.delete(ready);
        order.add(ready);
        continue;
      }
      const given = [...waiting].findLast((variable) => this.#located.has(variable));
      if (given === undefined) throw new Error('The bounds of parameters depend on one another');
      this.#located.delete(given);
      this.#reasons.set(given, 'its location or scale depends on it');
    }
    return [...order];
  }
}

/** The number of array dimensions of a value that can be a container of vectors. */
function depthOf({ type }: TypedExpression): number {
  const { depth, element } = unwindArray(type);
  return element.kind === 'real' || element.kind === 'int' ? 0 : depth;
}

/** The reason why a parameter of the type keeps its coordinates. */
function typeProblem(type: SizedType<Typed>): string | undefined {
  const element = type.kind === 'array' ? type.element : type;
  if (element.kind === 'tuple' || element.kind === 'array' || element.kind.startsWith('complex')) {
    return 'its type is not real';
  }
  if (!/^(?:none|offset|multiplier|offset_multiplier)$/.test(element.constraint.kind)) return 'it is constrained';
  return undefined;
}

/** For each loop, its variable and the axis that it runs over; or the reason why a prior does not apply exactly once to each element. */
function axesOf(
  { indexes, variable }: Outcome,
  loops: readonly Loop[],
  type: SizedType<Typed>,
  declared: (loop: Loop) => Variable,
): readonly { readonly variable: Variable; readonly axis: number }[] | { readonly problem: string } {
  if (indexes === undefined) return { problem: 'its distribution applies to a part of it' };
  const sizes = sizesOf(type);
  const fixed = indexes.flatMap((index, axis) => (index === null ? [] : [axis]));
  const found = loops.map((loop) => {
    const own = declared(loop);
    const axis = indexes.findIndex((index) => index?.kind === 'variable' && index.symbol === own);
    return { loop, variable: own, axis };
  });
  if (found.some(({ axis }) => axis < 0)) return { problem: 'its distribution is in a loop' };
  const all = found.every(({ axis, loop }) => runsOver(loop, variable.name, type, axis));
  if (!all || fixed.length > found.length) return { problem: 'its elements do not all have the distribution' };
  // The elements of several axes are contiguous only if these are the last ones.
  const isContiguous = fixed.every((axis, k) => axis === k) || sizes.length - fixed.length <= 1;
  return isContiguous ? found : { problem: 'its distribution applies to a part of it' };
}

function sizesOf(type: SizedType<Typed>): readonly TypedExpression[] {
  if (type.kind === 'array') return [...type.sizes, ...sizesOf(type.element)];
  if ('size' in type) return [type.size];
  return 'rows' in type ? [type.rows, type.columns] : [];
}

/** Whether a loop visits all indexes of an axis, as far as its text shows. */
function runsOver({ lower, upper }: Loop, name: string, type: SizedType<Typed>, axis: number): boolean {
  const all = [spanText(sizesOf(type)[axis].span), ...countsOf(type, axis).map((each) => `${each}(${name})`)];
  return spanText(lower.span) === '1' && all.includes(spanText(upper.span));
}

/** Functions of a parameter of the type that return the size of an axis. */
function countsOf(type: SizedType<Typed>, axis: number): readonly string[] {
  if (type.kind === 'matrix') return [axis === 0 ? 'rows' : 'cols'];
  const all = sizesOf(type).length === 1 ? ['num_elements', 'rows', 'cols'] : [];
  return axis === 0 ? ['size', ...all] : all;
}
