/**
 * Parameters whose prior has a location and a scale, such as `theta ~ normal(mu, tau)`, or `theta ~ multi_normal(mu, Sigma)` for vectors.
 * In place of such a parameter, the unconstrained position can contain another coordinate, whose distribution depends less on location and
 * scale (`partial-centering.ts`).
 */
import type { Typed, TypedExpression, TypedProgram, Variable } from '../check/typed.js';
import { unwindArray } from '../language/types.js';
import type { Declaration, Identifier, SizedType } from '../syntax/ast.js';
import { partsOfType, type Visitor, visitExpression, visitStatement } from '../syntax/walk.js';
import { type Definition, Slicer } from './definitions.js';
import {
  type AxisRange,
  axesOf,
  complement,
  earlierRead,
  elementwiseOperands,
  type LoopedAxis,
  overlap,
  partialAxis,
  sizesOf,
} from './prior-axes.js';
import {
  givenElements,
  type Loop,
  type Origin,
  type Outcome,
  outcomeOf,
  type Prior,
  priorsOf,
  variableOf,
} from './priors.js';

/** A parameter with the locations and scales of its elements. */
export interface Located {
  readonly variable: Variable;
  /** Whether it has the lower bound 0, and its logarithm a location and a scale. */
  readonly isPositive: boolean;
  /** Disjoint parts that cover the parameter, each after those that its location and scale read. */
  readonly parts: readonly LocatedPart[];
}

/** A part of a parameter with the location and scale of its prior. */
export interface LocatedPart {
  /** Null for elements without such a prior, which keep their coordinates. */
  readonly origin: Origin | null;
  /** Statements of transformed parameters that compute what location and scale read. */
  readonly transformed: readonly Definition[];
  /** Statements of the model that do so, before the loops. */
  readonly definitions: readonly Definition[];
  /** The loops around the prior, each over an axis of the parameter, outermost first. The other axes belong to the prior's outcome. */
  readonly loops: readonly AxisLoop[];
  readonly slices: readonly AxisRange[];
}

interface AxisLoop extends LoopedAxis {
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

/** A part that has been found, with the parameters on which it depends. */
interface Found extends LocatedPart {
  readonly dependencies: ReadonlySet<Variable>;
}

class Search {
  readonly #program: TypedProgram;
  readonly #slicer: Slicer;
  /** Parameters and their declarations. */
  readonly #parameters = new Map<Variable, Declaration<Typed>>();
  readonly #found = new Map<Variable, readonly Found[]>();
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
    for (const [variable, parts] of this.#found) this.#found.set(variable, disjoint(parts));
    const order = this.#order();
    const leftAlone = [...this.#reasons]
      .filter(([variable]) => !this.#found.has(variable))
      .map(([{ name }, reason]) => ({ name, reason }));
    const located = [...this.#found].map(([variable, parts]): [Variable, Located] => {
      const declaration = this.#parameters.get(variable);
      const axes = declaration === undefined ? 0 : sizesOf(declaration.type).length;
      const isPositive = parts.some(({ origin }) => origin !== null && origin.ofLog !== null);
      return [variable, { variable, isPositive, parts: covering(parts, axes) }];
    });
    return { located: new Map(located), leftAlone, order };
  }

  #declared(name: Identifier): Variable {
    const found = this.#program.variables.get(name);
    if (found === undefined) throw new Error(`${name.name} is not declared`);
    return found;
  }

  #consider(prior: Prior): void {
    const { origin, problem, values } = prior;
    const outcome = outcomeOf(prior.outcome);
    const declaration = outcome && this.#parameters.get(outcome.variable);
    const isFixed = (origin === null ? values : locationAndScale(origin)).every(({ level }) => level === 'data');
    if (outcome === undefined || declaration === undefined || isFixed) return;
    const { variable } = outcome;
    const found = problem ?? (origin === null ? undefined : this.#part(prior, origin, outcome, declaration.type));
    if (typeof found === 'object') this.#found.set(variable, [...(this.#found.get(variable) ?? []), found]);
    else if (found !== undefined && !this.#reasons.has(variable)) this.#reasons.set(variable, found);
  }

  /** The part of a parameter to which a prior applies, or the reason why it keeps its coordinates. */
  #part(prior: Prior, origin: Origin, outcome: Outcome, type: SizedType<Typed>): Found | string {
    const { lists } = prior;
    const reason = typeProblem(type, origin.ofLog !== null);
    if (reason !== undefined) return reason;
    if (depthOf(prior.outcome) < Math.max(...origin.location.map(({ value }) => depthOf(value)))) {
      return 'its distribution has several locations';
    }
    const around = [...new Set(lists.flatMap(({ loop }) => loop ?? []))];
    const axes = axesOf(outcome, around, type, (loop) => this.#declared(loop.variable));
    if ('problem' in axes) return axes.problem;
    const transformed = { before: this.#program.tree.transformedParameters?.statements ?? [] };
    const loopVariables = new Set(axes.loops.flatMap((axis) => axis.variable ?? []));
    const sliced = this.#slicer.definitions(termsOf(origin), [transformed, ...lists], loopVariables);
    if ('problem' in sliced) return sliced.problem;
    const of = (loop: Loop | null): readonly Definition[] =>
      lists.flatMap((list, k) => (list.loop === loop ? sliced.lists[k + 1] : []));
    const part: LocatedPart = {
      origin,
      transformed: sliced.lists[0],
      definitions: of(null),
      loops: axes.loops.map((axis, k) => ({ ...axis, definitions: k < around.length ? of(around[k]) : [] })),
      slices: axes.slices,
    };
    const dependencies = this.#dependencies(part, outcome);
    return dependencies.has(outcome.variable) ? 'its location or scale depends on it' : { ...part, dependencies };
  }

  /** The parameters that location and scale depend on, without the earlier elements of the same parameter. */
  #dependencies(part: LocatedPart, outcome: Outcome): ReadonlySet<Variable> {
    const { definitions, loops, origin, slices, transformed } = part;
    const found = new Set<Variable>();
    const earlier = new Set<TypedExpression | undefined>();
    // Elements of a slice have values one after another, so that only elementwise expressions may read them.
    const addEarlier = (node: TypedExpression): void => {
      earlier.add(earlierRead(node, outcome, part));
      for (const operand of elementwiseOperands(node) ?? []) addEarlier(operand);
    };
    const isSlice = slices.length > 0;
    if (isSlice) for (const { value } of origin?.location ?? []) addEarlier(value);
    const visitor: Visitor<Typed> = {
      statement: () => undefined,
      expression: (node) => {
        if (!isSlice) earlier.add(earlierRead(node, outcome, part));
        if (!earlier.has(node)) this.#reads(found).expression(node);
      },
    };
    for (const expression of termsOf(origin)) visitExpression(expression, visitor);
    for (const definition of [...transformed, ...definitions, ...loops.flatMap((loop) => loop.definitions)]) {
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
      const found = new Set(this.#found.get(variable)?.flatMap(({ dependencies }) => [...dependencies]));
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
      const given = [...waiting].findLast((variable) => this.#found.has(variable));
      if (given === undefined) throw new Error('The bounds of parameters depend on one another');
      this.#found.delete(given);
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
function typeProblem(type: SizedType<Typed>, isPositive: boolean): string | undefined {
  const element = type.kind === 'array' ? type.element : type;
  if (element.kind === 'tuple' || element.kind === 'array' || element.kind.startsWith('complex')) {
    return 'its type is not real';
  }
  const { constraint } = element;
  if (isPositive)
    return constraint.kind === 'lower' && isZero(constraint.lower) ? undefined : 'its lower bound is not 0';
  return /^(?:none|offset|multiplier|offset_multiplier)$/.test(constraint.kind) ? undefined : 'it is constrained';
}

/** Whether an expression is the number 0 as written. */
function isZero(node: TypedExpression): boolean {
  return (node.kind === 'int' || node.kind === 'real') && Number(node.text) === 0;
}

function locationAndScale({ location, scale }: Origin): readonly TypedExpression[] {
  return [...location.map(({ value }) => value), scale];
}

/** The expressions that a conditional location and scale read. */
function termsOf(origin: Origin | null): readonly TypedExpression[] {
  return origin === null ? [] : [...locationAndScale(origin), ...givenElements(origin)];
}

/** A part with all elements, or disjoint parts along one axis in the order of their indexes. */
function disjoint(parts: readonly Found[]): readonly Found[] {
  const whole = parts.find((part) => partialAxis(part) === undefined);
  if (whole !== undefined) return [whole];
  const chosen: { readonly part: Found; readonly range: AxisRange }[] = [];
  for (const part of parts) {
    const range = partialAxis(part);
    const [first] = chosen;
    if (range === undefined || (first !== undefined && first.range.axis !== range.axis)) continue;
    if (!chosen.some((each) => overlap(each.range, range))) chosen.push({ part, range });
  }
  return chosen.sort((a, b) => a.range.from - b.range.from).map(({ part }) => part);
}

/** The parts, after those of the elements outside of them. */
function covering(parts: readonly Found[], axes: number): readonly LocatedPart[] {
  const ranges = parts.flatMap((part) => partialAxis(part) ?? []);
  const others = ranges.length === 0 ? [] : complement(ranges[0].axis, ranges);
  const unlocated = others.map((range): LocatedPart => {
    const all = Array.from({ length: axes }, (_, axis) => (axis === range.axis ? range : { axis, from: 1, to: null }));
    const loops = all.map((each) => ({ ...each, variable: null, definitions: [] }));
    return { origin: null, transformed: [], definitions: [], loops, slices: [] };
  });
  return [...unlocated, ...parts];
}
