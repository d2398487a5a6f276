/** What is read of environments, who tells about them, and pipelines of weaveworks. */
import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import { established, value } from '../../../packages/kube/src/client/client.cases.ts'
import { crdKind } from '../../../packages/kube/src/kinds/types.ts'
import { parseJson, timestamp } from '../../../packages/kube/src/object/index.ts'
import { pipelineKind } from '../../../packages/lockstep/src/api/kinds/pipeline/columns.ts'
import { promotionKind } from '../../../packages/lockstep/src/api/kinds/promotion/columns.ts'
import { promotionName } from '../../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import { weaveIdentity } from '../../../packages/lockstep/src/decisions/weave/weavepipeline.ts'
import { weavePipelineKind } from '../../../packages/lockstep/src/decisions/weave/weavepipelinekind.ts'
import { weaveBranch } from '../../../packages/lockstep/src/decisions/weave/weavepull.ts'
import { openWebhookServer } from '../../../packages/lockstep/src/gitproviders/events/webhookserver.ts'
import { openGate } from '../../kube/tcpgate.ts'
import { weaveDefinition } from '../../promote/weavedefinition.ts'
import type { FleetCase } from '../fleet.cases.ts'
import { ANY, AUTO, PIPELINE, type PromotionStage, REPOSITORY, withPlace } from './promotionstage.ts'

const NEXT = [2, '6.1.0'] as const

const of = (name: string, work: (p: PromotionStage) => Promise<void>): FleetCase => ({
  name,
  patienceSeconds: 150,
  run: (c) => withPlace(c, work),
})

export const sourceCases: readonly FleetCase[] = [
  of(
    'P7: one of two clusters is gone: it is named, nothing is done, and on its return it goes on',
    async (place) => {
      const { c } = place
      const c2 = await c.joinSecond()
      const server = serverOf(c.subject.c2.kubeconfig)
      const gate = await openGate(server)
      try {
        await c.cluster('c2', c.subject.c2.kubeconfig.replaceAll(server, gate.url))
        await place.runsOn(c2, '6.0.0')
        await place.settled(AUTO, { clusters: ['c1', 'c2'] })
        gate.shut()
        await place.untilEnvironment(
          'prod',
          'out of reach',
          (e) => e.blockers?.[0]?.reason === 'TargetUnreachable',
        )
        await place.runs('dev', '6.1.0')
        const waiting = await place.untilWaits(NEXT, 'TargetUnreachable')
        expect(waiting.status?.blockers?.[0]?.message).toContain('cluster c2')
        expect([place.changes(), await place.atBase()]).toEqual([[], '6.0.0'])
        gate.open()
        await place.untilPhase(NEXT, 'Converging')
        await Promise.all([place.runsOn(c2, '6.1.0'), place.deliver()])
        place.once(await place.untilPhase(NEXT, 'Succeeded'))
      } finally {
        await gate.close()
      }
    },
  ),
  of('P14: what its controller has not seen yet is not settled, and says so', async (place) => {
    await place.settled(AUTO)
    await place.runs('dev', '6.1.0', { generation: 0 })
    const dev = await place.untilEnvironment(
      'dev',
      'not ready',
      (e) => e.blockers?.[0]?.reason === 'TargetNotReady',
    )
    expect(dev.blockers?.[0]?.message).toContain('is not reconciled yet: generation 0 of')
    expect(await place.promotions()).toHaveLength(1)
    await place.runs('dev', '6.1.0')
    place.once(await place.succeeds(NEXT))
  }),
  of('P17: events over HTTP are believed only where they are signed, and only wake', async (place) => {
    await place.secret('hook', { 'hmac-key': 'key-1' })
    await place.settled({}, { spec: { webhook: { secretRef: { name: 'hook' } } } })
    await withHook(place, async (send) => {
      const { namespace } = place.c
      expect([
        await send('key-1'),
        await send('key-2'),
        await send('key-1', { agoMs: 360_000 }),
        await send('key-1', { severity: 'error' }),
        await send('key-1', { path: `/promotion/${namespace}/none/dev` }),
        await send('key-1', { path: `/approval/${namespace}/${PIPELINE}/dev/1` }),
      ]).toEqual([202, 401, 422, 422, 401, 410])
      await place.quiet(2)
      expect((await place.promotions()).map((p) => p.spec.revision)).toEqual(['6.0.0'])
      await place.runs('dev', '6.1.0')
      await place.untilPhase(NEXT, 'Open')
    })
  }),
  of(
    'revisionsFrom: TargetsAndEvents: where the hub cannot reach, a signed event counts as a read of its target',
    async (place) => {
      const { c } = place
      const c2 = await c.joinSecond()
      const server = serverOf(c.subject.c2.kubeconfig)
      const gate = await openGate(server)
      try {
        await c.cluster('c2', c.subject.c2.kubeconfig.replaceAll(server, gate.url))
        await place.secret('hook', { 'hmac-key': 'key-1' })
        await place.runsOn(c2, '6.0.0')
        const spec = { revisionsFrom: 'TargetsAndEvents', webhook: { secretRef: { name: 'hook' } } }
        await place.settled(AUTO, { clusters: ['c2'], spec })
        await place.runs('dev', '6.1.0')
        await place.untilPhase(NEXT, 'Converging')
        gate.shut()
        await place.untilWaits(NEXT, 'TargetUnreachable')
        await withHook(place, async (send) => {
          expect(
            await send('key-1', { path: `/promotion/${c.namespace}/${PIPELINE}/prod`, revision: '6.1.0' }),
          ).toBe(202)
          place.once(await place.untilPhase(NEXT, 'Succeeded'))
        })
      } finally {
        await gate.close()
      }
    },
  ),
  of(
    'CausedByPromotion: what a promotion has put into the repository of its source is promoted no further',
    async (place) => {
      const head = async () => `main@sha1:${(await place.store.branches()).get('main')}`
      const first = await head()
      await Promise.all([place.runs('dev', first), place.runs('prod', '6.0.0')])
      await place.pipeline(AUTO)
      place.once(await place.succeeds([1, first]))
      await place.runs('dev', await head())
      await place.untilEnvironment('prod', 'told', (e) => e.blockers?.[0]?.reason === 'CausedByPromotion')
      await place.quiet(3)
      expect(await place.promotions()).toHaveLength(1)
      await place.repository.push('main', { 'note.md': 'x' }, 'theirs')
      const theirs = await head()
      await place.runs('dev', theirs)
      place.once(await place.succeeds([2, theirs]))
    },
  ),
  of(
    'P19: a Pipeline of weaveworks with its marker is promoted by levels, and told so in its words',
    async (place) => {
      const { c, url } = place
      value(await c.hub.apply(crdKind, weaveDefinition as never, ANY))
      await established(c.hub, weaveDefinition.metadata.name)
      await Promise.all([place.runs('dev', '6.0.0'), place.runs('prod', '6.0.0')])
      const strategy = {
        'pull-request': {
          type: 'github',
          baseBranch: 'main',
          url: `${url}/${REPOSITORY}`,
          secretRef: { name: 'git' },
        },
      }
      const body = {
        apiVersion: 'pipelines.weave.works/v1alpha1',
        kind: 'Pipeline',
        metadata: {
          name: PIPELINE,
          namespace: c.namespace,
          annotations: { 'lockstep.dev/managed': 'true' },
        },
        spec: {
          appRef: { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', name: 'podinfo' },
          environments: [
            { name: 'dev', targets: [{ namespace: c.namespace }] },
            {
              name: 'prod',
              targets: [
                {
                  namespace: c.namespace,
                  clusterRef: {
                    apiVersion: 'gitops.weave.works/v1alpha1',
                    kind: 'GitopsCluster',
                    name: 'c1',
                  },
                },
              ],
            },
          ],
          promotion: { strategy },
        },
      }
      value(await c.hub.apply(weavePipelineKind, body as never, ANY))
      const status = (p: unknown) => (p as { status?: WeaveStatus } | undefined)?.status
      await c.until(
        c.hub,
        weavePipelineKind,
        PIPELINE,
        'ready',
        (p) => status(p)?.conditions?.some((x) => x.type === 'Ready' && x.status === 'True') === true,
      )
      await place.runs('dev', '6.1.0')
      const said = await c.until(
        c.hub,
        weavePipelineKind,
        PIPELINE,
        'with a pull request',
        (p) => status(p)?.environments?.prod?.promotion?.pullRequest !== undefined,
      )
      expect(status(said)?.environments?.prod?.promotion).toMatchObject({
        revision: '6.1.0',
        succeeded: true,
        pullRequest: { state: 'open' },
      })
      expect(place.pulls()).toEqual(['#1 open 6.1.0'])
    },
  ),
  of(
    'P19: what its controller has left open is followed; a pipeline that is deleted closes what is open',
    async (place) => {
      const { c, repository } = place
      const identity = weaveIdentity(c.namespace, PIPELINE)
      const open = (epoch: number, revision: string) => {
        const name = promotionName({ identity, environment: 'prod', epoch, revision })
        return c.until(c.hub, promotionKind, name, 'open', (p) => p?.status?.phase === 'Open')
      }
      await place.settled({}, { spec: { identity, deletionPolicy: 'Close' } })
      const head = weaveBranch({ namespace: c.namespace, pipeline: PIPELINE, environment: 'prod' })
      await repository.push(head, { 'apps/prod.yaml': place.file('6.1.0') }, 'promoting version')
      const body = `<details>\n${c.namespace}/${PIPELINE}/prod\n</details>`
      await repository.open({ head, base: 'main', title: 'Promote', body })
      await place.runs('dev', '6.1.0')
      expect((await open(2, '6.1.0')).status).toMatchObject({
        intent: { adopts: 1, branch: head },
        result: { pullRequest: { number: 1, state: 'open' } },
      })
      await place.runs('dev', '6.2.0')
      const { metadata, status } = await open(3, '6.2.0')
      expect(status?.result?.pullRequest?.number).toBe(2)
      value(await c.hub.delete(pipelineKind, { namespace: c.namespace, name: PIPELINE }, ANY))
      await c.untilGone(c.hub, promotionKind, metadata.name)
      await c.untilGone(c.hub, pipelineKind, PIPELINE)
      expect(repository.pulls.list().map((p) => p.state)).toEqual(['closed', 'closed'])
      expect(await place.branches()).toEqual(['main', head].sort())
    },
  ),
]

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly server: string } }[]
}

const serverOf = (kubeconfig: string): string =>
  (parseJson(kubeconfig) as never as Kubeconfig).clusters[0]!.cluster.server

/** Sends an event of the release in the namespace of the case, and says how it was answered. */
type Send = (
  key: string,
  o?: {
    readonly agoMs?: number
    readonly severity?: string
    readonly path?: string
    readonly revision?: string
  },
) => Promise<number>

/** The endpoint of the controllers of all the cases, over HTTP. */
async function withHook({ c }: PromotionStage, work: (send: Send) => Promise<void>): Promise<void> {
  const { env } = c.subject
  const hook = openWebhookServer(env, { trusted: [], desk: () => c.controllers.eventDesk })
  const listening = await env.net.listen({ host: '127.0.0.1', port: 0 }, hook)
  if (!listening.ok) throw new Error(listening.error.detail)
  const send: Send = async (key, o = {}) => {
    const body = JSON.stringify({
      involvedObject: {
        apiVersion: 'helm.toolkit.fluxcd.io/v2',
        kind: 'HelmRelease',
        name: 'podinfo',
        namespace: c.namespace,
      },
      severity: o.severity ?? 'info',
      reason: 'UpgradeSucceeded',
      message: 'upgraded',
      timestamp: timestamp(env.clock.now() - (o.agoMs ?? 0)),
      metadata: { revision: o.revision ?? '9.9.9' },
    })
    const signature = createHmac('sha256', key).update(body).digest('hex')
    const headers = { 'content-type': 'application/json', 'x-signature': `sha256=${signature}` }
    const path = o.path ?? `/promotion/${c.namespace}/${PIPELINE}/dev`
    const answer = await fetch(`${listening.value.url}${path}`, { method: 'POST', headers, body })
    await answer.arrayBuffer()
    return answer.status
  }
  try {
    await work(send)
  } finally {
    await listening.value.close()
  }
}

interface WeaveStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  readonly environments?: Readonly<Record<string, { readonly promotion?: { readonly pullRequest?: object } }>>
}
