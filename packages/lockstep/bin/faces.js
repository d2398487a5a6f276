// Faces of packages and folders, for the build. A face is an index.ts that names the exports of its folder for others. The
// build imports the files behind a face instead: esbuild would load a whole face wherever one of its names is used.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/** Folders of the packages below `root`, relative to it. */
export const packagesOf = (root) =>
  readdirSync(join(root, 'packages'))
    .sort()
    .map((name) => `packages/${name}`)
    .filter((folder) => existsSync(join(root, folder, 'package.json')))

/** Absolute paths of the exports of all packages below `root`, by the specifier that imports them. */
export function facesOf(root) {
  const faces = {}
  for (const folder of packagesOf(root)) {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    for (const [face, file] of Object.entries(exports))
      faces[`${name}${face.slice(1)}`] = join(root, folder, file)
  }
  return faces
}

const SOURCE = /\/packages\/[^/]+\/src\/.*\.ts$/
const NAMES = /^(?:import|export) (type )?\{([^}]*)\} from '([^']+)'/gm
const AWAITED = /\{ ([^}]*) \} = await import\('([^']+)'\)/g

/** An esbuild plugin: each import of a face becomes imports of the files that declare its names. */
export function behindFaces(root) {
  const faces = facesOf(root)
  const targets = new Map()
  const faceOf = (specifier, file) => {
    if (specifier in faces) return faces[specifier]
    return specifier.startsWith('.') && specifier.endsWith('/index.ts')
      ? resolve(dirname(file), specifier)
      : undefined
  }
  const targetsOf = (face) => {
    if (!targets.has(face)) targets.set(face, declarations(face, readFileSync(face, 'utf8')))
    return targets.get(face)
  }
  return {
    name: 'behind-faces',
    setup(build) {
      build.onLoad({ filter: SOURCE }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        return { contents: rewritten(text, path, faceOf, targetsOf), loader: 'ts' }
      })
    },
  }
}

/** name → absolute path of the file that a face takes it from; names of `export *` are absent. */
function declarations(face, text) {
  const files = new Map()
  for (const [, , names, specifier] of text.matchAll(NAMES))
    for (const { exported } of membersOf(names)) files.set(exported, resolve(dirname(face), specifier))
  return files
}

/** The members of a clause; those of a type are gone after the build. */
function membersOf(clause) {
  const members = clause
    .split(',')
    .map((member) => member.trim())
    .filter(Boolean)
  return members
    .filter((member) => !member.startsWith('type '))
    .map((member) => ({ member, name: member.split(' as ')[0], exported: member.split(' as ').at(-1) }))
}

/** Lines stay where they are, so that stack traces name the right one. */
function rewritten(text, file, faceOf, targetsOf) {
  const statics = text.replace(NAMES, (statement, type, clause, specifier) => {
    const face = faceOf(specifier, file)
    if (type || face === undefined || statement.startsWith('export')) return statement
    const files = new Map()
    for (const { member, name } of membersOf(clause)) {
      const target = targetsOf(face).get(name) ?? face
      files.set(target, [...(files.get(target) ?? []), member])
    }
    const imports = [...files].map(([target, members]) => `import { ${members.join(', ')} } from '${target}'`)
    return imports.join('; ') + '\n'.repeat(statement.split('\n').length - 1)
  })
  return statics.replace(AWAITED, (statement, clause, specifier) => {
    const face = faceOf(specifier, file)
    if (face === undefined) return statement
    const names = clause
      .split(',')
      .map((member) => member.split(':')[0].trim())
      .filter(Boolean)
    const files = new Set(names.map((name) => targetsOf(face).get(name)))
    const [only] = files
    return files.size === 1 && only !== undefined
      ? statement.replace(`'${specifier}'`, `'${only}'`)
      : statement
  })
}
