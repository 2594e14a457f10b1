import { continuous } from './continuous.js';
import { discrete } from './discrete.js';
import { incomplete } from './incomplete.js';
import { regression } from './regression.js';
import { series } from './series.js';
import type { Study } from './study.js';

/** Programs of the types that Stan's User's Guide teaches. */
export const studies: readonly Study[] = [...regression, ...series, ...incomplete, ...discrete, ...continuous];
