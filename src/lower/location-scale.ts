/**
 * Parameters whose prior has a location and a scale, such as `theta ~ normal(mu, tau)`, or `theta ~ multi_normal(mu, Sigma)` for vectors.
 * In place of such a parameter, the unconstrained position can contain another coordinate, whose distribution depends less on location and
 * scale (`partial-centering.ts`).
 */
import {
  type Callee,
  calleeName,
  type Typed,
  type TypedExpression,
  type TypedProgram,
  type Variable,
} from '../check/typed.js';
import { unwindArray } from '../language/types.js';
import { spanText } from '../source/span.js';
import type { Declaration, Identifier, SizedType, Statement } from '../syntax/ast.js';
import { partsOfType, visitExpression, visitStatement } from '../syntax/walk.js';

/**
 * What a scale is: a scalar or one for each element; or, for vectors, a Cholesky factor of the covariance matrix, this matrix, or its
 * inverse.
 */
export type ScaleForm = 'elementwise' | 'factor' | 'covariance' | 'precision';

/** A parameter with the location and the scale of its prior. */
export interface Located {
  readonly variable: Variable;
  readonly location: TypedExpression;
  readonly scale: TypedExpression;
  readonly form: ScaleForm;
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

/** Positions of location and scale among the arguments after the outcome, and the form of the scale. */
const FAMILIES: ReadonlyMap<string, readonly [location: number, scale: number, form: ScaleForm]> = new Map([
  ['normal', [0, 1, 'elementwise']],
  ['student_t', [1, 2, 'elementwise']],
  ['cauchy', [0, 1, 'elementwise']],
  ['double_exponential', [0, 1, 'elementwise']],
  ['logistic', [0, 1, 'elementwise']],
  ['gumbel', [0, 1, 'elementwise']],
  ['skew_normal', [0, 1, 'elementwise']],
  ['multi_normal', [0, 1, 'covariance']],
  ['multi_normal_cholesky', [0, 1, 'factor']],
  ['multi_normal_prec', [0, 1, 'precision']],
  ['multi_student_t', [1, 2, 'covariance']],
  ['multi_student_t_cholesky', [1, 2, 'factor']],
]);

interface Prior {
  readonly outcome: TypedExpression;
  /** The arguments after the outcome. */
  readonly values: readonly TypedExpression[];
  readonly origin: Pick<Located, 'location' | 'scale' | 'form'> | null;
  /** Why the outcome keeps its coordinates, regardless of its type. */
  readonly problem: string | undefined;
  readonly loop: Loop | null;
}

/** The statements around a prior. */
interface Surroundings {
  readonly loop: Loop | null;
  readonly problem?: string;
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
    for (const prior of priorsIn(this.#program.tree.model?.statements ?? [], { loop: null })) this.#consider(prior);
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

  #consider({ outcome, values, origin, problem: problemOfStatement, loop }: Prior): void {
    const place = outcomeOf(outcome);
    if (place === undefined) return;
    const { variable } = place;
    const declaration = this.#parameters.get(variable);
    const isFixed = (origin === null ? values : [origin.location, origin.scale]).every(({ level }) => level === 'data');
    if (declaration === undefined || isFixed || this.#located.has(variable)) return;
    const leave = (reason: string | undefined) => {
      if (reason !== undefined && !this.#reasons.has(variable)) this.#reasons.set(variable, reason);
    };
    if (origin === null) {
      leave(problemOfStatement);
      return;
    }
    const { form, location, scale } = origin;
    const definitions: Definition[] = [];
    const problem =
      problemOfStatement ??
      typeProblem(declaration.type, form) ??
      elementsProblem(place, loop, variable, declaration.type) ??
      (depthOf(outcome) < depthOf(location) ? 'its distribution has several locations' : undefined) ??
      this.#valueProblem(location, loop, definitions) ??
      this.#valueProblem(scale, loop, definitions);
    if (problem !== undefined) {
      leave(problem);
      return;
    }
    const parameters = this.#read([location, scale, ...definitions.map(({ value }) => value)]);
    if (parameters.has(variable)) leave('its location or scale depends on it');
    else {
      const index = place.selects === 'all' || loop === null ? null : this.#declared(loop.variable);
      this.#located.set(variable, { variable, location, scale, form, index, definitions });
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

/** The distributions of statements, with the reason if they do not run once, or once for each value of one loop's variable. */
function priorsIn(statements: readonly Statement<Typed>[], around: Surroundings): readonly Prior[] {
  return statements.flatMap((statement): readonly Prior[] => {
    switch (statement.kind) {
      case 'block':
      case 'profile':
        return priorsIn(statement.statements, around);
      case 'for':
        if (around.loop === null) return priorsIn([statement.body], { ...around, loop: statement });
        return priorsIn([statement.body], { problem: 'its distribution is in a loop in another loop', ...around });
      case 'forEach':
      case 'while':
        return priorsIn([statement.body], { problem: 'its distribution is in a loop', ...around });
      case 'if': {
        const { alternative, consequence } = statement;
        const branches = alternative === undefined ? [consequence] : [consequence, alternative];
        return priorsIn(branches, { problem: 'its distribution is in a conditional statement', ...around });
      }
      case 'tilde': {
        const { arguments: values, callee, distribution, truncation, variate } = statement;
        const problem = truncation && 'its distribution is truncated';
        return [priorOf(distribution.name, callee, variate, values, { ...(problem && { problem }), ...around })];
      }
      case 'target': {
        const { value } = statement;
        if (value.kind !== 'call') return [];
        const [outcome, ...values] = value.arguments;
        const name = value.function.name.replace(/_lu?pdf$/, '');
        if (outcome === undefined || name === value.function.name) return [];
        return [priorOf(name, value.callee, outcome, values, around)];
      }
      default:
        return [];
    }
  });
}

function priorOf(
  name: string,
  callee: Callee,
  outcome: TypedExpression,
  values: readonly TypedExpression[],
  { loop, problem }: Surroundings,
): Prior {
  const common = { outcome, values, loop };
  if (callee.kind !== 'library') {
    return { ...common, origin: null, problem: `its distribution, ${name}, is a function of the program` };
  }
  const family = FAMILIES.get(name);
  if (family === undefined) {
    return { ...common, origin: null, problem: `its distribution, ${name}, has no learned coordinates` };
  }
  const [location, scale, form] = family;
  return { ...common, origin: { location: values[location], scale: values[scale], form }, problem };
}

interface Outcome {
  readonly variable: Variable;
  /** The whole variable, the element with an index, or another part. */
  readonly selects: 'all' | 'part' | TypedExpression;
}

/** A variable, all elements of a matrix, or a part selected by indexes. */
function outcomeOf(node: TypedExpression): Outcome | undefined {
  if (node.kind === 'parenthesis') return outcomeOf(node.inner);
  if (node.kind === 'call' && node.function.name === 'to_vector' && node.arguments.length === 1) {
    const [inner] = node.arguments;
    const found = inner && outcomeOf(inner);
    return found?.selects === 'all' ? found : found && { ...found, selects: 'part' };
  }
  if (node.kind === 'variable') {
    const variable = variableOf(node.symbol);
    return variable && { variable, selects: 'all' };
  }
  if (node.kind !== 'indexed') return undefined;
  const container = outcomeOf(node.container);
  if (container === undefined) return undefined;
  const [index] = node.indices;
  const isElement = container.selects === 'all' && node.indices.length === 1 && index?.kind === 'single';
  return { ...container, selects: isElement ? index.index : 'part' };
}

/** The number of array dimensions of a value that can be a container of vectors. */
function depthOf({ type }: TypedExpression): number {
  const { depth, element } = unwindArray(type);
  return element.kind === 'real' || element.kind === 'int' ? 0 : depth;
}

/** The reason why a parameter of the type keeps its coordinates. */
function typeProblem(type: SizedType<Typed>, form: ScaleForm): string | undefined {
  const element = type.kind === 'array' ? type.element : type;
  if (element.kind === 'tuple' || element.kind === 'array' || element.kind.startsWith('complex')) {
    return 'its type is not real';
  }
  if (!/^(?:none|offset|multiplier|offset_multiplier)$/.test(element.constraint.kind)) return 'it is constrained';
  if (form !== 'elementwise') {
    const isVector = element.kind === 'vector' || element.kind === 'row_vector';
    return isVector && (type.kind !== 'array' || type.sizes.length === 1) ? undefined : 'it is not an array of vectors';
  }
  if (type.kind === 'array' && (element.kind !== 'real' || type.sizes.length !== 1)) {
    return 'it is an array of containers';
  }
  return undefined;
}

/** The reason why a prior does not apply exactly once to each element of a parameter. */
function elementsProblem(
  { selects }: Outcome,
  loop: Loop | null,
  { name }: Variable,
  type: SizedType<Typed>,
): string | undefined {
  if (selects === 'all') return loop === null ? undefined : 'its distribution is in a loop';
  if (selects === 'part' || type.kind === 'matrix') return 'its distribution applies to a part of it';
  const reason = 'its elements do not all have the distribution';
  if (loop === null || selects.kind !== 'variable' || selects.name !== loop.variable.name) return reason;
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
