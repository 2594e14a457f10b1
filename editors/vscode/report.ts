/** Panels with the reports that `leapfrog report` writes: verdict, tables and plots, without scripts. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { ViewColumn, type WebviewPanel, window } from 'vscode';
import type { Command } from './run-arguments.js';

/** The open panel of each program. */
const panels = new Map<string, WebviewPanel>();

/** Shows a report in the panel of the program. `given` are the arguments of `leapfrog` except for the output. */
export async function showReport(command: Command, program: string, given: readonly string[]): Promise<void> {
  try {
    const html = await reportOf(command, given);
    const panel = panels.get(program) ?? openPanel(program);
    panel.webview.html = html;
    panel.reveal(undefined, true);
  } catch (error) {
    await window.showErrorMessage(`The draws were sampled, but there is no report: ${error}`);
  }
}

async function reportOf({ environment, first, program }: Command, given: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'leapfrog-report-'));
  try {
    const file = join(folder, 'report.html');
    const env = { ...process.env, ...environment };
    await promisify(execFile)(program, [...first, ...given, '--output', file], { env });
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function openPanel(program: string): WebviewPanel {
  const place = { viewColumn: ViewColumn.Beside, preserveFocus: true };
  const panel = window.createWebviewPanel('leapfrog.report', `Report: ${basename(program)}`, place);
  panels.set(program, panel);
  panel.onDidDispose(() => panels.delete(program));
  return panel;
}
