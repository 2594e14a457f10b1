import type { StepsLayout } from '../wasm/artifact.js';

/** Functions of the compiled module. */
export interface Functions {
  readonly arena: (base: number, limit: number, distance: number, tape: number, end: number) => number;
  readonly prepare: () => number;
  readonly precompute: () => number;
  readonly bind: (position: number, size: number, constrained: number, constrainedSize: number) => number;
  readonly log_density: (flags: number) => number;
  readonly log_density_gradient: (flags: number) => number;
  readonly log_density_unoptimized: (flags: number) => number;
  readonly generate: (flags: number) => number;
  readonly unconstrain: (rounding: number) => number;
  /** Null for a module without partially centered coordinates. */
  readonly bindPlaces: ((places: number, size: number, origins: number, originSize: number) => number) | null;
  /** Null for a module without integrated parameters. */
  readonly bindExcess: ((excess: number, size: number) => number) | null;
  /** Present in a module with integrated parameters. */
  readonly integrated_work: ((flags: number) => number) | null;
  readonly whole_work: ((flags: number) => number) | null;
  /** Present in a module with slices. */
  readonly divided_work: ((flags: number) => number) | null;
  readonly shared_work: ((flags: number) => number) | null;
  /** Present in a module with second derivatives. */
  readonly hessian: {
    readonly bind: (direction: number, size: number) => number;
    readonly product: (flags: number) => number;
  } | null;
  /** Present in a module with steps. */
  readonly steps: {
    /** Element k is the gradient of the first k steps. */
    readonly gradients: readonly ((flags: number) => number)[];
    readonly bindCounts: (counts: number, size: number) => number;
    readonly count: (flags: number) => number;
  } | null;
}

/** The exported functions of an instance. `find` returns the export with a name, or null. */
export function exportedFunctions(
  find: (name: string) => ((...values: number[]) => number) | null,
  steps: StepsLayout | undefined,
): Functions {
  const exported = (name: string) => {
    const f = find(name);
    if (f === null) throw new Error(`the module lacks ${name}`);
    return f;
  };
  const product = find('hessian_product');
  return {
    bindPlaces: find('bind_places'),
    bindExcess: find('bind_excess'),
    steps:
      steps === undefined
        ? null
        : {
            gradients: [
              ...steps.steps.map((_, k) => exported(`log_density_gradient_${k}`)),
              exported('log_density_gradient'),
            ],
            bindCounts: exported('bind_counts'),
            count: exported('count_executions'),
          },
    hessian: product && { bind: exported('bind_direction'), product },
    integrated_work: find('integrated_work'),
    whole_work: find('whole_work'),
    divided_work: find('divided_work'),
    shared_work: find('shared_work'),
    arena: exported('arena'),
    prepare: exported('prepare'),
    precompute: exported('precompute'),
    bind: exported('bind'),
    log_density: exported('log_density'),
    log_density_gradient: exported('log_density_gradient'),
    log_density_unoptimized: exported('log_density_unoptimized'),
    generate: exported('generate'),
    unconstrain: exported('unconstrain'),
  };
}
