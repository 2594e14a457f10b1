// Compiles a program and draws from its posterior by the npm package leapfrog-stan in the current folder: `node first-draw.mjs PROGRAM DATA CHAINS WARMUP DRAWS`.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [program, data, ...counts] = process.argv.slice(2);
const [num_chains, num_warmup, num_samples] = counts.map(Number);
const entry = createRequire(`${process.cwd()}/`).resolve('leapfrog-stan');
const { compile } = await import(pathToFileURL(entry));
const model = await compile(readFileSync(program, 'utf8'));
const values = JSON.parse(readFileSync(data, 'utf8'));
await model.sample({ data: values, num_chains, num_warmup, num_samples, random_seed: 1 }).result();
