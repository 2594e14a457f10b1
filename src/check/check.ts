import type { FunctionSignatures } from '../language/overloads.js';
import type { Diagnostic } from '../source/diagnostic.js';
import type {
  Block,
  BlockName,
  Declaration,
  EmptyStatement,
  FunctionDefinition,
  Program,
  Statement,
  Untyped,
} from '../syntax/ast.js';
import { checkDeclaration } from './declarations.js';
import { type Context, Environment, Refusal } from './environment.js';
import { checkAllDefined, checkFunction, declareFunctions, warnOfForwards } from './functions.js';
import { checkSecondOrder } from './second-order.js';
import { checkStatement, warnOfUnreachable } from './statements.js';
import type { Typed, TypedProgram, UserFunction } from './typed.js';

/** A valid program with its warnings, or the errors of an invalid one. */
export type CheckResult =
  | { readonly program: TypedProgram; readonly warnings: readonly Diagnostic[] }
  | { readonly diagnostics: readonly Diagnostic[] };

export interface CheckOptions {
  /** Whether functions may be declared without a definition, for definitions in another language. */
  readonly allowsUndefined?: boolean;
}

/**
 * Types a program and checks it like stanc: names, scopes, types, and the contexts of statements and calls. As in Stan, checking ends at
 * the first error.
 */
export function check(program: Program, functions: FunctionSignatures, options: CheckOptions = {}): CheckResult {
  const environment = new Environment(functions);
  try {
    const typed = checkProgram(environment, program, options);
    return { program: typed, warnings: [...environment.warnings, ...inTextOrder(environment.deprecations)] };
  } catch (error) {
    if (error instanceof Refusal) return { diagnostics: [error.diagnostic, ...environment.warnings] };
    throw error;
  }
}

/** Functions outside of a program, including functions that are declared without a definition. */
export interface TypedFunctions extends Pick<TypedProgram, 'variables' | 'functions'> {
  readonly declared: readonly UserFunction[];
}

/**
 * Types a block of functions that are part of this compiler. Identifiers of their declarations begin at `firstId`, so that they can be
 * lowered together with a program whose identifiers are below it. Throws for an invalid block.
 */
export function checkOwnFunctions(program: Program, library: FunctionSignatures, firstId: number): TypedFunctions {
  const environment = new Environment(library, firstId);
  const context: Context = { environment, block: 'functions', isSize: false, loopDepth: 0 };
  const nodes = program.functions?.statements ?? [];
  const declared = declareFunctions(environment, nodes);
  const functions = [...declared].flatMap(([node, userFunction]) => {
    const definition = checkFunction(context, node, userFunction);
    return definition.body === undefined ? [] : [{ function: userFunction, definition }];
  });
  return { variables: environment.declared, functions, declared: [...declared.values()] };
}

function inTextOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.toSorted(
    ({ span: a }, { span: b }) => a.begin.line - b.begin.line || a.begin.column - b.begin.column,
  );
}

function checkProgram(environment: Environment, program: Program, options: CheckOptions): TypedProgram {
  const definitions: { function: UserFunction; definition: FunctionDefinition<Typed> }[] = [];
  const at = (block: BlockName): Context => ({ environment, block, isSize: false, loopDepth: 0 });
  const functions = program.functions && checkFunctions(at('functions'), program.functions, definitions, options);
  const data = program.data && checkDeclarations(at('data'), program.data);
  const transformedData = program.transformedData && checkStatements(at('transformed data'), program.transformedData);
  const parameters = program.parameters && checkDeclarations(at('parameters'), program.parameters);
  const transformedParameters =
    program.transformedParameters && checkStatements(at('transformed parameters'), program.transformedParameters);
  const model = environment.scoped(() => program.model && checkStatements(at('model'), program.model));
  const generatedQuantities =
    program.generatedQuantities && checkStatements(at('generated quantities'), program.generatedQuantities);
  checkSecondOrder(environment);
  return {
    tree: {
      span: program.span,
      remarks: program.remarks,
      ...(functions && { functions }),
      ...(data && { data }),
      ...(transformedData && { transformedData }),
      ...(parameters && { parameters }),
      ...(transformedParameters && { transformedParameters }),
      ...(model && { model }),
      ...(generatedQuantities && { generatedQuantities }),
    },
    variables: environment.declared,
    functions: definitions,
  };
}

function checkFunctions(
  context: Context,
  { span, statements }: Block<FunctionDefinition<Untyped>>,
  definitions: { function: UserFunction; definition: FunctionDefinition<Typed> }[],
  { allowsUndefined = false }: CheckOptions,
): Block<FunctionDefinition<Typed>> {
  const declared = declareFunctions(context.environment, statements);
  const typed = statements.map((node) => {
    const userFunction = declared.get(node);
    if (userFunction === undefined) return refuseUndeclared(node);
    const definition = checkFunction(context, node, userFunction);
    if (definition.body !== undefined) definitions.push({ function: userFunction, definition });
    return definition;
  });
  if (!allowsUndefined) checkAllDefined(declared);
  warnOfForwards(context.environment, declared);
  return { span, statements: typed };
}

function refuseUndeclared({ name }: FunctionDefinition<Untyped>): never {
  throw new Error(`Function ${name.name} was not declared`);
}

function checkDeclarations(
  context: Context,
  { span, statements }: Block<Declaration<Untyped> | EmptyStatement>,
): Block<Declaration<Typed> | EmptyStatement> {
  return {
    span,
    statements: statements.map((node) => (node.kind === 'empty' ? node : checkDeclaration(context, node))),
  };
}

function checkStatements(context: Context, { span, statements }: Block<Statement<Untyped>>): Block<Statement<Typed>> {
  const checked = statements.map((node) => checkStatement(context, node));
  warnOfUnreachable(context.environment, checked);
  return { span, statements: checked.map(({ node }) => node) };
}
