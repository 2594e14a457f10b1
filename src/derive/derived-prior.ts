/** Derives a program that draws from the prior: the program without the statements that condition on data. */
import type { Typed, TypedProgram } from '../check/typed.js';
import type { FunctionSignatures } from '../language/overloads.js';
import { type Diagnostic, errorAt } from '../source/diagnostic.js';
import type { Span } from '../source/span.js';
import type { SizedType } from '../syntax/ast.js';
import { visitStatement } from '../syntax/walk.js';
import { likelihoodStatements } from './likelihood-terms.js';
import { keyOf } from './observed.js';
import { withoutStatements } from './prior.js';
import type { ProgramText } from './program-text.js';

/**
 * The prior of a program, or the reason why it cannot be derived: statements cannot be separated, or a parameter has no
 * prior.
 */
export function derivePrior(
  source: ProgramText,
  program: TypedProgram,
  functions: FunctionSignatures,
): ProgramText | readonly Diagnostic[] {
  const likelihood = likelihoodStatements(program, functions);
  if (likelihood.kind === 'unclear') return [refusal(likelihood.at, likelihood.reason)];
  const [flat] = parametersWithoutPrior(program, likelihood.statements);
  if (flat !== undefined) return [refusal(flat.at, `${flat.name} has no prior`)];
  const { [source.name]: text = source.text, ...includes } = withoutStatements(
    { ...source.includes, [source.name]: source.text },
    likelihood.statements,
  );
  return { name: source.name, text, includes };
}

/** Parameters that have unbounded values, and on which no statement of the prior depends. */
export function parametersWithoutPrior(
  { tree }: TypedProgram,
  likelihood: readonly Span[],
): readonly { readonly name: string; readonly at: Span }[] {
  const removed = new Set(likelihood.map(keyOf));
  const names = new Set<string>();
  for (const statement of tree.model?.statements ?? []) {
    visitStatement(statement, {
      expression: () => undefined,
      statement: (node) => {
        if (node.kind === 'function' || removed.has(keyOf(node.span))) return;
        if (node.kind !== 'tilde' && node.kind !== 'target' && node.kind !== 'callStatement') return;
        visitStatement(node, {
          statement: () => undefined,
          expression: (part) => part.kind === 'variable' && names.add(part.name),
        });
      },
    });
  }
  // A prior of a transformed parameter may apply to any parameter.
  const transformed = (tree.transformedParameters?.statements ?? []).some(
    (each) => each.kind === 'declaration' && each.variables.some(({ name }) => names.has(name.name)),
  );
  if (transformed) return [];
  return (tree.parameters?.statements ?? []).flatMap((declared) => {
    if (declared.kind !== 'declaration' || isBounded(declared.type)) return [];
    const flat = declared.variables.filter(({ name }) => !names.has(name.name));
    return flat.map(({ name, span }) => ({ name: name.name, at: span }));
  });
}

function refusal(at: Span, reason: string): Diagnostic {
  return errorAt('unsupported', at, {
    code: 'not-derivable',
    text: `The prior distribution cannot be derived from this program: ${reason}.`,
  });
}

/** Whether a uniform distribution over all values of a type is proper. */
function isBounded(type: SizedType<Typed>): boolean {
  if (type.kind === 'array') return isBounded(type.element);
  if (type.kind === 'tuple') return type.elements.every(isBounded);
  const { kind } = type.constraint;
  return /^(?:lower_upper|simplex|unit_vector|corr_matrix|cholesky_factor_corr|column_stochastic_matrix|row_stochastic_matrix)$/.test(
    kind,
  );
}
