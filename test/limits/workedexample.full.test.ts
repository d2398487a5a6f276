/** The worked example of CONTRIBUTING.md: applied to a copy of the product, typed, and run. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { afterAll, expect, it } from 'vitest'

const root = resolve('.')
const copy = mkdtempSync(join(tmpdir(), 'lockstep-example-'))
const product = join(copy, 'packages/lockstep/src')

interface Change {
  readonly path: string
  /** The line before it; undefined: a new file. */
  readonly after: string | undefined
  readonly text: string
}

const BLOCK =
  /^`((?:api|controllers)\/[^`]+)`, (?:after `([^`]+)`|a new file)[^\n]*:\n\n```ts\n([\s\S]*?)```$/gm

/** Changes of the section, in its order. */
function changesOf(page: string): Change[] {
  const section = page.slice(page.indexOf('### A kind with a controller'), page.indexOf('## Style'))
  return [...section.matchAll(BLOCK)].map(([, path, after, text]) => ({ path: path!, after, text: text! }))
}

function apply({ path, after, text }: Change): void {
  const file = join(product, path)
  if (after === undefined) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return
  }
  const lines = readFileSync(file, 'utf8').split('\n')
  const at = lines.findIndex((line) => line.trim() === after)
  if (at < 0) throw new Error(`CONTRIBUTING.md: ${path} has no line ${after}`)
  lines.splice(at + 1, 0, text.trimEnd())
  writeFileSync(file, lines.join('\n'))
}

/** Prints the annotation after two Modules were created, and after one of them was deleted. */
const RUN = `
import { namespaceKind } from '../packages/kube/src/kinds/types.ts'
import { configManifest, Story } from './fleet/steps.ts'
import { must, NAMESPACE } from './fleet/simfleet.ts'

const story = await Story.begin('worked example', ['c1'])
const count = async () => {
  const read = story.fleet.hub.get(namespaceKind, { name: NAMESPACE }, { purpose: 'user' })
  return must(await story.during(read)).metadata.annotations?.['lockstep.dev/modules']
}
const seen = []
await story.pass(5)
seen.push(await count())
for (const name of ['a', 'b']) {
  await story.config(name, configManifest(name, '1'))
  await story.module(name, name)
}
await story.pass(5)
seen.push(await count())
await story.deleteModule('a')
await story.pass(60)
seen.push(await count())
console.log(JSON.stringify(seen))
`

/** The product, with tests to run it; the other packages are those of the repository. */
function copyRepository(): void {
  mkdirSync(join(copy, 'packages'))
  for (const name of ['kube', 'cel', 'health', 'apiserver', 'simulators'])
    symlinkSync(join(root, 'packages', name), join(copy, 'packages', name))
  cpSync(join(root, 'packages/lockstep'), join(copy, 'packages/lockstep'), { recursive: true })
  cpSync(join(root, 'test'), join(copy, 'test'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  const files = ['packages/lockstep/src/controllers/manager/index.ts']
  const options = { ...compilerOptions, incremental: false, tsBuildInfoFile: undefined }
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }))
}

afterAll(() => rmSync(copy, { recursive: true, force: true }))

it('adds a kind with a controller in five files', async () => {
  const changes = changesOf(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'))
  expect(new Set(changes.map((c) => c.path)).size).toBe(5)
  copyRepository()
  for (const change of changes) apply(change)

  const tsc = join(root, 'node_modules/typescript7/bin/tsc')
  const typed = spawnSync(process.execPath, [tsc, '-p', copy], { encoding: 'utf8' })
  expect(typed.stdout).toBe('')

  writeFileSync(join(copy, 'test/run.ts'), RUN)
  const bundle = join(copy, 'run.mjs')
  const entry = { entryPoints: [join(copy, 'test/run.ts')], outfile: bundle }
  await build({
    ...entry,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    banner,
  })
  const run = spawnSync(process.execPath, [bundle], { encoding: 'utf8' })
  expect([run.stderr, JSON.parse(run.stdout)]).toEqual(['', ['0', '2', '1']])
})

/** Packages that are CommonJS call `require`. */
const banner = {
  js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
}
