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
  returnValue,
  set,
  when,
} from './assembler.js';
import type { PhaseLoops } from './phase-loops.js';
import { CONTROL, GROWTH, POINT, SUBTREE } from './phase-memory.js';
import { type PhaseImports, type PhaseRoutines, vectorOf } from './phase-routines.js';

/** A larger energy error counts as a divergence. */
const MAX_ENERGY_ERROR = 1000;
/** Above this absolute log weight, a subtree has its own scale; far from both ends of the range of exp. */
const SCALE_LIMIT = 500;

interface Subtrees {
  /** (subtree, point, logWeight, weight): initializes a subtree of one point. */
  readonly setPoint: Call;
  /** (first, second): converts both weights to the larger of the two scales. */
  readonly alignScales: Call;
  /**
   * (first, second) → whether the joined subtree may grow. Appends `second`, which continues `first`, and updates the sum of momenta; the caller
   * updates proposal and weight. The U-turn criterion is checked across the whole, and from either part to the nearest point of the other, as in Stan
   * since 2.21. For two points, these three checks are the same.
   */
  readonly join: Call;
  /** (subtree): releases its points. */
  readonly abandon: Call;
}

function defineSubtrees(
  writer: ModuleWriter,
  imports: PhaseImports,
  loops: PhaseLoops,
  { exponential, release }: PhaseRoutines,
): Subtrees {
  const { vectorSize } = imports;
  const momentumOf = (point: Code) => vectorOf(imports, point, 1);
  const velocityOf = (point: Code) => vectorOf(imports, point, 2);

  const setPoint = writer.define('setPoint', {
    takes: ['i32', 'i32', 'f64', 'f64'],
    steps: (subtree, point, logWeight, weight) => [
      int.store(subtree, point, SUBTREE.begin),
      int.store(subtree, point, SUBTREE.end),
      int.store(subtree, point, SUBTREE.proposal),
      int.store(subtree, momentumOf(point), SUBTREE.momentumSum),
      when(
        double.less(double.magnitude(logWeight), real(SCALE_LIMIT)),
        [double.store(subtree, weight, SUBTREE.weight), double.store(subtree, real(0), SUBTREE.logScale)],
        [double.store(subtree, real(1), SUBTREE.weight), double.store(subtree, logWeight, SUBTREE.logScale)],
      ),
    ],
  });

  const alignScales = writer.define('alignScales', {
    takes: ['i32', 'i32'],
    variables: ['f64', 'f64'],
    steps: (first, second, one, two) => {
      const shrink = (subtree: Code, from: Code, to: Code) => [
        double.store(
          subtree,
          double.multiply(double.load(subtree, SUBTREE.weight), exponential(double.subtract(from, to))),
          SUBTREE.weight,
        ),
        double.store(subtree, to, SUBTREE.logScale),
      ];
      return [
        set(one, double.load(first, SUBTREE.logScale)),
        set(two, double.load(second, SUBTREE.logScale)),
        when(int.not(double.equal(one, two)), [
          when(double.greater(one, two), shrink(second, two, one), shrink(first, one, two)),
        ]),
      ];
    },
  });

  const join = writer.define('join', {
    takes: ['i32', 'i32'],
    variables: ['i32', 'i32', 'i32', 'i32', 'i32', 'i32'],
    returns: 'i32',
    steps: (first, second, begin, last, next, end, sum, goesOn) => [
      set(begin, int.load(first, SUBTREE.begin)),
      set(last, int.load(first, SUBTREE.end)),
      set(next, int.load(second, SUBTREE.begin)),
      set(end, int.load(second, SUBTREE.end)),
      set(sum, vectorOf(imports, begin, 4)),
      when(
        int.and(int.equal(begin, last), int.equal(next, end)),
        [
          set(
            goesOn,
            loops.joinPoints(
              ...[momentumOf(begin), velocityOf(begin), momentumOf(next), velocityOf(next)],
              ...[sum, vectorSize],
            ),
          ),
        ],
        [
          set(
            goesOn,
            loops.joinStretches(
              ...[int.load(first, SUBTREE.momentumSum), int.load(second, SUBTREE.momentumSum)],
              ...[velocityOf(begin), velocityOf(end)],
              ...[momentumOf(last), velocityOf(last), momentumOf(next), velocityOf(next)],
              ...[sum, vectorSize],
            ),
          ),
        ],
      ),
      release(last),
      release(next),
      int.store(first, end, SUBTREE.end),
      int.store(first, sum, SUBTREE.momentumSum),
      goesOn,
    ],
  });

  const abandon = writer.define('abandon', {
    takes: ['i32'],
    steps: (subtree) =>
      [SUBTREE.begin, SUBTREE.end, SUBTREE.proposal].map((offset) => release(int.load(subtree, offset))),
  });

  return { setPoint, alignScales, join, abandon };
}

/**
 * Defines the growth of a trajectory of the No-U-Turn sampler. Its entire state is in the control block, so that the host can take over when the
 * density throws, and then continue.
 */
export function defineTree(
  writer: ModuleWriter,
  imports: PhaseImports,
  loops: PhaseLoops,
  routines: PhaseRoutines,
): void {
  const { control } = imports;
  const { acquire, leapfrog, release, uniform } = routines;
  const { setPoint, alignScales, join, abandon } = defineSubtrees(writer, imports, loops, routines);
  const stack = int.add(control, integer(CONTROL.stack));
  const weightOf = (subtree: Code) => double.load(subtree, SUBTREE.weight);

  /** (point): starts a trajectory with a point whose energy is known. */
  writer.define('begin', {
    takes: ['i32'],
    steps: (point) => [
      int.store(point, int.add(int.load(point, POINT.holders), integer(3)), POINT.holders),
      double.store(control, double.load(point, POINT.energy), CONTROL.initialEnergy),
      double.store(control, real(0), CONTROL.acceptSum),
      int.store(control, integer(0), CONTROL.steps),
      int.store(control, integer(0), CONTROL.depth),
      int.store(control, integer(1), CONTROL.isForward),
      setPoint(stack, point, real(0), real(1)),
    ],
  });

  /** Releases the trajectory. */
  writer.define('abandonTrajectory', { takes: [], steps: () => [abandon(stack)] });

  /** (start) → the proposal, with one reference. Releases the trajectory's ends and starting point. */
  writer.define('finish', {
    takes: ['i32'],
    returns: 'i32',
    steps: (start) => [
      release(int.load(stack, SUBTREE.begin)),
      release(int.load(stack, SUBTREE.end)),
      release(start),
      int.load(stack, SUBTREE.proposal),
    ],
  });

  const abandonExtension = writer.define('abandonExtension', {
    takes: ['i32'],
    steps: (subtree) => [
      repeat(int.different(subtree, stack), [
        abandon(subtree),
        set(subtree, int.subtract(subtree, integer(SUBTREE.bytes))),
      ]),
    ],
  });

  /** (keepsSecond, first, second): selects one of the two proposals for `first`, and releases the other. */
  const settleProposal = writer.define('settleProposal', {
    takes: ['i32', 'i32', 'i32'],
    steps: (keepsSecond, first, second) => [
      when(
        keepsSecond,
        [
          release(int.load(first, SUBTREE.proposal)),
          int.store(first, int.load(second, SUBTREE.proposal), SUBTREE.proposal),
        ],
        [release(int.load(second, SUBTREE.proposal))],
      ),
    ],
  });

  /**
   * Grows the extension point by point: after point n, counted from 0, joins as many of the topmost subtrees as n has trailing ones in binary. This
   * is the recursion of the papers in post-order, and uses random numbers in the same order. Within a subtree the proposal is sampled by weight. If
   * `isEvaluated`, the point in `CONTROL.point` has been evaluated and is only added.
   */
  const grow = writer.define('grow', {
    takes: ['i32'],
    variables: ['i32', 'i32', 'i32', 'i32', 'i32', 'f64', 'f64'],
    returns: 'i32',
    steps: (isEvaluated, top, point, index, rest, first, logWeight, weight) => {
      const end = (growth: number) => [abandonExtension(top), returnValue(integer(growth))];
      const count = (offset: number, by: number) =>
        int.store(control, int.add(int.load(control, offset), integer(by)), offset);
      return [
        set(top, int.load(control, CONTROL.top)),
        set(index, int.load(control, CONTROL.index)),
        repeat(int.different(index, int.load(control, CONTROL.points)), [
          when(
            isEvaluated,
            [set(point, int.load(control, CONTROL.point)), set(isEvaluated, integer(0))],
            [
              when(int.not(int.load(control, CONTROL.patience)), [returnValue(integer(GROWTH.paused))]),
              count(CONTROL.patience, -1),
              set(point, acquire(integer(3))),
              int.store(control, point, CONTROL.point),
              leapfrog(int.load(top, SUBTREE.end), point),
            ],
          ),
          count(CONTROL.steps, 1),
          set(
            logWeight,
            double.subtract(double.load(control, CONTROL.initialEnergy), double.load(point, POINT.energy)),
          ),
          set(weight, routines.exponential(logWeight)),
          double.store(
            control,
            double.add(
              double.load(control, CONTROL.acceptSum),
              choose(double.greater(logWeight, real(0)), real(1), weight),
            ),
            CONTROL.acceptSum,
          ),
          set(top, int.add(top, integer(SUBTREE.bytes))),
          setPoint(top, point, logWeight, weight),
          when(double.greater(double.negative(logWeight), real(MAX_ENERGY_ERROR)), end(GROWTH.diverging)),
          set(rest, index),
          repeat(int.and(rest, integer(1)), [
            set(first, int.subtract(top, integer(SUBTREE.bytes))),
            alignScales(first, top),
            double.store(first, double.add(weightOf(first), weightOf(top)), SUBTREE.weight),
            settleProposal(double.less(uniform(), double.divide(weightOf(top), weightOf(first))), first, top),
            set(top, first),
            when(int.not(join(first, int.add(first, integer(SUBTREE.bytes)))), end(GROWTH.turning)),
            set(rest, int.shiftRight(rest, integer(1))),
          ]),
          set(index, int.add(index, integer(1))),
          int.store(control, index, CONTROL.index),
          int.store(control, top, CONTROL.top),
        ]),
        integer(GROWTH.grown),
      ];
    },
  });

  /** Samples a direction, and starts the extension at that end of the trajectory, with as many points as the trajectory has. */
  const turn = writer.define('turn', {
    takes: [],
    variables: ['i32', 'i32', 'f64'],
    steps: (isForward, begin, step) => [
      set(isForward, double.greater(uniform(), real(0.5))),
      when(int.different(isForward, int.load(control, CONTROL.isForward)), [
        set(begin, int.load(stack, SUBTREE.begin)),
        int.store(stack, int.load(stack, SUBTREE.end), SUBTREE.begin),
        int.store(stack, begin, SUBTREE.end),
        int.store(control, isForward, CONTROL.isForward),
      ]),
      set(step, double.load(control, CONTROL.size)),
      when(int.not(isForward), [set(step, double.negative(step))]),
      double.store(control, step, CONTROL.step),
      double.store(control, double.multiply(real(0.5), step), CONTROL.half),
      int.store(control, int.shiftLeft(integer(1), int.load(control, CONTROL.depth)), CONTROL.points),
      int.store(control, integer(0), CONTROL.index),
      int.store(control, stack, CONTROL.top),
    ],
  });

  /** Joins the extension to the trajectory, and samples the proposal with a bias towards the extension. */
  const attach = writer.define('attach', {
    takes: [],
    variables: ['i32', 'i32', 'f64'],
    returns: 'i32',
    steps: (extension, keepsExtension, weight) => [
      int.store(control, int.add(int.load(control, CONTROL.depth), integer(1)), CONTROL.depth),
      set(extension, int.add(stack, integer(SUBTREE.bytes))),
      alignScales(stack, extension),
      set(weight, weightOf(extension)),
      set(keepsExtension, double.greater(weight, weightOf(stack))),
      when(int.not(keepsExtension), [
        set(keepsExtension, double.less(uniform(), double.divide(weight, weightOf(stack)))),
      ]),
      settleProposal(keepsExtension, stack, extension),
      double.store(stack, double.add(weightOf(stack), weight), SUBTREE.weight),
      choose(join(stack, extension), integer(GROWTH.grown), integer(GROWTH.turning)),
    ],
  });

  /** Continues an extension, and starts further ones until the trajectory ends or reaches the depth limit. */
  const proceed = writer.define('proceed', {
    takes: ['i32'],
    variables: ['i32', 'i32'],
    returns: 'i32',
    steps: (isEvaluated, growth, goesOn) => [
      set(goesOn, integer(1)),
      repeat(goesOn, [
        set(growth, grow(isEvaluated)),
        set(isEvaluated, integer(0)),
        when(int.not(growth), [set(growth, attach())]),
        set(goesOn, integer(0)),
        when(int.not(growth), [
          when(int.less(int.load(control, CONTROL.depth), int.load(control, CONTROL.depthLimit)), [
            turn(),
            set(goesOn, integer(1)),
          ]),
        ]),
      ]),
      growth,
    ],
  });

  /** Doubles the trajectory until it ends or reaches the depth limit. */
  writer.define('extend', { takes: [], returns: 'i32', steps: () => [turn(), proceed(integer(0))] });
}
