import type { Write } from './random-expressions.js';
import type { Scope } from './scope.js';

/** Writes the statements of an iteration, in the scope of the iteration. */
type Iteration = (scope: Scope) => string;

const ITERATIONS = [1, 2, 3, 4];

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}

/** The iterations in sequence. Each is a loop of one iteration that a jump can leave; a flag skips the remaining ones. */
function unrolled(
  outer: Scope,
  iterations: readonly number[],
  write: (iteration: number, scope: Scope, alive: string) => string,
): string {
  const alive = outer.fresh('alive');
  const copies = iterations.map((iteration) => {
    const scope = outer.iteration({ leave: `{ ${alive} = 0; break; }`, next: 'break;' });
    const once = outer.fresh('once');
    return `if (${alive}) for (${once} in 1:1) {\n${indent(write(iteration, scope, alive))}\n}`;
  });
  return `{\n${indent([`int ${alive} = 1;`, ...copies].join('\n'))}\n}`;
}

const JUMPS = { leave: 'break;', next: 'continue;' };

/** `for (i in first:4)` */
export function forLoop(first: string, iteration: Iteration, outer: Scope): string {
  if (!outer.unrollsLoops) {
    const scope = outer.inside(JUMPS);
    const name = scope.fresh('i');
    scope.names.indexes.push(name);
    return `for (${name} in ${first}:4) {\n${indent(iteration(scope))}\n}`;
  }
  const from = outer.fresh('from');
  const iterations = unrolled(outer, ITERATIONS, (k, scope) => {
    const name = scope.fresh('i');
    scope.names.indexes.push(name);
    return `if (${from} > ${k}) ${scope.jumps?.next}\nint ${name} = ${k};\n${iteration(scope)}`;
  });
  return `{\n  int ${from} = ${first};\n${indent(iterations)}\n}`;
}

/** `for (e in container)` over a vector that changes: the loop reads elements that its body writes. */
export function foreach(container: string, iteration: Iteration, outer: Scope): string {
  if (!outer.unrollsLoops) {
    const scope = outer.inside(JUMPS);
    const name = scope.fresh('e');
    scope.names.reals.push(name);
    return `for (${name} in ${container}) {\n${indent(iteration(scope))}\n}`;
  }
  return unrolled(outer, ITERATIONS, (k, scope) => {
    const name = scope.fresh('e');
    scope.names.reals.push(name);
    return `real ${name} = ${container}[${k}];\n${iteration(scope)}`;
  });
}

/** A `while` of at most four iterations, whose condition counts from the second on. */
export function whileLoop(condition: Write, iteration: Iteration, outer: Scope): string {
  const counter = outer.fresh('n');
  const open = (scope: Scope): string => {
    scope.names.counters.push(counter);
    return `${counter} < 4 && (${counter} == 0 || ${condition(scope)})`;
  };
  if (!outer.unrollsLoops) {
    const scope = outer.inside(JUMPS);
    const head = `while (${open(scope)})`;
    const body = `${counter} += 1;\n${iteration(scope.inside())}`;
    return `{\n  int ${counter} = 0;\n${indent(`${head} {\n${indent(body)}\n}`)}\n}`;
  }
  const iterations = unrolled(outer, ITERATIONS, (_, scope) => {
    const head = `if (!(${open(scope)})) ${scope.jumps?.leave}`;
    return `${head}\n${counter} += 1;\n${iteration(scope.inside())}`;
  });
  return `{\n  int ${counter} = 0;\n${indent(iterations)}\n}`;
}
