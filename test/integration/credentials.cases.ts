/** Credentials of the hub as people and Pods have them: read again while a process leads, and refused at last. */
import { join } from 'node:path'
import { expect } from 'vitest'
import { ANY, READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import { leaseKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { SYSTEM_NAMESPACE } from '../../packages/lockstep/src/api/labels.ts'
import { parseKubeconfig } from '../../packages/lockstep/src/fleet/kubeconfig/kubeconfigtarget.ts'
import { sit } from '../e2e/person.ts'
import { config } from './casemanifests.ts'
import { ControllerReplicas, type LeaseLength, type Replica } from './controllerreplicas.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'

const PATIENCE_SECONDS = 300
const FORCE = { ...WRITE, precondition: 'any', force: true } as const
const RBAC = 'rbac.authorization.k8s.io'
const accountKind = defineKind({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
})
const bindingKind = defineKind({
  group: RBAC,
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
})

const ACCOUNT = 'controller'

/** Tokens of an account that may do everything; each ends with a Secret of its own. */
class Tokens {
  private readonly c: Corner
  private made = 0

  constructor(c: Corner) {
    this.c = c
  }

  async begin(): Promise<void> {
    const { hub, namespace } = this.c
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ACCOUNT, namespace } }
    value(await hub.apply(accountKind, account, FORCE))
    await bindAdmin(this.c, { kind: 'ServiceAccount', name: ACCOUNT, namespace })
  }

  /** A new one; the name of its Secret is `token-N`. */
  async next(): Promise<string> {
    const { hub, namespace, subject } = this.c
    const name = `token-${++this.made}`
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } }
    const { uid } = value(await hub.create(secretKind, secret, WRITE)).metadata
    const connection = subject.env.net.connect(endpointOf(this.c), 'operator')
    const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name, uid }
    const asked = await connection.request({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${ACCOUNT}/token`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { boundObjectRef },
      }),
    })
    const text = asked.ok ? await asked.value.text() : asked
    await connection.close()
    if (!text.ok) throw new Error(text.error.detail)
    return JSON.parse(text.value).status.token
  }

  /** The token that was made last but `before`, refused from now on. */
  async revoke(before = 0): Promise<void> {
    const { hub, namespace } = this.c
    value(await hub.delete(secretKind, { namespace, name: `token-${this.made - before}` }, ANY))
  }
}

async function bindAdmin(c: Corner, subject: object): Promise<void> {
  const binding = {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: `${c.namespace}-credentials` },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [subject],
  }
  value(await c.hub.apply(bindingKind, binding as KubeObject, FORCE))
}

function endpointOf(c: Corner) {
  const target = parseKubeconfig(c.subject.hub.kubeconfig, 'Person')
  if (!target.ok) throw new Error(target.error.message)
  return target.value.source.endpoint
}

/** The hub's kubeconfig with another user, or parts of its cluster replaced. */
function kubeconfigWith(c: Corner, user: object, cluster: object = {}): string {
  const whole = JSON.parse(c.subject.hub.kubeconfig)
  const [of] = whole.clusters
  return JSON.stringify({
    ...whole,
    clusters: [{ ...of, cluster: { ...of.cluster, ...cluster } }],
    users: [{ name: whole.users[0].name, user }],
  })
}

/** Replicas of this case alone. */
async function withReplicas(
  c: Corner,
  kubeconfig: string,
  length: LeaseLength,
  story: (replicas: ControllerReplicas) => Promise<void>,
): Promise<void> {
  c.controllers.kill()
  const replicas = new ControllerReplicas(kubeconfig, c.namespace, length)
  try {
    await story(replicas)
  } finally {
    await replicas.stop()
    c.controllers.start()
  }
}

const lease = async (c: Corner) =>
  value(await c.hub.get(leaseKind, { namespace: SYSTEM_NAMESPACE, name: c.namespace }, READ)).spec

/** One term since the start, a delivery at its end, and no warning in the log. */
async function expectOneTerm(c: Corner, leader: Replica, version: number): Promise<void> {
  await c.release('app', version, [config('app', c.namespace, { v: `${version}` })])
  await c.untilReady('app')
  expect(await lease(c)).toMatchObject({ holderIdentity: leader.identity, leaseTransitions: 0 })
  // On a busy machine an answer may be late, which is not about credentials.
  const isLate = (l: object): boolean => JSON.stringify(l).includes('no answer in time')
  // Other cases have objects on the same hub, whose problems are logged, too.
  const isOfObject = (l: object): boolean => ['module', 'cluster', 'unit', 'controller'].some((f) => f in l)
  const isOfNode = (l: object): boolean => 'reason' in l && l.reason === 'NodeEndOfLife'
  const isOther = (l: object): boolean => isLate(l) || isOfObject(l) || isOfNode(l)
  const complaints = leader.lines.filter((l) => !['info', 'debug', 20, 30].includes(l.level) && !isOther(l))
  expect(complaints).toEqual([])
}

/** Milliseconds between two replacements: several renewals of the Lease. */
const BETWEEN_MS = 1500
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

/** Replaces the token again and again; the one before is refused then. */
async function replaceTokens(
  tokens: Tokens,
  times: number,
  ms: number,
  put: (token: string) => void,
): Promise<void> {
  for (let i = 0; i < times; i++) {
    put(await tokens.next())
    await tokens.revoke(1)
    await pause(ms)
  }
}

/** Prints the token of a file, which is valid for 15 s more. */
const PLUGIN =
  'const expirationTimestamp = new Date(Date.now() + 15000).toISOString(); const token = require("node:fs").readFileSync(process.argv[1], "utf8"); console.log(JSON.stringify({apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status: {token, expirationTimestamp}}))'

const exec = (folder: string) => ({
  exec: {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: ['-e', PLUGIN, join(folder, 'token')],
    interactiveMode: 'Never',
  },
})

interface Renewal {
  readonly name: string
  /** Files of the folder, without the token. */
  files(c: Corner, folder: string): Readonly<Record<string, string>>
  readonly token: string
  /** Writes a token. */
  text?(c: Corner, token: string): string
  readonly isPod?: boolean
}

const RENEWALS: readonly Renewal[] = [
  {
    name: 'the account of a Pod',
    isPod: true,
    token: 'pod/token',
    files: (c) => ({ 'pod/ca.crt': endpointOf(c).tls!.ca!, 'pod/namespace': c.namespace }),
  },
  {
    name: 'a tokenFile',
    token: 'token',
    files: (c) => ({ kubeconfig: kubeconfigWith(c, { tokenFile: 'token' }) }),
  },
  {
    name: 'a program',
    token: 'token',
    files: (c, folder) => ({ kubeconfig: kubeconfigWith(c, exec(folder)) }),
  },
  {
    name: 'a kubeconfig that is rewritten',
    token: 'kubeconfig',
    files: () => ({}),
    text: (c, token) => kubeconfigWith(c, { token }),
  },
]

/** `times` replacements, `ms` apart. */
const renewal = (
  r: Renewal,
  { times, ms, length }: { readonly times: number; readonly ms: number; readonly length: LeaseLength },
  more: Partial<FleetCase> = {},
): FleetCase => ({
  name: `credentials: ${r.name}: ${times} tokens, each revoked, are one term`,
  alone: true,
  patienceSeconds: PATIENCE_SECONDS,
  ...more,
  async run(c) {
    const tokens = new Tokens(c)
    await tokens.begin()
    await withReplicas(c, '{}', length, async (replicas) => {
      const put = (token: string): void => replicas.write(r.token, r.text?.(c, token) ?? token)
      for (const [name, text] of Object.entries(r.files(c, replicas.folder))) replicas.write(name, text)
      put(await tokens.next())
      const { url } = endpointOf(c)
      const leader = await replicas.start(r.isPod ? { pod: { folder: 'pod', url } } : {})
      await leader.said('caches complete')
      const story = replaceTokens(tokens, times, ms, put).then(() => expectOneTerm(c, leader, 1))
      // A leader that ends delivers nothing: that is not waited for.
      const end = await Promise.race([story, leader.ended])
      expect(end).toBeUndefined()
      leader.kill('SIGTERM')
      expect((await leader.ended).code).toBe(0)
    })
  },
})

/** Every 20 s: ten minutes for the account of a Pod, two for the others. */
export const longRenewals: readonly FleetCase[] = RENEWALS.map((r) =>
  renewal(
    r,
    { times: r.isPod ? 30 : 6, ms: 20_000, length: 'usual' },
    { isLong: true, patienceSeconds: 600 },
  ),
)

/** A person reads Modules with this kubeconfig; the folder has a token. */
async function reads(
  c: Corner,
  replicas: ControllerReplicas,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
) {
  const ran = await sit(['get', 'modules', '-n', c.namespace, '-o', 'name', ...args], {
    cwd: replicas.folder,
    variables,
  })
  return [ran.code, ran.out, ran.err]
}

export const credentialCases: readonly FleetCase[] = [
  {
    name: 'credentials: kubeconfigs of people, and flags of kubectl, read Modules',
    async run(c) {
      const tokens = new Tokens(c)
      await tokens.begin()
      await c.release('app', 1, [config('app', c.namespace, {})])
      const replicas = new ControllerReplicas('{}', c.namespace, 'quick')
      const token = await tokens.next()
      const { url, tls } = endpointOf(c)
      const found = [0, 'module.lockstep.dev/app\n', '']
      try {
        replicas.write('token', token)
        replicas.write('ca.crt', tls!.ca!)
        const noData = { 'certificate-authority-data': undefined }
        const ofFiles = { ...noData, 'certificate-authority': 'ca.crt' }
        const files: Readonly<Record<string, string>> = {
          inline: kubeconfigWith(c, { token }),
          file: kubeconfigWith(c, { tokenFile: 'token' }, ofFiles),
          program: kubeconfigWith(c, exec(replicas.folder)),
          users: JSON.stringify({ users: JSON.parse(kubeconfigWith(c, { token })).users }),
          others: JSON.stringify({ ...JSON.parse(c.subject.hub.kubeconfig), users: [] }),
          anonymous: kubeconfigWith(c, {}),
          insecure: kubeconfigWith(c, { token }, { ...noData, 'insecure-skip-tls-verify': true }),
        }
        for (const [name, text] of Object.entries(files)) replicas.write(name, text)
        for (const name of ['inline', 'file', 'program'])
          expect([name, ...(await reads(c, replicas, ['--kubeconfig', name]))]).toEqual([name, ...found])
        expect(await reads(c, replicas, [], { KUBECONFIG: 'missing:users:others' })).toEqual(found)
        expect(await reads(c, replicas, ['--kubeconfig', 'anonymous', '--token', token])).toEqual(found)
        const flags = ['--server', url, '--token', token, '--certificate-authority', 'ca.crt']
        expect(await reads(c, replicas, flags)).toEqual(found)
        const [code, out, err] = await reads(c, replicas, ['--kubeconfig', 'insecure'])
        expect([code, out, err]).toEqual([0, found[1], "warning: the server's certificate is not verified\n"])
      } finally {
        await replicas.stop()
      }
    },
  },
  {
    name: 'credentials: --as decides at the hub only',
    async run(c) {
      await bindAdmin(c, { kind: 'User', apiGroup: RBAC, name: 'hub-only' })
      await c.release('app', 1, [config('app', c.namespace, {})])
      await c.untilReady('app')
      const replicas = new ControllerReplicas(c.subject.hub.kubeconfig, c.namespace, 'quick')
      const run = (...args: readonly string[]) =>
        sit([...args, '-n', c.namespace, '--kubeconfig', 'kubeconfig'], { cwd: replicas.folder })
      try {
        expect(await run('get', 'modules', '--as', 'stranger')).toMatchObject({
          code: 3,
          err: expect.stringContaining('User "stranger" cannot list resource "modules"'),
        })
        // The cluster knows no such user: with it, the dry run would be refused.
        expect(await run('diff', 'app@c1', '--as', 'hub-only')).toMatchObject({ code: 0, err: '' })
      } finally {
        await replicas.stop()
      }
    },
  },
  ...RENEWALS.map((r) => renewal(r, { times: 5, ms: BETWEEN_MS, length: 'endless' })),
  {
    name: 'credentials: a kubeconfig that names another hub ends leader and standby',
    alone: true,
    patienceSeconds: PATIENCE_SECONDS,
    run: (c) =>
      withReplicas(c, c.subject.hub.kubeconfig, 'endless', async (replicas) => {
        const leader = await replicas.start()
        const standby = await replicas.start()
        const { url } = endpointOf(c)
        const other = url.replace('127.0.0.1', 'localhost')
        replicas.write('kubeconfig', kubeconfigWith(c, { token: 'none' }, { server: other }))
        for (const replica of [leader, standby]) {
          const { code, words } = await replica.ended
          expect(code).toBe(1)
          expect(words).toContain(`names ${other} now, ${url} before`)
          expect(words).toContain('E_HUB_MOVED')
        }
      }),
  },
  {
    name: 'credentials: a token that ends for good ends the leader, and after a minute the standby',
    isLong: true,
    alone: true,
    patienceSeconds: PATIENCE_SECONDS,
    async run(c) {
      const tokens = new Tokens(c)
      await tokens.begin()
      await withReplicas(c, kubeconfigWith(c, { tokenFile: 'token' }), 'quick', async (replicas) => {
        replicas.write('token', await tokens.next())
        const leader = await replicas.start()
        const standby = await replicas.start()
        await tokens.revoke()
        const [led, waited] = await Promise.all([leader.ended, standby.ended])
        expect([led.code, led.words]).toEqual([1, expect.stringContaining('E_LEADERSHIP_LOST')])
        expect([waited.code, waited.words]).toEqual([1, expect.stringContaining('E_LEASE_UNUSABLE')])
        expect(waited.words).toContain(`Lease ${SYSTEM_NAMESPACE}/${c.namespace}: 401 or 403 for 60s`)
      })
    },
  },
]
