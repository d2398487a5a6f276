/** Hooks on whatever serves the fleet: real Jobs, real TTLs, real finalizers. */
import { expect } from 'vitest'
import { ANY, READ, value } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { defineKind, type Stored } from '../../packages/kube/src/object/kind.ts'
import { type Inventory, inventoryKind } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import type { HookRecord } from '../../packages/lockstep/src/api/kinds/inventory/spec.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { RETRY_ANNOTATION, RETRY_HOOKS_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { inventoryName } from '../../packages/lockstep/src/deliver/plan/unitnames.ts'
import { config, job, jobKind } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'

const podKind = defineKind({ group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true })

const ARGO = 'argocd.argoproj.io/hook'

/** A Job that is a hook; nothing else in the cluster has its image. */
function hook(c: Corner, name: string, annotations: Record<string, string>, spec: object = {}) {
  const made = job(name, c.namespace, `${name}-${c.namespace}:v1`)
  return {
    ...made,
    metadata: { ...made.metadata, annotations },
    spec: { backoffLimit: 0, ...spec, ...made.spec },
  }
}

const hookPod = (c: Corner, name: string, phase: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: c.namespace, annotations: { [ARGO]: phase } },
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: `${name}:v1` }] },
})

const recordsOf = (i: Stored<Inventory>): string[] =>
  (i.spec.hooks ?? []).map((h: HookRecord) => `${h.phase} ${h.name} ${h.state} ${h.attempt}`)

const untilHook = (c: Corner, line: string) =>
  c.untilInventory('base', line, (i) => recordsOf(i).includes(line))

const jobs = async (c: Corner): Promise<string[]> =>
  value(await c.c1.list(jobKind, { ...READ, namespace: c.namespace })).items.map((o) => o.metadata.name)

export const hookCases: readonly FleetCase[] = [
  {
    name: 'hooks: PreSync ends before the first object is written, PostSync comes last, and its policy deletes it',
    async run(c) {
      const recorder = await c.record()
      await c.release('base', 1, [
        hook(c, 'before', { [ARGO]: 'PreSync' }),
        hookPod(c, 'pod', 'PreSync'),
        config('c', c.namespace, { v: '1' }),
        hook(c, 'after', { [ARGO]: 'PostSync', 'argocd.argoproj.io/hook-delete-policy': 'HookSucceeded' }),
      ])
      await c.untilReady('base')
      await untilHook(c, 'PostSync after Succeeded 1')
      await c.untilGone(c.c1, jobKind, 'after')
      await recorder.expectOrder('complete before', 'created c')
      await recorder.expectOrder('created c', 'created after')
      const before = value(await c.c1.get(jobKind, { namespace: c.namespace, name: 'before' }, READ))
      const pod = value(await c.c1.get(podKind, { namespace: c.namespace, name: 'pod' }, READ))
      for (const o of [before, pod]) expect(o.metadata.finalizers ?? []).not.toContain('lockstep.dev/hook')
    },
  },
  {
    name: 'hooks: a Job that its TTL takes away at once has its result seen',
    async run(c) {
      await c.release('base', 1, [
        hook(c, 'quick', { [ARGO]: 'PreSync' }, { ttlSecondsAfterFinished: 0 }),
        config('c', c.namespace, { v: '1' }),
      ])
      await c.untilReady('base')
      await untilHook(c, 'PreSync quick Succeeded 1')
      await c.untilGone(c.c1, jobKind, 'quick')
    },
  },
  {
    name: 'a plain Job that its TTL takes away is done: other content beside it does not run it again',
    async run(c) {
      const seed = { ...hook(c, 'seed', {}, { ttlSecondsAfterFinished: 0 }) }
      await c.release('base', 1, [seed, config('c', c.namespace, { v: '1' })])
      await c.untilReady('base')
      await c.untilGone(c.c1, jobKind, 'seed')
      await c.untilInventory('base', 'written down', (i) => (i.spec.objects ?? []).some((o) => o.ended))
      const recorder = await c.record()
      await c.release('base', 2, [seed, config('c', c.namespace, { v: '2' })])
      await c.untilReady('base')
      expect(await jobs(c)).toEqual([])
      recorder.expectNone('created seed')
    },
  },
  {
    name: 'hooks: one that fails: no object is written, SyncFail runs, the words of the Job; retry runs attempt 2',
    async run(c) {
      const { world } = c.subject.c1
      const failing = { namespace: c.namespace, image: 'migrate-', outcome: 'Fail' } as const
      world.fail(failing)
      await c.release('base', 1, [
        hook(c, 'migrate', { [ARGO]: 'PreSync' }),
        hook(c, 'tell', { [ARGO]: 'SyncFail' }),
        config('c', c.namespace, { v: '1' }),
      ])
      await untilHook(c, 'SyncFail tell Succeeded 1')
      const failed = await c.untilInventory('base', 'failed', (i) => i.status?.state === 'Failed')
      expect(failed.status?.blockers?.[0]?.message).toMatch(
        /^hook Job .*\/migrate \(PreSync, attempt 1 of 1\) failed: BackoffLimitExceeded: Job has reached the specified backoff limit/,
      )
      const there = await c.c1.get(configMapKind, { namespace: c.namespace, name: 'c' }, READ)
      expect(there.ok).toBe(false)
      world.heal(failing)
      await retry(c)
      await untilHook(c, 'PreSync migrate Succeeded 2')
      await c.untilReady('base')
      expect((await jobs(c)).sort()).toEqual(['migrate', 'tell'])
    },
  },
  {
    name: 'hooks: the same content again runs none; other content runs them again, in the place of the former ones',
    async run(c) {
      const objects = (v: string) => [hook(c, 'seed', { [ARGO]: 'PreSync' }), config('c', c.namespace, { v })]
      await c.release('base', 1, objects('1'))
      await c.untilReady('base')
      const first = value(await c.c1.get(jobKind, { namespace: c.namespace, name: 'seed' }, READ))
      await c.release('base', 2, objects('1'))
      await c.untilReady('base')
      const same = value(await c.c1.get(jobKind, { namespace: c.namespace, name: 'seed' }, READ))
      expect(same.metadata.uid).toBe(first.metadata.uid)
      await c.release('base', 3, objects('3'))
      await c.untilReady('base')
      const next = value(await c.c1.get(jobKind, { namespace: c.namespace, name: 'seed' }, READ))
      expect(next.metadata.uid).not.toBe(first.metadata.uid)
    },
  },
  {
    name: 'hooks: PreDelete before the objects of a unit that leaves, PostDelete after them; nothing is left',
    async run(c) {
      const recorder = await c.record()
      await c.release('base', 1, [
        hook(c, 'backup', { [ARGO]: 'PreDelete' }),
        config('c', c.namespace, { v: '1' }),
        hook(c, 'goodbye', { [ARGO]: 'PostDelete' }),
      ])
      await c.untilReady('base')
      await c.deleteModule('base')
      await c.untilGone(c.hub, moduleKind, 'base')
      expect(await jobs(c)).toEqual([])
      await recorder.expectOrder('complete backup', 'deleted c')
      await recorder.expectOrder('deleted c', 'created goodbye')
    },
  },
]

/** `lockstep rollout retry`. */
async function retry(c: Corner): Promise<void> {
  const ref = { kind: 'Module', namespace: c.namespace, name: 'base' } as const
  const ask = (annotation: string, v: string) => ({ metadata: { annotations: { [annotation]: v } } })
  const key = { namespace: c.namespace, name: inventoryName(ref, 'c1') }
  value(await c.hub.patch(inventoryKind, key, ask(RETRY_HOOKS_ANNOTATION, 'Failed'), ANY))
  value(await c.hub.patch(moduleKind, { ...key, name: 'base' }, ask(RETRY_ANNOTATION, 'now'), ANY))
}
