import type { Rng } from '../random/rng.js';
import type { LogDensity } from '../target.js';

/**
 * The slow twin of `NutsSampler`: the textbook recursion on immutable states, weights as logarithms, every U-turn check
 * spelt out. Given the same random numbers it makes the same draws.
 */
export interface TwinDraw {
  readonly position: readonly number[];
  readonly acceptStatistic: number;
  readonly treeDepth: number;
  readonly leapfrogSteps: number;
  readonly divergent: boolean;
  readonly energy: number;
}

interface State {
  readonly q: readonly number[];
  readonly p: readonly number[];
  readonly gradient: readonly number[];
  readonly logDensity: number;
}

interface Tree {
  readonly states: readonly State[];
  readonly proposal: State;
  readonly logWeight: number;
  readonly valid: boolean;
}

/** One transition from `position`. */
export function recursiveTransition(
  density: LogDensity,
  inverseMetric: readonly number[],
  position: readonly number[],
  stepSize: number,
  maxDepth: number,
  rng: Rng,
): TwinDraw {
  const velocity = (p: readonly number[]) => p.map((element, i) => inverseMetric[i] * element);
  const energyOf = (state: State) => 0.5 * dot(state.p, velocity(state.p)) - state.logDensity;
  const evaluate = (q: readonly number[], p: readonly number[]): State => {
    const gradient = new Float64Array(q.length);
    const logDensity = density.logDensityGradient(Float64Array.from(q), gradient);
    return { q, p, gradient: [...gradient], logDensity: Number.isNaN(logDensity) ? -Infinity : logDensity };
  };
  const leapfrog = (state: State, step: number): State => {
    const half = state.p.map((element, i) => element + 0.5 * step * state.gradient[i]);
    const moved = evaluate(
      state.q.map((element, i) => element + step * (inverseMetric[i] * half[i])),
      half,
    );
    return { ...moved, p: half.map((element, i) => element + 0.5 * step * moved.gradient[i]) };
  };
  const turns = (stretch: readonly State[]) => {
    const sum = stretch[0].p.map((_, i) => stretch.reduce((total, state) => total + state.p[i], 0));
    return !(dot(velocity(stretch[0].p), sum) > 0 && dot(velocity(stretch[stretch.length - 1].p), sum) > 0);
  };
  /** Whether two neighbouring stretches, joined, or one of them and the other's nearest point, turn back. */
  const joinTurns = (first: readonly State[], second: readonly State[]) =>
    [
      [...first, ...second],
      [...first, second[0]],
      [first[first.length - 1], ...second],
    ].some(turns);

  const start = evaluate(
    position,
    position.map((_, i) => rng.normal() * (1 / Math.sqrt(inverseMetric[i]))),
  );
  const initialEnergy = energyOf(start);
  let leapfrogSteps = 0;
  let acceptSum = 0;
  let divergent = false;

  const build = (from: State, depth: number, step: number): Tree => {
    if (depth === 0) {
      const state = leapfrog(from, step);
      const energy = energyOf(state);
      const logWeight = initialEnergy - (Number.isNaN(energy) ? Infinity : energy);
      leapfrogSteps += 1;
      acceptSum += Math.min(1, Math.exp(logWeight));
      divergent ||= -logWeight > 1000;
      return { states: [state], proposal: state, logWeight, valid: !divergent };
    }
    const first = build(from, depth - 1, step);
    if (!first.valid) return first;
    const second = build(first.states[first.states.length - 1], depth - 1, step);
    if (!second.valid) return second;
    const logWeight = logSumExp(first.logWeight, second.logWeight);
    const proposal = rng.uniform() < Math.exp(second.logWeight - logWeight) ? second.proposal : first.proposal;
    const states = [...first.states, ...second.states];
    return { states, proposal, logWeight, valid: !joinTurns(first.states, second.states) };
  };

  let states: readonly State[] = [start];
  let proposal = start;
  let logWeight = 0;
  let treeDepth = 0;
  while (treeDepth < maxDepth) {
    const forward = rng.uniform() > 0.5;
    const tree = build(states[forward ? states.length - 1 : 0], treeDepth, forward ? stepSize : -stepSize);
    if (!tree.valid) break;
    treeDepth += 1;
    if (tree.logWeight > logWeight || rng.uniform() < Math.exp(tree.logWeight - logWeight)) proposal = tree.proposal;
    logWeight = logSumExp(logWeight, tree.logWeight);
    const added = forward ? tree.states : [...tree.states].reverse();
    const [left, right] = forward ? [states, added] : [added, states];
    states = [...left, ...right];
    if (joinTurns(left, right)) break;
  }
  const acceptStatistic = acceptSum / leapfrogSteps;
  return { position: proposal.q, acceptStatistic, treeDepth, leapfrogSteps, divergent, energy: energyOf(proposal) };
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, element, i) => sum + element * b[i], 0);
}

function logSumExp(a: number, b: number): number {
  const larger = Math.max(a, b);
  return larger === -Infinity ? larger : larger + Math.log(Math.exp(a - larger) + Math.exp(b - larger));
}
