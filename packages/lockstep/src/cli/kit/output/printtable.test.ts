/** What stands in a cell. */
import { describe, expect, it } from 'vitest'
import { inventoryKind } from '../../../api/kinds/index.ts'
import { ORPHANED_ANNOTATION } from '../../../api/labels.ts'
import { objectRows } from './printtable.ts'

const VIEW = { isWide: false, showNamespace: false, nowMs: Date.parse('2026-03-01T12:00:00Z') }

const inventory = (annotations: Record<string, string>) => ({
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Inventory',
  metadata: {
    name: 'm.web.eu',
    namespace: 'platform',
    uid: 'u',
    resourceVersion: '1',
    annotations,
    creationTimestamp: '2026-03-01T10:00:00Z',
  },
  spec: { clusterRef: { kind: 'Secret', name: 'eu' } },
  status: { state: 'Ready', ready: '3/3' },
})

describe('an Inventory', () => {
  it.each([
    ['while its cluster is there', {}, 'Ready', ''],
    [
      'once its cluster is gone',
      { [ORPHANED_ANNOTATION]: '2026-03-01T11:00:00Z' },
      'Orphaned',
      '2026-03-01T11:00:00Z',
    ],
  ])('%s', (_, annotations, state, since) => {
    const [head, row] = objectRows(inventoryKind, [inventory(annotations) as never], VIEW)
    expect(head?.slice(1, 6)).toEqual(['CLUSTER', 'STATE', 'READY', 'RELEASE', 'ORPHANED'])
    expect(row?.slice(1, 6)).toEqual(['eu', state, '3/3', '', since])
  })
})
