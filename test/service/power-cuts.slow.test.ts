import { testPowerCuts } from './power-cuts/test-cuts.js';

testPowerCuts({ recordings: 1, requests: 30, cuts: 10, followed: 5, areShort: true });
