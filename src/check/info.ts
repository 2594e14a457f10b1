import type { Type } from '../language/types.js';
import type { Block, Declaration, EmptyStatement, Program, Remark, Statement } from '../syntax/ast.js';
import { visitProgram } from '../syntax/walk.js';
import { type Callee, type Typed, type TypedProgram, unsizedTypeOf } from './typed.js';

/** The base type and the number of dimensions of a variable or, for a tuple, of its slots. */
export interface VariableInfo {
  readonly type: string | readonly VariableInfo[];
  readonly dimensions: number;
}

/** The description of a program in the format of `--info` of stanc 2.40. */
export interface ProgramInfo {
  readonly inputs: Readonly<Record<string, VariableInfo>>;
  readonly parameters: Readonly<Record<string, VariableInfo>>;
  readonly 'transformed parameters': Readonly<Record<string, VariableInfo>>;
  readonly 'generated quantities': Readonly<Record<string, VariableInfo>>;
  /** The library functions it calls, sorted. */
  readonly functions: readonly string[];
  /** The library's densities and cumulative functions it uses, sorted; those of `~` as `_lupdf` and `_lupmf`. */
  readonly distributions: readonly string[];
  /** Included files in the order of inclusion. Paths are relative to the program and begin with `./`. */
  readonly included_files: readonly string[];
}

export function programInfo({ tree }: TypedProgram): ProgramInfo {
  const { functions, distributions } = libraryUses(tree);
  return {
    inputs: variablesOf(tree.data),
    parameters: variablesOf(tree.parameters),
    'transformed parameters': variablesOf(tree.transformedParameters),
    'generated quantities': variablesOf(tree.generatedQuantities),
    functions: [...functions].sort(),
    distributions: [...distributions].sort(),
    included_files: includesOf(tree.remarks),
  };
}

function variablesOf(block: Block<Statement<Typed> | Declaration<Typed> | EmptyStatement> | undefined) {
  const declarations = (block?.statements ?? []).filter((statement) => statement.kind === 'declaration');
  return Object.fromEntries(
    declarations.flatMap(({ type, variables }) => {
      const info = describe(unsizedTypeOf(type));
      return variables.map(({ name }) => [name.name, info] as const);
    }),
  );
}

function describe(type: Type): VariableInfo {
  switch (type.kind) {
    case 'array': {
      const element = describe(type.element);
      return { type: element.type, dimensions: element.dimensions + 1 };
    }
    case 'tuple':
      return { type: type.elements.map(describe), dimensions: 0 };
    case 'vector':
    case 'row_vector':
      return { type: 'real', dimensions: 1 };
    case 'complex_vector':
    case 'complex_row_vector':
      return { type: 'complex', dimensions: 1 };
    case 'matrix':
      return { type: 'real', dimensions: 2 };
    case 'complex_matrix':
      return { type: 'complex', dimensions: 2 };
    default:
      return { type: type.kind, dimensions: 0 };
  }
}

function libraryUses(tree: Program<Typed>) {
  const functions = new Set<string>();
  const distributions = new Set<string>();
  const isLibrary = (callee: Callee): boolean => callee.kind !== 'user';
  visitProgram<Typed>(tree, {
    expression: (node) => {
      if (node.kind === 'call' && isLibrary(node.callee)) {
        (node.isConditional ? distributions : functions).add(node.function.name);
      }
    },
    statement: (node) => {
      switch (node.kind) {
        case 'callStatement':
          if (isLibrary(node.callee)) functions.add(node.function.name);
          break;
        case 'print':
        case 'reject':
        case 'fatal_error':
          functions.add(node.kind);
          break;
        case 'tilde':
          if (node.callee.kind === 'library') distributions.add(unnormalized(node.callee.signature.name));
          break;
      }
    },
  });
  return { functions, distributions };
}

function unnormalized(name: string): string {
  return name.replace(/_lp([dm])f$/, '_lup$1f');
}

function includesOf(remarks: readonly Remark[]): readonly string[] {
  return remarks.flatMap((remark) => (remark.kind === 'include' && !remark.isRepeated ? [`./${remark.name}`] : []));
}
