/**
 * Thread that analyzes programs. Each program has its own language service, with the names of the last version that
 * could be parsed.
 */
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { ProgramText } from '../derive/program-text.js';
import { LanguageService } from '../editing/language-service.js';
import type { Answer, Question } from './questions.js';

export interface Message {
  readonly root: string;
  readonly program: ProgramText;
  readonly question: Question;
  readonly port: MessagePort;
}

interface Known {
  readonly service: LanguageService;
  program: ProgramText;
}

const MOST_PROGRAMS = 64;
const known = new Map<string, Known>();

/** The language service of a program, with its current text. */
function serviceOf(root: string, program: ProgramText): LanguageService {
  const { service, program: before } = known.get(root) ?? { service: new LanguageService(), program: undefined };
  if (before === undefined || !isSame(before, program)) service.read(program);
  known.delete(root);
  known.set(root, { service, program });
  const [oldest] = known.keys();
  if (known.size > MOST_PROGRAMS && oldest !== undefined) known.delete(oldest);
  return service;
}

function isSame(one: ProgramText, other: ProgramText): boolean {
  const names = Object.keys(one.includes);
  return (
    one.name === other.name &&
    one.text === other.text &&
    names.length === Object.keys(other.includes).length &&
    names.every((name) => one.includes[name] === other.includes[name])
  );
}

function answer(service: LanguageService, program: ProgramText, question: Question): Answer {
  switch (question.kind) {
    case 'report':
      return service.update(program, { pedantic: question.pedantic });
    case 'format':
    case 'unsupported':
      return service[question.kind]();
    case 'help':
      return service.help(question.name);
    case 'rename':
      return service.rename(question.file, question.offset, question.newName);
    case 'outline':
    case 'folds':
    case 'hints':
    case 'tokens':
      return service[question.kind](question.file);
    default:
      return service[question.kind](question.file, question.offset);
  }
}

parentPort?.on('message', ({ root, program, question, port }: Message) => {
  try {
    port.postMessage({ answer: answer(serviceOf(root, program), program, question) });
  } catch (error) {
    known.delete(root);
    port.postMessage({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
  port.close();
});
