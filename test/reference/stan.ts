import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ROOT } from '../project/tree.js';

const FOLDER = join(ROOT, 'test/reference/stan');

/** Cases recorded with real Stan, one JSON object per line, compressed. `docs/reference-cases.md` describes them. */
export const FUNCTION_CASES = ['functions', 'functions-recent', 'functions-2.40', 'functions-solvers'].map(recorded);
export const SYNTAX_CASES = ['syntax', 'syntax-recent'].map(recorded);
export const MODEL_CASES = recorded('models');

/** All function signatures of Stan, one per line: those of 2.39, and those that 2.40 added. */
export const SIGNATURES = ['signatures.txt.gz', 'signatures-2.40.txt.gz'].map((name) => join(FOLDER, name));

function recorded(name: string): string {
  return join(FOLDER, `${name}.jsonl.gz`);
}

/** A model with its files: `model.stan`, `data.json`, `expected.json` and, for some, `posterior.json`. */
export interface ModelCase {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
}

/** The lines of a text file that are not blank; a file whose name ends in `.gz` is decompressed. */
export function readLines(path: string): readonly string[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** The cases of a file, one JSON object per line. */
export function readCases<Case>(path: string): readonly Case[] {
  return readLines(path).map((line): Case => JSON.parse(line));
}

/** Compresses lines; the same lines always yield the same bytes. */
export function writeLines(path: string, lines: readonly string[]): void {
  writeFileSync(path, gzipSync(lines.map((line) => `${line}\n`).join(''), { level: 9 }));
}

/**
 * The folder with the recorded models, each in its own folder, for programs that read files. They are unpacked once into the build folder, under a
 * name derived from their content, so that concurrent processes never see an incomplete folder.
 */
export function modelsFolder(): string {
  const content = createHash('sha256').update(readFileSync(MODEL_CASES)).digest('hex').slice(0, 12);
  const folder = join(ROOT, 'build', 'reference', `models-${content}`);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const scratch = mkdtempSync(`${folder}-`);
  unpackModels(scratch);
  try {
    renameSync(scratch, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(scratch, { recursive: true });
  }
  return folder;
}

/** Writes each recorded model to its own folder below `folder`. */
export function unpackModels(folder: string): void {
  for (const { name, files } of readCases<ModelCase>(MODEL_CASES)) {
    mkdirSync(join(folder, name), { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), text);
  }
}
