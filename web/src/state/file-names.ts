/** What the parts of a project are called: in tabs, in places of messages, in zip files and in code to copy. */
export const PROGRAM_FILE = 'model.stan';
export const DATA_FILE = 'data.json';
export const LESSON_FILE = 'lesson.md';
