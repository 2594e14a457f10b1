import { after } from 'node:test';
import { closeReference, testDoor } from './cases.js';
import { commandLineDoor } from './command-line.js';
import { serverDoor } from './http.js';

testDoor(commandLineDoor);
testDoor(serverDoor);
after(closeReference);
