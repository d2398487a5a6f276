/** The command line as people have it: the real bin against `lockstep up`. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { ownKinds } from '../../packages/lockstep/src/api/registry.ts'
import { allCommands } from '../../packages/lockstep/src/cli/commands/registry.ts'
import { kubeFetch } from './kubefetch.ts'
import {
  eventually,
  interrupted,
  type LockstepRunOptions,
  lockstep,
  type Ran,
  type ServedFleet,
  startFleet,
} from './lockstep.ts'
import { sit } from './person.ts'

const commands = await allCommands()

// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
const ESCAPE = /\u001b/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself
const NOT_ASCII = /[^\u0000-\u007f]/

let fleet: ServedFleet
/** Each as a process takes most of the time of this file: a short run starts one only where that is what is asked. */
function run(args: string, o: LockstepRunOptions = {}): Promise<Ran> {
  const variables = { KUBECONFIG: fleet.kubeconfig, ...o.env }
  if (process.env.LOCKSTEP_EVERY_WRITE === '1') return lockstep(args.split(' '), { ...o, env: variables })
  return sit(args.split(' '), { ...o, variables })
}

beforeAll(async () => {
  fleet = await startFleet(2)
})
afterAll(async () => {
  expect(await fleet.stop()).toBe(130)
})

describe('help', () => {
  it.each(commands.map((c) => c.name))('of %s: summary, usage, examples; 80 columns', async (name) => {
    const { code, out, err } = await sit([name, '--help'], {})
    expect([code, err]).toEqual([0, ''])
    const lines = out.split('\n')
    expect(lines[0]).toBe(commands.find((c) => c.name === name)?.summary)
    const examples = lines.filter((l) => l.startsWith('  lockstep '))
    expect(examples.length).toBeGreaterThanOrEqual(2)
    expect(examples.length).toBeLessThanOrEqual(4)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
  })
  it('without a command lists all of them', async () => {
    const { code, out } = await lockstep([])
    expect(code).toBe(0)
    for (const c of commands) expect(out).toContain(`  ${c.name} `)
  })
  it('the README has all of them', () => {
    const readme = readFileSync('README.md', 'utf8')
    const table = readme.slice(readme.indexOf('\n## Commands\n'), readme.indexOf('\n## On real clusters\n'))
    for (const c of commands) expect(table).toMatch(new RegExp(`^\\|.*\`${c.name}[ \`]`, 'm'))
  })
})

describe('usage', () => {
  const cases: readonly [string, number, RegExp][] = [
    ['aply', 2, /did you mean lockstep apply\?/],
    ['get modules --namspace x', 2, /did you mean --namespace\?/],
    ['get module web --kubeconfig /nonexistent/x', 2, /lockstep up/],
    ['frobnicate', 2, /--help/],
    ['get', 2, /'kind'[\s\S]*for example: lockstep get modules/],
    ['get moduls', 2, /did you mean modules\?/],
    ['get modules -o jason', 2, /did you mean json\?/],
    ['apply', 2, /-f/],
    ['apply -f nonexistent.yaml', 2, /no such file/],
    ['up --clusters x', 2, /1 to 500/],
    ['up --port 70000', 2, /65535/],
    ['delete module', 2, /NAME/],
    ['delete cluster cluster-1', 2, /kubectl delete secret/],
    ['install --with everything', 2, /is not known/],
    ['get modules --request-timeout soon', 2, /30s/],
    ['get modules --context nope', 2, /there are: hub/],
    ['why nope@cluster-1', 2, /no Module "nope"/],
    ['status cluster/nope', 2, /no cluster "nope"/],
    ['get module nope', 2, /no Module "nope" in namespace platform/],
  ]
  it.each(cases)('lockstep %s exits %i', async (args, code, text) => {
    const ran = await sit(args.split(' '), { variables: { KUBECONFIG: fleet.kubeconfig } })
    expect(ran.err + ran.out).toMatch(text)
    expect(ran.code).toBe(code)
    expect(ran.err).toMatch(/^error: /)
  })
  it('cannot reach: 3, and says where', async () => {
    const kubeconfig = join(fleet.folder, 'away')
    writeFileSync(
      kubeconfig,
      'current-context: c\ncontexts: [{name: c, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: "http://127.0.0.1:9"}}]\n',
    )
    const ran = await run(`get modules --kubeconfig ${kubeconfig}`)
    expect([ran.code, ran.err.includes('http://127.0.0.1:9')]).toEqual([3, true])
  })
  it('a hub without our kinds: 3, and how to install', async () => {
    for (const args of ['controller --context cluster-1', 'get modules --context cluster-1']) {
      const ran = await run(args)
      expect([ran.code, ran.err.includes('lockstep install --namespaces platform')]).toEqual([3, true])
    }
  })
})

describe('up', () => {
  it('says that everything is in memory, and writes a kubeconfig for its owner only', () => {
    expect(fleet.output()).toContain('in memory and lost when this stops')
    expect(statSync(fleet.kubeconfig).mode & 0o777).toBe(0o600)
  })
  it('lists its clusters without their credentials', async () => {
    const table = await run('get clusters')
    // Nothing selects them yet.
    expect(table.err).toBe('Unknown: Lockstep connects when a Module targets the cluster.\n')
    expect(table.out).toMatch(/cluster-1 +\w+ .*env=prod,tier=canary/)
    const { out } = await run('get clusters -o json')
    expect(JSON.parse(out)).toMatchObject({
      kind: 'Report',
      items: [{ name: 'cluster-1' }, { name: 'cluster-2' }],
    })
    expect(out).not.toMatch(/kubeconfig|certificate-authority/)
  })
})

const BAD = `apiVersion: v1
kind: ConfigMap
metadata: {name: fine}
---
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata:
  name: web
spec:
  source: {configMaps: [{name: fine}]}
  rollout:
    maxUnavailable: "10 %"
---
apiVersion: v1
kind: ConfigMap
metadata: {name: fine-too}
`

describe('apply', () => {
  it('of three documents, the second bad: changes nothing, and says where', async () => {
    const ran = await run('apply -f -', { input: BAD })
    expect([ran.code, ran.out]).toEqual([2, ''])
    expect(ran.err).toContain('standard input:12:21 Module/platform/web: spec.rollout.maxUnavailable')
    expect(ran.err).toContain(
      'Nothing was changed: 1 of 3 documents is invalid; all are checked first. [E_FIELD_INVALID] exit 2',
    )
    const json = await run('apply -f - -o json', { input: BAD })
    expect(JSON.parse(json.err)).toMatchObject({
      code: 'E_FIELD_INVALID',
      file: 'standard input',
      line: 12,
      column: 21,
      kind: 'Module',
      namespace: 'platform',
      name: 'web',
      field: 'spec.rollout.maxUnavailable',
      hint: 'lockstep explain module.spec.rollout.maxUnavailable',
      message: expect.stringContaining('"10 %" is neither a number nor a percentage'),
      aftermath: expect.stringContaining('Nothing was changed'),
    })
    const good = BAD.split('---\n').filter((d) => d.includes('ConfigMap'))
    const after = await run('apply -f - --dry-run=server', { input: good.join('---\n') })
    expect(after.out).toBe(
      'configmap/fine created (server dry run)\nconfigmap/fine-too created (server dry run)\n',
    )
  })
  it('says what it did, and the second time that nothing changed', async () => {
    const input =
      'apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: team}\ndata: {x: "1"}\n'
    const dry = await run('apply -f - --dry-run=server', { input })
    expect(dry.out).toMatch(/namespace\/team created \(server dry run\)/)
    expect((await run('apply -f - --dry-run=client', { input })).out).toMatch(/checked/)
    expect((await run('apply -f -', { input })).out).toBe('namespace/team created\nconfigmap/a created\n')
    expect((await run('apply -f -', { input })).out).toBe('namespace/team unchanged\nconfigmap/a unchanged\n')
    const changed = await run('apply -f -', { input: input.replace('"1"', '"2"') })
    expect(changed.out).toBe('namespace/team unchanged\nconfigmap/a configured\n')
    expect((await run('delete -f -', { input })).out).toMatch(
      /^configmap\/a deleted\nnamespace\/team (is being )?deleted\n$/,
    )
  })
  it('names the namespace that is missing', async () => {
    const input = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: nowhere}\n'
    const ran = await run('apply -f -', { input })
    expect([ran.code, ran.err.includes('namespace nowhere does not exist')]).toEqual([2, true])
  })
})

describe('a platform', () => {
  beforeAll(async () => {
    const ran = await run('apply -f examples/platform/v1')
    expect(ran.err).toBe('')
    expect(ran.out.match(/created/g)?.length).toBe(8)
    await eventually(
      async () => (await run('status')).out.includes('8 of 8 units ready'),
      '8 of 8 units ready',
    )
  })

  it('get: table, wide, names, JSON, YAML', async () => {
    const table = await run('get mod')
    expect(table.out).toMatch(/^NAME +RELEASE +SOURCE +READY +UPDATED +STATUS +AGE\n/)
    expect(table.out).toMatch(/certs +2026\.10 .* 2\/2 +2\/2 +2 of 2 clusters ready +\d/)
    for (const line of table.out.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
    expect((await run('get modules --no-headers')).out).not.toContain('NAME')
    expect((await run('get modules -A')).out).toMatch(/^NAMESPACE/)
    expect((await run('get modules -o name')).out.split('\n')[0]).toBe('module.lockstep.dev/certs')
    const json = JSON.parse((await run('get Module -o json')).out)
    expect([json.kind, json.items.length, json.items[0].kind]).toEqual(['List', 4, 'Module'])
    expect(parse((await run('get module certs -o yaml')).out).metadata.name).toBe('certs')
    expect((await run('get inventories -n elsewhere')).err).toContain(
      'No inventories found in namespace elsewhere',
    )
  })
  it('status: of the fleet, of a module, of a cluster', async () => {
    expect((await run('status certs')).out).toMatch(
      /Module platform\/certs +release 2026\.10 .*\n.*2\/2 +✔ complete/,
    )
    expect((await run('status cluster/cluster-1')).out).toMatch(/Cluster platform\/cluster-1 +Connected/)
    const facts = JSON.parse((await run('status -o json')).out)
    expect(facts).toMatchObject({ kind: 'Report', clusters: ['cluster-1', 'cluster-2'] })
  })
  it('why: nothing waits; 0', async () => {
    const ran = await run('why certs --cluster cluster-1')
    expect([ran.code, ran.out]).toEqual([0, '✔ platform/certs on cluster-1 is ready at 2026.10\n'])
  })
  it('why: what waits, down to its cause; 1', async () => {
    const input = `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: shop}
spec:
  source: {inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: shop, namespace: default}}]}}
  targets: {clusterSelector: {}}
  dependsOn: [{id: pay, module: {kind: Module, name: payments}}]
`
    expect((await run('apply -f -', { input })).out).toBe('module.lockstep.dev/shop created\n')
    const ran = await run('why shop@cluster-1')
    expect(ran.code).toBe(1)
    expect(ran.out).toMatch(/└─ Module platform\/payments +DependencyMissing/)
    const tree = JSON.parse((await run('why shop@cluster-1 -o json')).out)
    expect(tree).toMatchObject({ state: 'waits', rootCauses: [{ reason: 'DependencyMissing' }] })
    expect((await run('delete module shop')).code).toBe(0)
  })
  it('no escapes, no glyphs beyond ASCII where that is asked for', async () => {
    for (const env of [{}, { NO_COLOR: '1' }, { TERM: 'dumb' }, { CI: '1' }]) {
      const ran = await run('status', { env })
      expect(ran.out).not.toMatch(ESCAPE)
    }
    for (const args of ['status', 'get modules', 'status certs', 'why certs@cluster-1', 'get modules --x']) {
      const ran = await run(args, { env: { LANG: 'C' } })
      expect(ran.out + ran.err).not.toMatch(NOT_ASCII)
      expect(ran.out + ran.err).not.toMatch(ESCAPE)
    }
    expect((await run('status', { env: { FORCE_COLOR: '1' } })).out).toMatch(ESCAPE)
    expect((await run('status --no-color', { env: { FORCE_COLOR: '1' } })).out).not.toMatch(ESCAPE)
  })
})

describe('install', () => {
  it('prints what kubectl takes, and a hub that has our kinds', async () => {
    const { code, out } = await lockstep([
      'install',
      '--namespaces',
      'platform',
      '--image',
      'example.com/lockstep:1',
    ])
    const kinds = parseAllDocuments(out).map((d) => d.get('kind'))
    expect(code).toBe(0)
    expect(kinds.filter((k) => k === 'CustomResourceDefinition').length).toBe(ownKinds.length)
    for (const k of ['Namespace', 'ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Deployment'])
      expect(kinds).toContain(k)
  })
})

describe('controller', () => {
  it('runs against a hub that was installed, and stops at an interrupt', async () => {
    const { code, out } = await lockstep(['install', '--namespaces', 'platform', '--controller=false'])
    expect(code).toBe(0)
    for (const crd of parseAllDocuments(out).map((d) => d.toJS())) {
      if (crd.kind !== 'CustomResourceDefinition') continue
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
      const body = JSON.stringify(crd)
      const made = await kubeFetch(fleet.kubeconfig, 'cluster-2', path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      expect(made.status).toBe(201)
    }
    await eventually(
      async () => (await run('get modules --context cluster-2')).code === 0,
      'our kinds are served',
    )
    const log = await interrupted(
      ['controller', '--context', 'cluster-2'],
      fleet.kubeconfig,
      'caches complete',
    )
    expect(log.code).toBe(130)
    const messages = log.err
      .trim()
      .split('\n')
      .map((l) => JSON.parse(l).msg)
    expect(messages).toContain('controller started')
    expect(messages[messages.length - 1]).toBe('controller stops')
  })
})

describe('demo', () => {
  it('tells the whole story and breaks no invariant', async () => {
    const { code, out, err } = await lockstep(['demo', '--speed', '1000'], { env: { LANG: 'C' } })
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('ImagePullBackOff')
    expect(out).toContain('No invariant broke')
    expect(out).not.toMatch(/broken,|not exercised/)
    expect(out).not.toMatch(ESCAPE)
    expect(out).not.toMatch(NOT_ASCII)
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
  }, 120_000)
})
