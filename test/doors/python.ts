/** Driver for the Python package that `npm run build:python` creates in the source tree. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../project/tree.js';
import { withoutModules } from '../support/packages.js';
import { type ProcessDoor, ProcessSession } from './process.js';

const PYTHON = process.env.LEAPFROG_TEST_PYTHON ?? 'python3';
const SCRIPT = join(ROOT, 'test', 'doors', 'session.py');
const SOURCES = join(ROOT, 'python', 'src');

export const pythonDoor: ProcessDoor = {
  name: 'Python',
  skip: withoutPython(),
  open: async () => new ProcessSession(PYTHON, [SCRIPT], { PYTHONPATH: SOURCES, PYTHONDONTWRITEBYTECODE: '1' }),
};

/** The reason why the package cannot run here; false if it can. */
function withoutPython(): string | false {
  if (!existsSync(join(SOURCES, 'leapfrog', '_engine', 'build', 'bundle', 'pipe.cjs')))
    return 'npm run build:python has not run';
  const reason = withoutModules(['numpy'], PYTHON);
  return reason && `${reason}: install it, or name another Python in LEAPFROG_TEST_PYTHON`;
}
