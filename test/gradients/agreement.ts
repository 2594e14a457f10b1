import assert from 'node:assert/strict';
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

/** Holds values and gradients of two forms of a program against each other, 1e-6 of their size. */
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
 * Holds the gradient against central differences of the log density as the program is written (1e-6 of the gradient's size),
 * and the values, with a gradient and without, against it, at three positions. Where a condition on a parameter switches so near that two step sizes disagree,
 * the element is passed over.
 */
export function checkGradient(program: string): void {
  checkGradientOf(buildModel(compileProgram(program), '{}'));
}

export function checkGradientOf(model: Model): void {
  for (const position of positionsOf(model)) {
    const gradient = new Float64Array(model.dimension);
    const value = model.logDensityGradient(position, gradient, FORM);
    const plain = model.unoptimizedLogDensity(position, FORM);
    for (const found of [value, model.logDensity(position, FORM)]) {
      assert.ok(Math.abs(found - plain) <= 1e-11 * Math.max(1, Math.abs(plain)), `value ${found}, as written ${plain}`);
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
