import { after } from 'node:test';
import { closeReference, testDoor } from './cases.js';
import { commandLineDoor } from './command-line.js';
import { serverDoor } from './http.js';

testDoor(commandLineDoor, 'main path');
testDoor(serverDoor, 'all');
after(closeReference);
