import type { FunctionSignatures } from '../../language/overloads.js';
import type { Constraint, ProgramOutline, Step } from './outline.js';
import { propagateConstants, propagateCopies } from './propagation.js';
import { Simplification } from './simplification.js';

type Pass = (root: Step) => Step;

/** The program after propagation of constants and copies and evaluation of terms, to the extent that stanc simplifies before it warns. */
export function simplifyOutline(outline: ProgramOutline, functions: FunctionSignatures): ProgramOutline {
  const simplification = new Simplification(functions);
  const kept = new Set([
    ...outline.outputs,
    ...outline.data.keys(),
    ...outline.prepare.flatMap((step) => (step.kind === 'declare' ? [step.name] : [])),
  ]);
  const constants = settled((root) => propagateConstants(root, (term) => simplification.term(term)));
  const copies = settled((root) => propagateCopies(root, kept));
  const evaluate = settled((root) => simplification.step(root));
  const passes = [constants, copies, constants, evaluate, copies, constants];
  const reduce: Pass = (root) => passes.reduce((step, pass) => pass(step), root);
  const reduceTwice: Pass = (root) => passes.reduce((step, pass) => pass(pass(step)), root);
  const reduced = reduceTwice({
    kind: 'list',
    steps: [outline.prepare, outline.density, outline.generate].map((steps) => ({ kind: 'list', steps })),
  });
  const [prepare, density, generate] = stepsOf(reduced).map(stepsOf);
  return {
    ...outline,
    functions: outline.functions.map((f) => ({ ...f, body: reduce(f.body) })),
    parameters: outline.parameters.map((parameter) => ({
      ...parameter,
      constraint: reduceConstraint(parameter.constraint, simplification),
    })),
    prepare,
    density,
    generate,
  };
}

/** The pass, which skips steps that it has already found unchanged. */
function settled(pass: Pass): Pass {
  const stays = new WeakSet<Step>();
  return (root) => {
    if (stays.has(root)) return root;
    const result = pass(root);
    if (result === root) stays.add(root);
    return result;
  };
}

function stepsOf(step: Step): readonly Step[] {
  return step.kind === 'list' ? step.steps : [step];
}

function reduceConstraint(constraint: Constraint, simplification: Simplification): Constraint {
  if (constraint.kind !== 'bounds') return constraint;
  const { lower, upper } = constraint;
  return {
    kind: 'bounds',
    ...(lower && { lower: simplification.term(lower) }),
    ...(upper && { upper: simplification.term(upper) }),
  };
}
