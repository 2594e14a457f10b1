import { describe } from 'node:test';
import { testFunctions } from './checked-functions.js';

describe("the other recorded calls of functions return real Stan's numbers, draws and messages", () =>
  testFunctions(false));
