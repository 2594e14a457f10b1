import { append } from '../base/multimap.js';
import { isGetOf } from '../ir/expressions.js';
import type { Statement, StatementOf, Variable } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { someNode } from '../ir/walk.js';
import type { Span } from '../source/span.js';
import { writesOf } from './effects.js';

/**
 * Maps IR statements to source statements, also after passes have rewritten the IR. Terms of `target`, checks and allocations contain their
 * source statement. Other statements belong to the source statements whose lowering wrote the same variable.
 */
export class Sources {
  readonly #writers = new Map<Variable, Span[]>();
  /** Locations of writes of one form. */
  readonly #forms = new Map<Variable, Map<string, Span[]>>();
  /** Locations by name, for copies of a variable that passes have created. */
  readonly #named = new Map<string, Set<Span>>();

  /** Records a statement that the lowering of `source` has emitted. */
  note(statement: Statement, source: Span): void {
    if (statement.kind === 'allocate') return;
    if (statement.kind === 'store' || statement.kind === 'assign') {
      const variable = writtenBy(statement);
      const forms = this.#forms.get(variable) ?? new Map<string, Span[]>();
      append(forms, formOf(statement), source);
      this.#forms.set(variable, forms);
    }
    for (const variable of writesOf(statement)) {
      if (this.#writers.get(variable)?.at(-1) !== source) append(this.#writers, variable, source);
      const named = this.#named.get(variable.name) ?? new Set();
      this.#named.set(variable.name, named.add(source));
    }
  }

  /** The source statements to which a statement belongs, without those of its blocks; empty if unknown. */
  of(statement: Statement): readonly Span[] {
    switch (statement.kind) {
      case 'target':
        return statement.span === null ? [] : [statement.span];
      case 'check':
      case 'reject':
      case 'allocate':
      case 'call': {
        const { callers = [], span } = statement.kind === 'check' ? statement.failure : statement;
        const source = callers.at(-1) ?? span ?? null;
        return source === null ? [] : [source];
      }
      case 'store':
      case 'assign': {
        const variable = writtenBy(statement);
        const own = this.#forms.get(variable)?.get(formOf(statement));
        return [...new Set(own ?? this.#writersOf(variable.kind === 'ref' ? rootOf(variable) : variable))];
      }
      default:
        return [...new Set(writesOf(statement).flatMap((variable) => this.#writersOf(variable)))];
    }
  }

  #writersOf(variable: Variable): readonly Span[] {
    const writers = this.#writers.get(variable);
    if (writers !== undefined) return writers;
    // Many statements have locals of the same general names.
    const named = this.#named.get(variable.name);
    return named?.size === 1 ? [...named] : [];
  }
}

type Write = StatementOf<'store' | 'assign'>;

function writtenBy(statement: Write): Variable {
  return statement.kind === 'store' ? statement.ref : statement.local;
}

/** Distinguishes statements that write the same variable by constant index and by whether they add to it. */
function formOf(statement: Write): string {
  if (statement.kind === 'store') return statement.index.kind === 'const' ? String(statement.index.value) : 'element';
  return someNode(statement.value, isGetOf(statement.local)) ? 'increment' : 'assignment';
}
