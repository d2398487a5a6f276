/** What decides needs nothing of its surroundings: no clock, no chance, no network, no process. */
import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { facesOf } from '../../packages/lockstep/bin/faces.js'

/** The sources of a folder, or the one of that path. */
function* sources(folder: string): Iterable<string> {
  if (folder.endsWith('.ts')) return yield folder
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* sources(path)
    else if (/\.ts$/.test(entry.name) && !/\.(test|cases)\.ts$/.test(entry.name)) yield path
  }
}

/** All of a folder as one script that asks for its surroundings by name. */
async function bundled(folder: string): Promise<string> {
  const lines = [...sources(folder)].map((path, i) => `export * as m${i} from ${JSON.stringify(`./${path}`)}`)
  const made = await build({
    stdin: { contents: lines.join('\n'), resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    alias: facesOf(process.cwd()),
    write: false,
    format: 'cjs',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import'],
    external: ['node:*', 'crypto'],
    target: 'node20',
    logLevel: 'silent',
  })
  return made.outputFiles[0]!.text
}

/** js-yaml names the class, to tell timestamps; whoever makes or asks one fails. */
const NO_DATE = `
  delete globalThis.WebAssembly
  Math.random = undefined
  globalThis.Date = class Date {
    constructor() { throw new Error('new Date') }
    static now() { throw new Error('Date.now') }
    static UTC() { throw new Error('Date.UTC') }
    static parse() { throw new Error('Date.parse') }
  }`

/** The only thing of Node that values are made with. */
const crypto = { createHash, createHmac, hkdfSync }

const PURE = [
  'packages/cel/src',
  'packages/health/src',
  'packages/kube/src/env/elapsedtime.ts',
  'packages/kube/src/fields',
  'packages/kube/src/kinds',
  'packages/kube/src/object',
  'packages/kube/src/schema',
  'packages/lockstep/src/api',
  'packages/lockstep/src/decisions',
  'packages/lockstep/src/tools',
]

describe.each(PURE)('%s', (folder) => {
  it('loads without process, Date, fetch, timers and any module but node:crypto', async () => {
    const asked = new Set<string>()
    const require = (name: string) => {
      asked.add(name)
      if (name === 'node:crypto') return crypto
      throw new Error(`${folder} asks for ${name}`)
    }
    const module = { exports: {} as Record<string, unknown> }
    const context = createContext({ module, exports: module.exports, require, TextEncoder, TextDecoder, URL })
    runInContext(NO_DATE, context)
    runInContext(await bundled(folder), context)
    expect(Object.keys(module.exports).length).toBeGreaterThan(0)
    expect([...asked].filter((name) => name !== 'node:crypto')).toEqual([])
  })
})

/** Every place of a folder's sources at which `matches`. */
function places(folder: string, matches: (node: ts.Node) => boolean): string[] {
  const found: string[] = []
  for (const path of sources(folder)) {
    const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022, true)
    const look = (node: ts.Node): void => {
      if (matches(node)) {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart())
        found.push(`${path}:${line + 1} ${node.getText().slice(0, 40)}`)
      }
      ts.forEachChild(node, look)
    }
    look(file)
  }
  return found
}

const BANNED = new Set([
  'Date',
  'fetch',
  'process',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'performance',
])
const DOORS = ['packages/kube/src/env/node/', 'packages/lockstep/src/cli/main.ts']
/**
 * Virtual time lets all promises settle by it; that is the one thing that it needs of the real world. A calendar and
 * a certificate convert instants, and ask for none.
 */
const ALLOWED = [
  'packages/kube/src/env/sim/simenv.ts',
  'packages/kube/src/env/calendar.ts',
  'packages/lockstep/src/cli/kit/localfleet/localcertificate.ts',
]

function isOutside(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.getText() === 'Math.random'
  if (!ts.isIdentifier(node) || !BANNED.has(node.text)) return false
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node
  return ts.isCallExpression(parent) || ts.isNewExpression(parent)
}

describe('packages', () => {
  it.each(PURE)('%s has no asynchronous function', (folder) => {
    const isAsync = (node: ts.Node) => node.kind === ts.SyntaxKind.AsyncKeyword || ts.isAwaitExpression(node)
    expect(places(folder, isAsync)).toEqual([])
  })

  it('know clock, chance, network and process only in env/node and in the entry of the command line', () => {
    const isDoor = (place: string) => [...DOORS, ...ALLOWED].some((d) => place.startsWith(d))
    expect(places('packages', isOutside).filter((p) => !isDoor(p))).toEqual([])
  })
})
