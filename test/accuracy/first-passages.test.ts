import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { modelsOf } from '../conformance/engine.js';

/*
 * The tails of first-passage times, with derivatives with respect to all arguments. Expected values: the series of sines (Navarro and Fuss,
 * J. Math. Psychol. 53, 2009), integrated in time and averaged over drift, start and nondecision time by Gaussian quadrature, and its
 * derivatives by complex steps. Rules with fewer nodes agree to 1e-9.
 */
interface Case {
  readonly upper: boolean;
  /** y, alpha, tau, beta, delta and, if they vary between trials, the variability of drift, start and nondecision time. */
  readonly at: readonly number[];
  /** Value and derivatives. */
  readonly expected: readonly number[];
}

const CASES: readonly Case[] = [
  {
    upper: false,
    at: [3.355, 1.579, 0.407, 0.393, -1.784],
    expected: [
      -3.53192651848295, 0.000197349961260125, -2.00702172859255, -0.000197349961260125, 6.32500021638979,
      1.77574200340586,
    ],
  },
  {
    upper: true,
    at: [3.355, 1.579, 0.407, 0.393, -1.784],
    expected: [
      -13.3351921101748, -3.57059996657685, 5.74322792447514, 3.57059996657685, 3.9146445960971, 6.71732091378411,
    ],
  },
  {
    upper: false,
    at: [4.666, 2.204, 0.888, 0.446, -0.028],
    expected: [
      -0.872858309209216, 0.0317098921147176, -0.124646214438578, -0.0317098921147176, 2.35761624347237,
      1.25429685013639,
    ],
  },
  {
    upper: true,
    at: [4.666, 2.204, 0.888, 0.446, -0.028],
    expected: [
      -4.34013044605531, -1.01627658776545, 3.46690746667452, 1.01627658776545, 0.599873935699976, 1.35435145018234,
    ],
  },
  {
    upper: false,
    at: [3.782, 2.257, 0.028, 0.259, 0.83],
    expected: [
      -0.468115778313217, 0.0207346492661462, 0.168796524268911, -0.0207346492661462, 2.30480996501083,
      0.646565665018264,
    ],
  },
  {
    upper: true,
    at: [3.782, 2.257, 0.028, 0.259, 0.83],
    expected: [
      -4.61648856552763, -1.31314324482514, 3.6049911429771, 1.31314324482514, 1.09552183748829, -2.07543912343115,
    ],
  },
  {
    upper: false,
    at: [1.036, 0.686, 0.058, 0.274, 1.997, 0.557, 0.109, 0.1978],
    expected: [
      -0.581502291851474, 0.000563558078417425, 0.674667891596283, -0.000563558078417425, 2.44144528237577,
      0.238106405593608, -0.0210521590914032, -0.0609986066624735, -0.000384362689360465,
    ],
  },
  {
    upper: true,
    at: [1.036, 0.686, 0.058, 0.274, 1.997, 0.557, 0.109, 0.1978],
    expected: [
      -10.5480435730204, -12.0047345602515, 26.6341372915959, 12.0047345602515, 1.57313631492866, -1.04875967742429,
      0.221065965586396, -0.133576326043562, 8.18757149856538,
    ],
  },
  {
    upper: false,
    at: [0.6, 1.656, 0.226, 0.386, 1.519, 0.145, 0.22, 0.1326],
    expected: [
      -1.39415023816521, 5.65217097322874, -1.4910653837911, -5.65217097322874, 4.12813904239595, 0.654680649399069,
      0.0330929133177404, 0.189725764362486, -2.86335306768016,
    ],
  },
  {
    upper: true,
    at: [0.6, 1.656, 0.226, 0.386, 1.519, 0.145, 0.22, 0.1326],
    expected: [
      -0.502788032145485, -2.31793686657847, 0.860967802985032, 2.31793686657847, -0.429792709800512,
      0.00750171413950685, -0.0554319657047508, -0.191076719187859, 1.17425174663728,
    ],
  },
  {
    upper: false,
    at: [1.281, 1.43, 0.01, 0.352, -0.7, 0.664, 0.129, 0.1298],
    expected: [
      -1.70477682363328, 0.20268961686492, -0.633431808925509, -0.20268961686492, 3.39437350806084, 1.03155561646641,
      0.45745078066253, 0.051526848354265, -0.106976627402594,
    ],
  },
  {
    upper: false,
    at: [1.682, 1.562, 0.398, 0.368, -1.942, 0.753, 0.071, 0.4439],
    expected: [
      -3.31483733134861, 0.32397605957222, -1.57843918787549, -0.32397605957222, 5.13041895685369, 1.46811973560588,
      1.3905223828775, 0.132034897404813, -0.192018114169641,
    ],
  },
];

/** With variability, integrals end at a relative error of 1e-8. */
const TOLERANCES: Readonly<Record<number, number>> = { 5: 1e-12, 8: 1e-6 };

describe('tails of first-passage times', () => {
  for (const { upper, at, expected } of CASES) {
    const name = upper ? 'wiener_lccdf_unnorm' : 'wiener_lcdf_unnorm';
    it(`${name}(${at.join(', ')})`, () => {
      const args = at.map((_, k) => `x[${k + 1}]`).join(', ');
      const model = modelsOf(`parameters { vector[${at.length}] x; } model { target += ${name}(${args}); }`)({});
      const gradient = new Float64Array(at.length);
      const value = model.logDensityGradient(Float64Array.from(at), gradient, { propto: false, jacobian: false });
      for (const [k, found] of [value, ...gradient].entries()) {
        const error = Math.abs(found - expected[k]) / Math.max(0.1, Math.abs(expected[k]));
        assert.ok(error <= TOLERANCES[at.length], `${k}: ${found}, not ${expected[k]}`);
      }
    });
  }
});
