/** The names of a program: where each is declared, in which stretch of text it holds, and where it is used. */
import { type Span, spanText } from '../source/span.js';
import type {
  AssignmentTarget,
  Block,
  BlockName,
  Declaration,
  EmptyStatement,
  FunctionDefinition,
  Identifier,
  Program,
  Statement,
} from '../syntax/ast.js';
import { visitProgram } from '../syntax/walk.js';

/** A stretch of one file: UTF-16 offsets, the end exclusive. */
export interface Stretch {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

/** What a program declares under a name. */
export interface DeclaredName {
  readonly name: string;
  readonly kind: 'variable' | 'function' | 'argument' | 'loop';
  /** The type of a variable as written, `vector<lower=0>[N]`; the head of a function, `real f(vector x)`. */
  readonly type: string;
  readonly block: BlockName;
  readonly declaredAt: Stretch;
  /** The comment at the end of the declaration's line or just above it. */
  readonly comment?: string;
}

/** A name where it is written, declared there or used. */
export interface Occurrence {
  readonly name: string;
  readonly at: Stretch;
}

/** Where a declaration holds: from its own place to the end of the statement or block around it. */
interface Scope {
  readonly declared: DeclaredName;
  readonly from: Span['begin'];
  readonly to: Span['end'];
}

/** Endings that a distribution's function has and `~` leaves out. */
const DENSITY = /_l(?:u?pdf|u?pmf)$/;

/** The declarations and uses of one program that can be read, whether or not it is right. */
export class ProgramNames {
  readonly occurrences: readonly Occurrence[];
  readonly #scopes: readonly Scope[];

  constructor(program: Program) {
    this.#scopes = scopesOf(program);
    const declared = this.#scopes.map(({ declared: { name, declaredAt } }) => ({ name, at: declaredAt }));
    const seen = new Set<string>();
    this.occurrences = [...declared, ...usesOf(program)].filter(({ at: { file, from } }) => {
      const key = `${from} ${file}`;
      return !seen.has(key) && seen.add(key);
    });
  }

  /** Everything declared, in the order of the text. */
  get declared(): readonly DeclaredName[] {
    return this.#scopes.map(({ declared }) => declared);
  }

  /** The name written at an offset, undefined between names. */
  at(file: string, offset: number): Occurrence | undefined {
    return this.occurrences.find(({ at }) => at.file === file && at.from <= offset && offset <= at.to);
  }

  /** What a written name means: the innermost declaration that holds there; undefined for the library's and unknown ones. */
  meaning({ name, at }: Occurrence): DeclaredName | undefined {
    const named = this.#scopes.filter(
      ({ declared }) =>
        declared.name === name ||
        (declared.kind === 'function' && declared.name.replace(DENSITY, '') === densityName(name)),
    );
    const holding = named.filter(
      ({ declared, from, to }) =>
        declared.kind === 'function' ||
        from.file.name !== at.file ||
        (declared.declaredAt.from <= at.from &&
          at.to <= (to.file.name === at.file ? to.offset : Number.POSITIVE_INFINITY)),
    );
    return holding.toSorted((a, b) => b.declared.declaredAt.from - a.declared.declaredAt.from)[0]?.declared;
  }

  /** Every place where a declaration's name is written, its own first. */
  references(declared: DeclaredName): readonly Occurrence[] {
    return this.occurrences.filter((occurrence) => this.meaning(occurrence) === declared);
  }
}

function densityName(name: string): string {
  return name.replace(DENSITY, '');
}

export function stretchOf({ begin, end }: Span): Stretch {
  const to = end.file === begin.file ? end.offset : begin.file.text.length;
  return { file: begin.file.name, from: begin.offset, to };
}

function scopesOf(program: Program): Scope[] {
  const scopes: Scope[] = [];
  const add = (kind: DeclaredName['kind'], name: Identifier, type: string, block: BlockName, within: Span) => {
    const comment = commentBeside(name.span);
    const declared = { name: name.name, kind, type, block, declaredAt: stretchOf(name.span) };
    scopes.push({
      declared: comment === undefined ? declared : { ...declared, comment },
      from: name.span.begin,
      to: within.end,
    });
  };
  const statement = (node: Statement | FunctionDefinition, block: BlockName, within: Span): void => {
    switch (node.kind) {
      case 'function': {
        const { body, name, parameters } = node;
        add('function', name, headOf(node), block, program.span);
        for (const { name: argument, type } of parameters) {
          add('argument', argument, spanText(type.span), block, body?.span ?? node.span);
        }
        if (body !== undefined) statement(body, block, body.span);
        break;
      }
      case 'declaration':
        for (const { name } of node.variables) add('variable', name, spanText(node.type.span), block, within);
        break;
      case 'for':
        add('loop', node.variable, 'int', block, node.span);
        statement(node.body, block, node.span);
        break;
      case 'forEach':
        add('loop', node.variable, `an element of ${spanText(node.container.span)}`, block, node.span);
        statement(node.body, block, node.span);
        break;
      case 'while':
        statement(node.body, block, node.span);
        break;
      case 'if':
        statement(node.consequence, block, node.consequence.span);
        if (node.alternative !== undefined) statement(node.alternative, block, node.alternative.span);
        break;
      case 'block':
      case 'profile':
        for (const inner of node.statements) statement(inner, block, node.span);
        break;
    }
  };
  for (const [name, block] of blocksOf(program)) {
    const within = name === 'model' ? block.span : program.span;
    for (const node of block.statements) statement(node, name, within);
  }
  return scopes;
}

type AnyStatement = Statement | FunctionDefinition | Declaration | EmptyStatement;

function blocksOf(program: Program): [BlockName, Block<AnyStatement>][] {
  const { functions, data, transformedData, parameters, transformedParameters, model, generatedQuantities } = program;
  const blocks: [BlockName, Block<AnyStatement> | undefined][] = [
    ['functions', functions],
    ['data', data],
    ['transformed data', transformedData],
    ['parameters', parameters],
    ['transformed parameters', transformedParameters],
    ['model', model],
    ['generated quantities', generatedQuantities],
  ];
  return blocks.flatMap(([name, block]) => (block === undefined ? [] : [[name, block]]));
}

function headOf({ returnType, name, parameters }: FunctionDefinition): string {
  const list = parameters.map(
    (parameter) => `${parameter.dataOnly ? 'data ' : ''}${spanText(parameter.type.span)} ${parameter.name.name}`,
  );
  return `${spanText(returnType.span)} ${name.name}(${list.join(', ')})`;
}

/** The author's comment on a declaration: a comment behind it in its line, or the line comments just above. */
function commentBeside({ begin }: Span): string | undefined {
  const { text } = begin.file;
  const lineStart = text.lastIndexOf('\n', begin.offset - 1) + 1;
  const lineEnd = text.indexOf('\n', begin.offset);
  const behind = /\/\/\s*(.*)$/.exec(text.slice(begin.offset, lineEnd < 0 ? undefined : lineEnd))?.[1];
  if (behind !== undefined) return behind.trim();
  const above: string[] = [];
  for (const line of text.slice(0, lineStart).split('\n').slice(0, -1).reverse()) {
    const comment = /^\s*\/\/\s*(.*)$/.exec(line)?.[1];
    if (comment === undefined) break;
    above.unshift(comment.trim());
  }
  return above.length === 0 ? undefined : above.join(' ');
}

function usesOf(program: Program): Occurrence[] {
  const uses: Occurrence[] = [];
  const add = (name: string, span: Span) => uses.push({ name, at: stretchOf(span) });
  const target = (node: AssignmentTarget): void => {
    if (node.kind === 'tuplePattern') for (const part of node.targets) target(part);
    else if (node.kind === 'indexed') target(node.container);
    else if (node.kind === 'slot') target(node.tuple);
    else add(node.name, node.span);
  };
  visitProgram(program, {
    expression: (node) => {
      if (node.kind === 'variable') add(node.name, node.span);
      if (node.kind === 'call') add(node.function.name, node.function.span);
    },
    statement: (node) => {
      if (node.kind === 'assignment') target(node.target);
      if (node.kind === 'callStatement') add(node.function.name, node.function.span);
      if (node.kind === 'tilde') add(node.distribution.name, node.distribution.span);
    },
  });
  return uses;
}
