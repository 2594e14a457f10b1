import { after } from 'node:test';
import { closeReference, testDoor } from './cases.js';
import { rDoor } from './r.js';

testDoor(rDoor, 'main path');
after(closeReference);
