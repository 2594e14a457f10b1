import assert from 'node:assert/strict';
import type { CompileSuccess } from '../../src/compile.js';
import type { Model } from '../../src/model/model.js';
import { buildModel, compileProgram } from '../conformance/engine.js';

const FORM = { propto: false, jacobian: true };

/** Fourth-order central difference. */
function slope(f: (h: number) => number, h: number): number {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

function positionsOf({ dimension }: Model): readonly Float64Array[] {
  return [0.1, 0.37, -0.23].map((start) =>
    Float64Array.from({ length: dimension }, (_, i) => start + 0.3 * Math.sin(7 * i + start)),
  );
}

/** Compares values and gradients of two forms of a program, to 1e-6 of their size. */
export function checkSame(first: Model, second: Model): void {
  for (const position of positionsOf(first)) {
    const [one, two] = [first, second].map((model) => {
      const gradient = new Float64Array(model.dimension);
      return [model.logDensityGradient(position, gradient, FORM), ...gradient];
    });
    const scale = one.reduce((most, number) => Math.max(most, Math.abs(number)), 1);
    for (const [i, number] of one.entries()) {
      const what = i === 0 ? 'value' : `element ${i - 1}`;
      assert.ok(Math.abs(number - two[i]) <= 1e-6 * scale, `${what}: ${number}, of the other form ${two[i]}`);
    }
  }
}

/**
 * Compares the gradient with central differences of the unoptimized log density (to 1e-6 of the gradient's size), and the values, with and
 * without a gradient, with that log density, at three positions. Skips an element if a condition on a parameter switches so close by that
 * two step sizes disagree.
 */
export function checkGradient(program: string): void {
  checkGradientOf(buildModel(compileProgram(program), '{}'));
  checkHessian(compileProgram(program, { secondDerivatives: true }));
}

/** Like `checkHessianOf`; does nothing for a program whose second derivatives are differences. */
export function checkHessian(compiled: CompileSuccess, tolerance?: number): void {
  if (compiled.artifact.hessian?.kind !== 'exact') return;
  const model = buildModel(compiled, '{}');
  for (const position of positionsOf(model)) checkHessianOf(model, position, tolerance);
}

/** Number of positions on either side that are searched for a jump, and the distance between them. */
const NEIGHBORS = 25;
const ROUNDING = 1e-14;

/** Steps of the differences; the first is relative to the coordinate. */
const FIRST_STEP = 0.04;
const STEPS = 4;

/**
 * Compares second derivatives with Richardson's extrapolation of central differences of gradients, to `tolerance` relative to the
 * sizes of the row and the column. Skips elements for which the extrapolation is less accurate, and returns the number compared.
 */
export function checkHessianOf(model: Model, position: Float64Array, tolerance = 1e-6): number {
  const { dimension } = model;
  const hessian = new Float64Array(dimension * dimension);
  assert.ok(model.hessian(position, hessian, FORM), 'there are no second derivatives');
  const size = (i: number): number =>
    hessian.subarray(i * dimension, (i + 1) * dimension).reduce((most, h) => Math.max(most, Math.abs(h)), 1);
  const sizes = Array.from({ length: dimension }, (_, i) => size(i));
  let held = 0;
  for (let i = 0; i < dimension; i++) {
    const { best, doubt } = extrapolated(model, position, i);
    for (let j = 0; j < dimension; j++) {
      const allowed = tolerance * Math.sqrt(sizes[i] * sizes[j]);
      if (!(doubt[j] <= 0.1 * allowed)) continue;
      held++;
      const [found, expected] = [hessian[i * dimension + j], best[j]];
      const text = `second derivative ${i}, ${j}: ${found}, differences give ${expected}`;
      assert.ok(Math.abs(found - expected) <= allowed, text);
    }
  }
  return held;
}

/** The derivative of the gradient with respect to a coordinate, and the difference between the last extrapolations. */
function extrapolated(
  model: Model,
  position: Float64Array,
  i: number,
): { readonly best: Float64Array; readonly doubt: Float64Array } {
  const { dimension } = model;
  const best = new Float64Array(dimension);
  const doubt = new Float64Array(dimension).fill(Number.POSITIVE_INFINITY);
  let before: Float64Array[] = [];
  let step = FIRST_STEP * Math.max(1, Math.abs(position[i]));
  for (let k = 0; k < STEPS; k++) {
    const row = [centralDifference(model, position, i, step)];
    for (const [m, coarse] of before.entries()) {
      const factor = 4 ** (m + 1);
      row.push(row[m].map((fine, j) => (factor * fine - coarse[j]) / (factor - 1)));
      for (let j = 0; j < dimension; j++) {
        const difference = Math.max(Math.abs(row[m + 1][j] - row[m][j]), Math.abs(row[m + 1][j] - coarse[j]));
        if (!(difference <= doubt[j])) continue;
        doubt[j] = difference;
        best[j] = row[m + 1][j];
      }
    }
    before = row;
    step /= 2;
  }
  return { best, doubt };
}

function centralDifference(model: Model, position: Float64Array, i: number, step: number): Float64Array {
  const [above, below] = [step, -step].map((offset) => {
    const moved = Float64Array.from(position);
    moved[i] += offset;
    const gradient = new Float64Array(model.dimension);
    model.logDensityGradient(moved, gradient, FORM);
    return gradient;
  });
  return above.map((x, j) => (x - below[j]) / (2 * step));
}

/**
 * The relative change of the value if the position changes only by rounding: a solver may then take different steps, as it may in the
 * optimized program.
 */
function jumpAt(model: Model, position: Float64Array): number {
  const value = model.unoptimizedLogDensity(position, FORM);
  const jumps = Array.from({ length: 2 * NEIGHBORS }, (_, k) => {
    const beside = position.map((x) => x + (k - NEIGHBORS) * ROUNDING);
    return Math.abs(model.unoptimizedLogDensity(beside, FORM) - value) / Math.max(1, Math.abs(value));
  });
  return Math.max(...jumps);
}

/** Values may differ by a relative 1e-11, or by up to `steps` jumps of the value at that position. */
export function checkGradientOf(model: Model, steps = 0): void {
  for (const position of positionsOf(model)) {
    const gradient = new Float64Array(model.dimension);
    const value = model.logDensityGradient(position, gradient, FORM);
    const plain = model.unoptimizedLogDensity(position, FORM);
    for (const found of [value, model.logDensity(position, FORM)]) {
      const difference = Math.abs(found - plain) / Math.max(1, Math.abs(plain));
      const holds = difference <= 1e-11 || (difference <= steps && difference <= 2 * jumpAt(model, position));
      assert.ok(holds, `value ${found}, as written ${plain}`);
    }
    const scale = gradient.reduce((most, g) => Math.max(most, Math.abs(g)), 1);
    for (let i = 0; i < model.dimension; i++) {
      const along = (h: number): number => {
        const moved = Float64Array.from(position);
        moved[i] += h;
        return model.unoptimizedLogDensity(moved, FORM);
      };
      const expected = slope(along, 1e-3);
      if (Math.abs(expected - slope(along, 5e-4)) > 1e-7 * scale) continue;
      assert.ok(
        Math.abs(gradient[i] - expected) <= 1e-6 * scale,
        `element ${i}: ${gradient[i]}, differences give ${expected}`,
      );
    }
  }
}
