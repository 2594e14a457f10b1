/**
 * Serves, and after each change of a source file compiles it, and restarts the server or rebuilds the page:
 *
 *     npm run watch [-- ARGUMENT_OF_SERVE…]
 *
 * It ends with any of its processes, and ends the others.
 */
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const cwd = fileURLToPath(new URL('..', import.meta.url));
const bin = (name) => `node_modules/.bin/${name}`;
const TSC = ['--incremental', '--tsBuildInfoFile', 'build/watch.tsbuildinfo'];
const COMMANDS = [
  [bin('tsc'), '--watch', '--preserveWatchOutput', ...TSC],
  [bin('vite'), 'build', 'web', '--watch', '--logLevel', 'warn'],
  [process.execPath, '--watch', '--watch-preserve-output', 'dist/src/cli/main.js', 'serve', ...process.argv.slice(2)],
];

// The page and the server start with a complete program.
spawnSync(bin('tsc'), TSC, { cwd, stdio: 'inherit' });
const children = COMMANDS.map(([program, ...words]) => spawn(program, words, { cwd, stdio: 'inherit' }));
const end = () => {
  for (const child of children) child.kill();
};
for (const child of children) child.on('exit', end);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, end);
