/** Numbers as tables of the page show them. */
import assert from 'node:assert/strict';

/** Compares a number, as the page rounds it, with the value that it stands for. */
export function same(shown: string | undefined, expected: number, what: string): void {
  const found = Number((shown ?? '').replace('−', '-').replace('∞', 'Infinity'));
  if (Number.isNaN(expected)) {
    assert.equal(shown, '–', what);
    return;
  }
  if (!Number.isFinite(expected)) {
    assert.equal(found, expected, what);
    return;
  }
  const digits = /\.(\d+)/.exec(shown ?? '')?.[1]?.length ?? 0;
  const exponent = Number(/e(-?\d+)$/.exec((shown ?? '').replace('−', '-'))?.[1] ?? 0);
  const half = 0.5 * 10 ** (exponent - digits);
  assert.ok(shown !== '' && Math.abs(found - expected) <= half * (1 + 1e-9), `${what}: ${shown} is not ${expected}`);
}
