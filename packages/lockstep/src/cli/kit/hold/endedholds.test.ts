import { expect, it } from 'vitest'
import { timestamp } from '../../../../../kube/src/object/index.ts'
import type { Stored } from '../../../../../kube/src/object/kind.ts'
import { API_VERSION } from '../../../api/apiversion.ts'
import { type Hold, holdKind } from '../../../api/kinds/index.ts'
import { holdsByScope } from './endedholds.ts'

const NOW_MS = Date.UTC(2026, 0, 1)

const hold = (name: string, clusters?: string[], until?: string): Stored<Hold> => ({
  apiVersion: API_VERSION,
  kind: holdKind.kind,
  metadata: { name, namespace: 'n', uid: name, resourceVersion: '1', creationTimestamp: timestamp(NOW_MS) },
  spec: {
    targetRef: { kind: 'Module', name: 'shop' },
    action: 'Suspend',
    reason: 'x',
    ...(clusters ? { clusters } : {}),
    ...(until === undefined ? {} : { until }),
  },
})

it('a Hold on one cluster alone ends, one on others stays there, one on all is named', () => {
  const over = timestamp(NOW_MS - 1000)
  const holds = [
    hold('alone', ['a']),
    hold('twice', ['a', 'a']),
    hold('both', ['a', 'b']),
    hold('other', ['b']),
    hold('all'),
    hold('over-all', undefined, over),
    hold('over', ['a'], over),
  ]
  const names = (list: readonly Stored<Hold>[]): string[] => list.map((h) => h.metadata.name)
  const { alone, shared, everywhere } = holdsByScope(holds, 'a', NOW_MS)
  expect([names(alone), names(shared), names(everywhere)]).toEqual([
    ['alone', 'twice', 'over'],
    ['both'],
    ['all'],
  ])
})
