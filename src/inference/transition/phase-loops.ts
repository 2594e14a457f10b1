import { add, type Code, compileLoops, multiply, type VectorLoop } from './vector-loops.js';

/**
 * The loops of Hamiltonian Monte Carlo over the dimension, each fused from all that happens to an element at that moment.
 * Vectors are addresses in bytes, and so is the length.
 */
export interface PhaseLoops {
  /** velocity = inverse * momentum; returns momentum . velocity. */
  readonly kinetic: (momentum: number, inverse: number, velocity: number, length: number) => number;
  /** nextMomentum = momentum + half * gradient; nextPosition = position + stepSize * inverse * nextMomentum. */
  readonly kickAndDrift: (
    position: number,
    momentum: number,
    gradient: number,
    inverse: number,
    nextPosition: number,
    nextMomentum: number,
    length: number,
    half: number,
    stepSize: number,
  ) => void;
  /** momentum += half * gradient; velocity = inverse * momentum; returns momentum . velocity. */
  readonly kick: (
    momentum: number,
    gradient: number,
    inverse: number,
    velocity: number,
    length: number,
    half: number,
  ) => number;
  /** next = vector + factor * direction. */
  readonly step: (vector: number, direction: number, next: number, length: number, factor: number) => void;
  /** first . second. */
  readonly dot: (first: number, second: number, length: number) => number;
  /** sum = first + second momentum; whether sum . first velocity and sum . second velocity are positive. */
  readonly joinPoints: (
    firstMomentum: number,
    firstVelocity: number,
    secondMomentum: number,
    secondVelocity: number,
    sum: number,
    length: number,
  ) => number;
  /**
   * sum = firstSum + secondSum; whether it is positive along the velocities at both ends, and so is firstSum + nextMomentum
   * along those at begin and next, and lastMomentum + secondSum along those at last and end.
   */
  readonly joinStretches: (
    firstSum: number,
    secondSum: number,
    beginVelocity: number,
    endVelocity: number,
    lastMomentum: number,
    lastVelocity: number,
    nextMomentum: number,
    nextVelocity: number,
    sum: number,
    length: number,
  ) => number;
}

const kinetic: VectorLoop = {
  vectors: 3,
  scalars: 0,
  variables: 2,
  sums: 1,
  result: 'sum',
  steps: (loop) => {
    const [momentum, inverse, velocity] = [0, 1, 2];
    const [p, v] = [0, 1];
    return [
      loop.set(p, loop.load(momentum)),
      loop.set(v, multiply(loop.load(inverse), loop.get(p))),
      loop.store(velocity, loop.get(v)),
      loop.sum(0, multiply(loop.get(p), loop.get(v))),
    ];
  },
};

const kickAndDrift: VectorLoop = {
  vectors: 6,
  scalars: 2,
  variables: 1,
  sums: 0,
  result: 'nothing',
  steps: (loop) => {
    const [position, momentum, gradient, inverse, nextPosition, nextMomentum] = [0, 1, 2, 3, 4, 5];
    const [half, stepSize] = [loop.scalar(0), loop.scalar(1)];
    const p = 0;
    const drift = multiply(stepSize, multiply(loop.load(inverse), loop.get(p)));
    return [
      loop.set(p, add(loop.load(momentum), multiply(half, loop.load(gradient)))),
      loop.store(nextMomentum, loop.get(p)),
      loop.store(nextPosition, add(loop.load(position), drift)),
    ];
  },
};

const kick: VectorLoop = {
  vectors: 4,
  scalars: 1,
  variables: 2,
  sums: 1,
  result: 'sum',
  steps: (loop) => {
    const [momentum, gradient, inverse, velocity] = [0, 1, 2, 3];
    const [p, v] = [0, 1];
    return [
      loop.set(p, add(loop.load(momentum), multiply(loop.scalar(0), loop.load(gradient)))),
      loop.set(v, multiply(loop.load(inverse), loop.get(p))),
      loop.store(momentum, loop.get(p)),
      loop.store(velocity, loop.get(v)),
      loop.sum(0, multiply(loop.get(p), loop.get(v))),
    ];
  },
};

const step: VectorLoop = {
  vectors: 3,
  scalars: 1,
  variables: 0,
  sums: 0,
  result: 'nothing',
  steps: (loop) => {
    const [vector, direction, next] = [0, 1, 2];
    return [loop.store(next, add(loop.load(vector), multiply(loop.scalar(0), loop.load(direction))))];
  },
};

const dot: VectorLoop = {
  vectors: 2,
  scalars: 0,
  variables: 0,
  sums: 1,
  result: 'sum',
  steps: (loop) => [loop.sum(0, multiply(loop.load(0), loop.load(1)))],
};

const joinPoints: VectorLoop = {
  vectors: 5,
  scalars: 0,
  variables: 1,
  sums: 2,
  result: 'all positive',
  steps: (loop) => {
    const [firstMomentum, firstVelocity, secondMomentum, secondVelocity, sum] = [0, 1, 2, 3, 4];
    const rho = 0;
    return [
      loop.set(rho, add(loop.load(firstMomentum), loop.load(secondMomentum))),
      loop.store(sum, loop.get(rho)),
      loop.sum(0, multiply(loop.load(firstVelocity), loop.get(rho))),
      loop.sum(1, multiply(loop.load(secondVelocity), loop.get(rho))),
    ];
  },
};

const joinStretches: VectorLoop = {
  vectors: 9,
  scalars: 0,
  variables: 5,
  sums: 6,
  result: 'all positive',
  steps: (loop) => {
    const [firstSum, secondSum, beginVelocity, endVelocity] = [0, 1, 2, 3];
    const [lastMomentum, lastVelocity, nextMomentum, nextVelocity, sum] = [4, 5, 6, 7, 8];
    const [one, two, begin, end, rho] = [0, 1, 2, 3, 4];
    const along = (index: number, velocity: Code) => loop.sum(index, multiply(velocity, loop.get(rho)));
    return [
      loop.set(one, loop.load(firstSum)),
      loop.set(two, loop.load(secondSum)),
      loop.set(begin, loop.load(beginVelocity)),
      loop.set(end, loop.load(endVelocity)),
      loop.set(rho, add(loop.get(one), loop.get(two))),
      loop.store(sum, loop.get(rho)),
      along(0, loop.get(begin)),
      along(1, loop.get(end)),
      loop.set(rho, add(loop.get(one), loop.load(nextMomentum))),
      along(2, loop.get(begin)),
      along(3, loop.load(nextVelocity)),
      loop.set(rho, add(loop.get(two), loop.load(lastMomentum))),
      along(4, loop.load(lastVelocity)),
      along(5, loop.get(end)),
    ];
  },
};

const phaseLoops = compileLoops({ kinetic, kickAndDrift, kick, step, dot, joinPoints, joinStretches });

/** The loops over vectors in a memory. */
export function instantiatePhaseLoops(memory: WebAssembly.Memory): PhaseLoops {
  const { exports } = new WebAssembly.Instance(phaseLoops, { memory: { memory } });
  const find = (name: string) => {
    const found = exports[name];
    if (typeof found !== 'function') throw new Error(`no loop ${name}`);
    return found;
  };
  return {
    kinetic: find('kinetic'),
    kickAndDrift: find('kickAndDrift'),
    kick: find('kick'),
    step: find('step'),
    dot: find('dot'),
    joinPoints: find('joinPoints'),
    joinStretches: find('joinStretches'),
  };
}
