import { describe } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { testEndless } from './endless.js';
import { browserForAll } from './workbench.js';

describe('more programs that do not end', { skip: withoutChromium }, () =>
  testEndless(browserForAll(), [
    ['a loop in transformed data', 'transformed data { real x = 0; while (1) { x += 1; } }'],
    [
      'a data-only loop in the model',
      'data { int k; } parameters { real y; } model { real x = 0; while (k) { x += 1; } y ~ normal(x, 1); }',
      '{"k": 1}',
    ],
    [
      'a function without an end',
      'functions { int forever(int n) { int k = n; while (k > 0) { k += 1; if (k > 9) k = 1; } return k; } } transformed data { int n = forever(1); }',
    ],
  ]),
);
