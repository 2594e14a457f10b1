import { after } from 'node:test';
import { closeReference, testDoor } from './cases.js';
import { pythonDoor } from './python.js';

testDoor(pythonDoor, 'main path');
after(closeReference);
