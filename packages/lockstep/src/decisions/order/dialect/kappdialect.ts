/** kapp (`pkg/kapp/{diffgraph,config,clusterapply,diff}`). Most of its keys count by being there, whatever their value. */
import type { KubeObject } from '@lockstep/kube/object'
import { kappGroupText, kappRuleOf } from './kapprule.ts'
import {
  type AnnotationEffect,
  type AnnotationReader,
  type AnnotationRefusal,
  keysOf,
  noEffect,
  type OrderDialect,
  oneOfValues,
} from './orderdialect.ts'

const present =
  (effect: AnnotationEffect): AnnotationReader =>
  () =>
    effect

const versioned: AnnotationReader = () => ({
  unsupported: 'objects are not renamed; use the configMapGenerator and secretGenerator of kustomize',
})

const ignored: AnnotationReader = present({ warning: 'has no effect' })

const changeGroup: AnnotationReader = (value, o) => {
  const group = kappGroupText(value, o)
  return 'text' in group ? { groups: [group.text] } : group
}

const changeRule: AnnotationReader = (value: string, o: KubeObject): AnnotationEffect | AnnotationRefusal => {
  const rule = kappRuleOf(value, o)
  return 'action' in rule ? { rules: [{ ...rule, weight: 0, ignoreIfCyclical: false }] } : rule
}

export const kappDialect: OrderDialect = {
  name: 'Kapp',
  prefixes: [
    ['kapp.k14s.io/change-group.', changeGroup],
    ['kapp.k14s.io/change-rule.', changeRule],
    ['kapp.k14s.io/deploy-logs', ignored],
    ['kapp.k14s.io/original', noEffect],
  ],
  keys: keysOf({
    'kapp.k14s.io/change-group': changeGroup,
    'kapp.k14s.io/change-rule': changeRule,
    'kapp.k14s.io/disable-default-change-group-and-rules': present({ unimplied: true }),
    'kapp.k14s.io/disable-wait': present({ options: { disableWait: true } }),
    'kapp.k14s.io/disable-associated-resources-wait': noEffect,
    'kapp.k14s.io/exists': present({ mode: 'Observe', options: { disableWait: true } }),
    'kapp.k14s.io/noop': present({ mode: 'Ignore' }),
    'kapp.k14s.io/nonce': present({ options: { nonce: 'kapp.k14s.io/nonce' } }),
    'kapp.k14s.io/versioned': versioned,
    'kapp.k14s.io/versioned-keep-original': versioned,
    'kapp.k14s.io/versioned-explicit-ref': versioned,
    'kapp.k14s.io/num-versions': versioned,
    'kapp.k14s.io/create-strategy': oneOfValues({
      'fallback-on-update': { options: { adopt: true } },
      'fallback-on-update-or-noop': { options: { adopt: true } },
    }),
    'kapp.k14s.io/update-strategy': oneOfValues({
      'fallback-on-replace': { options: { replaceImmutable: true } },
      'always-replace': { mode: 'Replace' },
      skip: { mode: 'IfNotPresent' },
    }),
    'kapp.k14s.io/delete-strategy': oneOfValues({ orphan: { options: { prune: false, delete: false } } }),
    'kapp.k14s.io/identity': noEffect,
    'kapp.k14s.io/app': noEffect,
    'kapp.k14s.io/association': ignored,
    'kapp.k14s.io/renew-duration': ignored,
    'kapp.k14s.io/owned-for-deletion': ignored,
  }),
}
