import { after } from 'node:test';
import { closeReference, testDoor } from './cases.js';
import { clusterDoor } from './cluster.js';
import { commandLineDoor } from './command-line.js';

testDoor(commandLineDoor);
testDoor(clusterDoor);
after(closeReference);
