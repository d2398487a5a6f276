import { describe, expect, it } from 'vitest'
import type { ClusterResourceSet } from '../../api/kinds/clusterresourceset/columns.ts'
import { SET } from '../../api/kinds/clusterresourceset/spec.ts'
import { moduleSpec } from '../../api/kinds/module/spec.ts'
import { importModule } from './importmodule.ts'

const set = (name: string, annotations: Record<string, string> = {}) =>
  ({
    apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
    kind: 'ClusterResourceSet',
    metadata: { name, namespace: 'platform', annotations },
    spec: {
      clusterSelector: { matchLabels: { cni: 'calico' } },
      resources: [{ kind: 'ConfigMap', name: 'calico' }],
      strategy: 'ApplyOnce',
    },
  }) as ClusterResourceSet

const made = (s: ClusterResourceSet) => {
  const found = importModule(s)
  if (!found.ok) throw new Error(found.error.join())
  return found.value
}

describe('a Module for a set', () => {
  it('has its name, its sources and its clusters, and takes over what the set has delivered in any mode', () => {
    const { metadata, spec } = made(set('cni'))
    expect(metadata).toEqual({ name: 'cni', namespace: 'platform' })
    expect(moduleSpec.parse(spec)).toMatchObject({
      source: { resources: [{ kind: 'ConfigMap', name: 'calico' }] },
      targets: { clusterSelector: { matchLabels: { cni: 'calico' } } },
      apply: {
        prune: false,
        takeOverFrom: [
          { kind: 'ClusterResourceSet', name: 'cni' },
          { kind: 'Module', name: 'crs-cni' },
        ],
      },
    })
  })

  it('has a name that Modules can have', () => expect(made(set('a.b')).metadata.name).toMatch(/^crs-a-b-/))

  it('is not made where a setting is bad', () => {
    expect(importModule(set('cni', { [SET.interval]: '10' }))).toMatchObject({
      ok: false,
      error: [expect.stringContaining('lockstep.dev/interval: "10"')],
    })
  })
})
