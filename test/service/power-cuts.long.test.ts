import { testPowerCuts } from './power-cuts/test-cuts.js';

testPowerCuts({ recordings: 10, requests: 120, cuts: 30, followed: 6, areShort: false });
