import { after } from 'node:test';
import { closeReference, testDoor } from './cases.js';
import { serverDoor } from './http.js';
import { libraryDoor } from './library.js';

testDoor(libraryDoor);
testDoor(serverDoor);
after(closeReference);
