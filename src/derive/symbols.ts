/** Symbols of a program: the declaration, scope and uses of each name. */
import { append } from '../base/multimap.js';
import { isBefore, type Position, type Span, spanText } from '../source/span.js';
import type { AssignmentTarget, BlockName, FunctionDefinition, Identifier, Program, Statement } from '../syntax/ast.js';
import { blocksOf, visitProgram } from '../syntax/walk.js';

/** A range of one file: UTF-16 offsets, the end exclusive. */
export interface Stretch {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

/** A declaration in a program. */
export interface DeclaredName {
  readonly name: string;
  readonly kind: 'variable' | 'function' | 'argument' | 'loop';
  /**
   * The type of a variable as written, such as `vector<lower=0>[N]`, or the signature of a function, such as `real
   * f(vector x)`.
   */
  readonly type: string;
  readonly block: BlockName;
  readonly declaredAt: Stretch;
  /** The comment at the end of the declaration's line or directly above it. */
  readonly comment?: string;
}

/** An occurrence of a name: its declaration or a use. */
export interface Occurrence {
  readonly name: string;
  readonly at: Stretch;
  readonly begin: Position;
  /** `distribution`: after `~`, without the suffix of the density. `function`: in a call. */
  readonly role: 'name' | 'function' | 'distribution';
}

/** The scope of a declaration: from its location to the end of the enclosing statement or block. */
interface Scope {
  readonly declared: DeclaredName;
  readonly from: Span['begin'];
  readonly to: Span['end'];
}

/** The declarations and uses of a program that can be parsed, even if it has other errors. */
export class ProgramNames {
  /** Declarations first, then uses. A file that is included several times has one occurrence per inclusion. */
  readonly occurrences: readonly Occurrence[];
  readonly #scopes: readonly Scope[];
  readonly #named = new Map<string, Scope[]>();

  constructor(program: Program) {
    this.#scopes = scopesOf(program);
    for (const scope of this.#scopes) {
      const { name } = scope.declared;
      append(this.#named, name, scope);
    }
    const declared = this.#scopes.map(({ declared: { name, declaredAt, kind }, from }): Occurrence => {
      return { name, at: declaredAt, begin: from, role: kind === 'function' ? 'function' : 'name' };
    });
    this.occurrences = [...declared, ...usesOf(program)];
  }

  /** All declarations, in source order. */
  get declared(): readonly DeclaredName[] {
    return this.#scopes.map(({ declared }) => declared);
  }

  /** The name at an offset; undefined between names. */
  at(file: string, offset: number): Occurrence | undefined {
    return this.occurrences.find(({ at }) => at.file === file && at.from <= offset && offset <= at.to);
  }

  /** The innermost declaration in scope; undefined for names of the library and unknown names. */
  meaning({ name, begin, role }: Occurrence): DeclaredName | undefined {
    let found: Scope | undefined;
    for (const scope of declaredNames(name, role).flatMap((each) => this.#named.get(each) ?? [])) {
      const isFunction = scope.declared.kind === 'function';
      if (role !== 'name' && !isFunction) continue;
      const holds = isFunction || !(isBefore(begin, scope.from) || isBefore(scope.to, begin));
      if (holds && (found === undefined || !isBefore(scope.from, found.from))) found = scope;
    }
    return found?.declared;
  }

  /** The declarations that a name may refer to; several if a function is overloaded. A definition replaces its forward declaration. */
  declarations(occurrence: Occurrence): readonly DeclaredName[] {
    const meant = this.meaning(occurrence);
    if (meant?.kind !== 'function') return meant === undefined ? [] : [meant];
    const same = declaredNames(occurrence.name, occurrence.role).flatMap((each) => this.#named.get(each) ?? []);
    return [...new Map(same.map(({ declared }) => [declared.type, declared])).values()];
  }

  /** Every occurrence of a declaration's name, starting with the declaration. */
  references(declared: DeclaredName): readonly Occurrence[] {
    const seen = new Set<string>();
    return this.occurrences.filter((occurrence) => {
      if (this.meaning(occurrence) !== declared) return false;
      const key = placeOf(occurrence);
      return !seen.has(key) && seen.add(key);
    });
  }

  /**
   * The occurrences that must be renamed together. If a file is included several times, a name in it may refer to several
   * declarations, all of which belong together.
   */
  renamedTogether(declared: DeclaredName): readonly Occurrence[] {
    const family = new Set([declared]);
    const places = new Set<string>();
    for (let size = -1; size < family.size + places.size; ) {
      size = family.size + places.size;
      for (const occurrence of this.occurrences) {
        const meant = this.meaning(occurrence);
        const place = placeOf(occurrence);
        if (meant === undefined || !(family.has(meant) || places.has(place))) continue;
        family.add(meant);
        places.add(place);
      }
    }
    const kept = new Map(this.occurrences.map((occurrence) => [placeOf(occurrence), occurrence]));
    return [...places].flatMap((place) => kept.get(place) ?? []);
  }
}

/** A key of a location in a file, which is the same for all inclusions of the file. */
function placeOf({ at: { file, from } }: Occurrence): string {
  return `${from} ${file}`;
}

/** The declared names that an occurrence may refer to: `f_lupdf` calls `f_lpdf`, and `~ f` calls `f_lpdf` or `f_lpmf`. */
function declaredNames(name: string, role: Occurrence['role']): readonly string[] {
  return role === 'distribution' ? [`${name}_lpdf`, `${name}_lpmf`] : [name.replace(/_lu(?=p[dm]f$)/, '_l')];
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

function headOf({ returnType, name, parameters }: FunctionDefinition): string {
  const list = parameters.map(
    (parameter) => `${parameter.dataOnly ? 'data ' : ''}${spanText(parameter.type.span)} ${parameter.name.name}`,
  );
  return `${spanText(returnType.span)} ${name.name}(${list.join(', ')})`;
}

/** The comment on a declaration: at the end of its line, or the line comments directly above it. */
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
  const add = (role: Occurrence['role'], name: string, span: Span) =>
    uses.push({ name, at: stretchOf(span), begin: span.begin, role });
  const target = (node: AssignmentTarget): void => {
    if (node.kind === 'tuplePattern') for (const part of node.targets) target(part);
    else if (node.kind === 'indexed') target(node.container);
    else if (node.kind === 'slot') target(node.tuple);
    else add('name', node.name, node.span);
  };
  visitProgram(program, {
    expression: (node) => {
      if (node.kind === 'variable') add('name', node.name, node.span);
      if (node.kind === 'call') add('function', node.function.name, node.function.span);
    },
    statement: (node) => {
      if (node.kind === 'assignment') target(node.target);
      if (node.kind === 'callStatement') add('function', node.function.name, node.function.span);
      if (node.kind === 'tilde') add('distribution', node.distribution.name, node.distribution.span);
    },
  });
  return uses;
}
