/** Copies of the model block with some statements replaced: the whole block, or only the statements that the replacements require. */
import type { TypedProgram } from '../check/typed.js';
import { spanText } from '../source/span.js';
import { visitStatement } from '../syntax/walk.js';
import { textOf } from './elements.js';
import { keyOf, type TypedStatement } from './observed.js';
import { assignedNames } from './prior.js';

/** Replacements of statements, by the `keyOf` of their spans. */
export type Replacements = ReadonlyMap<string, readonly string[]>;

/** Replaces unnormalized densities, which generated quantities do not allow. */
export function normalized(text: string): string {
  return text.replace(/_lu(pdf|pmf)\b/g, '_l$1');
}

/** Local variables of the model block that some statements depend on, directly or through other variables. */
export function neededLocals(program: TypedProgram, statements: readonly TypedStatement[]): ReadonlySet<string> {
  const locals = new Set<string>();
  for (const { block, name, role } of program.variables.values()) {
    if (block === 'model' && role === 'local') locals.add(name);
  }
  const needed = new Set<string>();
  const need = (statement: TypedStatement) =>
    visitStatement(statement, {
      expression: (node) => node.kind === 'variable' && locals.has(node.name) && needed.add(node.name),
      statement: () => undefined,
    });
  statements.forEach(need);
  const wanted = new Set(statements.map(({ span }) => keyOf(span)));
  for (let before = -1; before < needed.size; ) {
    before = needed.size;
    for (const statement of program.tree.model?.statements ?? []) {
      visitStatement(statement, {
        expression: () => undefined,
        statement: (node) => {
          if (node.kind === 'function') return;
          if (namesSetBy(node).some((name) => needed.has(name))) need(node);
          const head = headOf(node);
          if (head !== undefined && isKept(node, needed, wanted)) need(head);
        },
      });
    }
  }
  return needed;
}

/** The control of a statement (its condition or range) as a statement without a body; undefined for statements without control. */
function headOf(node: TypedStatement): TypedStatement | undefined {
  const body = { kind: 'empty', span: node.span } as const;
  if (node.kind === 'if') return { ...node, consequence: body, alternative: body };
  return node.kind === 'for' || node.kind === 'forEach' || node.kind === 'while' ? { ...node, body } : undefined;
}

function isKept(node: TypedStatement, needed: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
  let found = false;
  visitStatement(node, {
    expression: () => undefined,
    statement: (inner) => {
      if (inner.kind === 'function') return;
      found ||= wanted.has(keyOf(inner.span)) || namesSetBy(inner).some((name) => needed.has(name));
    },
  });
  return found;
}

function namesSetBy(node: TypedStatement): readonly string[] {
  if (node.kind === 'declaration') return node.variables.map(({ name }) => name.name);
  return node.kind === 'assignment' ? assignedNames(node.target) : [];
}

/** Source of the reduced model block: the replacements, the loops around them, and the statements that compute the given locals. */
export function copiedModel({ tree }: TypedProgram, replacements: Replacements, locals: ReadonlySet<string>): string {
  const textOfOther = (statement: TypedStatement) =>
    namesSetBy(statement).some((name) => locals.has(name)) ? normalized(spanText(statement.span)) : undefined;
  return copied(tree.model?.statements ?? [], replacements, textOfOther).join('\n');
}

/** Source of the model block with statements replaced. */
export function wholeModel({ tree }: TypedProgram, replacements: Replacements): string {
  return copied(tree.model?.statements ?? [], replacements, ({ span }) => spanText(span)).join('\n');
}

function copied(
  statements: readonly TypedStatement[],
  replacements: Replacements,
  textOfOther: (statement: TypedStatement) => string | undefined,
): readonly string[] {
  const bodyOf = (body: TypedStatement): string | undefined => {
    const kept = copied([body], replacements, textOfOther);
    return kept.length > 1 ? inBraces(kept) : kept[0];
  };
  const within = (body: TypedStatement, head: string) => {
    const kept = bodyOf(body);
    return kept === undefined ? [] : [`${head} ${kept}`];
  };
  return statements.flatMap((statement): readonly string[] => {
    const replaced = replacements.get(keyOf(statement.span));
    if (replaced !== undefined) return replaced;
    switch (statement.kind) {
      case 'block':
      case 'profile': {
        const kept = copied(statement.statements, replacements, textOfOther);
        return kept.length === 0 ? [] : [inBraces(kept)];
      }
      case 'for': {
        const { body, lower, upper, variable } = statement;
        return within(body, `for (${variable.name} in ${textOf(lower)}:${textOf(upper)})`);
      }
      case 'forEach':
        return within(statement.body, `for (${statement.variable.name} in ${textOf(statement.container)})`);
      case 'while':
        return within(statement.body, `while (${textOf(statement.condition)})`);
      case 'if': {
        const { alternative, condition, consequence } = statement;
        const other = alternative && bodyOf(alternative);
        if (other === undefined) return within(consequence, `if (${textOf(condition)})`);
        return [`if (${textOf(condition)}) ${bodyOf(consequence) ?? '{ }'} else ${other}`];
      }
      default: {
        const text = textOfOther(statement);
        return text === undefined ? [] : [text];
      }
    }
  });
}

function inBraces(statements: readonly string[]): string {
  return `{ ${statements.join('\n')} }`;
}
