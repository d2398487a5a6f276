// Builds the package that users install in a folder: the program without source maps, the data that it reads, and the
// licenses of the libraries in it. It has no dependencies and no scripts: the build contains every library.
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { buildOptions } from '../../packages/lockstep/bin/build.js'

const DATA = ['crds', 'examples', 'LICENSE', 'README.md']
const BINS = ['lockstep', 'kubectl-lockstep', 'kubectl_complete-lockstep']
const FOLDER_OF_BINS = 'packages/lockstep/bin'
const LICENSES = 'licenses'

/** Stages the package of the clone `root` in `folder`, which exists and is empty; its `package.json`. */
export async function stagePackage(root, folder) {
  const { metafile } = await build({
    ...buildOptions(root),
    outdir: join(folder, 'dist'),
    metafile: true,
    legalComments: 'none',
  })
  for (const path of DATA) cpSync(join(root, path), join(folder, path), { recursive: true })
  stageBins(root, folder)
  for (const library of librariesOf(Object.keys(metafile.inputs))) stageLicense(join(root, library), folder)
  const manifest = manifestOf(JSON.parse(readFileSync(join(root, 'packages/lockstep/package.json'), 'utf8')))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  return manifest
}

function stageBins(root, folder) {
  mkdirSync(join(folder, 'bin'))
  for (const file of ['start.js', ...BINS.map((name) => `${name}.js`)])
    cpSync(join(root, FOLDER_OF_BINS, file), join(folder, 'bin', file))
  for (const name of BINS) chmodSync(join(folder, 'bin', `${name}.js`), 0o755)
}

/** Folders of the libraries that the inputs of a build are in: `node_modules/@noble/hashes`. */
export const librariesOf = (inputs) =>
  [...new Set(inputs.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []))].sort()

/** Writes the license of a library. A library without one may not be distributed. */
function stageLicense(library, folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'))
  const file = readdirSync(library).find((entry) => /^licen[cs]e([.-]|$)/i.test(entry))
  if (file === undefined) throw new Error(`${library} has no license file; replace the library`)
  const path = join(folder, LICENSES, `${name}.txt`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${name} ${version} (${license})\n\n${readFileSync(join(library, file), 'utf8')}`)
}

function manifestOf({ name, version, license, type, description, engines, bin }) {
  const files = ['bin', 'dist', LICENSES, ...DATA]
  return { name, version, license, type, description, engines, bin, files }
}
