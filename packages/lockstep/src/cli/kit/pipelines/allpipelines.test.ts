import { describe, expect, it } from 'vitest'
import type { Lease } from '../../../../../kube/src/kinds/types.ts'
import type { KubeObject } from '../../../../../kube/src/object/index.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { type WeaveSnapshot, withWeave } from './allpipelines.ts'
import type { PipelineSnapshot } from './pipelinesnapshot.ts'
import { pipelineView } from './pipelineview.ts'
import { promotionTree } from './promotiontree.ts'

const NOW = Date.parse('2026-11-23T12:00:00Z')
const SEEN: PipelineSnapshot = { pipelines: [], promotions: [], holds: [], approvals: [], nowMs: NOW }
const LIVE = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'l', namespace: 'weave' },
  spec: { holderIdentity: 'pod-1', acquireTime: '2026-11-23T11:00:00.5Z', renewTime: '2026-11-23T11:59:59Z' },
} as Lease
const over = { ...LIVE, spec: { ...LIVE.spec, renewTime: '2026-11-23T11:59:00Z' } } as Lease

const theirs = (spec: object = {}, annotations: object = {}): KubeObject =>
  ({
    apiVersion: 'pipelines.weave.works/v1alpha1',
    kind: 'Pipeline',
    metadata: { name: 'podinfo', namespace: 'apps', uid: 'u1', annotations },
    spec: {
      appRef: { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', name: 'podinfo' },
      environments: [{ name: 'dev', targets: [{ namespace: 'dev' }] }],
      ...spec,
    },
  }) as never

const terminal = createTerminal(
  { color: false, unicode: true, live: false, wraps: false, width: 200 },
  { out: () => {}, err: () => {} },
)
function shown(weave: WeaveSnapshot, seen = SEEN) {
  const all = withWeave(seen, weave)
  const [pipeline] = all.pipelines
  if (!pipeline) return undefined
  const [environment] = pipeline.spec.environments
  return {
    status: pipelineView(terminal, all, pipeline).lines.join('\n'),
    why: promotionTree(all, pipeline, environment!).causes.map((c) => c.reason),
  }
}

describe('a Pipeline of weaveworks that has none of ours yet', () => {
  it('says whose Lease it waits for, and since when', () => {
    const { status, why } = shown({ pipelines: [theirs()], leases: [LIVE] })!
    expect(status).toContain('Pipeline apps/podinfo  HelmRelease/podinfo  not reconciled')
    expect(status).toContain(
      'PreviousControllerActive  Lease weave/l of pod-1 is held by the pipeline-controller of weaveworks; stop it, since 60m',
    )
    expect(why[0]).toBe('PreviousControllerActive')
  })

  it('is shown without that once nobody keeps it', () => {
    const { status } = shown({ pipelines: [theirs()], leases: [over] })!
    expect(status).not.toContain('PreviousControllerActive')
  })

  it('says what of it cannot be served, and what cannot be read', () => {
    const broken = theirs({ paused: true })
    const { status, why } = shown({ pipelines: [broken], leases: '403 forbidden' })!
    expect(status).toContain('spec.paused: unknown field')
    expect(status).toContain('leases cannot be listed on hub: 403 forbidden')
    expect(why).toEqual(['InvalidSpec', 'Forbidden', 'Pending'])
  })

  it('and that is to stay with its own controller is none of ours', () => {
    const given = theirs({}, { 'lockstep.dev/managed': 'false' })
    expect(shown({ pipelines: [given], leases: [LIVE] })).toBeUndefined()
  })
})

describe('one that has one of ours', () => {
  const ours = (ownerReferences: object[]) =>
    ({
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Pipeline',
      metadata: { name: 'podinfo', namespace: 'apps', ownerReferences },
      spec: theirs().spec,
      status: { blockers: [] },
    }) as never
  const owner = { apiVersion: 'pipelines.weave.works/v1alpha1', kind: 'Pipeline', name: 'podinfo', uid: 'u1' }

  it('rests while its own controller is back at work, and is there once', () => {
    const weave = { pipelines: [theirs()], leases: [LIVE] }
    const seen = { ...SEEN, pipelines: [ours([owner])] }
    expect(withWeave(seen, weave).pipelines).toHaveLength(1)
    expect(shown(weave, seen)!.why[0]).toBe('PreviousControllerActive')
  })

  it('that was imported is not: it belongs to nobody else', () => {
    const found = shown({ pipelines: [theirs()], leases: [LIVE] }, { ...SEEN, pipelines: [ours([])] })
    expect(found!.why).not.toContain('PreviousControllerActive')
  })
})
