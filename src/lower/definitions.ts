/**
 * The statements that compute the transformed parameters and local variables which an expression reads (program slicing). Coordinates of
 * parameters run them before the other statements of the program.
 */
import {
  type Callee,
  calleeName,
  type Typed,
  type TypedExpression,
  type TypedProgram,
  type Variable,
} from '../check/typed.js';
import type { Declaration, Identifier, Statement } from '../syntax/ast.js';
import { partsOfType, type Visitor, visitDefinition, visitExpression, visitStatement } from '../syntax/walk.js';
import { variableOf } from './priors.js';

/** A variable's declaration, or a statement that assigns variables. */
export type Definition =
  | {
      readonly kind: 'declaration';
      readonly identifier: Identifier;
      readonly declaration: Declaration<Typed>;
      readonly initialValue: TypedExpression | undefined;
    }
  | { readonly kind: 'statement'; readonly statement: Statement<Typed> };

/** A list of statements, and the statement after them that contains the expressions, if there is one. */
export interface StatementList {
  readonly before: readonly Statement<Typed>[];
  readonly containing?: Statement<Typed>;
}

/** For each list, its statements that define variables, in order; or why they cannot run on their own, as the end of a sentence. */
export type Definitions = { readonly lists: readonly (readonly Definition[])[] } | { readonly problem: string };

/** Statements without effects other than assignments. */
const SILENT: ReadonlySet<string> = new Set(
  'declaration assignment if for forEach while break continue block empty reject fatal_error'.split(' '),
);

/** Finds definitions in a program. */
export class Slicer {
  readonly #program: TypedProgram;
  readonly #assigned = new Map<Statement<Typed>, ReadonlySet<Variable>>();

  constructor(program: TypedProgram) {
    this.#program = program;
  }

  /** The statements of `lists` that compute what expressions read, apart from the variables of loops around them. */
  definitions(
    expressions: readonly TypedExpression[],
    lists: readonly StatementList[],
    loopVariables: ReadonlySet<Variable>,
  ): Definitions {
    const needed = new Set<Variable>();
    const chosen = new Set<Statement<Typed>>();
    const waiting: Variable[] = [];
    const problems: string[] = [];
    const need = (variable: Variable): void => {
      if (needed.has(variable) || loopVariables.has(variable) || isGiven(variable)) return;
      needed.add(variable);
      waiting.push(variable);
    };
    const visitor = (inside: ReadonlySet<Variable>): Visitor<Typed> => ({
      statement: ({ kind }) => {
        if (!SILENT.has(kind)) problems.push('its location or scale is computed by statements with other effects');
      },
      expression: (node) => {
        if (node.kind === 'call') problems.push(...this.#problemsOfCall(node.callee));
        if (node.kind === 'targetValue') problems.push('its location or scale depends on the log density');
        const variable = node.kind === 'variable' ? variableOf(node.symbol) : undefined;
        if (variable !== undefined && !inside.has(variable)) need(variable);
      },
    });
    for (const expression of expressions) visitExpression(expression, visitor(new Set()));
    for (let variable = waiting.pop(); variable !== undefined; variable = waiting.pop()) {
      const list = lists.find(({ before }) => before.some((statement) => this.#declarationIn(statement, variable)));
      const changedAround = list?.containing && this.#assignedBy(list.containing).has(variable);
      if (list === undefined || changedAround === true) {
        return { problem: `its location or scale reads ${variable.name}, which statements around it change` };
      }
      for (const statement of list.before) {
        const declared = this.#declarationIn(statement, variable);
        if (declared !== undefined) {
          const { declaration, initialValue } = declared;
          const parts = [...partsOfType(declaration.type), ...(initialValue === undefined ? [] : [initialValue])];
          for (const part of parts) visitExpression(part, visitor(new Set([variable])));
        } else if (this.#assignedBy(statement).has(variable) && !chosen.has(statement)) {
          chosen.add(statement);
          const inside = this.#declaredInside(statement);
          visitStatement(statement, visitor(inside));
          for (const each of this.#assignedBy(statement)) if (!inside.has(each)) need(each);
        }
      }
    }
    if (problems.length > 0) return { problem: problems[0] };
    const inOrder = (statement: Statement<Typed>): readonly Definition[] => {
      if (chosen.has(statement)) return [{ kind: 'statement', statement }];
      return [...needed].flatMap((variable) => this.#declarationIn(statement, variable) ?? []);
    };
    return { lists: lists.map(({ before }) => before.flatMap(inOrder)) };
  }

  #declarationIn(
    statement: Statement<Typed>,
    variable: Variable,
  ): Extract<Definition, { readonly kind: 'declaration' }> | undefined {
    if (statement.kind !== 'declaration') return undefined;
    const found = statement.variables.find(({ name }) => this.#program.variables.get(name) === variable);
    if (found === undefined) return undefined;
    return { kind: 'declaration', identifier: found.name, declaration: statement, initialValue: found.initialValue };
  }

  /** The variables that a statement other than a declaration assigns. */
  #assignedBy(statement: Statement<Typed>): ReadonlySet<Variable> {
    const known = this.#assigned.get(statement);
    if (known !== undefined) return known;
    const found = new Set<Variable>();
    visitStatement(statement, {
      expression: () => undefined,
      statement: (node) => {
        if (node.kind === 'assignment') for (const variable of assigned(node.target)) found.add(variable);
      },
    });
    this.#assigned.set(statement, found);
    return found;
  }

  /** The local and loop variables that a statement declares. */
  #declaredInside(statement: Statement<Typed>): ReadonlySet<Variable> {
    const found = new Set<Variable>();
    const add = (name: Identifier): void => {
      const variable = this.#program.variables.get(name);
      if (variable !== undefined) found.add(variable);
    };
    visitStatement(statement, {
      expression: () => undefined,
      statement: (node) => {
        if (node.kind === 'for' || node.kind === 'forEach') add(node.variable);
        if (node.kind === 'declaration') for (const { name } of node.variables) add(name);
      },
    });
    return found;
  }

  #problemsOfCall(callee: Callee): readonly string[] {
    const problem = `its location or scale calls ${calleeName(callee)}`;
    if (callee.kind === 'library') return [];
    return callee.kind === 'higherOrder' || this.#hasEffects(callee.function.id, new Set()) ? [problem] : [];
  }

  /** Whether a function, or one that it calls, prints, changes the target or calls a higher-order function. */
  #hasEffects(id: number, seen: Set<number>): boolean {
    if (seen.has(id)) return false;
    seen.add(id);
    const found = this.#program.functions.find((each) => each.function.id === id);
    if (found === undefined) return true;
    let hasEffects = found.function.suffix === 'lp' || found.function.suffix === 'jacobian';
    const call = (callee: Callee): void => {
      if (callee.kind === 'higherOrder') hasEffects = true;
      if (callee.kind === 'user') hasEffects ||= this.#hasEffects(callee.function.id, seen);
    };
    visitDefinition(found.definition, {
      statement: (node) => {
        if (node.kind === 'print') hasEffects = true;
        if (node.kind === 'callStatement') call(node.callee);
      },
      expression: (node) => {
        if (node.kind === 'call') call(node.callee);
      },
    });
    return hasEffects;
  }
}

/** Whether a variable has its value before the parameters with coordinates, or is such a parameter. */
function isGiven({ block, role }: Variable): boolean {
  return role === 'global' && (block === 'data' || block === 'transformed data' || block === 'parameters');
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
