import { expect, it } from 'vitest'
import { graphOf, manifest } from '../../../../../test/order.ts'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import { orderText } from './ordersteps.ts'
import { emptyWavePromises } from './wavepromises.ts'

const WAVE = 'argocd.argoproj.io/sync-wave'
const at = (wave: string, more: object = {}) => ({ [WAVE]: wave, ...more })
const subscription = (name: string, wave: string): KubeObject =>
  manifest(`operators.coreos.com/v1alpha1 Subscription app/${name}`, at(wave))
const wait = (wave: string): KubeObject =>
  ({
    ...manifest('lockstep.dev/v1alpha1 Wait w', at(wave)),
    spec: { resourceType: 'sc', resourceName: 'a' },
  }) as unknown as KubeObject

it.each<[string, readonly KubeObject[], readonly string[]]>([
  [
    'an operator',
    [subscription('odf', '5'), subscription('virt', '10')],
    ['wave 5 → 10: subscription odf healthy; nothing waits for what it installs'],
  ],
  [
    'operators',
    [
      subscription('b', '5'),
      manifest('olm.operatorframework.io/v1 ClusterExtension a', at('5')),
      subscription('c', '10'),
    ],
    ['wave 5 → 10: subscriptions a, b healthy; nothing waits for what they install'],
  ],
  ['an operator with a wait', [subscription('odf', '5'), wait('5'), subscription('virt', '10')], []],
  [
    'an operator with a hook',
    [
      subscription('odf', '5'),
      manifest('batch/v1 Job app/j', at('5', { 'argocd.argoproj.io/hook': 'Sync' })),
      subscription('b', '6'),
    ],
    [],
  ],
  [
    'an operator with a wait between it and the next one',
    [subscription('odf', '5'), wait('7'), subscription('virt', '10')],
    [],
  ],
  ['an operator behind which only waits are', [subscription('odf', '5'), wait('7')], []],
  [
    'an operator whose wait comes after what is next',
    [subscription('odf', '5'), subscription('virt', '10'), wait('12')],
    ['wave 5 → 10: subscription odf healthy; nothing waits for what it installs'],
  ],
  ['the last operator', [manifest('v1 ConfigMap app/c', at('1')), subscription('odf', '5')], []],
  [
    'objects of other kinds',
    [
      manifest('v1 ConfigMap app/c', at('1')),
      manifest('messaging.knative.dev/v1 Subscription app/s', at('2')),
      manifest('v1 ConfigMap app/d', at('3')),
    ],
    [],
  ],
])('%s in a wave', (_, bundle, said) => {
  const graph = graphOf(bundle)
  expect(emptyWavePromises(graph)).toEqual(said)
  expect(orderText(graph).filter((l) => l.includes('nothing waits'))).toEqual(said)
})
