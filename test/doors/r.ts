/** Driver for the R package, which is installed in a separate library with the engine of `npm run build:r`. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../project/tree.js';
import { withoutPackages } from '../support/packages.js';
import { type ProcessDoor, ProcessSession } from './process.js';

const SCRIPT = join(ROOT, 'test', 'doors', 'session.R');
const PACKAGE = join(ROOT, 'r');
const NEEDED = ['digest', 'jsonlite', 'posterior', 'processx', 'R6'];

export const rDoor: ProcessDoor = {
  name: 'R',
  skip: withoutR(),
  open: async () => {
    const library = mkdtempSync(join(tmpdir(), 'leapfrog-r-door-'));
    try {
      await promisify(execFile)('R', ['CMD', 'INSTALL', '--no-docs', `--library=${library}`, PACKAGE]);
    } catch (error) {
      rmSync(library, { recursive: true, force: true });
      throw error;
    }
    return new InstalledSession(library);
  },
};

class InstalledSession extends ProcessSession {
  private readonly library: string;

  constructor(library: string) {
    super('Rscript', [SCRIPT], { R_LIBS: [library, process.env.R_LIBS ?? ''].join(':') });
    this.library = library;
  }

  override async close(): Promise<void> {
    await super.close();
    rmSync(this.library, { recursive: true, force: true });
  }
}

/** The reason why the package cannot run here; false if it can. */
function withoutR(): string | false {
  if (!existsSync(join(PACKAGE, 'inst', 'engine', 'build', 'bundle', 'pipe.cjs'))) return 'npm run build:r has not run';
  return withoutPackages(NEEDED);
}
