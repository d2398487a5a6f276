import { expect, it } from 'vitest'
import { isCustomGroup } from './customgroup.ts'

it.each([
  ['', false],
  ['apps', false],
  ['networking.k8s.io', false],
  ['flowcontrol.apiserver.k8s.io', false],
  ['example.com', true],
  ['autoscaling.k8s.io', true],
  ['gateway.networking.k8s.io', true],
  ['snapshot.storage.k8s.io', true],
  ['cluster.x-k8s.io', true],
  ['metrics.k8s.io', true],
])('%s: served by others: %s', (group, custom) => {
  expect(isCustomGroup(group)).toBe(custom)
})
