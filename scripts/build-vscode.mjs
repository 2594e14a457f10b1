// Packages the extension for Visual Studio Code: editors/vscode/dist/leapfrog-stan.vsix.
// Usage, after scripts/build-bundle.mjs: node scripts/build-vscode.mjs [--folder FOLDER]
// A .vsix is a zip file with a manifest, the types of its files, and the extension's folder `extension`, here with the engine. It is the same
// for the same sources: entries are in a fixed order and have one date.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { zipSync } from 'fflate';
import { licenses, packageFolder } from './licenses.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'editors/vscode');
const read = (path) => readFileSync(join(root, path));
// These fields of package.json apply to all packages.
const { author, bugs, homepage, license, repository, version } = JSON.parse(read('package.json').toString());
const described = JSON.parse(read('editors/vscode/package.json').toString());
const manifest = { ...described, version, author, license, homepage, repository, bugs: bugs && { url: bugs } };

/** Folders of the packages in the bundles. */
const packages = new Set();

/** One bundle with all that it imports but `vscode`. */
async function bundle(entry) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    metafile: true,
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    minify: true,
    legalComments: 'none',
    external: ['vscode'],
    write: false,
    logLevel: 'warning',
  });
  for (const input of Object.keys(metafile.inputs)) {
    const folder = packageFolder(input);
    if (folder !== undefined) packages.add(folder);
  }
  return outputFiles[0].contents;
}

/** The command line with all that it starts but the server, from scripts/build-bundle.mjs, and the kernels. */
function engine() {
  const bundles = readdirSync(join(root, 'build/bundle')).filter(
    (name) => !/^(?:server|work)(?:-bundle)?\.cjs$/.test(name),
  );
  const kernels = readdirSync(join(root, 'build')).filter((name) => /^kernels\.json$|\.wasm$/.test(name));
  const paths = [...bundles.map((name) => `build/bundle/${name}`), ...kernels.map((name) => `build/${name}`)].sort();
  return Object.fromEntries(paths.map((path) => [`extension/engine/${path}`, read(path)]));
}

const xml = (text) => text.replace(/[<>&"]/g, (mark) => `&#${mark.charCodeAt(0)};`);

function vsixManifest({ name, displayName, description, version, publisher, engines, keywords, categories }) {
  const links = Object.entries({ Source: repository?.url.replace(/^git\+/, ''), Support: bugs, Learn: homepage })
    .filter(([, address]) => address !== undefined)
    .map(
      ([link, address]) =>
        `\n      <Property Id="Microsoft.VisualStudio.Services.Links.${link}" Value="${xml(address)}" />`,
    );
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${xml(name)}" Version="${xml(version)}" Publisher="${xml(publisher)}" />
    <DisplayName>${xml(displayName)}</DisplayName>
    <Description xml:space="preserve">${xml(description)}</Description>
    <Tags>${xml(keywords.join(','))}</Tags>
    <Categories>${xml(categories.join(','))}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${xml(engines.vscode)}" />
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace" />${links.join('')}
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code" /></Installation>
  <Dependencies />
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true" />
  </Assets>
</PackageManifest>
`;
}

const TYPES = {
  '.json': 'application/json',
  '.vsixmanifest': 'text/xml',
  '.cjs': 'application/javascript',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.wasm': 'application/wasm',
};
const contentTypes = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${Object.entries(TYPES)
  .map(([extension, type]) => `<Default Extension="${extension}" ContentType="${type}" />`)
  .join('')}</Types>
`;

const text = (value) => new TextEncoder().encode(value);
const files = {
  'extension.vsixmanifest': text(vsixManifest(manifest)),
  '[Content_Types].xml': text(contentTypes),
  'extension/package.json': text(`${JSON.stringify(manifest, null, 2)}\n`),
  'extension/README.md': read('editors/vscode/README.md'),
  'extension/LICENSE.txt': read('LICENSE'),
  'extension/language-configuration.json': read('editors/vscode/language-configuration.json'),
  'extension/stan.tmLanguage.json': read('editors/vscode/stan.tmLanguage.json'),
  'extension/extension.cjs': await bundle(join(source, 'extension.ts')),
  'extension/engine/package.json': text(`${JSON.stringify({ name: 'leapfrog', version, type: 'module' })}\n`),
  ...engine(),
};
files['extension/NOTICES.txt'] = text(licenses(packages));
const flag = process.argv.indexOf('--folder');
const folder = flag < 0 ? join(source, 'dist') : process.argv[flag + 1];
mkdirSync(folder, { recursive: true });
const path = join(folder, `${manifest.name}.vsix`);
const archive = zipSync(files, { level: 9, mtime: new Date(1980, 0, 1) });
writeFileSync(path, archive);
console.log(`${path}: ${archive.length} bytes`);
