/** Editors with the configuration from docs/editors.md, if they are installed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { textsUnder } from '../support/documents.js';

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
const PROGRAM = 'parameters {\n  real mu;\n}\nmodel {\n  mu ~ normal(0, sigma);\n}\n';
/** Maximum number of seconds that an editor waits. */
const PATIENCE = 60;

const NEOVIM_CHECK = `
vim.wait(${PATIENCE}000, function() return #vim.diagnostic.get(0) > 0 end, 20)
for _, found in ipairs(vim.diagnostic.get(0)) do
  io.stdout:write(string.format('found %d: %s\\n', found.lnum + 1, found.message))
end
vim.cmd('qa!')
`;

const EMACS_CHECK = `
(find-file "model.stan")
(run-hooks 'post-command-hook)
(let ((end (+ (float-time) ${PATIENCE})))
  (while (and (< (float-time) end)
              (not (and (eglot-current-server) (progn (flymake-start) (flymake-diagnostics)))))
    (accept-process-output nil 0.05)))
(dolist (found (flymake-diagnostics))
  (princ (format "found %d: %s\\n" (line-number-at-pos (flymake-diagnostic-beg found)) (flymake-diagnostic-text found))))
`;

/** The first line that a program prints; undefined if it is not installed. */
function versionOf(program: string, ...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n')[0] : undefined;
}

const neovim = versionOf('nvim', '--version');
const eglot = versionOf('emacs', '--batch', '--eval', `(princ (locate-library "eglot"))`);

describe('the configuration of docs/editors.md', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'leapfrog-configured-'));
    await mkdir(join(folder, 'bin'));
    const command = join(folder, 'bin/leapfrog');
    await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
    await chmod(command, 0o755);
    await writeFile(join(folder, 'model.stan'), PROGRAM);
  });
  afterEach(() => rm(folder, { recursive: true, maxRetries: 10 }));

  const run = (editor: string, args: readonly string[]) => {
    const PATH = [join(folder, 'bin'), process.env.PATH].join(delimiter);
    const env = { ...process.env, PATH, HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
    const { stdout, stderr } = spawnSync(editor, args, { cwd: folder, env, encoding: 'utf8' });
    assert.match(stdout, /found 5: .*"sigma" not in scope/, stdout + stderr);
  };

  it('shows errors in Neovim', { skip: neovim === undefined && 'there is no Neovim' }, async () => {
    const [, minor] = /v0\.(\d+)/.exec(neovim ?? '') ?? [];
    const heading = minor !== undefined && Number(minor) < 11 ? 'Neovim 0.7 to 0.10' : 'Neovim';
    await writeFile(join(folder, 'init.lua'), textsUnder('docs/editors.md', heading, 'lua').join('\n'));
    await writeFile(join(folder, 'check.lua'), NEOVIM_CHECK);
    run('nvim', ['--headless', '-u', 'init.lua', 'model.stan', '-S', 'check.lua']);
  });

  it('shows errors in Emacs', { skip: !eglot?.includes('eglot') && 'there is no Emacs with eglot' }, async () => {
    await writeFile(join(folder, 'init.el'), textsUnder('docs/editors.md', 'Emacs', 'elisp').join('\n'));
    await writeFile(join(folder, 'check.el'), EMACS_CHECK);
    run('emacs', ['--batch', '-l', 'init.el', '-l', 'check.el']);
  });
});
