import { after } from 'node:test';
import { closeReference, testDoor } from './cases.js';
import { libraryDoor } from './library.js';

testDoor(libraryDoor, 'all');
after(closeReference);
