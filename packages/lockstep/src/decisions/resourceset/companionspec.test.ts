import { describe, expect, it } from 'vitest'
import type { ClusterResourceSet } from '../../api/kinds/clusterresourceset/columns.ts'
import { SET } from '../../api/kinds/clusterresourceset/spec.ts'
import { moduleSpec } from '../../api/kinds/module/spec.ts'
import { companionName, companionSpec, setOf } from './companionspec.ts'
import { settingsOf } from './setsettings.ts'

const set = (annotations: Record<string, string> = {}, more: Partial<ClusterResourceSet['spec']> = {}) =>
  ({
    apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
    kind: 'ClusterResourceSet',
    metadata: { name: 'cni', namespace: 'platform', annotations },
    spec: {
      clusterSelector: { matchLabels: { cni: 'calico' } },
      resources: [
        { kind: 'ConfigMap', name: 'calico' },
        { kind: 'Secret', name: 'token' },
      ],
      strategy: 'Continuous',
      ...more,
    },
  }) as ClusterResourceSet

const specOf = (s: ClusterResourceSet) => moduleSpec.parse(companionSpec(s, settingsOf(s).settings!))

/** Whatever it was delivered by before, also by a Module that was made anew since. */
const ITSELF = [
  { kind: 'ClusterResourceSet', name: 'cni' },
  { kind: 'Module', name: 'crs-cni' },
]

describe('the name of the Module of a set', () => {
  it('is readable', () => expect(companionName('cni')).toBe('crs-cni'))

  it.each([['a.b'], ['a-b'.repeat(40)], ['x'.repeat(60)], ['ends.with-']])(
    'of %s is a label that no other set has',
    (name) => {
      const found = companionName(name)
      expect(found).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/)
      expect(found).not.toBe(companionName(`${name}.`))
      if (name.includes('.')) expect(found).not.toBe(companionName(name.replaceAll('.', '-')))
    },
  )
})

describe('the set of a Module', () => {
  const owner = {
    apiVersion: 'addons.cluster.x-k8s.io/v1beta1',
    kind: 'ClusterResourceSet',
    name: 'cni',
    uid: '1',
  }

  it('is its controller, in whatever version', () => {
    expect(setOf({ name: 'm', ownerReferences: [{ ...owner, controller: true }] })).toMatchObject({
      name: 'cni',
    })
  })

  it('is none where something else is', () => {
    expect(setOf({ name: 'm' })).toBeUndefined()
    expect(setOf({ name: 'm', ownerReferences: [owner] })).toBeUndefined()
    expect(
      setOf({ name: 'm', ownerReferences: [{ ...owner, apiVersion: 'other.dev/v1', controller: true }] }),
    ).toBeUndefined()
  })
})

describe('what the Module of a set is asked for', () => {
  it('is what the set asks for, and nothing is deleted that it does not ask to be', () => {
    expect(specOf(set())).toMatchObject({
      source: {
        resources: [
          { kind: 'ConfigMap', name: 'calico' },
          { kind: 'Secret', name: 'token' },
        ],
        ordering: 'Graph',
      },
      targets: { clusterSelector: { matchLabels: { cni: 'calico' } }, inventories: ['ClusterAPI'] },
      rollout: { maxUnavailable: '10%', maxUnreachable: '100%' },
      apply: {
        prune: false,
        deletionPolicy: 'Orphan',
        drift: 'Revert',
        driftInterval: '600s',
        adopt: 'Listed',
        takeOverFrom: ITSELF,
      },
      health: { timeoutSeconds: 600 },
      attempt: 0,
    })
  })

  it.each<[string, Record<string, string>, object]>([
    [
      'prunes',
      { [SET.prune]: 'true', [SET.allowEmpty]: 'true' },
      { apply: { prune: true, allowEmpty: true } },
    ],
    ['reports', { [SET.drift]: 'Report' }, { apply: { drift: 'Observe' } }],
    ['deletes with the set', { [SET.deletionPolicy]: 'Delete' }, { apply: { deletionPolicy: 'Delete' } }],
    ['in the order of the list', { [SET.ordering]: 'Listed' }, { source: { ordering: 'Listed' } }],
    ['looks as often', { [SET.interval]: '1m' }, { apply: { driftInterval: '60s' } }],
    ['waits as long', { [SET.healthTimeout]: '90s' }, { health: { timeoutSeconds: 90 } }],
    ['takes nothing', { [SET.existing]: 'Fail' }, { apply: { adopt: 'Never' } }],
    [
      'takes over from another set, whatever that one is delivered by',
      { [SET.takeOverFrom]: 'old' },
      {
        apply: {
          takeOverFrom: [
            ...ITSELF,
            { kind: 'Module', name: 'crs-old' },
            { kind: 'ClusterResourceSet', name: 'old' },
          ],
        },
      },
    ],
  ])('%s', (_, annotations, expected) => {
    expect(specOf(set(annotations))).toMatchObject(expected)
  })

  it('an empty selector selects nothing, as with Cluster API', () => {
    expect(specOf(set({}, { clusterSelector: {} })).targets).toEqual({ inventories: ['ClusterAPI'] })
  })

  it('another value of reapply is another attempt', () => {
    const attempts = ['1', '2', '2026-11-20T10:00:00Z'].map((v) => specOf(set({ [SET.reapply]: v })).attempt)
    expect(new Set([0, ...attempts]).size).toBe(4)
  })
})
