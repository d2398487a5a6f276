/** What recorded values become with waits in place of Jobs: the objects of the chart, but for what polls. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  canonicalJson,
  type JsonObject,
  type KubeObject,
  parseJson,
} from '../../../packages/kube/src/object/index.ts'
import { renderClusterGroup } from '../../../packages/lockstep/src/decisions/clustergroup/render/renderclustergroup.ts'
import {
  type ClusterGroupValuesFile,
  decodeValues,
} from '../../../packages/lockstep/src/decisions/clustergroup/values/layers.ts'
import { buildOrder } from '../../../packages/lockstep/src/decisions/order/buildorder.ts'
import type { WaitNode } from '../../../packages/lockstep/src/decisions/order/ordergraph.ts'
import { orderText } from '../../../packages/lockstep/src/decisions/order/ordersteps.ts'
import { canRun, sharedData } from '../../shareddata.ts'

const CASES = sharedData('corpus/clustergroup/cases')

function rendered(id: string, extraObjectWaits = true) {
  const names = readdirSync(join(CASES, id)).filter((f) => f.startsWith('values'))
  const files = names
    .sort((a, b) => a.length - b.length)
    .map((f) => decodeValues(f, readFileSync(join(CASES, id, f))))
  const made = renderClusterGroup({
    files: files as ClusterGroupValuesFile[],
    sequencing: 'Native',
    extraObjectWaits,
  })
  if (!made.ok) throw new Error(made.error.map((p) => p.text).join('\n'))
  const order = buildOrder(made.value.objects as unknown as KubeObject[])
  if (!order.ok) throw new Error(order.error.message)
  return { ...made.value, order: order.value }
}

const recorded = (id: string): JsonObject[] =>
  parseJson(readFileSync(join(CASES, id, 'expected.json'), 'utf8')) as unknown as JsonObject[]
const texts = (objects: readonly JsonObject[]): string[] => objects.map((o) => canonicalJson(o)).sort()
const others = (objects: readonly JsonObject[]): JsonObject[] =>
  objects.filter((o) => o.kind !== 'Job' && o.kind !== 'Wait')
const kinds = (objects: readonly JsonObject[], kind: string): unknown[] =>
  objects.filter((o) => o.kind === kind).map((o) => (o.metadata as JsonObject).name)
const waitsOf = (id: string): unknown[] =>
  rendered(id)
    .order.nodes.filter((n): n is WaitNode => n.type === 'wait')
    .map(({ called, target, place }) => `${place!.wave} ${called} ${target.name}`)

describe.runIf(canRun('waits of recorded values', CASES))('recorded values', () => {
  it('all have the objects of the chart besides', () => {
    const ids = readdirSync(CASES).filter((id) => existsSync(join(CASES, id, 'expected.json')))
    for (const id of ids) {
      const names = readdirSync(join(CASES, id)).filter((f) => f.startsWith('values'))
      const files = names
        .sort((a, b) => a.length - b.length)
        .map((f) => decodeValues(f, readFileSync(join(CASES, id, f))))
      const made = renderClusterGroup({ files: files as ClusterGroupValuesFile[], sequencing: 'Native' })
      expect(made.ok ? texts(others(made.value.objects)) : made.error, id).toEqual(
        texts(others(recorded(id))),
      )
    }
  })
  it('seed-sequencejob: a wait in place of the Job; the plan says what wave 10 waits for', () => {
    const { objects, order } = rendered('seed-sequencejob')
    expect(kinds(objects, 'Job')).toEqual([])
    const lines = orderText(order)
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /^\d\. wait for sc ocs-storagecluster-ceph-rbd \(Exists: sequenceJob of odf-operator\) after wave 0 /,
        ),
        expect.stringMatching(
          /^\d\. apply operators.coreos.com\/Subscription openshift-cnv\/kubevirt-hyperconverged after wave 5 Applied /,
        ),
      ]),
    )
    expect(
      order.needs
        .flat()
        .flatMap((e) => (e.why === 'wave 5' ? [`${order.nodes[e.from]!.type} ${e.ask}`] : [])),
    ).toEqual(expect.arrayContaining(['object Healthy', 'wait Exists']))
    expect(lines.filter((l) => l.includes('nothing waits'))).toEqual([])
  })
  it('seed-annotations: the plan says that nothing waits for the StorageClass', () =>
    expect(orderText(rendered('seed-annotations').order)).toContain(
      'wave 5 → 10: subscription odf-operator healthy; nothing waits for what it installs',
    ))
  it('seed-extraobjects: the Job that people wrote is the same wait, unless they keep it', () => {
    expect(waitsOf('seed-extraobjects')).toEqual(['5 sc ocs-storagecluster-ceph-rbd'])
    expect(kinds(rendered('seed-extraobjects', false).objects, 'Job')).toEqual(['wait-for-virt-storageclass'])
  })
  it('combo-cycle-of-waves: the order of the waves, and waits at -50 and 0', () => {
    expect(waitsOf('combo-cycle-of-waves').sort()).toEqual([
      '-50 crd n.example.com',
      '0 crd a.example.com',
      '0 crd b.example.com',
    ])
    const { nodes, sequence } = rendered('combo-cycle-of-waves').order
    const waves = sequence.flatMap((n) => {
      const node = nodes[n]!
      return node.type === 'object' ? [node.wave] : []
    })
    expect(waves).toEqual([...waves].sort((a, b) => a - b))
    expect([...new Set(waves)]).toEqual([-100, 0, 100_000])
  })
  it('seqjob-mixed-forms: what checks stays a hook before everything; what is disabled is nothing; an image is of no use', () => {
    const { objects, order, warnings } = rendered('seqjob-mixed-forms')
    expect(kinds(objects, 'Job')).toEqual(['cluster-check-sequencejob'])
    expect(kinds(objects, 'Wait')).toEqual(['kubevirt-hyperconverged-sequencejob'])
    const first = order.nodes[order.sequence.find((n) => order.nodes[n]!.type !== 'barrier')!]!
    expect(first).toMatchObject({ type: 'hook', phase: 'PreSync', wave: -1 })
    expect(warnings.filter((w) => w.includes('image'))).toHaveLength(1)
  })
  it('seqjob-on-disabled-sub: no wait, and a warning for each', () => {
    const { objects, warnings } = rendered('seqjob-on-disabled-sub')
    expect([...kinds(objects, 'Job'), ...kinds(objects, 'Wait')]).toEqual([])
    const dropped = warnings.filter((w) => /sequenceJob of disabled subscription \S+ dropped$/.test(w))
    expect(dropped).toHaveLength(kinds(recorded('seqjob-on-disabled-sub'), 'Job').length)
  })
})
