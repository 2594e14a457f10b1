import type { Rng } from '../random/rng.js';
import { dot, type SlowPhaseSpace, type SlowPoint } from './slow-phase-space.js';

/** The result of the slow twin of `NutsSampler` for one transition. */
export interface TwinDraw {
  readonly point: SlowPoint;
  readonly acceptStatistic: number;
  readonly treeDepth: number;
  readonly leapfrogSteps: number;
  readonly divergent: boolean;
  readonly energy: number;
}

/** Random choices: the direction, and whether an event with a given probability occurs. */
export interface Chance {
  forward(): boolean;
  happens(probability: number): boolean;
}

/** Makes choices with random numbers, in the order in which `NutsSampler` uses them. */
export function chanceFrom(rng: Rng): Chance {
  return {
    forward: () => rng.uniform() > 0.5,
    happens: (probability) => rng.uniform() < probability,
  };
}

interface Tree {
  readonly points: readonly SlowPoint[];
  readonly proposal: SlowPoint;
  readonly logWeight: number;
  readonly valid: boolean;
}

/**
 * The slow twin of `NutsSampler`: makes one transition from a point whose momentum has been drawn, by the textbook recursion with log
 * weights and explicit U-turn checks. With the same random numbers, it returns the same draw.
 */
export function recursiveTransition(
  space: SlowPhaseSpace,
  start: SlowPoint,
  stepSize: number,
  maxDepth: number,
  chance: Chance,
): TwinDraw {
  const turns = (stretch: readonly SlowPoint[]) => {
    const sum = stretch[0].p.map((_, i) => stretch.reduce((total, { p }) => total + p[i], 0));
    return ![stretch[0], stretch[stretch.length - 1]].every(({ p }) => dot(space.velocity(p), sum) > 0);
  };
  /** Whether two adjacent parts of a trajectory together, or one of them and the nearest point of the other, make a U-turn. */
  const joinTurns = (first: readonly SlowPoint[], second: readonly SlowPoint[]) =>
    [
      [...first, ...second],
      [...first, second[0]],
      [first[first.length - 1], ...second],
    ].some(turns);

  const initialEnergy = space.energy(start);
  let leapfrogSteps = 0;
  let acceptSum = 0;
  let divergent = false;

  const build = (from: SlowPoint, depth: number, step: number): Tree => {
    if (depth === 0) {
      const point = space.leapfrog(from, step);
      const logWeight = initialEnergy - space.energy(point);
      leapfrogSteps += 1;
      acceptSum += Math.min(1, Math.exp(logWeight));
      divergent ||= -logWeight > 1000;
      return { points: [point], proposal: point, logWeight, valid: !divergent };
    }
    const first = build(from, depth - 1, step);
    if (!first.valid) return first;
    const second = build(first.points[first.points.length - 1], depth - 1, step);
    if (!second.valid) return second;
    const logWeight = logSumExp(first.logWeight, second.logWeight);
    const proposal = chance.happens(Math.exp(second.logWeight - logWeight)) ? second.proposal : first.proposal;
    const points = [...first.points, ...second.points];
    return { points, proposal, logWeight, valid: !joinTurns(first.points, second.points) };
  };

  let points: readonly SlowPoint[] = [start];
  let proposal = start;
  let logWeight = 0;
  let treeDepth = 0;
  while (treeDepth < maxDepth) {
    const forward = chance.forward();
    const tree = build(points[forward ? points.length - 1 : 0], treeDepth, forward ? stepSize : -stepSize);
    if (!tree.valid) break;
    treeDepth += 1;
    if (tree.logWeight > logWeight || chance.happens(Math.exp(tree.logWeight - logWeight))) proposal = tree.proposal;
    logWeight = logSumExp(logWeight, tree.logWeight);
    const added = forward ? tree.points : [...tree.points].reverse();
    const [left, right] = forward ? [points, added] : [added, points];
    points = [...left, ...right];
    if (joinTurns(left, right)) break;
  }
  const acceptStatistic = acceptSum / leapfrogSteps;
  return {
    point: proposal,
    acceptStatistic,
    treeDepth,
    leapfrogSteps,
    divergent,
    energy: space.energy(proposal),
  };
}

/** All sequences of random choices in `run`, with their results and probabilities. */
export function enumerateChance<Result>(
  run: (chance: Chance) => Result,
): { readonly result: Result; readonly probability: number }[] {
  const outcomes: { result: Result; probability: number }[] = [];
  const plans: boolean[][] = [[]];
  for (let plan = plans.pop(); plan !== undefined; plan = plans.pop()) {
    const decided = plan;
    let next = 0;
    let probability = 1;
    const decide = (likely: number): boolean => {
      if (next === decided.length) {
        if (likely > 0 && likely < 1) plans.push([...decided, false]);
        decided.push(likely > 0);
      }
      const happens = decided[next];
      next += 1;
      probability *= happens ? likely : 1 - likely;
      return happens;
    };
    const result = run({ forward: () => decide(0.5), happens: (likely) => decide(Math.min(1, likely)) });
    outcomes.push({ result, probability });
  }
  return outcomes;
}

function logSumExp(a: number, b: number): number {
  const larger = Math.max(a, b);
  return larger === -Infinity ? larger : larger + Math.log(Math.exp(a - larger) + Math.exp(b - larger));
}
