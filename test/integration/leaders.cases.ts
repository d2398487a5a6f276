/** Two processes of controllers, of which one leads: it dies, stops, or stands still, and the other one takes over. */
import { expect } from 'vitest'
import { READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { configMapKind, leaseKind, namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import { LEASE_TIMES } from '../../packages/kube/src/leaderelection/candidate.ts'
import { startElection } from '../../packages/kube/src/leaderelection/election.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { defineKind, type Kind } from '../../packages/kube/src/object/kind.ts'
import { MANAGER, SYSTEM_NAMESPACE } from '../../packages/lockstep/src/api/labels.ts'
import { controllerRights } from '../../packages/lockstep/src/cli/kit/install/installmanifests.ts'
import { parseKubeconfig } from '../../packages/lockstep/src/fleet/kubeconfig/kubeconfigtarget.ts'
import { config, job } from './casemanifests.ts'
import { ControllerReplicas, type LeaseLength, type Replica } from './controllerreplicas.ts'
import { counted, writesOf } from './countedcluster.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'

/** A new process connects to every cluster that other cases have left. */
const PATIENCE_SECONDS = 300

/** The controllers of all the cases rest meanwhile. */
async function withTwo(
  c: Corner,
  length: LeaseLength,
  story: (leader: Replica, other: Replica) => Promise<void>,
): Promise<void> {
  c.controllers.kill()
  const replicas = new ControllerReplicas(c.subject.hub.kubeconfig, c.namespace, length)
  try {
    const leader = await replicas.start()
    await leader.said('leads')
    // With so short a Lease nothing can be sent to a Git host in time, and that is said.
    if (length === 'quick') await leader.said('the Lease is too short for promotions: no promotion starts')
    const other = await replicas.start()
    expect((await other.said('waits')).leader).toBe(leader.identity)
    await story(leader, other)
  } finally {
    await replicas.stop()
    c.controllers.start()
  }
}

const holder = async (c: Corner) =>
  value(await c.hub.get(leaseKind, { namespace: 'lockstep-system', name: c.namespace }, READ)).spec

/** ConfigMaps one after the other. */
const row = (c: Corner, version: number) =>
  Array.from({ length: 12 }, (_, i) => config(`c${i}`, c.namespace, { v: `${version}` }, i))

/** Before everything else. */
function hook(c: Corner) {
  const made = job('migrate', c.namespace, `migrate-${c.namespace}:v1`)
  return { ...made, metadata: { ...made.metadata, annotations: { 'argocd.argoproj.io/hook': 'PreSync' } } }
}

/** Waits for a takeover; the deep tier measures how long it takes. */
type Takeover = (elected: Promise<unknown>) => Promise<unknown>

const killed = (event: string, takeover: Takeover): FleetCase => ({
  name: `leaders: killed at "${event}", the other one goes on within the lease's duration, and nothing is made twice`,
  isLong: true,
  alone: true,
  patienceSeconds: PATIENCE_SECONDS,
  run: (c) =>
    withTwo(c, 'quick', async (leader, other) => {
      const recorder = await c.record()
      await c.release('app', 1, [hook(c), ...row(c, 1)])
      await recorder.until(event)
      leader.kill('SIGKILL')
      await takeover(other.said('leads'))
      expect(await holder(c)).toMatchObject({ holderIdentity: other.identity, leaseTransitions: 1 })
      await c.untilReady('app')
      recorder.expectOnce('created')
      recorder.expectNone('deleted')
    }),
})

/** Of the account that `install` makes, and with its rights only. */
function asController(c: Corner): KubeClient {
  const target = parseKubeconfig(c.subject.hub.kubeconfig, 'Person')
  if (!target.ok) throw new Error(target.error.message)
  const { endpoint } = target.value.source
  const headers = {
    ...endpoint.headers,
    'impersonate-user': 'system:serviceaccount:lockstep-system:lockstep-controller',
  }
  return createHttpClient(
    c.subject.env,
    'hub',
    c.subject.env.net.connect({ ...endpoint, headers }, 'operator'),
  )
}

async function install(c: Corner): Promise<void> {
  for (const o of controllerRights([]) as unknown as KubeObject[]) {
    const kind = RBAC_KINDS.find((k) => k.kind === o.kind)!
    value(await c.hub.apply(kind, o, { ...WRITE, precondition: 'any', force: true }))
  }
}

const ofRoles = (kind: string, plural: string, namespaced: boolean): Kind =>
  defineKind({ group: 'rbac.authorization.k8s.io', version: 'v1', kind, plural, namespaced })

const RBAC_KINDS: readonly Kind[] = [
  namespaceKind,
  defineKind({
    group: '',
    version: 'v1',
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    namespaced: true,
  }),
  ofRoles('ClusterRole', 'clusterroles', false),
  ofRoles('ClusterRoleBinding', 'clusterrolebindings', false),
  ofRoles('Role', 'roles', true),
  ofRoles('RoleBinding', 'rolebindings', true),
]

export const leaderCasesWith = (takeover: Takeover): readonly FleetCase[] => [
  {
    name: 'leaders: the rights of install are enough to lead and to stop, and for no Lease elsewhere',
    async run(c) {
      await install(c)
      const client = asController(c)
      const lease = { namespace: SYSTEM_NAMESPACE, name: c.namespace }
      const owner = { manager: MANAGER, ownNamespace: SYSTEM_NAMESPACE, identity: 'me' }
      const election = startElection(c.subject.env, client, { ...lease, ...owner, times: LEASE_TIMES })
      expect(await election.elected).toMatchObject({ generation: 0, isHeld: true })
      expect(await holder(c)).toMatchObject({ holderIdentity: 'me' })
      await election.stop()
      expect(await holder(c)).toMatchObject({ holderIdentity: '', leaseTransitions: 0 })
      const elsewhere = await client.get(leaseKind, { namespace: 'kube-system', name: c.namespace }, READ)
      expect(elsewhere).toMatchObject({ ok: false, error: { kind: 'Forbidden' } })
      await client.close()
    },
  },
  killed('created migrate', takeover),
  killed('created c4', takeover),
  {
    name: 'leaders: one that is asked to stop hands over at once',
    alone: true,
    patienceSeconds: PATIENCE_SECONDS,
    run: (c) =>
      withTwo(c, 'endless', async (leader, other) => {
        leader.kill('SIGTERM')
        expect((await leader.ended).code).toBe(0)
        expect((await holder(c))?.holderIdentity).not.toBe(leader.identity)
        // Whoever waited for the Lease to run out would not say it while it is waited for here.
        await other.said('leads')
        await c.release('app', 1, row(c, 1))
        await c.untilReady('app')
      }),
  },
  {
    name: 'leaders: one that is asked to stop among 150 objects ends with 0, and nothing is written twice',
    alone: true,
    patienceSeconds: PATIENCE_SECONDS,
    async run(c) {
      const proxy = await counted(c)
      const objects = Array.from({ length: 150 }, (_, i) =>
        config(`c${i}`, c.namespace, { v: '1' }, Math.floor(i / 10)),
      )
      await withTwo(c, 'endless', async (leader, other) => {
        const recorder = await c.record()
        await c.release('app', 1, objects)
        await recorder.until('created c70')
        leader.kill('SIGTERM')
        expect((await leader.ended).code).toBe(0)
        await other.said('leads')
        await c.untilReady('app')
        for (let i = 0; i < 150; i++) await recorder.until(`created c${i}`)
        recorder.expectOnce('created')
        recorder.expectNone('changed')
        recorder.expectNone('deleted')
        const once = Object.fromEntries(objects.map((o) => [`PATCH ${o.metadata.name}`, 1]))
        expect(writesOf(c, proxy)).toEqual(once)
      }).finally(() => proxy.close())
    },
  },
  {
    name: 'leaders: one that has stood still writes nothing more, says so and ends',
    isLong: true,
    alone: true,
    patienceSeconds: PATIENCE_SECONDS,
    run: (c) =>
      withTwo(c, 'quick', async (leader, other) => {
        await c.release('app', 1, row(c, 1))
        await c.untilReady('app')
        leader.kill('SIGSTOP')
        await other.said('leads')
        await c.release('app', 2, row(c, 2))
        await c.untilReady('app')
        leader.kill('SIGCONT')
        const { code, words } = await leader.ended
        expect([code, words]).toEqual([1, expect.stringContaining('lost leader election: Lease')])
        const data = value(await c.c1.list(configMapKind, { ...READ, namespace: c.namespace })).items
        expect(data.flatMap((o) => o.data?.v ?? [])).toEqual(Array.from({ length: 12 }, () => '2'))
        expect(await holder(c)).toMatchObject({ holderIdentity: other.identity, leaseTransitions: 1 })
      }),
  },
]

export const leaderCases = leaderCasesWith((elected) => elected)
