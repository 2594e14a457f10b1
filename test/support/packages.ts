/** Packages of Python and R that are installed here. They are not loaded, because some take seconds. */
import { spawnSync } from 'node:child_process';

const MODULES = 'import pkgutil, sys; print(*sys.builtin_module_names, *(m.name for m in pkgutil.iter_modules()))';
const PACKAGES = 'cat(unlist(lapply(.libPaths(), list.files)))';

/** Of each program and script. */
const installed = new Map<string, ReadonlySet<string>>();

/** For the option `skip` of a test: the reason why Python cannot import modules, or false. */
export function withoutModules(
  modules: readonly string[],
  python = 'python3',
  env: NodeJS.ProcessEnv = process.env,
): string | false {
  return without(modules, python, ['-c', MODULES], env);
}

/** For the option `skip` of a test: the reason why R cannot load packages, or false. */
export function withoutPackages(packages: readonly string[]): string | false {
  return without(packages, 'Rscript', ['-e', PACKAGES], process.env);
}

function without(names: readonly string[], program: string, script: readonly string[], env: NodeJS.ProcessEnv) {
  const known = installed.get(program) ?? listed(program, script, env);
  installed.set(program, known);
  const missing = names.filter((name) => !known.has(name));
  return missing.length > 0 && `${program} has no ${missing.join(', ')}`;
}

function listed(program: string, script: readonly string[], env: NodeJS.ProcessEnv): ReadonlySet<string> {
  const { status, stdout } = spawnSync(program, script, { encoding: 'utf8', env });
  return new Set(status === 0 ? stdout.split(/\s+/) : []);
}
