/** The pages of `docs/` and generated references as a site. The build fails for links to pages that do not exist. */
import { readdirSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import grammar from '../../editors/vscode/stan.tmLanguage.json';

/** Fragments of headings as GitHub writes them, because links in `docs/` use these. */
const slugify = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const link = (text: string, page: string) => ({ text, link: `/${page}` });

/** The chapters of the function library, which are generated. */
const chapters = readdirSync(new URL('../../docs/functions/', import.meta.url))
  .sort()
  .map((file) => {
    const name = file.replace(/\.md$/, '');
    return link(`${name.slice(0, 1).toUpperCase()}${name.slice(1).replaceAll('-', ' ')}`, `functions/${name}`);
  });

export default defineConfig({
  title: 'Leapfrog',
  description: 'Stan without a C++ toolchain',
  lang: 'en',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: '.vitepress/cache',
  lastUpdated: false,
  markdown: { languages: [{ ...grammar, name: 'stan' }], languageAlias: { ipython: 'python' }, anchor: { slugify } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      { text: 'Tutorial', items: [link('From an idea to a checked model', 'tutorial')] },
      {
        text: 'How to',
        items: [
          link('Prepare data', 'data'),
          link('Solve differential equations', 'odes'),
          link('Speed up a slow model', 'slow-models'),
          link('Choose a sampler', 'sampling'),
          link('Compute Bayes factors', 'evidence'),
          link('Move from other Stan interfaces', 'moving'),
          link('Run a service', 'reliability'),
          link('Run a cluster', 'cluster'),
        ],
      },
      {
        text: 'Reference',
        items: [
          link('Command line', 'cli'),
          link('HTTP interface', 'http'),
          link('HTTP, step by step', 'http-walkthrough'),
          link('HTTP reference', 'reference/http'),
          link('CmdStan folder', 'cmdstan'),
          link('Python', 'python'),
          link('R', 'r'),
          link('JavaScript', 'library'),
          link('JavaScript reference', 'reference/javascript/'),
          link('Julia', 'julia'),
          link('Workbench', 'workbench'),
          link('Plots', 'plots'),
          link('Editors', 'editors'),
          link('Notebooks', 'notebooks'),
          { ...link('Functions', 'functions'), collapsed: true, items: chapters },
          link('Errors and warnings', 'diagnostics'),
          link('httpstan and PyStan', 'httpstan'),
          link('Differences from Stan', 'differences'),
          link('Compatibility', 'compatibility'),
        ],
      },
      {
        text: 'Explanation',
        items: [
          link('Architecture', 'architecture'),
          link('The compiler', 'compiler'),
          link('Data compression', 'data-compression'),
          link('Conformance', 'conformance'),
          link('Reference cases', 'reference-cases'),
          link('Performance', 'performance'),
        ],
      },
      {
        text: 'Contributing',
        items: [
          link('Add a function', 'adding-a-function'),
          link('Add a pass', 'adding-a-pass'),
          link('Add a solver', 'adding-a-solver'),
          link('Add an algorithm', 'adding-an-algorithm'),
          link('Add an endpoint', 'adding-an-endpoint'),
          link('Add a plot', 'adding-a-plot'),
          link('Add a language', 'adding-a-language'),
        ],
      },
    ],
  },
});
