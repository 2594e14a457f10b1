/**
 * Parameters whose prior has a location and a scale, such as `theta ~ normal(mu, tau)`. In place of such a parameter, the unconstrained
 * position can contain another coordinate, whose distribution depends less on location and scale (`partial-centering.ts`).
 */
import { calleeName, type Typed, type TypedExpression, type TypedProgram, type Variable } from '../check/typed.js';
import { spanText } from '../source/span.js';
import type { Declaration, Identifier, SizedType, Statement } from '../syntax/ast.js';
import { partsOfType, visitExpression, visitStatement } from '../syntax/walk.js';

/** A parameter with the location and the scale of its prior. */
export interface Located {
  readonly variable: Variable;
  readonly location: TypedExpression;
  readonly scale: TypedExpression;
  /** The variable of the loop over the elements, each of which has a location and a scale; null if they belong to the whole parameter. */
  readonly index: Variable | null;
  /** The transformed parameters that location and scale read, with their definitions, in an order in which they can be computed. */
  readonly definitions: readonly Definition[];
}

interface Definition {
  readonly identifier: Identifier;
  readonly variable: Variable;
  readonly value: TypedExpression;
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

/** Positions of location and scale among the arguments after the outcome. */
const FAMILIES: ReadonlyMap<string, readonly [location: number, scale: number]> = new Map([
  ['normal', [0, 1]],
  ['student_t', [1, 2]],
  ['cauchy', [0, 1]],
  ['double_exponential', [0, 1]],
  ['logistic', [0, 1]],
  ['gumbel', [0, 1]],
  ['skew_normal', [0, 1]],
]);

interface Prior {
  readonly outcome: TypedExpression;
  readonly location: TypedExpression;
  readonly scale: TypedExpression;
  readonly isTruncated: boolean;
  readonly loop: Loop | null;
}

type Loop = Extract<Statement<Typed>, { readonly kind: 'for' }>;

/** Finds such parameters from the statements of the model that run once, or once for each element. */
export function findLocationScales(program: TypedProgram): LocationScales {
  return new Search(program).result();
}

class Search {
  readonly #program: TypedProgram;
  /** Parameters and their declarations. */
  readonly #parameters = new Map<Variable, Declaration<Typed>>();
  /** Transformed parameters that are assigned once, as a whole, at the top of their block. */
  readonly #definitions = new Map<Variable, Definition>();
  readonly #located = new Map<Variable, Located>();
  readonly #reasons = new Map<Variable, string>();

  constructor(program: TypedProgram) {
    this.#program = program;
    for (const declaration of program.tree.parameters?.statements ?? []) {
      if (declaration.kind !== 'declaration') continue;
      for (const { name } of declaration.variables) this.#parameters.set(this.#declared(name), declaration);
    }
    this.#findDefinitions();
  }

  result(): LocationScales {
    for (const prior of priorsIn(this.#program.tree.model?.statements ?? [], null)) this.#consider(prior);
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

  #findDefinitions(): void {
    const changed = new Map<Variable, number>();
    const found: Definition[] = [];
    const define = (identifier: Identifier, variable: Variable, value: TypedExpression) =>
      found.push({ identifier, variable, value });
    const identifiers = new Map<Variable, Identifier>();
    for (const statement of this.#program.tree.transformedParameters?.statements ?? []) {
      if (statement.kind === 'declaration') {
        for (const { name, initialValue } of statement.variables) {
          const variable = this.#declared(name);
          identifiers.set(variable, name);
          if (initialValue !== undefined) {
            changed.set(variable, (changed.get(variable) ?? 0) + 1);
            define(name, variable, initialValue);
          }
        }
        continue;
      }
      visitStatement(statement, {
        expression: () => undefined,
        statement: (node) => {
          if (node.kind !== 'assignment') return;
          for (const variable of assigned(node.target)) changed.set(variable, (changed.get(variable) ?? 0) + 1);
        },
      });
      if (statement.kind !== 'assignment' || statement.operator !== '=' || statement.target.kind !== 'variable')
        continue;
      const variable = variableOf(statement.target.symbol);
      const identifier = variable && identifiers.get(variable);
      if (variable !== undefined && identifier !== undefined) define(identifier, variable, statement.value);
    }
    for (const definition of found) {
      if (changed.get(definition.variable) === 1) this.#definitions.set(definition.variable, definition);
    }
  }

  #consider({ outcome, location, scale, isTruncated, loop }: Prior): void {
    const place = outcomeOf(outcome);
    if (place === undefined) return;
    const { variable } = place;
    const declaration = this.#parameters.get(variable);
    const isFixed = location.level === 'data' && scale.level === 'data';
    if (declaration === undefined || isFixed || this.#located.has(variable)) return;
    const leave = (reason: string) => {
      if (!this.#reasons.has(variable)) this.#reasons.set(variable, reason);
    };
    const definitions: Definition[] = [];
    const problem =
      (isTruncated ? 'its distribution is truncated' : undefined) ??
      typeProblem(declaration.type) ??
      elementsProblem(place, loop, variable, declaration.type) ??
      this.#valueProblem(location, loop, definitions) ??
      this.#valueProblem(scale, loop, definitions);
    if (problem !== undefined) {
      leave(problem);
      return;
    }
    const parameters = this.#read([location, scale, ...definitions.map(({ value }) => value)]);
    if (parameters.has(variable)) leave('its location or scale depends on it');
    else {
      const index = place.index === undefined || loop === null ? null : this.#declared(loop.variable);
      this.#located.set(variable, { variable, location, scale, index, definitions });
    }
  }

  /** Why a location or scale cannot be computed before its parameters; adds the definitions that it needs to `definitions`. */
  #valueProblem(value: TypedExpression, loop: Loop | null, definitions: Definition[]): string | undefined {
    let problem: string | undefined;
    visitExpression(value, {
      statement: () => undefined,
      expression: (node) => {
        if (node.kind === 'call' && node.callee.kind !== 'library') {
          problem ??= `its location or scale calls ${calleeName(node.callee)}`;
        }
        const variable = node.kind === 'variable' ? variableOf(node.symbol) : undefined;
        if (variable === undefined) return;
        const { block, name, role } = variable;
        if (role === 'global' && (block === 'data' || block === 'transformed data' || block === 'parameters')) return;
        if (role === 'loop' && loop !== null && this.#declared(loop.variable) === variable) return;
        const definition = this.#definitions.get(variable);
        if (definition === undefined) problem ??= `its location or scale reads ${name}, which statements compute`;
        else if (!definitions.includes(definition)) {
          problem ??= this.#valueProblem(definition.value, null, definitions);
          definitions.push(definition);
        }
      },
    });
    return problem;
  }

  /** The parameters that expressions read. */
  #read(expressions: readonly TypedExpression[]): ReadonlySet<Variable> {
    const found = new Set<Variable>();
    for (const expression of expressions) {
      visitExpression(expression, {
        statement: () => undefined,
        expression: (node) => {
          const variable = node.kind === 'variable' ? variableOf(node.symbol) : undefined;
          if (variable !== undefined && this.#parameters.has(variable)) found.add(variable);
        },
      });
    }
    return found;
  }

  /** Orders the parameters. In a cycle of dependencies, the last parameter with a location keeps its coordinates. */
  #order(): readonly Variable[] {
    const order = new Set<Variable>();
    const waiting = new Set(this.#parameters.keys());
    const needs = (variable: Variable): ReadonlySet<Variable> => {
      const located = this.#located.get(variable);
      const declaration = this.#parameters.get(variable);
      const values = located && [located.location, located.scale, ...located.definitions.map(({ value }) => value)];
      return this.#read([...(values ?? []), ...(declaration === undefined ? [] : partsOfType(declaration.type))]);
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

/** The priors of such families among statements that run once, or once for each value of one loop's variable. */
function priorsIn(statements: readonly Statement<Typed>[], loop: Loop | null): readonly Prior[] {
  return statements.flatMap((statement): readonly Prior[] => {
    switch (statement.kind) {
      case 'block':
      case 'profile':
        return priorsIn(statement.statements, loop);
      case 'for':
        return loop === null ? priorsIn([statement.body], statement) : [];
      case 'tilde': {
        const { arguments: values, callee, distribution, truncation, variate } = statement;
        if (callee.kind !== 'library') return [];
        return priorOf(distribution.name, variate, values, truncation !== undefined, loop);
      }
      case 'target': {
        const { value } = statement;
        if (value.kind !== 'call' || value.callee.kind !== 'library') return [];
        const [outcome, ...values] = value.arguments;
        const name = value.function.name.replace(/_lu?pdf$/, '');
        return outcome === undefined ? [] : priorOf(name, outcome, values, false, loop);
      }
      default:
        return [];
    }
  });
}

function priorOf(
  name: string,
  outcome: TypedExpression,
  values: readonly TypedExpression[],
  isTruncated: boolean,
  loop: Loop | null,
): readonly Prior[] {
  const places = FAMILIES.get(name);
  const [location, scale] = (places ?? []).map((place) => values[place]);
  return location === undefined || scale === undefined ? [] : [{ outcome, location, scale, isTruncated, loop }];
}

interface Outcome {
  readonly variable: Variable;
  /** The index that selects one element. */
  readonly index: TypedExpression | undefined;
}

/** A variable, all elements of a matrix, or one element selected by one index. */
function outcomeOf(node: TypedExpression): Outcome | undefined {
  if (node.kind === 'parenthesis') return outcomeOf(node.inner);
  if (node.kind === 'call' && node.function.name === 'to_vector' && node.arguments.length === 1) {
    const [inner] = node.arguments;
    const found = inner && outcomeOf(inner);
    return found?.index === undefined ? found : undefined;
  }
  if (node.kind === 'variable') {
    const variable = variableOf(node.symbol);
    return variable && { variable, index: undefined };
  }
  if (node.kind !== 'indexed' || node.container.kind !== 'variable' || node.indices.length !== 1) return undefined;
  const variable = variableOf(node.container.symbol);
  const [index] = node.indices;
  return variable === undefined || index?.kind !== 'single' ? undefined : { variable, index: index.index };
}

/** The reason why a parameter of the type keeps its coordinates. */
function typeProblem(type: SizedType<Typed>): string | undefined {
  const element = type.kind === 'array' ? type.element : type;
  if (element.kind === 'tuple' || element.kind === 'array' || element.kind.startsWith('complex')) {
    return 'its type is not real';
  }
  if (!/^(?:none|offset|multiplier|offset_multiplier)$/.test(element.constraint.kind)) return 'it is constrained';
  if (type.kind === 'array' && (element.kind !== 'real' || type.sizes.length !== 1)) {
    return 'it is an array of containers';
  }
  return undefined;
}

/** The reason why a prior does not apply exactly once to each element of a parameter. */
function elementsProblem(
  { index }: Outcome,
  loop: Loop | null,
  { name }: Variable,
  type: SizedType<Typed>,
): string | undefined {
  if (index === undefined) return loop === null ? undefined : 'its distribution is in a loop';
  const reason = 'its elements do not all have the distribution';
  if (loop === null || index.kind !== 'variable' || index.name !== loop.variable.name) return reason;
  const sizes = type.kind === 'array' ? type.sizes : 'size' in type ? [type.size] : [];
  const [size] = sizes;
  if (sizes.length !== 1 || size === undefined) return reason;
  const upper = spanText(loop.upper.span);
  const all = [spanText(size.span), ...['size', 'num_elements', 'rows', 'cols'].map((each) => `${each}(${name})`)];
  return spanText(loop.lower.span) === '1' && all.includes(upper) ? undefined : reason;
}

function variableOf(symbol: { readonly kind: string } | undefined): Variable | undefined {
  return symbol !== undefined && isVariable(symbol) ? symbol : undefined;
}

function isVariable(symbol: { readonly kind: string }): symbol is Variable {
  return symbol.kind === 'variable';
}

type Target = Extract<Statement<Typed>, { readonly kind: 'assignment' }>['target'];

function assigned(target: Target): readonly Variable[] {
  switch (target.kind) {
    case 'tuplePattern':
      return target.targets.flatMap(assigned);
    case 'indexed':
      return assigned(target.container);
    case 'slot':
      return assigned(target.tuple);
    default: {
      const variable = variableOf(target.symbol);
      return variable === undefined ? [] : [variable];
    }
  }
}
