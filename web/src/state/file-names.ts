/** File names of the parts of a project: in tabs, locations in messages, zip files and generated code. */
export const PROGRAM_FILE = 'model.stan';
export const DATA_FILE = 'data.json';
export const SCRIPT_FILE = 'script.js';
export const LESSON_FILE = 'lesson.md';
