import { after } from 'node:test';
import { closeReference, testDoor } from './cases.js';
import { clusterDoor } from './cluster.js';

testDoor(clusterDoor, 'main path');
after(closeReference);
