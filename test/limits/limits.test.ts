/** The limits of `npm run lint` name the file and the rule for each way to break one. */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'

interface SourceText {
  readonly path: string
  readonly text: string
}

const { problemsOf } = (await import(pathToFileURL(resolve('scripts/limits.js')).href)) as {
  problemsOf(files: readonly SourceText[], exempt?: ReadonlySet<string>): string[]
}

const FOLDER = 'packages/lockstep/src/decisions/gate'
const one = (name: string, text: string): SourceText[] => [{ path: `${FOLDER}/${name}.ts`, text }]
const controller = (name: string, text: string): SourceText[] => [
  { path: `packages/lockstep/src/controllers/${name}`, text },
]
const lines = (count: number): string => '// a line\n'.repeat(count)
const exporting = (name: string): string => `export const ${name} = 1\n`

const broken: readonly [rule: string, files: readonly SourceText[], problem: string][] = [
  ['401 lines', one('gate', exporting('gate') + lines(400)), 'gate.ts: 401 lines'],
  [
    'a 26th file',
    Array.from({ length: 26 }, (_, i) => one(`gate${i}`, exporting(`gate${i}`))).flat(),
    `${FOLDER}: 26 source files`,
  ],
  ['an adverb', one('beside', exporting('besides')), 'beside.ts: the name "beside" is an adverb'],
  ['a name in -ing', one('opening', exporting('opening')), 'opening.ts: the name "opening" ends in -ing'],
  ['a vague name', one('utils', exporting('utils')), 'utils.ts: the name "utils" does not say'],
  ['no matching export', one('gate', exporting('waits')), 'gate.ts: the name matches no export'],
  [
    'a second Outcome',
    [
      ...one('gate', 'export interface Outcome {}\nexport const gate = 1\n'),
      { path: 'test/fleet/drift.ts', text: 'export type Outcome = string\n' },
    ],
    'gate.ts: the type Outcome is exported by test/fleet/drift.ts too',
  ],
  [
    'a literal spread',
    one('gate', `export const gate = { a: 1, ...({ b: 2 }) }\n`),
    'gate.ts:1: an object literal is spread into another',
  ],
  [
    'a function of 61 lines',
    one('gate', `export function gate(n: number) {\n${'  n++\n'.repeat(59)}}\n`),
    'gate.ts:1: a function of 61 lines',
  ],
  [
    'a key that is split',
    controller('gate/gate.ts', "export const gate = (key: string) => key.split('/')\n"),
    'gate.ts:1: a key is split; use runtime/requestkeys.ts',
  ],
  [
    'a message that is read',
    controller('gate/gate.ts', "export const gate = (b: Blocker) => b.message.startsWith('waiting')\n"),
    'gate.ts:1: a message is read; use facts',
  ],
  [
    'a status that is written',
    controller('gate/gate.ts', "export const gate = { subresource: 'status' }\n"),
    'gate.ts:1: a status is written; use runtime/statuswriter.ts',
  ],
  [
    'a finalizer that is removed',
    controller('gate/gate.ts', "export const gate = (o: Named) => o.finalizers.filter((f) => f !== 'x')\n"),
    'gate.ts:1: finalizers are edited; use runtime/finalizers.ts',
  ],
  [
    'a finalizer that is added',
    controller('gate/gate.ts', "export const gate = (o: Named) => [...o.metadata.finalizers, 'x']\n"),
    'gate.ts:1: finalizers are edited; use runtime/finalizers.ts',
  ],
  [
    'a watch rule of type unknown',
    controller('gate/watches.ts', 'export const gate = (o: unknown) => o\n'),
    'watches.ts:1: a watch rule has the type unknown; name the kind',
  ],
  [
    'a context',
    controller('gate/gate.ts', 'export interface ControllerContext {}\nexport const gate = 1\n'),
    'gate.ts:1: a context holds everything; declare …Deps',
  ],
  [
    'a command that decides',
    [
      ...one('gate', 'export const gate = 1\nexport interface GateResult {}\n'),
      {
        path: 'packages/lockstep/src/cli/kit/why/chain.ts',
        text: "import { type GateResult, gate } from '../../../decisions/gate/index.ts'\nexport const chain = gate\n",
      },
    ],
    'cli/kit/why/chain.ts: a command imports gate, which decides',
  ],
  [
    'Deps of 8',
    one('gate', `export interface GateDeps { ${[...'abcdefgh'].map((m) => `${m}: string`).join('; ')} }\n`),
    'gate.ts:1: GateDeps has 8 members',
  ],
]

it.for(broken)('%s is refused with its file and rule', ([, files, problem]) => {
  expect(problemsOf(files)).toEqual([expect.stringContaining(problem)])
})

const fine: readonly [what: string, files: readonly SourceText[]][] = [
  ['400 lines', one('gate', exporting('gate') + lines(399))],
  [
    '25 files and their tests',
    Array.from({ length: 25 }, (_, i) => [
      ...one(`gate${i}`, exporting(`gate${i}`)),
      ...one(`gate${i}.test`, ''),
    ]).flat(),
  ],
  [
    'a long literal in a short function',
    one('gate', `export const gate = () => ({\n${'  a: 1,\n'.repeat(90)}})\n`),
  ],
  ['a conditional spread', one('gate', 'export const gate = (b: boolean) => ({ ...(b ? { b } : {}) })\n')],
  ['a file that contains the name of its export', one('gatestatus', exporting('gate'))],
  ['token and open', [...one('token', exporting('token')), ...one('open', exporting('openGate'))]],
  ['a face', one('index', `export { gate } from './gate.ts'\n`)],
]

it.for(fine)('%s is accepted', ([, files]) => {
  expect(problemsOf(files)).toEqual([])
})

describe('an exempt file', () => {
  it('keeps its name and its size, and must keep the shape of its code', () => {
    const files = one('beside', `export const a = { ...{ b: 1 } }\n${lines(400)}`)
    expect(problemsOf(files, new Set([files[0]!.path]))).toEqual([
      expect.stringContaining('literal is spread'),
    ])
  })
})
