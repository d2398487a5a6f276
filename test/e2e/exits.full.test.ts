/** What each command says to a script: 0 yes, 1 the answer is no, 2 bad input, 3 cannot reach, 4 timed out, 130. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type Server } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeFetch } from './kubefetch.ts'
import { eventually, headOf, interrupted, type Ran, type ServedFleet, startFleet } from './lockstep.ts'
import { sit } from './person.ts'

/** Which not every machine has that has all else. */
const hasHelm = (process.env.PATH ?? '').split(':').some((dir) => existsSync(join(dir, 'helm')))

const SETTINGS = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {x: mine}\n'

/** One that is everywhere, one whose object no server takes, one that waits for what is not there. */
const MODULES = `${module('done', '{a: "1"}')}---\n${module('broken', '{a: "1"}, immutable: "yes"')}---\n${module(
  'waiting',
  '{a: "1"}',
)}  dependsOn: [{id: x, module: {kind: Module, name: nowhere}}]\n`

function module(name: string, data: string): string {
  return `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: ${name}}
spec:
  source: {inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: default}, data: ${data}}]}}
  targets: {clusterSelector: {}}
`
}

/** Modules that need each other, in a namespace of their own. */
const LOOP = ['ping', 'pong'].map(
  (name) =>
    `${module(name, '{}')}  dependsOn: [{id: x, module: {kind: Module, name: ${name === 'ping' ? 'pong' : 'ping'}}}]\n`,
)

/** As kubectl creates them: `lockstep apply` refuses the cycle. */
async function createLoop(): Promise<void> {
  const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: loop}\n'
  for (const [path, text] of [
    ['/api/v1/namespaces', namespace],
    ...LOOP.map((m) => ['/apis/lockstep.dev/v1alpha1/namespaces/loop/modules', m] as const),
  ] as const) {
    const headers = { 'content-type': 'application/yaml' }
    const done = await kubeFetch(fleet.kubeconfig, 'hub', path, { method: 'POST', headers, body: text })
    expect(done.status).toBe(201)
  }
}

let fleet: ServedFleet
const run = (args: string): Promise<Ran> =>
  sit(args.split(' '), { variables: { KUBECONFIG: fleet.kubeconfig }, cwd: fleet.folder })

/** Another owner has this field. */
async function takeField(): Promise<void> {
  const path = '/api/v1/namespaces/platform/configmaps/settings?fieldManager=somebody'
  const done = await kubeFetch(fleet.kubeconfig, 'hub', path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: SETTINGS.replace('mine', 'theirs'),
  })
  expect(done.status).toBe(201)
}

/** A kubeconfig for a server of our own. */
function kubeconfigFor(name: string, server: string): string {
  const path = join(fleet.folder, name)
  writeFileSync(
    path,
    `current-context: c\ncontexts: [{name: c, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: "${server}"}}]\n`,
  )
  return path
}

beforeAll(async () => {
  fleet = await startFleet(2)
  writeFileSync(join(fleet.folder, 'modules.yaml'), MODULES)
  writeFileSync(join(fleet.folder, 'settings.yaml'), SETTINGS)
  writeFileSync(join(fleet.folder, 'bad.yaml'), 'apiVersion: v1\nkind: Modul\n')
  await takeField()
  writeFileSync(join(fleet.folder, 'loop.yaml'), LOOP.join('---\n'))
  expect(await run('apply -f modules.yaml')).toMatchObject({ code: 0 })
  expect(await run('apply -n loop -f loop.yaml')).toMatchObject({ code: 2 })
  await createLoop()
  await eventually(async () => {
    const { out } = await run('status -o json')
    const of = (name: string) => JSON.parse(out).modules.find((m: { name: string }) => m.name === name)
    return (
      of('done')?.ready === '2/2' &&
      Object.values(of('broken').units).some((u) => (u as { state: string }).state === 'failed')
    )
  }, 'one module is everywhere and one has failed')
})
afterAll(async () => {
  expect(await fleet.stop()).toBe(130)
})

describe('exit codes', () => {
  const cases: readonly [args: string, code: number, says: RegExp][] = [
    ['version', 0, /^lockstep /],
    ['install --namespaces platform --controller=false', 0, /CustomResourceDefinition/],
    ['get modules', 0, /^NAME/],
    ['get inventories -n empty', 0, /^No inventories/],
    ['status done', 0, /✔ complete/],
    ['status cluster/cluster-1', 1, /✗ +broken/],
    ['status broken', 1, /■ halted/],
    ['rollout status broken', 1, /■ halted/],
    ['rollout diff done', 2, /no earlier revision had a complete rollout[\s\S]*--from REVISION/],
    ['rollout diff done --from zzz', 2, /revisions of done: .*[0-9a-f]{10}/],
    ['rollout status done', 0, /✔ complete/],
    ['status', 1, /✗/],
    ['why done@cluster-1', 0, /platform\/done on cluster-1 is ready/],
    ['why waiting@cluster-1', 1, /DependencyMissing/],
    ['wait module/done', 0, /module\.lockstep\.dev\/done is ready\n/],
    ['wait mod/done --for delete --timeout 2s', 4, /done still exists after 2s: not deleted/],
    ['wait mod/broken --timeout 2s', 4, /broken is not ready after 2s: .*immutable/s],
    ['wait mod/waiting --timeout 2s -q', 4, /^error: .*DependencyMissing[\s\S]*lockstep why waiting/],
    ['wait inventory/m.done.cluster-1', 0, /is ready/],
    ['wait module/gone --for delete', 0, /is gone/],
    ['wait module/don', 2, /did you mean done\?/],
    ['wait moduls/done', 2, /did you mean modules\?/],
    ['wait done', 2, /KIND\/NAME/],
    ['wait module/done --for cel=true', 2, /ready, revision=REVISION, release=RELEASE, delete/],
    ['wait module/done --timeout soon', 2, /500ms/],
    ['explain module.spec.release --kubeconfig /nonexistent/k', 0, /FIELD: release <string>/],
    ['explain module.spec.relase', 2, /did you mean module\.spec\.release\?/],
    ['explain modul.spec', 2, /did you mean module\?/],
    ['explain', 2, /for example: lockstep explain module/],
    ['controller --request-timeout 31s', 2, /must be at most 30s for a controller/],
    ['controller --leader-elect=maybe', 2, /Allowed choices are true, false/],
    ['controller --leader-elect-lease-duration 5s', 2, /must be greater than --leader-elect-renew-deadline/],
    ['reconcile module/done', 0, /reconciliation requested/],
    ['reconcile module/done --wait', 0, /done is ready/],
    [
      'reconcile module/done --reverify',
      0,
      /module\.lockstep\.dev\/done: verification requested \(attempt 1\)/,
    ],
    ['reconcile module/done --reverify --wait', 0, /done is ready/],
    ['reconcile module/don --reverify', 2, /did you mean done\?/],
    ['reconcile module/broken --wait', 1, /broken: it is not ready: .*immutable/],
    ['reconcile module/waiting --wait --timeout 2s', 4, /waiting is not ready after 2s/],
    ['reconcile module/don', 2, /did you mean done\?/],
    ['reconcile inventory/m.done.cluster-1', 2, /module\/NAME/],
    ['events', 0, /Warning +ApplyFailed +inventory\/m\.broken\.cluster-1/],
    ['events module/done', 0, /Normal +Published +module\/done +revision [0-9a-f]{10}/],
    ['events module/done -o name', 0, /^event\/done\.[0-9a-f]{10}\n/],
    ['events -n empty', 0, /^No events found in namespace empty/],
    ['events modul/done', 2, /did you mean module\?/],
    hasHelm
      ? ['check', 0, /✔ +hub +.*\n✔ +modules\.lockstep[\s\S]*All requirements are met\./]
      : ['check', 1, /✗ +helm +for render\.helm[\s\S]*✔ +hub +.*\n[\s\S]*1 requirement missing\./],
    ['check --kubeconfig /nonexistent/k', 1, /✗ +hub +for everything but demo and up +\/nonexistent\/k/],
    ['diff done', 0, /done on cluster-1: nothing would change/],
    ['diff module/done --cluster cluster-1 --drift', 0, /nothing would change/],
    ['diff broken@cluster-1', 1, /ConfigMap default\/broken: .*immutable/],
    ['diff waiting@cluster-1', 1, /\+\+\+ target\/cluster-1\/ConfigMap\/default\/waiting/],
    ['diff waiting@cluster-1 --drift', 0, /nothing would change/],
    ['diff don', 2, /did you mean done\?/],
    ['diff done@cluster-9', 2, /did you mean cluster-1\?/],
    ['diff done --revision zzz', 2, /revisions of done: .*[0-9a-f]{10}/],
    ['diff done --drift --revision 1', 2, /exclude each other/],
    ['adopt done --dry-run', 0, /all existing objects are managed by Lockstep/],
    ['adopt done --yes', 0, /all existing objects are managed by Lockstep/],
    ['adopt waiting --yes', 1, /not deployed/],
    ['adopt done', 2, /--yes/],
    ['adopt don --yes', 2, /did you mean done\?/],
    ['completion bash', 0, /^# bash completion/],
    ['completion nushell', 2, /bash, zsh, fish/],
    ['completion bsh', 2, /did you mean bash\?/],
    ['graph', 0, /nowhere +✗ does not exist/],
    ['graph --cluster cluster-1', 0, /done +✔/],
    ['graph -n loop', 1, /✗ dependency cycle: ping → pong → ping/],
    ['graph -n loop -o dot', 1, /^cycle: ping → pong → ping$/m],
    ['graph --cluster cluster-9', 2, /did you mean cluster-1\?/],
    ['graph -o wide', 2, /outputs: tree, dot, mermaid, json, yaml/],
    ['why broken --cluster cluster-1', 1, /ApplyFailed/],
    ['apply -f modules.yaml', 0, /done unchanged/],
    ['apply -f modules.yaml --dry-run=client', 0, /done checked/],
    ['apply -f modules.yaml --dry-run=server', 0, /done unchanged/],
    ['apply -f modules.yaml -o name', 0, /^module\.lockstep\.dev\/done\nmodule/],
    ['apply -f modules.yaml --dry-run=client -o name', 0, /^module\.lockstep\.dev\/done\nmodule/],
    ['apply -f modules.yaml --dry-run=server -o name', 0, /^module\.lockstep\.dev\/done\nmodule/],
    ['apply -f settings.yaml', 1, /data\.x belongs to "somebody"/],
    ['apply -f settings.yaml --dry-run=server', 1, /data\.x belongs to "somebody"/],
    ['apply -f settings.yaml --force-conflicts --dry-run=server', 0, /settings configured/],
    ['apply -f bad.yaml', 2, /bad\.yaml:2:7 .*Modul/],
    ['apply -f bad.yaml --dry-run=client', 2, /bad\.yaml:2:7 .*Modul/],
    ['delete -f bad.yaml', 2, /bad\.yaml:2:7 .*Modul/],
    ['delete module nope', 2, /no Module "nope"/],
    ['get moduls', 2, /did you mean modules\?/],
    ['status don', 2, /did you mean done\?/],
    ['why don@cluster-1', 2, /did you mean done\?/],
    ['why done@cluster-9', 2, /did you mean cluster-1\?/],
    ['demo --speed fast', 2, /0\.1 to 1000/],
    [
      'demo versionned',
      2,
      /stories: platform, fleet, versioned, resourceset, clustergroup, promote, tenancy/,
    ],
    ['up --clusters 0', 2, /1 to 500/],
    ['install --namespaces kube-system', 2, /its accounts own the cluster/],
    ['uninstall --yes', 1, /Modules are deployed to 2 clusters[\s\S]*Nothing was changed/],
    ['uninstall --context cluster-1', 0, /^Lockstep is not installed on cluster-1/],
    ['controller --context nope', 2, /there are: hub/],
    ['delete module waiting -o json', 2, /outputs: table, name/],
    ['status -A', 2, /does not accept -A.*\n?.*-n/],
    ['delete module waiting --dry-run=server -o name', 0, /^module\.lockstep\.dev\/waiting\n$/],
    ['delete module waiting --dry-run=server', 0, /would be deleted/],
    ['delete module waiting', 0, /waiting (is being )?deleted/],
    ['version --namspace x', 2, /did you mean --namespace\?/],
  ]
  it.each(cases)('lockstep %s: %i', async (args, code, says) => {
    const ran = await run(args)
    expect(ran.out + ran.err).toMatch(says)
    expect(ran.code).toBe(code)
    if (code >= 2) expect(ran.out).toBe('')
  })
})

it('reconcile notes the time, and each request is another', async () => {
  const noted = async () => {
    const { annotations, creationTimestamp } = JSON.parse(
      (await run('reconcile module/done -o json')).out,
    ).metadata
    return { asked: annotations['lockstep.dev/reconcile'] as string, created: creationTimestamp as string }
  }
  const [first, second] = [await noted(), await noted()]
  // How close it is to the clock: exits.deep.test.ts.
  expect(first.asked.slice(0, 19) >= first.created.slice(0, 19)).toBe(true)
  expect(second.asked > first.asked).toBe(true)
})

describe('a server', () => {
  const ASKING = [
    'get modules',
    'status',
    'why a@b',
    'diff a@b',
    'adopt a@b --yes',
    'graph',
    'wait module/done',
    'reconcile module/done',
    'apply -f settings.yaml',
    'delete module x',
    'controller',
  ]
  const sockets = createServer((socket) => void socket.on('error', () => {}))
  const answers = new Map<number, Server>()
  const addressOf = (s: { address(): unknown }): string =>
    `http://127.0.0.1:${(s.address() as AddressInfo).port}`

  beforeAll(async () => {
    for (const code of [401, 403, 500]) {
      const server = createHttpServer((_, answer) => {
        answer.writeHead(code, { 'content-type': 'application/json' })
        answer.end(JSON.stringify({ kind: 'Status', status: 'Failure', message: 'no, you may not', code }))
      })
      await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
      answers.set(code, server)
    }
    await new Promise<void>((ready) => sockets.listen(0, '127.0.0.1', ready))
  })
  afterAll(async () => {
    for (const server of answers.values()) server.close()
    sockets.close()
  })

  it.each(ASKING)('that is not there: lockstep %s exits 3', async (args) => {
    const ran = await run(`${args} --kubeconfig ${kubeconfigFor('away', 'http://127.0.0.1:9')}`)
    expect([ran.code, ran.out]).toEqual([3, ''])
    expect(ran.err).toContain('cannot reach c (http://127.0.0.1:9)')
  })
  it.each([
    [401, 'rejected the credentials'],
    [403, 'no, you may not'],
    [500, 'no, you may not'],
  ])('that answers %i: 3, and what it says', async (code, says) => {
    const kubeconfig = kubeconfigFor(String(code), addressOf(answers.get(code)!))
    for (const args of ['get modules', 'controller']) {
      const ran = await run(`${args} --kubeconfig ${kubeconfig}`)
      expect([args, ran.code, ran.out]).toEqual([args, 3, ''])
      expect(ran.err).toContain(says)
    }
  })
  it.each(ASKING)('that gives no answer: lockstep %s exits 4', async (args) => {
    const kubeconfig = kubeconfigFor('silent', addressOf(sockets))
    const ran = await run(`${args} --request-timeout 200ms --kubeconfig ${kubeconfig}`)
    expect([ran.code, ran.out]).toEqual([4, ''])
    expect(ran.err).toContain('--request-timeout')
  })
  it('that gives no answer: Ctrl-C ends the waiting, 130', async () => {
    // A server of its own: who was refused elsewhere in this process may still be trying the other one.
    const alone = createServer((socket) => void socket.on('error', () => {}))
    await new Promise<void>((ready) => alone.listen(0, '127.0.0.1', ready))
    const asked = new Promise((resolve) => alone.once('connection', resolve))
    const ran = await interrupted(['get', 'modules'], kubeconfigFor('alone', addressOf(alone)), asked)
    alone.close()
    expect(ran).toEqual({ code: 130, out: '', err: '' })
  })
  it('cannot have a port that is taken: 3, and which', async () => {
    const { port } = sockets.address() as AddressInfo
    const ran = await run(`up --port ${port} --kubeconfig-out taken`)
    expect([ran.code, ran.out]).toEqual([3, ''])
    expect(ran.err).toContain(`cannot listen on 127.0.0.1:${port}`)
  })
})

describe('Ctrl-C', () => {
  const cases: readonly [args: string, seen: string][] = [
    ['demo', 'Release 2026.10'],
    ['demo --pause', 'press Enter to continue'],
    ['demo --speed 1000 --clusters 3 --keep', 'The fleet is served'],
    ['up --kubeconfig-out other', 'In another terminal'],
    ['status -w', 'units ready'],
    ['wait module/broken', 'immutable'],
    ['reconcile module/stuck --wait', 'reconciliation requested'],
  ]
  beforeAll(async () => {
    const input = `${module('stuck', '{}')}  dependsOn: [{id: x, module: {kind: Module, name: nowhere}}]\n`
    const variables = { KUBECONFIG: fleet.kubeconfig }
    expect(await sit(['apply', '-f', '-'], { variables, input })).toMatchObject({ code: 0 })
  })
  it.each(cases)('lockstep %s: 130', { timeout: 60_000 }, async (args, seen) => {
    const ran = await interrupted(args.split(' '), fleet.kubeconfig, seen, { cwd: fleet.folder })
    expect(ran.code).toBe(130)
    expect(ran.err).not.toMatch(/error/)
    rmSync(join(fleet.folder, 'other'), { force: true })
  })
})

describe('a reader that has had enough', () => {
  it.each([
    'install --namespaces platform --controller=false',
    'get modules -o yaml',
    'demo --speed 1000 --clusters 3',
    'demo --help',
  ])('of lockstep %s: quiet, 0', async (args) => {
    const ran = await headOf(args.split(' '), fleet.kubeconfig)
    expect([ran.code, ran.err]).toEqual([0, ''])
    expect(ran.out).not.toBe('')
  })
  it('of lockstep status -w: as soon as there is more to say', async () => {
    writeFileSync(join(fleet.folder, 'more.yaml'), module('more', '{a: "1"}'))
    const more = (): void => void run('apply -f more.yaml')
    const ran = await headOf(['status', '-w'], fleet.kubeconfig, more)
    expect([ran.code, ran.err]).toEqual([0, ''])
  })
})
