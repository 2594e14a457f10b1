import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The page imports the engine as `tsc` leaves it in `dist/`, by the package's own names; its files may stand under any path. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react()],
  worker: { format: 'es' },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2023',
    // What is inlined as a data URL would need a looser Content-Security-Policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    modulePreload: { polyfill: false },
  },
});
