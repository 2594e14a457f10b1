import type { Builder } from '../../ir/builder.js';
import { add, compare, div, int, load, mul, ONE, select, square, sub, ZERO } from '../../ir/expressions.js';
import type { Expr, Ref } from '../../ir/nodes.js';
import { checkPivot, total } from './pivots.js';
import type { Precision } from './precision.js';
import type { Steps } from './steps.js';
import type { Group, Unit } from './units.js';

/**
 * The factorization L D L' of the precision of a parameter whose elements depend on those a few indexes before them, and of its border. All
 * containers have `width` more elements at both ends: row j is element j + `width`.
 */
export class Band {
  readonly #builder: Builder;
  readonly #precision: Precision;
  readonly #unit: Unit;
  readonly #size: Expr;
  readonly #width: number;
  /** For each distance from 1 on, the element of L so far to the left of the diagonal. */
  readonly #lower: readonly Ref[];
  readonly #pivots: Ref;
  readonly #values: Ref;
  /** For each row of the border. */
  readonly #border: readonly Ref[];

  constructor(builder: Builder, precision: Precision, { size, units, width }: Group) {
    [this.#unit] = units;
    this.#builder = builder;
    this.#precision = precision;
    this.#size = size;
    this.#width = width;
    const { name } = this.#unit.parameter;
    const make = (): Ref => builder.allocate('real', [add(size, int(2 * width))], `${name}_factor`, 'zero');
    this.#lower = Array.from({ length: width }, make);
    this.#pivots = make();
    this.#values = make();
    this.#border = precision.border.map(make);
  }

  /** Computes the factorization. `eliminate` receives the pivot, the value and the elements of the border of each row. */
  factor(
    eliminate: (pivots: readonly Expr[], values: readonly Expr[], border: readonly (readonly Expr[])[]) => void,
  ): void {
    const builder = this.#builder;
    const precision = this.#precision;
    const distances = Array.from({ length: this.#width }, (_, k) => k + 1);
    builder.each(int(this.#width), (k) => builder.store(this.#pivots, k, ONE));
    builder.each(this.#size, (j) => {
      const row = builder.bind(add(j, int(this.#width)), 'row');
      const before = (ref: Ref, distance: number): Expr => load(ref, sub(row, int(distance)));
      const pivotsBefore = distances.map((d) => builder.bind(before(this.#pivots, d), 'pivot'));
      const own: Expr[] = distances.map(() => ZERO);
      for (const d of [...distances].reverse()) {
        const index = sub(j, int(d));
        const isInside = compare('ge', index, int(0));
        const element = select(isInside, precision.band(this.#unit, d, select(isInside, index, int(0))), ZERO);
        const further = distances.filter((e) => e > d);
        const known = total(
          further.map((e) => mul(mul(own[e - 1], before(this.#lower[e - d - 1], d)), pivotsBefore[e - 1])),
        );
        own[d - 1] = builder.bind(div(sub(element, known), pivotsBefore[d - 1]), 'factor');
        builder.store(this.#lower[d - 1], row, own[d - 1]);
      }
      const diagonal = precision.square(this.#unit, this.#unit, j);
      const known = total(distances.map((d) => mul(square(own[d - 1]), pivotsBefore[d - 1])));
      const pivot = builder.bind(sub(diagonal, known), 'pivot');
      checkPivot(builder, pivot, diagonal);
      builder.store(this.#pivots, row, pivot);
      const left = total(distances.map((d) => mul(own[d - 1], before(this.#values, d))));
      const value = builder.bind(sub(precision.linear(this.#unit, j), left), 'value');
      builder.store(this.#values, row, value);
      const border = precision.border.map((short, s) => {
        const earlier = total(
          distances.map((d) => mul(mul(before(this.#border[s], d), own[d - 1]), pivotsBefore[d - 1])),
        );
        const element = builder.bind(div(sub(precision.square(this.#unit, short, j), earlier), pivot), 'border');
        builder.store(this.#border[s], row, element);
        return [element];
      });
      eliminate([pivot], [value], border);
    });
  }

  /** Solves for the elements, from the last to the first. `later` are those of the border. */
  solve({ scaled, solved }: Pick<Steps, 'scaled' | 'solved'>, later: readonly Expr[]): void {
    const builder = this.#builder;
    const found = builder.allocate('real', [add(this.#size, int(2 * this.#width))], 'solution', 'zero');
    builder.each(this.#size, (k) => {
      const j = builder.bind(sub(sub(this.#size, int(1)), k), 'j');
      const row = builder.bind(add(j, int(this.#width)), 'row');
      const ahead = total(
        this.#lower.map((ref, d) => {
          const at = add(row, int(d + 1));
          return mul(load(ref, at), load(found, at));
        }),
      );
      const border = total(later.map((x, s) => mul(load(this.#border[s], row), x)));
      const own = scaled(load(this.#values, row), load(this.#pivots, row));
      const value = builder.bind(sub(sub(own, ahead), border), 'value');
      builder.store(found, row, value);
      solved(this.#unit, j, value);
    });
  }
}
