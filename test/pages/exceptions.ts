/** Blocks of code in the documentation that test/pages does not run, with the reason for each. */

/** A block of a page, by the beginning of its text. */
export interface Exception {
  readonly page: string;
  readonly starts: string;
  readonly reason: string;
}

const CHECKOUT = 'changes the sources of a checkout';
const REGISTRY = 'needs a package registry';
const GENERATED = 'test/client/generated.slow.test.ts runs it where the generator is installed';
const CLIENTS = 'test/client/documented-sessions.slow.test.ts runs it, and checks what it prints';
const R = 'test/r/package.slow.test.ts runs it with the installed package, and compares what it prints';

/** Pages of which no block runs here. */
export const WHOLE_PAGES: Readonly<Record<string, string>> = {
  'CONTRIBUTING.md': CHECKOUT,
  'docs/adding-a-function.md': CHECKOUT,
  'docs/adding-a-language.md': CHECKOUT,
  'docs/adding-a-pass.md': CHECKOUT,
  'docs/adding-a-plot.md': CHECKOUT,
  'docs/adding-a-solver.md': CHECKOUT,
  'docs/adding-an-algorithm.md': CHECKOUT,
  'docs/adding-an-endpoint.md': CHECKOUT,
  'docs/cluster.md': 'installs services on a machine or a cluster; test/deploy checks the files',
  'docs/cmdstan.md': 'test/cmdstan/documented.slow.test.ts runs it in order',
  'docs/httpstan.md': CLIENTS,
  'docs/library.md': 'test/library/examples.test.ts runs it, and compares what it prints',
  'docs/operations.md': 'installs services on a machine; test/deploy checks the files, and copies and restores a store',
  'docs/python.md': 'test/python/package.slow.test.ts runs it with the installed package, and compares what it prints',
  'docs/reference-cases.md': CHECKOUT,
};

export const EXCEPTIONS: readonly Exception[] = [
  { page: 'README.md', starts: 'npm ci', reason: REGISTRY },
  { page: 'docs/editors.md', starts: 'code --install-extension', reason: 'needs Visual Studio Code' },
  { page: 'docs/http.md', starts: 'curl --silent --output openapi.json', reason: GENERATED },
  { page: 'docs/http.md', starts: 'npx openapi-typescript', reason: GENERATED },
  { page: 'docs/http.md', starts: 'import json\n', reason: CLIENTS },
  { page: 'docs/http.md', starts: 'library(httr2)', reason: CLIENTS },
  { page: 'docs/http.md', starts: 'import time\n\nfrom leapfrog_client', reason: GENERATED },
  { page: 'docs/http.md', starts: 'import time\n\nfrom openapi_client', reason: GENERATED },
  ...[
    'from cmdstanpy',
    'library(cmdstanr)',
    'import stan\n',
    'library(rstan)',
    'import bridgestan',
    'import stanli',
  ].map((starts) => ({ page: 'docs/moving.md', starts, reason: 'code for another interface, beside ours' })),
  { page: 'docs/notebooks.md', starts: 'pip install', reason: REGISTRY },
  {
    page: 'docs/notebooks.md',
    starts: 'Rscript -e',
    reason: 'needs pandoc; test/r/package.slow.test.ts knits the document',
  },
  { page: 'docs/r.md', starts: 'Rscript -e', reason: REGISTRY },
  { page: 'docs/r.md', starts: 'library(leapfrog)', reason: R },
];
