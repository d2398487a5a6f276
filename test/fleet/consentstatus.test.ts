/** Holds and Approvals say what becomes of them. */
import { describe, expect, it } from 'vitest'
import { type KubeObject, timestamp } from '../../packages/kube/src/object/index.ts'
import type { Kind } from '../../packages/kube/src/object/kind.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import type { Condition } from '../../packages/lockstep/src/api/conditions.ts'
import { approvalKind } from '../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

const CLUSTERS = ['c0', 'c1', 'c2']
const STAGES = [
  { name: 'canary', clusters: ['c0'], approval: 'Required' },
  { name: 'rest', clusterSelector: {} },
]
const REF = { kind: 'Module', name: 'web' }

async function make(story: Story, kind: Kind, name: string, spec: object): Promise<void> {
  const metadata = { name, namespace: NAMESPACE }
  const body = { apiVersion: API_VERSION, kind: kind.kind, metadata, spec: { targetRef: REF, ...spec } }
  must(await story.during(story.fleet.hub.apply(kind, body as never, { ...USER, force: true })))
}

const hold = (story: Story, name: string, spec: object): Promise<void> =>
  make(story, holdKind, name, { reason: 'test', ...spec })
const approve = (story: Story, name: string, spec: object): Promise<void> =>
  make(story, approvalKind, name, { stage: 'canary', point: 'After', approvedBy: 'ann', ...spec })

interface Said extends KubeObject {
  readonly status?: {
    readonly units?: number
    readonly clusters?: string[]
    readonly conditions?: Condition[]
  }
}

/** `reason: message` of the one condition, as the hub has it. */
async function said(
  story: Story,
  kind: Kind,
  name: string,
): Promise<{ text: string; status: Said['status'] }> {
  const found = must(
    await story.during(story.fleet.hub.get(kind, { namespace: NAMESPACE, name }, USER)),
  ) as Said
  const condition = found.status?.conditions?.[0]
  return { text: `${condition?.reason}: ${condition?.message}`, status: found.status }
}

async function begun(name: string): Promise<Story> {
  const story = await Story.begin(name, CLUSTERS)
  for (const v of ['v1', 'v2', 'v3']) await story.config(v, configManifest('a', v))
  await story.module('web', 'v1', { rollout: { strategy: 'Replace' } })
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  return story
}

const writesOf = (story: Story, resource: string): number =>
  story.fleet.commits.filter((c) => c.cluster === 'hub' && c.resource.startsWith(resource)).length

describe('a Hold', () => {
  it('says on which clusters it acts, until it has ended; nothing is written meanwhile', async () => {
    const story = await begun('hold status')
    const until = timestamp(story.fleet.env.clock.now() + 600_000)
    await hold(story, 'h', { clusters: ['c2', 'c0', 'elsewhere'], until })
    await story.pass(5)
    const first = await said(story, holdKind, 'h')
    expect(first.text).toBe('Active: writes suspended on 2 clusters of the Module')
    expect(first.status).toMatchObject({ units: 2, clusters: ['c0', 'c2'], observedGeneration: 1 })
    const from = writesOf(story, 'holds')
    await story.pass(590)
    expect(writesOf(story, 'holds')).toBe(from)
    await story.pass(10)
    const last = await said(story, holdKind, 'h')
    expect(last.text).toBe('Expired: spec.until is in the past')
    expect([last.status?.units, last.status?.clusters, writesOf(story, 'holds')]).toEqual([
      0,
      undefined,
      from + 1,
    ])
  })

  it('that pins where another one does says so, and so does the other; one that pins nowhere, too', async () => {
    const story = await begun('pin status')
    const old = story.see('web').status!.currentRevision!
    await story.module('web', 'v2', { rollout: { strategy: 'Replace' } })
    expect(
      await story.until(() => story.isReady('web') && story.see('web').status?.currentRevision !== old),
    ).toBe(true)
    const now = story.see('web').status!.currentRevision!
    await hold(story, 'a', { action: 'Pin', revision: old, clusters: ['c0', 'c1'] })
    await story.pass(5)
    expect((await said(story, holdKind, 'a')).status).toMatchObject({ units: 2, clusters: ['c0', 'c1'] })
    await hold(story, 'b', { action: 'Pin', revision: now, clusters: ['c1'] })
    await hold(story, 'c', { action: 'Pin', revision: '0123456789', clusters: ['c2'] })
    await story.pass(5)
    expect((await said(story, holdKind, 'a')).text).toMatch(
      /^HoldConflict: Holds a and b pin different revisions on c1; the current revision stays$/,
    )
    expect((await said(story, holdKind, 'b')).text).toMatch(
      /^HoldConflict: Holds b and a pin different revisions on c1; the current revision stays$/,
    )
    expect((await said(story, holdKind, 'c')).text).toMatch(
      /^PinnedRevisionUnknown: Hold c pins revision 0123456789, which is not in the history/,
    )
    must(await story.during(story.fleet.hub.delete(holdKind, { namespace: NAMESPACE, name: 'b' }, USER)))
    await story.pass(5)
    expect((await said(story, holdKind, 'a')).text).toMatch(/^Active: /)
  })
})

describe('an Approval', () => {
  it('says for what it counts, that it was used, and for what it no longer counts', async () => {
    const story = await begun('approval status')
    await story.module('web', 'v2', { rollout: { strategy: 'Staged', stages: STAGES } })
    await story.pass(30)
    const revisionHash = story.see('web').status!.currentRevision!
    await approve(story, 'early', { revisionHash: 'v1:0123456789' })
    await approve(story, 'lost', { revisionHash, stage: 'canry' })
    await approve(story, 'idle', { revisionHash, stage: 'rest' })
    await story.pass(5)
    expect((await said(story, approvalKind, 'early')).text).toMatch(
      /^ApprovalForOtherRevision: stage canary: Approval early approves 0123456789, not /,
    )
    expect((await said(story, approvalKind, 'lost')).text).toBe(
      'StageUnknown: Module web has no stage canry: its stages are canary and rest',
    )
    expect((await said(story, approvalKind, 'idle')).text).toBe(
      'NotRequired: stage rest requires no approval to complete',
    )
    await approve(story, 'yes', { revisionHash: revisionHash.slice(3, 13) })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    await story.pass(5)
    const used = await said(story, approvalKind, 'yes')
    expect(used.text).toMatch(/^Used: stage canary completed with revision/)
    expect(used.status).toMatchObject({ revision: revisionHash })
    await story.module('web', 'v3', { rollout: { strategy: 'Staged', stages: STAGES } })
    await story.pass(30)
    expect((await said(story, approvalKind, 'yes')).text).toMatch(/^ApprovalForOtherRevision: /)
  })

  it('of a module that is not there says so, until it comes', async () => {
    const story = await Story.begin('approval without', CLUSTERS)
    await approve(story, 'yes', { revisionHash: 'v1:0123456789' })
    await story.pass(5)
    expect((await said(story, approvalKind, 'yes')).text).toBe(
      'TargetMissing: Module web not found in the namespace',
    )
    await story.config('v1', configManifest('a', 'v1'))
    await story.module('web', 'v1', { rollout: { strategy: 'Staged', stages: STAGES } })
    await story.pass(30)
    expect((await said(story, approvalKind, 'yes')).text).toMatch(/^ApprovalForOtherRevision: /)
  })
})
