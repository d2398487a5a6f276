/** What people are told of objects of other units, before anything is written. */
import { expect, it } from 'vitest'
import type { Stored } from '../../../../kube/src/object/kind.ts'
import { applySettings } from '../../api/kinds/module/spec.ts'
import { INVENTORY_ANNOTATION, UNIT_LABEL } from '../../api/labels.ts'
import { claimOf } from './claim.ts'

const resource = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
  preferred: true,
  verbs: [],
  hasStatus: false,
}
const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'app' } }
const theirs: Stored = {
  ...manifest,
  metadata: {
    ...manifest.metadata,
    uid: 'u',
    resourceVersion: '7',
    creationTimestamp: '',
    labels: { [UNIT_LABEL]: 's.platform.crs1' },
    annotations: { [INVENTORY_ANNOTATION]: 'theirs' },
  },
}

const claimed = (takeOverFrom: readonly object[], objects: readonly { readonly uid: string }[] = []) => {
  const apply = applySettings.parse({ takeOverFrom })
  const inventory = { uid: 'ours', objects: objects as never }
  const where = { cluster: undefined as never, inventory, namespace: 'platform', apply }
  return claimOf(where, { object: manifest, resource }, theirs, apply)
}

it('of a unit that is not listed it is refused, and said whose it is', async () => {
  expect(await claimed([])).toMatchObject({
    from: 'ClusterResourceSet platform/crs1',
    refused: expect.stringContaining('delete ClusterResourceSet crs1, or list it in spec.apply.takeOverFrom'),
  })
})

it('of one that is listed it would be taken over; not once that unit has taken it', async () => {
  const listed = [{ kind: 'ClusterResourceSet', name: 'crs1' }]
  expect(await claimed(listed)).toMatchObject({
    from: 'ClusterResourceSet platform/crs1',
    refused: undefined,
  })
  expect((await claimed(listed, [{ uid: 'u' }]))?.refused).toContain('which took it;')
})
