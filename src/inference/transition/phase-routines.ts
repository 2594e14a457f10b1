import {
  type Call,
  type Code,
  choose,
  double,
  int,
  integer,
  type ModuleWriter,
  real,
  repeat,
  set,
  when,
} from './assembler.js';
import { defineExponential } from './exponential-routine.js';
import type { PhaseLoops } from './phase-loops.js';
import { CONTROL, METRIC_FORMS, POINT } from './phase-memory.js';

/** Imports of a module with the routines of phase space: addresses and sizes in bytes, and functions. */
export interface PhaseImports {
  readonly control: Code;
  /** The inverse metric: its diagonal, all of its rows, or its diagonal followed by the vectors of a low-rank correction. */
  readonly metric: Code;
  /** One of `METRIC_FORMS`. */
  readonly metricForm: Code;
  /** The factors of the low-rank vectors. */
  readonly factors: Code;
  readonly dimension: Code;
  readonly vectorSize: Code;
  /** The argument of the density. */
  readonly flags: Code;
  /** Computes the log density at the position at address `CONTROL.position`, and writes its gradient to `CONTROL.gradient`. */
  readonly density: Call;
  readonly uniform: Call;
}

export function definePhaseImports(writer: ModuleWriter): PhaseImports {
  return {
    density: writer.importFunction('density', ['i32'], 'f64'),
    uniform: writer.importFunction('uniform', [], 'f64'),
    control: writer.importNumber('control'),
    metric: writer.importNumber('metric'),
    metricForm: writer.importNumber('metricForm'),
    factors: writer.importNumber('factors'),
    dimension: writer.importNumber('dimension'),
    vectorSize: writer.importNumber('vectorSize'),
    flags: writer.importNumber('flags'),
  };
}

export interface PhaseRoutines {
  /** (references) → a free point. One must exist. */
  readonly acquire: Call;
  /** (point): releases one reference. */
  readonly release: Call;
  /** () → uniform on [0, 1). */
  readonly uniform: Call;
  /** (from, to): a leapfrog step with the step size in `CONTROL`. */
  readonly leapfrog: Call;
  /** (x) → e to the power of x. */
  readonly exponential: Call;
}

/** Address of a point's vector. */
export function vectorOf({ vectorSize }: PhaseImports, point: Code, index: number): Code {
  const first = int.add(point, integer(POINT.position));
  return index === 0 ? first : int.add(first, int.multiply(integer(index), vectorSize));
}

/** Defines the operations on single points, and random numbers. */
export function definePhaseRoutines(writer: ModuleWriter, imports: PhaseImports, loops: PhaseLoops): PhaseRoutines {
  const { control, dimension, factors, metric, metricForm, vectorSize } = imports;
  const vectors = (point: Code) => [0, 1, 2, 3].map((index) => vectorOf(imports, point, index));

  const acquire = writer.define('acquire', {
    takes: ['i32'],
    variables: ['i32'],
    returns: 'i32',
    steps: (holders, point) => [
      set(point, int.load(control, CONTROL.free)),
      int.store(control, int.load(point, POINT.holders), CONTROL.free),
      int.store(point, holders, POINT.holders),
      point,
    ],
  });

  const release = writer.define('release', {
    takes: ['i32'],
    variables: ['i32'],
    steps: (point, holders) => [
      set(holders, int.subtract(int.load(point, POINT.holders), integer(1))),
      when(
        holders,
        [int.store(point, holders, POINT.holders)],
        [int.store(point, int.load(control, CONTROL.free), POINT.holders), int.store(control, point, CONTROL.free)],
      ),
    ],
  });

  const bits = writer.define('bits', {
    takes: [],
    variables: ['i32', 'i32', 'i32', 'i32', 'i32'],
    returns: 'i32',
    steps: (s0, s1, s3, t2, t3) => {
      const [at0, at1, at2, at3] = [0, 4, 8, 12].map((offset) => CONTROL.random + offset);
      return [
        set(s0, int.load(control, at0)),
        set(s1, int.load(control, at1)),
        set(s3, int.load(control, at3)),
        set(t2, int.xor(int.load(control, at2), s0)),
        set(t3, int.xor(s3, s1)),
        int.store(control, int.xor(s0, t3), at0),
        int.store(control, int.xor(s1, t2), at1),
        int.store(control, int.xor(t2, int.shiftLeft(s1, integer(9))), at2),
        int.store(control, int.rotateLeft(t3, integer(11)), at3),
        int.add(int.rotateLeft(int.add(s0, s3), integer(7)), s0),
      ];
    },
  });

  const uniform = writer.define('uniform', {
    takes: [],
    variables: ['f64'],
    returns: 'f64',
    steps: (value) => {
      const high = double.fromBits(int.shiftRight(bits(), integer(5)));
      const low = double.fromBits(int.shiftRight(bits(), integer(6)));
      const own = double.multiply(double.add(double.multiply(high, real(2 ** 26)), low), real(2 ** -53));
      return [when(int.load(control, CONTROL.hasRandom), [set(value, own)], [set(value, imports.uniform())]), value];
    },
  });

  /** velocity = inverse * momentum, one row of a dense inverse at a time. */
  const turnByRows = writer.define('turnByRows', {
    takes: ['i32', 'i32'],
    variables: ['i32', 'i32'],
    steps: (momentum, velocity, row, index) => [
      set(row, metric),
      repeat(int.less(index, dimension), [
        double.store(velocity, loops.dot(row, momentum, vectorSize)),
        set(row, int.add(row, vectorSize)),
        set(velocity, int.add(velocity, integer(8))),
        set(index, int.add(index, integer(1))),
      ]),
    ],
  });

  /** velocity = diagonal * momentum, plus each low-rank vector times its factor and its product with the momentum. */
  const turnByVectors = writer.define('turnByVectors', {
    takes: ['i32', 'i32'],
    variables: ['i32', 'i32', 'i32', 'f64'],
    steps: (momentum, velocity, vector, factor, index, scale) => [
      set(scale, loops.kinetic(momentum, metric, velocity, vectorSize)),
      set(vector, int.add(metric, vectorSize)),
      set(factor, factors),
      repeat(int.less(index, int.load(control, CONTROL.rank)), [
        set(scale, double.multiply(double.load(factor), loops.dot(vector, momentum, vectorSize))),
        loops.step(velocity, vector, velocity, vectorSize, scale),
        set(vector, int.add(vector, vectorSize)),
        set(factor, int.add(factor, integer(8))),
        set(index, int.add(index, integer(1))),
      ]),
    ],
  });

  /** velocity = inverse * momentum, for a metric that is not diagonal. */
  const turnMomentum = writer.define('turnMomentum', {
    takes: ['i32', 'i32'],
    steps: (momentum, velocity) => [
      when(
        int.equal(metricForm, integer(METRIC_FORMS.dense)),
        [turnByRows(momentum, velocity)],
        [turnByVectors(momentum, velocity)],
      ),
    ],
  });

  /** Sets a point's velocity and energy from its momentum. */
  writer.define('setEnergy', {
    takes: ['i32'],
    variables: ['f64'],
    steps: (point, sum) => {
      const [, momentum, velocity] = vectors(point);
      return [
        when(
          metricForm,
          [turnMomentum(momentum, velocity), set(sum, loops.dot(momentum, velocity, vectorSize))],
          [set(sum, loops.kinetic(momentum, metric, velocity, vectorSize))],
        ),
        set(sum, double.add(double.multiply(real(0.5), sum), double.load(point, POINT.potential))),
        double.store(point, sum, POINT.energy),
      ];
    },
  });

  /** The first part of a step: half a kick by the gradient at `from`, then the full drift. */
  const drift = writer.define('drift', {
    takes: ['i32', 'i32'],
    steps: (from, to) => {
      const [position, momentum, , gradient] = vectors(from);
      const [nextPosition, nextMomentum, nextVelocity] = vectors(to);
      const stage = int.load(control, CONTROL.position);
      const stepSize = double.load(control, CONTROL.step);
      const half = double.load(control, CONTROL.half);
      return [
        when(
          metricForm,
          [
            loops.step(momentum, gradient, nextMomentum, vectorSize, half),
            turnMomentum(nextMomentum, nextVelocity),
            loops.step(position, nextVelocity, nextPosition, vectorSize, stepSize),
            loops.copy(nextPosition, stage, vectorSize),
          ],
          [
            loops.kickAndDrift(
              ...[position, momentum, gradient, metric, nextPosition, nextMomentum, stage, vectorSize],
              ...[half, stepSize],
            ),
          ],
        ),
      ];
    },
  });

  /** The last part: half a kick by the gradient that the density has written. The energy is infinite instead of NaN. */
  const settle = writer.define('settle', {
    takes: ['i32', 'f64'],
    variables: ['f64'],
    steps: (point, logDensity, energy) => {
      const [, momentum, velocity, kept] = vectors(point);
      const gradient = int.load(control, CONTROL.gradient);
      const half = double.load(control, CONTROL.half);
      return [
        double.store(point, double.negative(logDensity), POINT.potential),
        when(
          metricForm,
          [
            loops.copy(gradient, kept, vectorSize),
            loops.step(momentum, kept, momentum, vectorSize, half),
            turnMomentum(momentum, velocity),
            set(energy, loops.dot(momentum, velocity, vectorSize)),
          ],
          [set(energy, loops.kick(momentum, gradient, metric, velocity, kept, vectorSize, half))],
        ),
        set(energy, double.subtract(double.multiply(real(0.5), energy), logDensity)),
        double.store(point, choose(double.equal(energy, energy), energy, real(Infinity)), POINT.energy),
      ];
    },
  });

  const leapfrog = writer.define('leapfrog', {
    takes: ['i32', 'i32'],
    variables: ['f64'],
    steps: (from, to, value) => [drift(from, to), set(value, imports.density(imports.flags)), settle(to, value)],
  });

  return { acquire, release, uniform, leapfrog, exponential: defineExponential(writer) };
}
