import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

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

const SERVICE_WORKER = 'service-worker';

/** The page imports the engine as `tsc` leaves it in `dist/`, by the package's own names; its files may stand under any path. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react(), fileList()],
  worker: { format: 'es' },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2023',
    // What is inlined as a data URL would need a looser Content-Security-Policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    modulePreload: { polyfill: false },
    rolldownOptions: {
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
