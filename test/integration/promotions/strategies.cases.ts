/** How a revision gets into its environment, and what of a file that changes. */
import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import { READ, value } from '../../../packages/kube/src/client/client.cases.ts'
import type { KubeObject } from '../../../packages/kube/src/object/index.ts'
import { type Module, moduleKind } from '../../../packages/lockstep/src/api/kinds/module/columns.ts'
import { keyOfPromotion } from '../../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import { keyInBody } from '../../../packages/lockstep/src/decisions/promotion/trailers.ts'
import type { FleetCase } from '../fleet.cases.ts'
import type { Corner } from '../fleetsubject.ts'
import { PUSH } from './once.cases.ts'
import { ANY, AUTO, type PromotionStage, withPlace } from './promotionstage.ts'

const NEXT = [2, '6.1.0'] as const
const NEWER = [3, '6.2.0'] as const

const of = (name: string, work: (p: PromotionStage) => Promise<void>): FleetCase => ({
  name,
  patienceSeconds: 120,
  run: (c) => withPlace(c, work),
})

/** Comments, an anchor, line ends and a mark of another system: none of it may change. */
const FOREIGN = (place: PromotionStage): string =>
  [
    '\uFEFF# What runs in prod',
    'spec:',
    `  version: "6.0.0"   # {"$promotion": "${place.c.namespace}:podinfo:prod"}`,
    '  on: yes # as it is',
    'more: &all { a: 1 ,b: [2,3] }',
    'again: *all',
    '',
  ].join('\r\n')

export const strategyCases: readonly FleetCase[] = [
  of('P15: by push, with a lost answer: one commit on the base', async (place) => {
    await place.settled({ strategy: 'push', push: place.push, retryPolicy: { initial: '500ms' } })
    place.host.faults.add({ ...PUSH, nth: 1 }, { kind: 'lose' })
    await place.runs('dev', '6.1.0')
    place.once(await place.succeeds(NEXT), 0)
    expect(await place.branches()).toEqual(['main'])
  }),
  of('P15: by notification: until it is taken, always with one id, signed', async (place) => {
    const { env } = place.c.subject
    const got: { id: string; signature: string; body: string }[] = []
    const listening = await env.net.listen({ host: '127.0.0.1', port: 0 }, async (r) => {
      const read = await r.body(1_000_000)
      if (!read.ok) throw new Error(read.error)
      const body = new TextDecoder().decode(read.value)
      got.push({ id: r.headers['ce-id'] ?? '', signature: r.headers['x-signature'] ?? '', body })
      return { status: got.length < 3 ? 503 : 202, headers: {}, body: '' }
    })
    if (!listening.ok) throw new Error(listening.error.detail)
    try {
      await place.secret('hook', { 'hmac-key': 'key-1' })
      await Promise.all([place.runs('dev', '6.1.0'), place.runs('prod', '6.0.0')])
      const notification = { url: `${listening.value.url}/in`, secretRef: { name: 'hook' } }
      await place.pipeline({ strategy: 'notification', notification, retryPolicy: { initial: '500ms' } })
      const sent = await place.untilPhase([1, '6.1.0'], 'Converging')
      const key = keyOfPromotion(sent.spec)
      expect(got.map((g) => g.id)).toEqual([key, key, key])
      const { body, signature } = got[0]!
      expect(signature).toBe(`sha256=${createHmac('sha256', 'key-1').update(body).digest('hex')}`)
      await place.runs('prod', '6.1.0')
      await place.untilPhase([1, '6.1.0'], 'Succeeded')
    } finally {
      await listening.value.close()
    }
  }),
  {
    name: 'P15: by module: its version and nothing else; a field of somebody else ends it, and leaves it as it was',
    patienceSeconds: 120,
    run: async (c) => {
      const place = { c, git: { url: 'https://git.invalid/o/app', ref: { tag: 'v1.0.0' } } }
      await applied(c, { source: { git: place.git } }, 'flux')
      const modules = { apiVersion: 'lockstep.dev/v1alpha1', kind: 'Module', name: 'podinfo' }
      await withPlace(c, async (p) => {
        await p.pipeline(
          {},
          {
            spec: {
              appRef: modules,
              environments: [
                { name: 'dev', targets: [{ namespace: `${c.namespace}-none` }] },
                {
                  name: 'prod',
                  targets: [{ namespace: c.namespace }],
                  promotion: { strategy: 'module' },
                },
              ],
            },
          },
        )
        await p.ask('r1=v2.0.0')
        const failed = await p.untilPhase([1, 'v2.0.0'], 'Failed')
        expect(failed.status).toMatchObject({
          reason: 'FieldOwned',
          message: `Module ${c.namespace}/podinfo: spec.source.git.ref.tag managed by flux; change it in Git or use pull-request`,
        })
        expect((await seen(c)).spec.source.git?.ref).toEqual({ tag: 'v1.0.0' })
        // The tag is shared, and then left out by whoever had it.
        const tag = { source: { git: { ref: { tag: 'v1.0.0' } } } }
        await applied(c, tag, 'lockstep-promotion')
        await applied(c, { source: { git: { url: place.git.url } } }, 'flux')
        const before = await seen(c)
        await p.ask('r2=v2.0.0')
        const written = await p.untilPhase([2, 'v2.0.0'], 'Converging')
        const after = await seen(c)
        expect(after.spec).toEqual({
          ...before.spec,
          source: { ...before.spec.source, git: { ...before.spec.source.git, ref: { tag: 'v2.0.0' } } },
        })
        expect(after.metadata.annotations).toMatchObject({
          'lockstep.dev/promotion': keyOfPromotion(written.spec),
        })
      })
    },
  },
  of(
    'by hand: people are waited for, nobody outside is asked, and it counts once all targets have it',
    async (place) => {
      await place.settled({ strategy: 'manual' })
      await place.runs('dev', '6.1.0')
      const waiting = await place.untilWaits(NEXT, 'AwaitingManualPromotion')
      expect(waiting.status?.phase).toBe('Converging')
      await place.runs('prod', '6.1.0')
      await place.untilPhase(NEXT, 'Succeeded')
      expect(place.host.requests).toEqual([])
    },
  ),
  of(
    'onNewer Update: the newer revision goes on with the branch and the pull request of the older',
    async (place) => {
      await place.settled({ onNewer: 'Update' })
      await place.runs('dev', '6.1.0')
      const { status: open } = await place.untilPhase(NEXT, 'Open')
      await place.runs('dev', '6.2.0')
      const { status, metadata, spec } = await place.untilPhase(NEWER, 'Open')
      expect(status).toMatchObject({
        intent: { branch: open!.intent!.branch },
        result: { pullRequest: { number: 1 } },
      })
      const old = await place.untilPhase(NEXT, 'Superseded')
      expect(old.status?.result).toMatchObject({ transferredTo: metadata.name })
      expect(place.pulls()).toEqual(['#1 open 6.2.0'])
      expect(keyInBody(place.repository.pulls.get(1)!.body)).toBe(keyOfPromotion(spec))
      await place.repository.merge(1, { method: 'squash', by: 'person' })
      await place.succeeds(NEWER)
      expect(place.pulls()).toEqual(['#1 merged 6.2.0'])
    },
  ),
  of('P16: of a file with comments, anchors, a BOM and CRLF one scalar changes', async (place) => {
    const before = FOREIGN(place)
    await place.repository.push('main', { 'apps/prod.yaml': before }, 'As another editor writes it')
    await place.settled(AUTO)
    await place.runs('dev', '6.1.0')
    place.once(await place.succeeds(NEXT))
    const bytes = (text: string) => [...new TextEncoder().encode(text)]
    const entry = await place.bytesAt('main', 'apps/prod.yaml')
    expect([...entry]).toEqual(bytes(before.replace('6.0.0', '6.1.0')))
  }),
  of(
    'P16: what cannot be changed for certain is refused with its place, and nothing is committed',
    async (place) => {
      await place.settled(AUTO)
      // The marker stands behind the alias now.
      const marked = (await place.textAt()).replace('"6.0.0"', '&v "6.0.0"\n  again: *v')
      await place.repository.push('main', { 'apps/prod.yaml': marked }, 'An alias is marked')
      const head = (await place.store.branches()).get('main')
      await place.runs('dev', '6.1.0')
      const failed = await place.untilPhase(NEXT, 'Failed')
      expect(failed.status?.message).toMatch(/apps\/prod\.yaml:4:\d+/)
      expect((await place.store.branches()).get('main')).toBe(head)
      expect(await place.branches()).toEqual(['main'])
    },
  ),
]

async function applied(c: Corner, spec: object, manager: string): Promise<void> {
  const body = {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Module',
    metadata: { name: 'podinfo', namespace: c.namespace },
    spec,
  } as unknown as KubeObject
  value(await c.hub.apply(moduleKind, body, { ...ANY, manager }))
}

const seen = (c: Corner): Promise<Module> =>
  c.hub.get(moduleKind, { namespace: c.namespace, name: 'podinfo' }, READ).then((m) => value(m) as Module)
