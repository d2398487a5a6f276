/** A rolling update of two replicas, as a Deployment with surge 1 and unavailable 0 does it, and one that old definitions stop. */
import { expect } from 'vitest'
import { ANY, READ, value } from '../../packages/kube/src/client/client.cases.ts'
import {
  configMapKind,
  controllerRevisionKind,
  crdKind,
  eventKind,
  leaseKind,
} from '../../packages/kube/src/kinds/types.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { SCHEMA_ANNOTATION, SYSTEM_NAMESPACE } from '../../packages/lockstep/src/api/labels.ts'
import type { CountingProxy } from '../kube/countingproxy.ts'
import { TIER } from '../tier.ts'
import { config } from './casemanifests.ts'
import { ControllerReplicas, type Replica } from './controllerreplicas.ts'
import { counted, writesOf } from './countedcluster.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'
import { type ReadinessWatch, untilStatus, watchReadiness } from './healthprobes.ts'
import { installHub } from './installhub.ts'
import { record } from './recorder.ts'

const PATIENCE_SECONDS = 300
const PROBED = { args: ['--health-address', '127.0.0.1:0'] }
/** ConfigMaps of the Module, one after the other. */
const OBJECTS = 12
/** Milliseconds until a replica leads after the former leader began to stop. The short and full tiers run on busy machines. */
const MOST_TAKEOVER_MS = TIER === 'deep' || TIER === 'real' ? 3000 : undefined

const STAGED = {
  targets: { clusters: ['c1', 'c2'] },
  rollout: {
    strategy: 'Staged',
    stages: [
      { name: 'first', clusters: ['c1'] },
      { name: 'second', clusters: ['c2'] },
    ],
  },
}

const release = (c: Corner, version: number): Promise<void> =>
  c.release(
    'app',
    version,
    Array.from({ length: OBJECTS }, (_, i) => config(`c${i}`, c.namespace, { v: `${version}` }, i)),
    STAGED,
  )

/** Processes of this case alone; a Lease that ends by itself ends after the case. */
async function withReplicas(
  c: Corner,
  story: (replicas: ControllerReplicas) => Promise<void>,
): Promise<void> {
  c.controllers.kill()
  const replicas = new ControllerReplicas(c.subject.hub.kubeconfig, c.namespace, 'endless')
  try {
    await story(replicas)
  } finally {
    await replicas.stop()
    c.controllers.start()
  }
}

/** The leader, with complete caches. */
async function startLeader(replicas: ControllerReplicas): Promise<Replica> {
  const leader = await replicas.start(PROBED)
  await leader.said('leads')
  await leader.said('caches complete')
  return leader
}

/** A Pod of the new version: the next one of the old version ends only once it is ready. */
async function startReady(replicas: ControllerReplicas): Promise<{ pod: Replica; watch: ReadinessWatch }> {
  const pod = await replicas.start(PROBED)
  await untilStatus(pod, '/readyz', 200)
  return { pod, watch: watchReadiness(pod) }
}

async function end(pod: Replica): Promise<void> {
  pod.kill('SIGTERM')
  const { code, words } = await pod.ended
  expect([code, words]).toEqual([0, ''])
}

const hold = (c: Corner) => ({
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Hold',
  metadata: { name: 'second', namespace: c.namespace },
  spec: { targetRef: { kind: 'Module', name: 'app' }, clusters: ['c2'], reason: 'after the standby' },
})

/** Cluster c2 keeps its version until the Hold is deleted. */
async function holdSecond(c: Corner): Promise<void> {
  value(await c.hub.apply(holdKind, hold(c) as never, { ...ANY, force: true }))
  await c.until(c.hub, holdKind, 'second', 'active', (h) => h?.status?.clusters?.[0] === 'c2')
}

const releaseSecond = async (c: Corner): Promise<void> =>
  void value(await c.hub.delete(holdKind, { namespace: c.namespace, name: 'second' }, ANY))

const EACH_ONCE = Object.fromEntries(Array.from({ length: OBJECTS }, (_, i) => [`PATCH c${i}`, 1]))

const timeOf = async (pod: Replica, message: string): Promise<number> =>
  Date.parse(String((await pod.said(message)).time))

/** One revision for each release, in order. */
async function expectRevisions(c: Corner, releases: number): Promise<void> {
  const { items } = value(await c.hub.list(controllerRevisionKind, { ...READ, namespace: c.namespace }))
  expect(items.map((r) => r.revision).sort()).toEqual(Array.from({ length: releases }, (_, i) => i + 1))
}

/** No Event was written twice, under one name or under two. */
async function expectEventsOnce(c: Corner): Promise<void> {
  const { items } = value(await c.hub.list(eventKind, { ...READ, namespace: c.namespace }))
  const ours = items.filter((e) => e.reportingController === 'lockstep.dev/controller')
  const texts = ours.map(
    ({ regarding, reason, note }) => `${regarding?.kind} ${regarding?.name} ${reason}: ${note}`,
  )
  expect(ours.map((e) => e.reason)).toEqual(expect.arrayContaining(['Published', 'Complete']))
  expect(texts.filter((t, i) => texts.indexOf(t) !== i)).toEqual([])
  expect(ours.filter((e) => e.series !== undefined).map((e) => [e.reason, e.note, e.series])).toEqual([])
}

/** Two old replicas and, one after the other, two new ones. */
async function update(c: Corner, replicas: ControllerReplicas, proxies: readonly CountingProxy[]) {
  const oldLeader = await startLeader(replicas)
  const oldStandby = await replicas.start(PROBED)
  await release(c, 1)
  await c.untilReady('app')
  await holdSecond(c)
  const [onFirst, onSecond] = [
    await c.record(),
    await record(c.subject.c2.client, c.namespace, PATIENCE_SECONDS),
  ]
  const from = proxies.map((p) => p.answers.length)
  try {
    await release(c, 2)
    await onFirst.until('changed c4')
    const first = await startReady(replicas)
    await end(oldStandby)
    await onFirst.until(`changed c${OBJECTS - 1}`)
    const second = await startReady(replicas)
    await releaseSecond(c)
    await onSecond.until('changed c4')
    onSecond.expectNone(`changed c${OBJECTS - 1}`)
    await end(oldLeader)
    const leads = await Promise.race([first, second].map((s) => s.pod.said('leads').then(() => s)))
    await c.untilReady('app')
    await onSecond.until(`changed c${OBJECTS - 1}`)
    for (const recorder of [onFirst, onSecond]) {
      recorder.expectOnce('changed')
      recorder.expectNone('created')
      recorder.expectNone('deleted')
    }
    return { from, oldLeader, leads, standby: leads === first ? second : first }
  } finally {
    onSecond.stop()
  }
}

const rollingUpdate: FleetCase = {
  name: 'rolling update: two replicas are replaced within a staged rollout, and nothing is done twice',
  alone: true,
  isLong: true,
  patienceSeconds: PATIENCE_SECONDS,
  async run(c) {
    await c.joinSecond()
    const proxies = [await counted(c, 'c1'), await counted(c, 'c2')]
    try {
      await withReplicas(c, async (replicas) => {
        const { from, oldLeader, leads, standby } = await update(c, replicas, proxies)
        if (MOST_TAKEOVER_MS !== undefined) {
          const took = (await timeOf(leads.pod, 'leads')) - (await timeOf(oldLeader, 'controller stops'))
          expect(took).toBeLessThanOrEqual(MOST_TAKEOVER_MS)
        }
        for (const [i, proxy] of proxies.entries()) expect(writesOf(c, proxy, from[i]!)).toEqual(EACH_ONCE)
        await expectRevisions(c, 2)
        await leads.pod.said('caches complete')
        await untilStatus(leads.pod, '/readyz', 200)
        expect(await standby.watch.stop()).toEqual([])
        // Its first lists take a moment once it leads.
        const unready = (await leads.watch.stop()).flatMap((body) => body.match(/^\[-\].*$/gm) ?? [body])
        expect(unready.filter((line) => !line.startsWith('[-]caches failed'))).toEqual([])
        await expectEventsOnce(c)
      })
    } finally {
      for (const proxy of proxies) proxy.close()
    }
  },
}

const MODULES = 'modules.lockstep.dev'
const OUTDATED =
  /^\[-\]crds failed: modules\.lockstep\.dev is at 0, this version needs \d+; apply the CRDs of \S+$/m

const oldDefinitions: FleetCase = {
  name: 'rolling update: a replica that needs newer definitions is unready, and the old leader continues',
  alone: true,
  patienceSeconds: PATIENCE_SECONDS,
  run: (c) =>
    withReplicas(c, async (replicas) => {
      const leader = await startLeader(replicas)
      const older = { metadata: { annotations: { [SCHEMA_ANNOTATION]: '0' } } }
      value(await c.hub.patch(crdKind, { name: MODULES }, older, ANY))
      try {
        const pod = await replicas.start({ ...PROBED, until: 'crds failed' })
        await untilStatus(pod, '/readyz?verbose', 503, OUTDATED)
        await c.release('app', 1, [config('app', c.namespace, { v: '1' })])
        await c.untilReady('app')
        const data = value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'app' }, READ)).data
        expect(data).toEqual({ v: '1' })
        const key = { namespace: SYSTEM_NAMESPACE, name: c.namespace }
        const { spec } = value(await c.hub.get(leaseKind, key, READ))
        expect(spec).toMatchObject({ holderIdentity: leader.identity, leaseTransitions: 0 })
        await untilStatus(pod, '/readyz?verbose', 503, OUTDATED)
        await installHub(c.hub)
        await pod.said('crds ok')
        await pod.said('waits')
        await untilStatus(pod, '/readyz', 200)
        await end(leader)
        await pod.said('leads')
      } finally {
        await installHub(c.hub)
      }
    }),
}

export const rollingUpdateCases: readonly FleetCase[] = [rollingUpdate, oldDefinitions]
