import { testPowerCuts } from './power-cuts/test-cuts.js';

testPowerCuts({ recordings: 1, requests: 60, cuts: 20, followed: 10, areShort: true });
