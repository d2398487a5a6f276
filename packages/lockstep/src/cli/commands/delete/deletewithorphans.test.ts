import { expect, it } from 'vitest'
import { type NamespaceDelivery, orphanRefusal } from './deletewithorphans.ts'

const on = (cluster: string, state: string) => ({
  metadata: { name: cluster },
  spec: { clusterRef: { kind: 'Secret', name: cluster } },
  status: { cluster: state },
})
const listed = (name: string, cluster: string, more: object = {}) => ({
  spec: {
    moduleRef: { kind: 'Module' as const, name, uid: 'u' },
    clusterRef: { kind: 'Secret', name: cluster },
    clusterUid: 'x',
    ...more,
  },
})
const seen: NamespaceDelivery = {
  assemblages: [
    on('prod-eu', 'Connected'),
    on('edge-7', 'Unreachable'),
    on('edge-8', 'Paused'),
    on('edge-9', 'Unreachable'),
  ],
  inventories: [
    ...['prod-eu', 'edge-7', 'edge-8', 'gone'].map((cluster) => listed('web', cluster)),
    listed('other', 'edge-9'),
    listed('web', 'given', { released: { at: '2026-01-01T00:00:00Z', uid: 'u', serial: 1 } }),
  ],
}
const web = { kind: 'Module', name: 'web' }

it.each<[names: string[], refusal: RegExp | undefined]>([
  [['edge-7'], undefined],
  [['edge-7', 'edge-8'], undefined],
  // Its assemblage is not there any more.
  [['gone'], undefined],
  [['edge-7', 'prod-eu'], /^prod-eu is reachable: objects are deleted .*deletionPolicy/],
  [['edge-9'], /^it has no objects on cluster edge-9 did you mean edge-7\?$/],
  [
    ['nowhere-at-all'],
    /^it has no objects on cluster nowhere-at-all clusters with its objects: edge-7, edge-8, gone, prod-eu$/,
  ],
  // Given up before.
  [['given'], /^it has no objects on cluster given/],
])('a module can go without %s: %s', (names, refusal) => {
  const found = orphanRefusal(names, web, seen)
  if (refusal) expect(`${found?.problem} ${found?.suggestion}`).toMatch(refusal)
  else expect(found).toBeUndefined()
})

it('of a kind that has the same name', () => {
  expect(orphanRefusal(['edge-7'], { kind: 'BootstrapModule', name: 'web' }, seen)?.suggestion).toBe(
    'it has no objects on any cluster',
  )
})
