/** What is verified once it is there: by a Job, and by a metric of Prometheus. */
import { expect } from 'vitest'
import { READ, value } from '../../../packages/kube/src/client/client.cases.ts'
import type { KubeObject } from '../../../packages/kube/src/object/index.ts'
import { defineKind } from '../../../packages/kube/src/object/kind.ts'
import type { FleetCase } from '../fleet.cases.ts'
import { AUTO, type PromotionStage, withPlace } from './promotionstage.ts'

const NEXT = [2, '6.1.0'] as const
const NEWER = [3, '6.2.0'] as const
const jobKind = defineKind<KubeObject>({
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
})

const of = (name: string, work: (p: PromotionStage) => Promise<void>): FleetCase => ({
  name,
  patienceSeconds: 120,
  run: (c) => withPlace(c, work),
})

const verify = (check: object) => ({ soakSeconds: 0, timeoutSeconds: 110, checks: [check] })

const jobs = async ({ c }: PromotionStage) =>
  value(await c.hub.list(jobKind, { ...READ, namespace: c.namespace })).items.map((j) => j.metadata)

export const verifyCases: readonly FleetCase[] = [
  of(
    'verify: by a Job of its own, which fails: with what the Job says; the next one has its own',
    async (place) => {
      const { c } = place
      const { world } = c.subject.hub
      const pod = { restartPolicy: 'Never', containers: [{ name: 'main', image: `smoke-${c.namespace}:v1` }] }
      const template = { spec: { backoffLimit: 0, template: { spec: pod } } }
      await place.settled({ ...AUTO, verify: verify({ name: 'smoke', job: { template } }) })
      const failing = { namespace: c.namespace, image: 'smoke-', outcome: 'Fail' } as const
      world.fail(failing)
      await place.runs('dev', '6.1.0')
      await place.untilPhase(NEXT, 'Converging', 'Verifying')
      await place.deliver()
      const failed = await place.untilPhase(NEXT, 'Failed')
      expect(failed.status).toMatchObject({
        reason: 'VerificationFailed',
        endedIn: 'Verifying',
        message: expect.stringMatching(/^check smoke failed: Job \S+-smoke.*BackoffLimitExceeded/),
      })
      world.heal(failing)
      await place.runs('dev', '6.2.0')
      const done = await place.succeeds(NEWER)
      const own = (await jobs(place)).filter((j) => j.ownerReferences?.[0]?.uid === done.metadata.uid)
      expect(own.map((j) => j.name)).toEqual([`${done.metadata.name}-smoke`])
      place.once(done)
    },
  ),
  of(
    'verify: by a metric that gives no answer, then one that is not well: it is asked again',
    async (place) => {
      const { env } = place.c.subject
      const asked: string[] = []
      const listening = await env.net.listen({ host: '127.0.0.1', port: 0 }, async ({ url }) => {
        asked.push(url)
        const result = [{ metric: {}, value: [1, asked.length < 3 ? '0.5' : '0.001'] }]
        const body = JSON.stringify({ status: 'success', data: { resultType: 'vector', result } })
        return { status: asked.length === 1 ? 503 : 200, headers: {}, body }
      })
      if (!listening.ok) throw new Error(listening.error.detail)
      try {
        await Promise.all([place.runs('dev', '6.0.0'), place.runs('prod', '6.0.0')])
        const metric = { url: listening.value.url, query: 'errors', expr: 'value < 0.01' }
        await place.pipeline({ ...AUTO, verify: verify({ name: 'slo', metric }) })
        const of = [1, '6.0.0'] as const
        await place.until(of, 'asked', ({ status }) => /503/.test(status?.checks?.[0]?.message ?? ''))
        const saying = 'value < 0.01 does not hold of 0.5'
        await place.until(of, 'not well', ({ status }) => status?.checks?.[0]?.message === saying)
        await place.untilPhase(of, 'Succeeded')
        expect(asked).toEqual(Array(3).fill('/api/v1/query?query=errors'))
      } finally {
        await listening.value.close()
      }
    },
  ),
]
