import type { Call, Code, ModuleWriter } from './assembler.js';
import { add, LoopWriter, multiply, type VectorLoop } from './vector-loops.js';

/**
 * The vector loops of Hamiltonian Monte Carlo. Each fuses all operations on an element at one stage of a step. Parameters: addresses of vectors,
 * length in bytes, numbers.
 */
export type PhaseLoops = { readonly [Name in keyof typeof loops]: Call };

/** velocity = inverse * momentum; returns momentum . velocity. */
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

/** nextMomentum = momentum + half * gradient; nextPosition = position + stepSize * inverse * nextMomentum, which is also written to `stage`. */
const kickAndDrift: VectorLoop = {
  vectors: 7,
  scalars: 2,
  variables: 2,
  sums: 0,
  result: 'nothing',
  steps: (loop) => {
    const [position, momentum, gradient, inverse, nextPosition, nextMomentum, stage] = [0, 1, 2, 3, 4, 5, 6];
    const [half, stepSize] = [loop.scalar(0), loop.scalar(1)];
    const [p, q] = [0, 1];
    const drift = multiply(stepSize, multiply(loop.load(inverse), loop.get(p)));
    return [
      loop.set(p, add(loop.load(momentum), multiply(half, loop.load(gradient)))),
      loop.store(nextMomentum, loop.get(p)),
      loop.set(q, add(loop.load(position), drift)),
      loop.store(nextPosition, loop.get(q)),
      loop.store(stage, loop.get(q)),
    ];
  },
};

/** momentum += half * gradient, which is also written to `kept`; velocity = inverse * momentum; returns momentum . velocity. */
const kick: VectorLoop = {
  vectors: 5,
  scalars: 1,
  variables: 3,
  sums: 1,
  result: 'sum',
  steps: (loop) => {
    const [momentum, gradient, inverse, velocity, kept] = [0, 1, 2, 3, 4];
    const [p, v, g] = [0, 1, 2];
    return [
      loop.set(g, loop.load(gradient)),
      loop.store(kept, loop.get(g)),
      loop.set(p, add(loop.load(momentum), multiply(loop.scalar(0), loop.get(g)))),
      loop.set(v, multiply(loop.load(inverse), loop.get(p))),
      loop.store(momentum, loop.get(p)),
      loop.store(velocity, loop.get(v)),
      loop.sum(0, multiply(loop.get(p), loop.get(v))),
    ];
  },
};

/** next = vector + factor * direction. */
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

/** to = from. */
const copy: VectorLoop = {
  vectors: 2,
  scalars: 0,
  variables: 0,
  sums: 0,
  result: 'nothing',
  steps: (loop) => [loop.store(1, loop.load(0))],
};

/** first . second. */
const dot: VectorLoop = {
  vectors: 2,
  scalars: 0,
  variables: 0,
  sums: 1,
  result: 'sum',
  steps: (loop) => [loop.sum(0, multiply(loop.load(0), loop.load(1)))],
};

/** sum = first + second momentum; returns whether sum . first velocity and sum . second velocity are positive. */
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

/**
 * sum = firstSum + secondSum; returns whether its products with the velocities at both ends are positive, and so are those of firstSum + nextMomentum
 * at begin and next, and of lastMomentum + secondSum at last and end.
 */
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

const loops = { kinetic, kickAndDrift, kick, step, copy, dot, joinPoints, joinStretches };

/** Defines the loops in a module. */
export function definePhaseLoops(writer: ModuleWriter): PhaseLoops {
  const define = (name: keyof typeof loops) => {
    const loop = new LoopWriter(loops[name]);
    return writer.defineBody(name, loop.type(), loop.body());
  };
  return {
    kinetic: define('kinetic'),
    kickAndDrift: define('kickAndDrift'),
    kick: define('kick'),
    step: define('step'),
    copy: define('copy'),
    dot: define('dot'),
    joinPoints: define('joinPoints'),
    joinStretches: define('joinStretches'),
  };
}
