/** `lockstep why` as a process: the answer about a unit names its own cluster. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { value } from '../../packages/kube/src/client/client.cases.ts'
import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { lockstep } from '../e2e/lockstep.ts'
import { config } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'

const OTHER = { purpose: 'user', manager: 'other', precondition: 'any', force: true } as const

interface WhyReport {
  readonly state: string
  readonly cluster: string
  readonly rootCauses: readonly {
    readonly reason: string
    readonly text: string
    readonly cluster: string
    readonly advice?: string
  }[]
}

/** The report of `lockstep why UNIT -o json`, and its exit code. */
async function why(c: Corner, unit: string): Promise<WhyReport & { readonly code: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-why-'))
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(kubeconfig, c.subject.hub.kubeconfig, { mode: 0o600 })
  const args = ['why', unit, '-n', c.namespace, '-o', 'json', '--kubeconfig', kubeconfig]
  const ran = await lockstep(args)
  await rm(folder, { recursive: true })
  if (ran.out === '') throw new Error(`lockstep why ${unit}: ${ran.code}: ${ran.err}`)
  return { ...(JSON.parse(ran.out) as WhyReport), code: ran.code }
}

const put = async (client: KubeClient, namespace: string, name: string): Promise<void> => {
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { a: '1' } }
  value(await client.apply(configMapKind, map as never, OTHER))
}

export const whyCases: readonly FleetCase[] = [
  {
    name: 'why names the cluster that lacks an object, and no other one',
    async run(c) {
      await c.joinSecond()
      const object = { apiVersion: 'v1', kind: 'ConfigMap', name: 'database', namespace: c.namespace }
      const dependsOn = [{ id: 'database', object }]
      const targets = { clusters: ['c1', 'c2'] }
      await c.release('app', 1, [config('app', c.namespace, { v: '1' })], { dependsOn, targets })
      const text = (on: string): string => `waiting for ConfigMap ${c.namespace}/database on ${on}: not found`
      const both = `2 clusters (c1, c2)`
      await c.untilModule('app', 'waiting on both clusters', (m) =>
        (m.status?.blockers ?? []).some((b) => String(b.message) === text(both)),
      )
      for (const cluster of ['c1', 'c2']) {
        const found = await why(c, `app@${cluster}`)
        expect(found).toMatchObject({ code: 1, state: 'waits' })
        expect(found.rootCauses).toMatchObject([
          {
            reason: 'DependencyMissing',
            text: text(cluster),
            cluster,
            advice: expect.stringMatching(/^create ConfigMap/),
          },
        ])
      }
      await put(c.c1, c.namespace, 'database')
      await c.untilInventory('app', 'ready on c1', (i) => i.status?.state === 'Ready')
      expect(await why(c, 'app@c1')).toMatchObject({ code: 0, state: 'ready', rootCauses: [] })
      expect((await why(c, 'app@c2')).rootCauses).toMatchObject([{ text: text('c2') }])
    },
  },
  {
    name: 'why calls a pinned unit ready, and names the selector that matches no cluster',
    async run(c) {
      await c.release('app', 1, [config('app', c.namespace, { v: '1' })])
      const first = await c.untilReady('app')
      const hold = {
        apiVersion: 'lockstep.dev/v1alpha1',
        kind: 'Hold',
        metadata: { name: 'audit', namespace: c.namespace },
        spec: {
          targetRef: { kind: 'Module', name: 'app' },
          action: 'Pin',
          clusters: ['c1'],
          revision: first.status?.currentRevision,
          reason: 'audit',
        },
      }
      value(await c.hub.apply(holdKind, hold as never, OTHER))
      await c.release('app', 2, [config('app', c.namespace, { v: '2' })])
      await c.untilModule('app', 'pinned', ({ status }) => {
        return (
          status?.release === 'v2' && status.clusters?.pinned === 1 && status.rollout?.phase === 'Complete'
        )
      })
      expect(await why(c, 'app@c1')).toMatchObject({ code: 0, state: 'ready', rootCauses: [] })
      const nowhere = { clusterSelector: { matchLabels: { env: 'nowhere' } } }
      await c.release('none', 1, [config('none', c.namespace, {})], { targets: nowhere })
      await c.untilModule('none', 'without a cluster', ({ status }) =>
        (status?.blockers ?? []).some((b) => b.reason === 'SelectsNothing'),
      )
      const empty = {
        code: 1,
        rootCauses: [{ reason: 'SelectsNothing', advice: expect.stringMatching(/^correct spec\.targets/) }],
      }
      expect(await why(c, 'none@c1')).toMatchObject(empty)
      expect(await why(c, 'none')).toMatchObject({ ...empty, state: 'waits', cluster: '' })
      await c.release('none', 1, [config('none', c.namespace, {})], {
        targets: { ...nowhere, allowEmpty: true },
      })
      await c.untilReady('none')
      expect(await why(c, 'none')).toMatchObject({ code: 0, state: 'ready', cluster: '', rootCauses: [] })
    },
  },
]
