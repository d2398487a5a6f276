import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import type { ClusterResourceSetBinding } from '../../api/kinds/clusterresourceset/columns.ts'
import type { BindingResource } from '../../api/kinds/clusterresourceset/spec.ts'
import {
  bindingEntryOf,
  bindingResourceOf,
  hasNoEntries,
  withBindingEntry,
  withoutBindingEntry,
} from './bindingentry.ts'

const apiVersion = 'addons.cluster.x-k8s.io/v1beta2'
const set = (name: string) => ({ apiVersion, name, uid: `uid-${name}` })
const place = { namespace: 'default', cluster: 'c1' }
const a: BindingResource = {
  kind: 'ConfigMap',
  name: 'a',
  hash: 'sha256:aa',
  lastAppliedTime: '2026-01-01T00:00:00Z',
  applied: true,
}
const b: BindingResource = { kind: 'Secret', name: 'b', applied: false }
const owner = (name: string) => ({ ...set(name), kind: 'ClusterResourceSet' })

const first = withBindingEntry(undefined, place, set('crs1'), [a, b])

describe('the first entry of a cluster', () => {
  it('makes its binding: named as the cluster, owned by the set, which is not its controller', () => {
    expect(first).toEqual({
      apiVersion,
      kind: 'ClusterResourceSetBinding',
      metadata: { name: 'c1', namespace: 'default', ownerReferences: [owner('crs1')] },
      spec: { bindings: [{ clusterResourceSetName: 'crs1', resources: [a, b] }], clusterName: 'c1' },
    })
  })

  it('has nothing that is empty', () => {
    const { spec } = withBindingEntry(undefined, place, set('crs1'), [
      { ...b, hash: '', lastAppliedTime: undefined },
    ])
    expect(spec.bindings?.[0]?.resources?.map((r) => Object.keys(r))).toEqual([['kind', 'name', 'applied']])
    expect(withBindingEntry(undefined, place, set('crs1'), []).spec.bindings).toEqual([
      { clusterResourceSetName: 'crs1' },
    ])
  })
})

describe('an entry', () => {
  it('that is there already changes nothing: the very same object', () => {
    expect(withBindingEntry(first, place, set('crs1'), [b, a])).toBe(first)
  })

  it('comes behind those of other sets, and leaves them as they are', () => {
    const both = withBindingEntry(first, place, set('crs2'), [b])
    expect(both.spec.bindings).toEqual([
      ...first.spec.bindings!,
      { clusterResourceSetName: 'crs2', resources: [b] },
    ])
    expect(both.metadata.ownerReferences).toEqual([owner('crs1'), owner('crs2')])
    const changed = withBindingEntry(both, place, set('crs1'), [a])
    expect(changed.spec.bindings?.map((e) => e.clusterResourceSetName)).toEqual(['crs1', 'crs2'])
    expect(changed.spec.bindings?.[1]).toBe(both.spec.bindings?.[1])
  })

  it('keeps its sources in their places; new ones come last, those that are not given go', () => {
    const c = { ...a, name: 'c' }
    const changed = withBindingEntry(first, place, set('crs1'), [c, { ...b, applied: true }, a])
    expect(bindingEntryOf(changed, 'crs1')?.resources?.map((r) => r.name)).toEqual(['a', 'b', 'c'])
    expect(bindingResourceOf(bindingEntryOf(changed, 'crs1'), b)).toEqual({ ...b, applied: true })
    expect(bindingEntryOf(withBindingEntry(changed, place, set('crs1'), [c]), 'crs1')?.resources).toEqual([c])
  })

  it('is known by kind and name', () => {
    expect(bindingResourceOf(bindingEntryOf(first, 'crs1'), { kind: 'Secret', name: 'a' })).toBeUndefined()
    expect(bindingEntryOf(first, 'crs2')).toBeUndefined()
    expect(bindingResourceOf(undefined, a)).toBeUndefined()
  })

  it('has its owner again where somebody took it, and the name of the cluster where there was none', () => {
    const old = { ...first, metadata: { name: 'c1' }, spec: { bindings: first.spec.bindings } }
    const changed = withBindingEntry(old, place, set('crs1'), [a, b])
    expect(changed.metadata.ownerReferences).toEqual([owner('crs1')])
    expect(changed.spec.clusterName).toBe('c1')
    expect(changed.spec.bindings).toBe(old.spec.bindings)
    const nameless = { ...first, spec: { bindings: first.spec.bindings, clusterName: '' } }
    expect(withBindingEntry(nameless, place, set('crs1'), [a, b])).toEqual(first)
  })
})

describe('without its entry', () => {
  it('a binding keeps those of others', () => {
    const both = withBindingEntry(first, place, set('crs2'), [b])
    const left = withoutBindingEntry(both, 'crs1')
    expect(left.spec.bindings).toEqual([{ clusterResourceSetName: 'crs2', resources: [b] }])
    expect(left.metadata.ownerReferences).toEqual([owner('crs2')])
    expect(hasNoEntries(left)).toBe(false)
  })

  it('the last one makes it empty', () => {
    expect(hasNoEntries(first)).toBe(false)
    expect(hasNoEntries(withoutBindingEntry(first, 'crs1'))).toBe(true)
    expect(hasNoEntries({ ...first, spec: {} })).toBe(true)
  })

  it('nothing changes where there was none', () => {
    expect(withoutBindingEntry(first, 'crs2')).toBe(first)
  })
})

it('sets that come and go', () => {
  const resource = fc.record({
    kind: fc.constantFrom('ConfigMap' as const, 'Secret' as const),
    name: fc.constantFrom('a', 'b', 'c'),
    hash: fc.constantFrom(undefined, '', 'h1', 'h2'),
    applied: fc.boolean(),
  })
  const step = fc.record({
    set: fc.constantFrom('s1', 's2', 's3'),
    resources: fc.option(fc.uniqueArray(resource, { maxLength: 3, selector: (r) => `${r.kind}/${r.name}` }), {
      nil: undefined,
    }),
  })
  const after = (steps: readonly { set: string; resources: BindingResource[] | undefined }[]) => {
    let binding: ClusterResourceSetBinding | undefined
    for (const s of steps)
      if (s.resources) binding = withBindingEntry(binding, place, set(s.set), s.resources)
      else binding = binding && withoutBindingEntry(binding, s.set)
    return binding
  }
  decidesAlike(fc.array(step, { maxLength: 8 }), after, {
    'leave what each said last': (steps, binding) => {
      for (const name of ['s1', 's2', 's3']) {
        const last = steps.findLast((s) => s.set === name)?.resources
        const entry = bindingEntryOf(binding, name)
        expect(entry === undefined).toBe(last === undefined)
        expect((entry?.resources ?? []).length).toBe(last?.length ?? 0)
        for (const r of last ?? []) expect(bindingResourceOf(entry, r)?.applied).toBe(r.applied)
        const isOwner = binding?.metadata.ownerReferences?.some((o) => o.name === name) ?? false
        expect(isOwner).toBe(last !== undefined)
      }
    },
    'written once more, nothing changes': (steps, binding) => {
      const last = steps.at(-1)
      if (last?.resources)
        expect(withBindingEntry(binding, place, set(last.set), last.resources)).toBe(binding)
      else if (last && binding) expect(withoutBindingEntry(binding, last.set)).toBe(binding)
    },
  })
})
