import { describe } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { testLessons } from './lessons.js';
import { browserForAll } from './workbench.js';

describe('the other lessons', { skip: withoutChromium }, () =>
  testLessons(browserForAll(), ['coin', 'regression', 'funnel', 'comparison']),
);
