import { POINT_POTENTIAL } from '../../kernels/phase-memory.js';
import type { PhaseSpace } from './phase-space.js';

/** A point of phase space and its values. Its vectors are views of the memory of the space; they are valid until the memory grows. */
export class PhasePoint {
  readonly address: number;
  private readonly space: PhaseSpace;
  private readonly vectors: Float64Array[];
  private scalars: Float64Array;

  constructor(space: PhaseSpace, address: number) {
    this.space = space;
    this.address = address;
    this.vectors = [0, 1, 2, 3].map((index) => space.vectorOf(address, index));
    this.scalars = space.doublesAt(address + POINT_POTENTIAL, 2);
  }

  get position(): Float64Array {
    return this.vector(0);
  }

  get momentum(): Float64Array {
    return this.vector(1);
  }

  get velocity(): Float64Array {
    return this.vector(2);
  }

  /** Gradient of the log density at `position`. */
  get gradient(): Float64Array {
    return this.vector(3);
  }

  /** Minus the log density. */
  get potential(): number {
    return this.energies()[0];
  }

  set potential(value: number) {
    this.energies()[0] = value;
  }

  /** Potential plus kinetic energy. */
  get energy(): number {
    return this.energies()[1];
  }

  set energy(value: number) {
    this.energies()[1] = value;
  }

  /**
   * Whether the energy is less than infinity. Loops test this instead of the energy, because a number that a function returns may be boxed.
   */
  get isInside(): boolean {
    return this.energies()[1] < Number.POSITIVE_INFINITY;
  }

  private vector(index: number): Float64Array {
    const { space, vectors } = this;
    if (vectors[index].length !== space.dimension) vectors[index] = space.vectorOf(this.address, index);
    return vectors[index];
  }

  private energies(): Float64Array {
    if (this.scalars.length === 0) this.scalars = this.space.doublesAt(this.address + POINT_POTENTIAL, 2);
    return this.scalars;
  }
}
