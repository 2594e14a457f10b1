/** The version of Stan whose language, functions and files Leapfrog implements. */
export const STAN_VERSION = { major: '2', minor: '40', patch: '0' } as const;
export const STAN_VERSION_TEXT = `${STAN_VERSION.major}.${STAN_VERSION.minor}.${STAN_VERSION.patch}`;

/** The version in the form of the first lines of CmdStan's files. */
export const STAN_VERSION_LINES: readonly string[] = Object.entries(STAN_VERSION).map(
  ([part, number]) => `stan_version_${part} = ${number}`,
);
