import { after } from 'node:test';
import { closeReference, testDoor } from './cases.js';
import { clusterDoor } from './cluster.js';
import { commandLineDoor } from './command-line.js';
import { serverDoor } from './http.js';

testDoor(commandLineDoor);
testDoor(serverDoor);
testDoor(clusterDoor);
after(closeReference);
