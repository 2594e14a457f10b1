import { describe } from 'node:test';
import { testFunctions } from './checked-functions.js';

describe("the first call of each function and a fifth of the others return real Stan's numbers, draws and messages", () =>
  testFunctions(true));
