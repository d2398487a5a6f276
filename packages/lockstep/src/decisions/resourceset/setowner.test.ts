import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import type { OwnerReference } from '../../../../kube/src/object/index.ts'
import { SET } from '../../api/kinds/clusterresourceset/spec.ts'
import { ownersOnDeletion, withOwner, withoutOwner } from './setowner.ts'

const group = 'addons.cluster.x-k8s.io'
const owner = { apiVersion: `${group}/v1beta2`, name: 'crs1', uid: 'u1' }
const reference = (more: Partial<OwnerReference> = {}): OwnerReference => ({
  kind: 'ClusterResourceSet',
  ...owner,
  ...more,
})
const stranger = reference({ apiVersion: 'v1', kind: 'ConfigMap', name: 'crs1', uid: 'u9' })

describe('the reference of a set on its source', () => {
  it('is put behind those of others, in the stored version', () => {
    expect(withOwner(undefined, owner)).toEqual([reference()])
    expect(withOwner([stranger], owner)).toEqual([stranger, reference()])
  })

  it('stays as it is in an older version: the very same list', () => {
    const owners = [reference({ apiVersion: `${group}/v1beta1` }), stranger]
    expect(withOwner(owners, owner)).toBe(owners)
  })

  it('of a former set of the name becomes one to this, in its place and version', () => {
    const owners = [stranger, reference({ apiVersion: `${group}/v1beta1`, uid: 'old', controller: true })]
    expect(withOwner(owners, owner)).toEqual([stranger, reference({ apiVersion: `${group}/v1beta1` })])
  })

  it('is not that of a set of another name or another group', () => {
    const owners = [reference({ name: 'crs2' }), reference({ apiVersion: 'example.com/v1beta2' })]
    expect(withOwner(owners, owner)).toHaveLength(3)
    expect(withoutOwner(owners, 'crs1')).toBe(owners)
  })
})

describe('when the set is deleted', () => {
  const metadata = { name: 'a', ownerReferences: [reference(), stranger] }

  it('the source is left by it, and survives', () => {
    expect(ownersOnDeletion(metadata, 'crs1')).toEqual([stranger])
  })

  it('a source that says so goes with it', () => {
    const annotations = { [SET.deleteWithOwner]: 'true' }
    expect(ownersOnDeletion({ ...metadata, annotations }, 'crs1')).toBe(metadata.ownerReferences)
    expect(ownersOnDeletion({ ...metadata, annotations: { [SET.deleteWithOwner]: 'no' } }, 'crs1')).toEqual([
      stranger,
    ])
  })
})

it('any owners', () => {
  const any = fc.record({
    apiVersion: fc.constantFrom(`${group}/v1beta1`, `${group}/v1beta2`, 'v1'),
    kind: fc.constantFrom('ClusterResourceSet', 'ConfigMap'),
    name: fc.constantFrom('crs1', 'crs2'),
    uid: fc.constantFrom('u1', 'u2', 'u3'),
  })
  decidesAlike(fc.option(fc.array(any, { maxLength: 4 }), { nil: undefined }), (o) => withOwner(o, owner), {
    'the set owns it then, and a second time nothing changes': (_, owners) => {
      expect(owners!.some((o) => o.uid === 'u1' && o.name === 'crs1' && o.apiVersion.startsWith(group))).toBe(
        true,
      )
      expect(withOwner(owners, owner)).toBe(owners)
    },
    'nobody else loses it': (before, owners) => {
      const others = (before ?? []).filter((o) => o.name !== 'crs1')
      expect(owners!.filter((o) => o.name !== 'crs1')).toEqual(others)
    },
    'taken off again, nothing of the name is left': (_, owners) => {
      const left = withoutOwner(owners, 'crs1')!
      expect(withoutOwner(left, 'crs1')).toBe(left)
      expect(withOwner(left, owner)).toHaveLength(left.length + 1)
    },
  })
})
