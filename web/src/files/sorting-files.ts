/** Sorts imported files by type: projects, programs, included files, data. */
import { areDiagnostics } from '#engine/formats/csv-draws.js';
import { csvSettings } from '#engine/formats/stan-csv.js';
import { missingIncludes } from '../state/includes.js';
import type { TextFile } from '../state/project.js';

interface ProgramFiles {
  readonly program: TextFile;
  readonly includes: readonly TextFile[];
  /** Data with the program's name, `coin.json` for `coin.stan`; if there is a single program, all data. */
  readonly data: readonly File[];
}

export interface SortedFiles {
  readonly archives: readonly File[];
  readonly programs: readonly ProgramFiles[];
  /** Included files without a program. */
  readonly includes: readonly TextFile[];
  /** Files with draws. */
  readonly draws: readonly File[];
  /** Data that belong to no program. */
  readonly data: readonly File[];
  /** Files that CmdStan and CmdStanPy write in addition to draws: messages, settings, metrics, diagnostics. */
  readonly beside: readonly File[];
}

/** Programs are the `.stan` files that no other file includes. */
export async function sortFiles(files: readonly File[]): Promise<SortedFiles> {
  const ofKind = (pattern: RegExp): File[] => files.filter(({ name }) => pattern.test(name));
  const archives = ofKind(/\.zip$/i);
  const texts = await Promise.all(ofKind(/\.stan(?:functions)?$/i).map(textOf));
  const others = files.filter(({ name }) => !/\.(?:zip|stan|stanfunctions)$/i.test(name));
  const contents = await Promise.all(others.map(contentsOf));
  const hasDraws = contents.includes('draws');
  // Without draws, the reason why diagnostic files cannot be opened is shown.
  const draws = others.filter((_, index) => contents[index] === (hasDraws ? 'draws' : 'diagnostics'));
  const beside = others.filter(
    (file, index) =>
      hasDraws &&
      (contents[index] === 'diagnostics' || (contents[index] === undefined && BESIDE_DRAWS.test(file.name))),
  );
  const data = others.filter((file) => !draws.includes(file) && !beside.includes(file));
  const asked = (text: string): readonly string[] => missingIncludes(text, []).map(baseName);
  const included = new Set(texts.flatMap(({ text }) => asked(text)));
  const programs = texts.filter(({ name }) => /\.stan$/i.test(name) && !included.has(name));
  const named = (program: TextFile, file: File): boolean => stemOf(file.name) === stemOf(program.name);
  const sorted = programs.map((program) => ({
    program,
    includes: includedIn(program.text, texts),
    data: programs.length === 1 ? data : data.filter((file) => named(program, file)),
  }));
  return {
    archives,
    programs: sorted,
    includes: programs.length === 0 ? texts : [],
    draws: draws.toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true })),
    data: data.filter((file) => !sorted.some((each) => each.data.includes(file))),
    beside,
  };
}

/** Names such as `coin-20250102030405_1-stdout.txt` and `coin_1_metric.json`. */
const BESIDE_DRAWS =
  /(?:(?:-stdout|-stderr|[_-]\d+)\.txt|[_-](?:config|metric)(?:_\d+)?\.json|[_-]profile(?:[_-]\d+)?\.csv)$/i;

/** Whether a file's name is that of an Arrow file. */
export function isArrow({ name }: File): boolean {
  return /\.(?:arrow|arrows|feather)$/i.test(name);
}

/** Whether a file's name is that of a netCDF file, which is how ArviZ stores draws. */
export function isNetcdf({ name }: File): boolean {
  return /\.(?:nc|nc4|netcdf)$/i.test(name);
}

/** Number of bytes that are read first to find the line of column names. */
const HEAD = 1 << 16;

/**
 * What a file contains: draws, if it is an Arrow or a netCDF file, or a CSV file with CmdStan's comments or with a column `lp__`; or the
 * diagnostics that CmdStan writes in addition to draws.
 */
async function contentsOf(file: File): Promise<'draws' | 'diagnostics' | undefined> {
  if (isArrow(file) || isNetcdf(file)) return 'draws';
  if (!/\.csv$/i.test(file.name)) return undefined;
  const { head, columns } = await headOf(file);
  if (areDiagnostics(head, columns)) return 'diagnostics';
  return columns.includes('lp__') || csvSettings(head).has('method') ? 'draws' : undefined;
}

/** The comments at the head of a CSV file, and its column names. */
async function headOf(file: File): Promise<{ readonly head: readonly string[]; readonly columns: readonly string[] }> {
  for (let size = HEAD; ; size *= 4) {
    const lines = (await file.slice(0, size).text()).split(/\r?\n/);
    const place = lines.findIndex((line) => line !== '' && !line.startsWith('#'));
    const isWhole = place >= 0 && place < lines.length - 1;
    if (isWhole || size >= file.size)
      return place < 0
        ? { head: lines, columns: [] }
        : { head: lines.slice(0, place), columns: lines[place].split(',') };
  }
}

/** The files that a program includes, directly or indirectly, by the names in its `#include` lines. */
function includedIn(program: string, texts: readonly TextFile[]): readonly TextFile[] {
  const found = new Map<string, TextFile>();
  const visit = (text: string): void => {
    for (const name of missingIncludes(text, [])) {
      const file = texts.find((each) => each.name === baseName(name));
      if (file === undefined || found.has(name)) continue;
      found.set(name, { name, text: file.text });
      visit(file.text);
    }
  };
  visit(program);
  return [...found.values()];
}

async function textOf(file: File): Promise<TextFile> {
  return { name: file.name, text: await file.text() };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function stemOf(name: string): string {
  return name
    .replace(/\..*$/, '')
    .replace(/[._-]data$/i, '')
    .toLowerCase();
}
