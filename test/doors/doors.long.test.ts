import { after } from 'node:test';
import { closeReference, testDoor } from './cases.js';
import { clusterDoor } from './cluster.js';
import { commandLineDoor } from './command-line.js';
import { pythonDoor } from './python.js';
import { rDoor } from './r.js';

testDoor(clusterDoor, 'all');
testDoor(commandLineDoor, 'all');
testDoor(pythonDoor, 'all');
testDoor(rDoor, 'all');
after(closeReference);
