import type { Method } from './method.js';

/** Relative and absolute tolerance, and the maximum number of steps between two outputs. */
export type Tolerances = readonly [relative: number, absolute: number, maximumSteps: number];

/** A solver of initial value problems. */
export interface OdeSolver {
  readonly method: Method;
  /** The Stan function that implements the method. */
  readonly entry: string;
  /** Constant values of functions that the method declares. */
  readonly constants?: Readonly<Record<string, number>>;
  /**
   * Factor on the requested tolerances that makes solutions and gradients as accurate as Stan's. Measured on the reference models, relative
   * to solutions with tolerances of 1e-13.
   */
  readonly strictness: number;
  /**
   * Whether the error of each sensitivity is controlled, as in Stan, instead of that of one directional derivative along which all
   * parameters vary. Adams methods require this: on stiff problems, stability limits their steps, and only controlled errors reveal
   * instability.
   */
  readonly controlsEachSensitivity: boolean;
  /** Default tolerances. */
  readonly defaults: Tolerances;
  /** Stan's name for the system in the error for a right-hand side of the wrong size. */
  readonly system: string;
  /**
   * Error messages, with `{name}` and `{time}`. `steps`: too many steps before an output. `attempts`: the error test of a step failed too
   * often. `convergence`, for implicit methods: the equations of a step were not solved.
   */
  readonly failures: { readonly steps: string; readonly attempts: string; readonly convergence?: string };
  /**
   * Whether Stan evaluates the right-hand side with constants before it does so with parameters, so that messages about constants come
   * first.
   */
  readonly startsWithConstants: boolean;
  /** Its name in messages, if different. */
  readonly reported?: string;
}

const EXPLICIT: Tolerances = [1e-6, 1e-6, 1_000_000];
const rk45: OdeSolver = {
  method: 'runge-kutta',
  entry: 'dormand_prince',
  strictness: 0.3,
  controlsEachSensitivity: false,
  defaults: EXPLICIT,
  system: 'coupled_ode_system',
  failures: {
    steps: '{name}:  Failed to integrate to next output time ({time}) in less than max_num_steps steps',
    attempts: 'Max number of iterations exceeded (500). A new step size was not found.',
  },
  startsWithConstants: false,
};
const ckrk: OdeSolver = { ...rk45, entry: 'cash_karp' };

const CVODE = 'CVode(cvodes_mem, t_final, nv_state_, &t_init, CV_NORMAL)';

const bdf: OdeSolver = {
  method: 'multistep',
  entry: 'integrate',
  constants: { uses_adams: 0, greatest_order: 5 },
  strictness: 0.2,
  controlsEachSensitivity: false,
  defaults: [1e-10, 1e-10, 100_000_000],
  system: 'cvodes_integrator',
  failures: failuresOf(CVODE),
  startsWithConstants: true,
};

const ADAMS = { uses_adams: 1, greatest_order: 12 };

const adams: OdeSolver = { ...bdf, constants: ADAMS, controlsEachSensitivity: true, strictness: 1 };

/** Stan's messages for errors of CVODES: CV_TOO_MUCH_WORK, CV_ERR_FAILURE, CV_CONV_FAILURE. */
function failuresOf(call: string): OdeSolver['failures'] {
  const [steps, attempts, convergence] = [-1, -3, -4].map((flag) => `${call} failed with error flag ${flag}: `);
  return { steps, attempts, convergence };
}

/** Solvers by Stan's name, without `_tol`. Defaults: Stan Functions Reference, "Ordinary differential equation solvers". */
export const ODE_SOLVERS: ReadonlyMap<string, OdeSolver> = new Map([
  ['ode_rk45', rk45],
  ['ode_ckrk', ckrk],
  ['ode_bdf', bdf],
  ['integrate_ode_bdf', bdf],
  ['ode_adams', adams],
  ['integrate_ode_adams', adams],
  ['integrate_ode_rk45', rk45],
  ['integrate_ode', { ...rk45, reported: 'integrate_ode_rk45' }],
]);

/**
 * The solvers of `ode_adjoint_tol_ctl` for `solver_forward` 1 and 2. Derivatives are the discrete adjoint of the steps, so the arguments
 * for the backward solution are checked but have no effect. The function is intended for many parameters, so its cost must not grow with
 * their number.
 */
export const ADJOINT_SOLVERS: readonly [OdeSolver, OdeSolver] = [
  forAdjoint({ ...bdf, constants: ADAMS }),
  forAdjoint(bdf),
];

function forAdjoint(solver: OdeSolver): OdeSolver {
  const call = 'CVodeF(solver_->cvodes_mem_, t_final, solver_->nv_state_forward_, &t_init, CV_NORMAL, &ncheck)';
  return { ...solver, system: 'ode_adjoint_tol_ctl', failures: failuresOf(call) };
}
