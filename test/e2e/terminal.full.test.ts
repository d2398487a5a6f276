/** What a terminal gets: nothing wider than it is, and no escape, redraw or glyph that it was asked to go without. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allCommands } from '../../packages/lockstep/src/cli/commands/registry.ts'
import { widthOf } from '../../packages/lockstep/src/cli/kit/terminal/texttable.ts'
import { eventually } from './lockstep.ts'
import { type PersonSession, sit } from './person.ts'
import { type NamespacedFleet, servedFleet } from './servedfleet.ts'

const commands = await allCommands()

// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
const ESCAPE = /\u001b/
// biome-ignore lint/suspicious/noControlCharactersInRegex: moving the cursor, erasing
const REDRAW = /\u001b\[\d*[A-HJK]|\r/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself
const NOT_ASCII = /[^\u0000-\u007f]/

const LONG = 'a-module-with-a-rather-long-name-that-is-allowed'

/** Of everything one: what is there, what fails, what waits, with names and texts that do not fit. */
const MODULES = `${module('broken', '{a: "1"}, immutable: "yes"')}---\n${module(LONG, '{a: "1"}')}  release: "2026.11"
  dependsOn: [{id: x, module: {kind: Module, name: another-module-that-does-not-exist-anywhere}}]\n`

function module(name: string, data: string): string {
  return `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: ${name}}
spec:
  source: {inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: default}, data: ${data}}]}}
  targets: {clusterSelector: {}}
`
}

let fleet: NamespacedFleet
const at = (args: string, seat: PersonSession) =>
  sit(args.split(' '), {
    cwd: fleet.folder,
    ...seat,
    variables: { KUBECONFIG: fleet.kubeconfig, ...seat.variables },
  })

beforeAll(async () => {
  fleet = await servedFleet({ clusters: 3, namespace: 'platform' })
  writeFileSync(join(fleet.folder, 'modules.yaml'), MODULES)
  writeFileSync(join(fleet.folder, 'bad.yaml'), MODULES.replace('targets', 'taagets'))
  expect(await at('apply -f modules.yaml', {})).toMatchObject({ code: 0 })
  expect(await sit(['apply', '-f', 'examples/platform/v1'], inRoot())).toMatchObject({ code: 0 })
  await eventually(async () => {
    const { out } = await at('status -o json', {})
    const { modules } = JSON.parse(out) as { modules: { name: string; ready?: string }[] }
    const isReady = (name: string) => modules.find((m) => m.name === name)?.ready === '3/3'
    return isReady('monitoring') && out.includes('"failed"')
  }, 'the platform is ready')
})
afterAll(async () => {
  await fleet.end()
})

const inRoot = (): PersonSession => ({ variables: { KUBECONFIG: fleet.kubeconfig } })

const LINES = [
  'get modules',
  'get modules -A',
  'get inventories',
  'get remoteassemblages',
  'get clusters',
  'status',
  'status monitoring',
  'status broken',
  `status ${LONG}`,
  'status cluster/cluster-1',
  'why broken@cluster-1',
  `why ${LONG}@cluster-1`,
  'why monitoring@cluster-1',
  'graph',
  'graph --cluster cluster-1',
  'graph --cluster nope',
  'reconcile module/monitoring',
  'reconcile module/broken --wait --timeout 100ms',
  'completion tcsh',
  'explain module.spec',
  'explain module.spec.rollout.maxUnavailable',
  'explain inventory --recursive',
  'explain module.spec.relase',
  'wait module/monitoring',
  'wait module/broken --timeout 100ms',
  `wait module/${LONG} --timeout 100ms`,
  'version',
  'apply -f modules.yaml --dry-run=server',
  'apply -f bad.yaml',
  'apply -f missing.yaml',
  'get moduls',
  'get module nope',
  'get modules --namspace x',
  'get modules --context nope',
  'get modules --context cluster-1',
  'get modules --kubeconfig /nonexistent/kubeconfig',
  'delete cluster cluster-1',
  'install --namespaces kube-system',
  'uninstall',
  'uninstall --context cluster-1',
  '--help',
  'get --help',
]
const HELP = commands.map((c) => `${c.name} --help`)
const DEMO = 'demo --speed 1000 --clusters 3'

describe('no line is wrapped', () => {
  it.each([...LINES, ...HELP])('in 80 columns: lockstep %s', { timeout: 120_000 }, async (args) => {
    const { out, err } = await at(args, { columns: 80, variables: { CI: '1' } })
    const lines = `${out}${err}`.split('\n')
    expect(lines.length).toBeGreaterThan(1)
    expect(lines.filter((line) => widthOf(line) > 80)).toEqual([])
  })
  it('a pipe gets sentences whole, and tables of 100 columns', async () => {
    const { err } = await at('get modules --context nope', {})
    expect(err.split('\n')[0]).toMatch(
      /^error: .*kubeconfig: .*there are: hub, cluster-1, cluster-2, cluster-3$/,
    )
    const { out } = await at('get modules', {})
    expect(Math.max(...out.split('\n').map(widthOf))).toBeGreaterThan(80)
  })
})

/** What each command prints in these surroundings. */
async function everything(seat: PersonSession): Promise<string> {
  let all = ''
  for (const args of LINES) {
    const { out, err } = await at(args, seat)
    all += out + err
  }
  return all
}

describe('surroundings', () => {
  const cases: readonly [string, PersonSession, { color: boolean; ascii: boolean }][] = [
    ['a pipe', {}, { color: false, ascii: false }],
    ['CI=1', { columns: 100, variables: { CI: '1' } }, { color: true, ascii: false }],
    ['CI=1 in a pipe', { variables: { CI: '1' } }, { color: false, ascii: false }],
    ['TERM=dumb', { columns: 100, variables: { TERM: 'dumb' } }, { color: false, ascii: false }],
    ['NO_COLOR=1 in a pipe', { variables: { NO_COLOR: '1' } }, { color: false, ascii: false }],
    ['LANG=C in a pipe', { variables: { LANG: 'C' } }, { color: false, ascii: true }],
    ['LANG=C, CI=1', { columns: 100, variables: { LANG: 'C', CI: '1' } }, { color: true, ascii: true }],
  ]
  it.each(cases)('%s', { timeout: 120_000 }, async (_, seat, { color, ascii }) => {
    const all = await everything(seat)
    expect(all).not.toMatch(REDRAW)
    expect(ESCAPE.test(all)).toBe(color)
    expect(NOT_ASCII.test(all)).toBe(!ascii)
  })
  it('of a demo in 80 columns without UTF-8', { timeout: 60_000 }, async () => {
    const { out, err } = await at(DEMO, { columns: 80, variables: { LANG: 'C', CI: '1' } })
    expect([out.includes('No invariant broke'), NOT_ASCII.test(out)]).toEqual([true, false])
    expect(`${out}${err}`.split('\n').filter((line) => widthOf(line) > 80)).toEqual([])
  })
  it.each([80, 100])(
    'of three timelines in %i columns without UTF-8',
    { timeout: 60_000 },
    async (columns) => {
      const { out, err } = await at('demo versioned', { columns, variables: { LANG: 'C', CI: '1' } })
      expect([out.includes('nothing too early'), NOT_ASCII.test(out)]).toEqual([true, false])
      expect(`${out}${err}`.split('\n').filter((line) => widthOf(line) > columns)).toEqual([])
    },
  )
  it.each([80, 100])('of a race in %i columns without UTF-8', { timeout: 60_000 }, async (columns) => {
    const { out, err } = await at('demo clustergroup', { columns, variables: { LANG: 'C', CI: '1' } })
    expect([out.includes('without Pods or Jobs'), NOT_ASCII.test(out)]).toEqual([true, false])
    expect(`${out}${err}`.split('\n').filter((line) => widthOf(line) > columns)).toEqual([])
  })
  it.each([60, 80, 120])('of attacks in %i columns without UTF-8', { timeout: 60_000 }, async (columns) => {
    const { out, err } = await at('demo tenancy', { columns, variables: { LANG: 'C', CI: '1' } })
    expect([out.includes('9 refused, 0 writes outside'), NOT_ASCII.test(out)]).toEqual([true, false])
    expect(`${out}${err}`.split('\n').filter((line) => widthOf(line) > columns)).toEqual([])
  })
  it('a terminal: frames over each other; without colours if NO_COLOR says so', {
    timeout: 60_000,
  }, async () => {
    const { out } = await at(DEMO, { columns: 100, variables: { NO_COLOR: '1' } })
    expect(out).toMatch(REDRAW)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
    expect(out).not.toMatch(/\u001b\[\d+m/)
  })
})
