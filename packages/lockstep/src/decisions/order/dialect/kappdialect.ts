/** kapp (`pkg/kapp/{diffgraph,config,clusterapply,diff}`). Most of its keys count by being there, whatever their value. */
import type { KubeObject } from '../../../../../kube/src/object/index.ts'
import { type Dialect, type Effect, keysOf, nothing, oneOf, type Read, type Refusal } from './orderdialect.ts'
import { groupText, ruleOf } from './kapprule.ts'

const present =
  (effect: Effect): Read =>
  () =>
    effect

const versioned: Read = () => ({
  unsupported: 'objects are not renamed; use the configMapGenerator and secretGenerator of kustomize',
})

const ignored: Read = present({ warning: 'has no effect' })

const changeGroup: Read = (value, o) => {
  const group = groupText(value, o)
  return 'text' in group ? { groups: [group.text] } : group
}

const changeRule: Read = (value: string, o: KubeObject): Effect | Refusal => {
  const rule = ruleOf(value, o)
  return 'action' in rule ? { rules: [{ ...rule, weight: 0, ignoreIfCyclical: false }] } : rule
}

export const kapp: Dialect = {
  name: 'Kapp',
  prefixes: [
    ['kapp.k14s.io/change-group.', changeGroup],
    ['kapp.k14s.io/change-rule.', changeRule],
    ['kapp.k14s.io/deploy-logs', ignored],
    ['kapp.k14s.io/original', nothing],
  ],
  keys: keysOf({
    'kapp.k14s.io/change-group': changeGroup,
    'kapp.k14s.io/change-rule': changeRule,
    'kapp.k14s.io/disable-default-change-group-and-rules': present({ unimplied: true }),
    'kapp.k14s.io/disable-wait': present({ options: { disableWait: true } }),
    'kapp.k14s.io/disable-associated-resources-wait': nothing,
    'kapp.k14s.io/exists': present({ mode: 'Observe', options: { disableWait: true } }),
    'kapp.k14s.io/noop': present({ mode: 'Ignore' }),
    'kapp.k14s.io/nonce': present({ options: { nonce: 'kapp.k14s.io/nonce' } }),
    'kapp.k14s.io/versioned': versioned,
    'kapp.k14s.io/versioned-keep-original': versioned,
    'kapp.k14s.io/versioned-explicit-ref': versioned,
    'kapp.k14s.io/num-versions': versioned,
    'kapp.k14s.io/create-strategy': oneOf({
      'fallback-on-update': { options: { adopt: true } },
      'fallback-on-update-or-noop': { options: { adopt: true } },
    }),
    'kapp.k14s.io/update-strategy': oneOf({
      'fallback-on-replace': { options: { replaceImmutable: true } },
      'always-replace': { mode: 'Replace' },
      skip: { mode: 'IfNotPresent' },
    }),
    'kapp.k14s.io/delete-strategy': oneOf({ orphan: { options: { prune: false, delete: false } } }),
    'kapp.k14s.io/identity': nothing,
    'kapp.k14s.io/app': nothing,
    'kapp.k14s.io/association': ignored,
    'kapp.k14s.io/renew-duration': ignored,
    'kapp.k14s.io/owned-for-deletion': ignored,
  }),
}
