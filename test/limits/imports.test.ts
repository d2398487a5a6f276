/** Imports go down: packages through their exports, folders of the product along the stair. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const PRODUCT = 'packages/lockstep/src'

/** The second file is imported by the first; `rule` refuses that, or nothing does. */
const imports: readonly [rule: string, from: string, to: string][] = [
  ['package-kube', 'packages/kube/src/object/a.ts', 'packages/cel/src/check/index.ts'],
  ['stair-api', `${PRODUCT}/api/b.ts`, `${PRODUCT}/decisions/gate/index.ts`],
  ['stair-sources', `${PRODUCT}/sources/git/c.ts`, `${PRODUCT}/fleet/clusters/index.ts`],
  ['controllers-cache', `${PRODUCT}/controllers/cache/d.ts`, `${PRODUCT}/controllers/unit/index.ts`],
  ['kit-imports-no-command', `${PRODUCT}/cli/kit/why/e.ts`, `${PRODUCT}/cli/commands/why/why.ts`],
  ['packages-have-faces', 'packages/cel/src/check/f.ts', 'packages/kube/src/object/json.ts'],
  ['folders-have-faces', `${PRODUCT}/deliver/step/g.ts`, `${PRODUCT}/decisions/gate/gate.ts`],
]
const DOWN = ['packages/cel/src/check/h.ts', 'packages/kube/src/object/index.ts'] as const

let folder: string
let output: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-imports-'))
  for (const [, from, to] of [...imports, ['', ...DOWN] as const]) {
    for (const path of [from, to]) mkdirSync(dirname(join(folder, path)), { recursive: true })
    const up = '../'.repeat(from.split('/').length - 1)
    writeFileSync(join(folder, from), `import { a } from '${up}${to}'\nexport const b = a\n`)
    writeFileSync(join(folder, to), 'export const a = 1\n')
  }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    '{ "compilerOptions": { "allowImportingTsExtensions": true } }',
  )
  const args = ['--config', resolve('.dependency-cruiser.cjs'), '--output-type', 'err', 'packages']
  const program = resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
  output = await new Promise((done) =>
    execFile(process.execPath, [program, ...args], { cwd: folder }, (_, out, err) => done(out + err)),
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.for(imports)('%s is refused with both names: %s → %s', ([rule, from, to]) => {
  const lines = output.split('\n').filter((line) => line.includes(`${rule}:`))
  expect(lines).toEqual([expect.stringContaining(`${from} → ${to}`)])
})

it('an import down is accepted', () => {
  expect(output).toContain('dependency violations')
  expect(output).not.toContain(DOWN[0])
})

interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, string>>
}

const manifests = readdirSync('packages').map(
  (name) => JSON.parse(readFileSync(join('packages', name, 'package.json'), 'utf8')) as Manifest,
)

describe('exports', () => {
  it.for(manifests)('of $name: at most 12 entries, none with a star', ({ exports = {} }) => {
    const entries = Object.keys(exports)
    expect(entries.length).toBeLessThanOrEqual(12)
    expect(entries.filter((e) => e.includes('*'))).toEqual([])
  })

  const resolves = (specifier: string): boolean => {
    const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext }
    const from = resolve('packages/lockstep/src/api/registry.ts')
    const found = ts.resolveModuleName(
      specifier,
      from,
      options,
      ts.sys,
      undefined,
      undefined,
      ts.ModuleKind.ESNext,
    )
    return found.resolvedModule !== undefined
  }

  it('let a face be imported, and refuse a path past it', () => {
    expect(resolves('@lockstep/kube/object')).toBe(true)
    expect(resolves('@lockstep/kube/src/object/json.ts')).toBe(false)
  })
})
