import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { licenses, OF_KERNELS, OWN, packageFolder } from '../scripts/licenses.mjs';

/** Lists the built files for the service worker. */
function fileList(): Plugin {
  return {
    name: 'file-list',
    generateBundle(_options, bundle) {
      const files = Object.keys(bundle).filter((name) => name.startsWith('assets/'));
      this.emitFile({
        type: 'asset',
        fileName: 'files.json',
        source: JSON.stringify([...files, 'icon.svg', 'manifest.webmanifest'].sort()),
      });
    },
  };
}

/** Folders of the packages in the page and its workers, which are built before it. */
const packages = new Set([OWN, OF_KERNELS]);

/** Collects the packages of which a build contains modules, fonts or other files. */
function packageList(): Plugin {
  return {
    name: 'package-list',
    generateBundle(_options, bundle) {
      const files = Object.values(bundle).flatMap((file) =>
        file.type === 'chunk' ? file.moduleIds : file.originalFileNames,
      );
      for (const file of files) {
        const folder = packageFolder(file);
        if (folder !== undefined) packages.add(folder);
      }
    },
  };
}

/** Writes the licenses of the collected packages. */
function licenseList(): Plugin {
  return {
    name: 'license-list',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'LICENSES.txt', source: licenses(packages) });
    },
  };
}

/** `homepage` is absent until there is an address of the published documentation. */
const { homepage, license, version } = JSON.parse(readFileSync(`${import.meta.dirname}/../package.json`, 'utf8'));

const SERVICE_WORKER = 'service-worker';

/** The page imports the engine as `tsc` leaves it in `dist/`, by the package's own names; its files may stand under any path. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react(), fileList(), packageList(), licenseList()],
  define: { PACKAGE: JSON.stringify({ homepage, license, version }) },
  worker: { format: 'es', plugins: () => [packageList()] },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2023',
    // What is inlined as a data URL would need a looser Content-Security-Policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { pluginTimings: false },
      input: {
        index: `${import.meta.dirname}/index.html`,
        // Beside the page, so that its scope is all of it.
        [SERVICE_WORKER]: `${import.meta.dirname}/${SERVICE_WORKER}/${SERVICE_WORKER}.ts`,
      },
      output: {
        entryFileNames: ({ name }) => (name === SERVICE_WORKER ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
  },
});
