// Compiles src/kernels into build/math.wasm, build/linear.wasm and build/text.wasm and lists their functions in build/kernels.json. The
// kernels of trajectories, statistics and metrics, which start at once wherever they run, become parts of the program: src/kernels/*.generated.ts.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import asc from 'assemblyscript/asc';
import binaryen from 'binaryen';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Static data must end below `dataEnd`: what lies above belongs to the next module or to the model. */
const modules = [
  { name: 'math', memoryBase: 1024, dataEnd: 16384, pooled: true },
  { name: 'linear', memoryBase: 16384, dataEnd: 65536, pooled: false },
  // Has its own memory and no data: the host lays its table from 1024 on.
  { name: 'text', memoryBase: 0, dataEnd: 1024, pooled: false },
  // Work in a memory that the host lays out, and have no data.
  { name: 'trajectories', memoryBase: 0, dataEnd: 0, pooled: false, isEmbedded: true },
  { name: 'statistics', memoryBase: 0, dataEnd: 0, pooled: false, isEmbedded: true },
  { name: 'metric', memoryBase: 0, dataEnd: 0, pooled: false, isEmbedded: true },
];

const flags = [
  '--runtime stub --importMemory --noExportMemory --zeroFilledMemory --initialMemory 1 --enable simd',
  '--optimizeLevel 3 --shrinkLevel 0 --noAssert',
  '--disableWarning 112 --disableWarning 201', // v128 in signatures; 64-bit addresses
]
  .join(' ')
  .split(' ');

const features = [
  binaryen.Features.SIMD128,
  binaryen.Features.BulkMemory,
  binaryen.Features.NontrappingFPToInt,
  binaryen.Features.SignExt,
].reduce((all, feature) => all | feature);

const typeNames = new Map(['i32', 'i64', 'f32', 'f64', 'v128'].map((name) => [binaryen[name], name]));

async function compile({ name, memoryBase }) {
  let bytes;
  const { error, stderr } = await asc.main(
    [`src/kernels/${name}.ts`, ...flags, '--memoryBase', String(memoryBase), '--outFile', `${name}.wasm`],
    {
      readFile: (path, base) => readFile(join(base, path), 'utf8').catch(() => null),
      writeFile: (_path, contents) => {
        bytes = contents;
      },
      listFiles: () => null,
    },
  );
  if (error) throw new Error(`${name}.wasm: ${error.message}\n${stderr}`);
  return bytes;
}

/** The end of the data in memory. */
function dataEndOf(module) {
  const segments = module.emitText().matchAll(/\(data (?:\$\S+ )?\(i32\.const (\d+)\) "((?:[^"\\]|\\.)*)"\)/g);
  const ends = Array.from(segments, ([, offset, text]) => Number(offset) + text.replace(/\\(?:\w\w|.)/g, '.').length);
  return Math.max(0, ...ends);
}

const doubleBits = (text) => new BigUint64Array(new Float64Array([Number(text)]).buffer)[0];

/**
 * Moves floating constants into a pool in memory. A load (movddup) is cheaper than what V8 makes of a vector constant, two moves and a
 * shuffle: e^x over two lanes went from 9.0 to 6.6 ns, and the module shrinks by a third.
 */
function poolConstants(bytes, memoryBase) {
  const module = binaryen.readBinary(bytes);
  const base = Math.max(memoryBase, (dataEndOf(module) + 15) & ~15);
  const addresses = new Map();
  const addressOf = (bits) => {
    if (!addresses.has(bits)) addresses.set(bits, base + 8 * addresses.size);
    return addresses.get(bits);
  };
  const lanes = /\(v128\.const i32x4 0x(\w{8}) 0x(\w{8}) 0x\1 0x\2\)/g;
  const scalars = /\(f64\.const (-?[\d.]+(?:e[+-]?\d+)?|-?inf)\)/g;
  const text = module
    .emitText()
    .replace(lanes, (constant, low, high) => {
      const bits = BigInt(`0x${high}${low}`);
      return bits === 0n ? constant : `(v128.load64_splat (i32.const ${addressOf(bits)}))`;
    })
    .replace(scalars, (constant, value) => {
      const bits = doubleBits(value.replace('inf', 'Infinity'));
      return bits === 0n ? constant : `(f64.load (i32.const ${addressOf(bits)}))`;
    });
  module.dispose();
  const pool = new Uint8Array(BigUint64Array.from(addresses.keys()).buffer);
  const segment = [...pool].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('');
  const pooled = binaryen.parseText(text.replace(/\)\s*$/, `(data $constants (i32.const ${base}) "${segment}"))`));
  pooled.setFeatures(features);
  if (!pooled.validate()) throw new Error('pooling constants broke the module');
  const result = pooled.emitBinary();
  pooled.dispose();
  return result;
}

/** Parameter and result types of every export; throws if anything but functions is exported or data leave their region. */
function describe(bytes, { name, dataEnd }) {
  const module = binaryen.readBinary(bytes);
  const end = dataEndOf(module);
  if (end > dataEnd) throw new Error(`${name}.wasm: data end at ${end}, limit ${dataEnd}`);
  const names = (type) => binaryen.expandType(type).map((part) => typeNames.get(part));
  const functions = {};
  for (let i = 0; i < module.getNumExports(); i++) {
    const entry = binaryen.getExportInfo(module.getExportByIndex(i));
    const { params, results } = binaryen.getFunctionInfo(module.getFunction(entry.value));
    functions[entry.name] = { params: names(params), results: names(results) };
  }
  module.dispose();
  return functions;
}

/** The source of a module that exports the bytes. */
function embedded(name, bytes) {
  const text = Buffer.from(bytes).toString('base64');
  return `/** src/kernels/${name}.ts as WebAssembly, in base 64. */\nexport const ${name.toUpperCase()} = '${text}';\n`;
}

/** Compiles and writes a module, and returns its functions. */
async function write(module) {
  const compiled = await compile(module);
  const bytes = module.pooled ? poolConstants(compiled, module.memoryBase) : compiled;
  const functions = describe(bytes, module);
  const path = module.isEmbedded ? `src/kernels/${module.name}.generated.ts` : `build/${module.name}.wasm`;
  await writeFile(path, module.isEmbedded ? embedded(module.name, bytes) : bytes);
  console.log(`${path}: ${Object.keys(functions).length} functions, ${bytes.length} bytes`);
  return functions;
}

/** As `write`, in another thread. */
function writeApart(module) {
  return new Promise((resolve, reject) => {
    new Worker(new URL(import.meta.url), { workerData: module }).once('message', resolve).once('error', reject);
  });
}

if (isMainThread) {
  process.chdir(root);
  await mkdir('build', { recursive: true });
  // The first module takes as long as all others.
  const [first, ...others] = modules;
  const apart = writeApart(first);
  const rest = {};
  for (const module of others) {
    const functions = await write(module);
    if (!module.isEmbedded) rest[module.name] = functions;
  }
  const kernels = { [first.name]: await apart, ...rest };
  await writeFile('build/kernels.json', `${JSON.stringify(kernels, null, 1)}\n`);
} else {
  parentPort.postMessage(await write(workerData));
}
