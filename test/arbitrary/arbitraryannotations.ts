/** Annotations of all ordering dialects: values that they know, and values that somebody may write. */
import fc from 'fast-check'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'

const REFERENCES = ['/namespaces/a/ConfigMap/a', '/Namespace/a', 'apps/namespaces/b/Deployment/b', '/x', '']
const PHASES = ['PreSync', 'Sync,PostSync', 'PostSync', 'SyncFail', 'PreDelete', 'Skip', 'presync']
const GROUPS = ['g', 'h/{name}', '{crd-kind}']
const RULES = [
  'upsert after upserting g',
  'upsert before upserting h/a',
  'delete before deleting g',
  'delete after deleting h/b',
  'upsert after deleting g',
  'upsert sometimes',
]

const VALUES: Readonly<Record<string, readonly string[]>> = {
  'lockstep.dev/depends-on': [...REFERENCES, '/namespaces/a/ConfigMap/a=Applied, /Namespace/b=Exists'],
  'lockstep.dev/wait-for': [
    '[{"apiVersion":"v1","kind":"ConfigMap","name":"a","when":"object.data.x == \\"1\\""}]',
    '[{"apiVersion":"v1","kind":"Secret","name":"b","namespace":"b"}]',
    '[{"when":7}]',
    '{',
  ],
  'lockstep.dev/step': ['0', '1', '12', '999', '1000', '01', '-1', ''],
  'lockstep.dev/hook': PHASES,
  'lockstep.dev/apply': ['Override', 'Merge', 'Replace', 'IfNotPresent', 'Ignore', 'Observe', 'sometimes'],
  'argocd.argoproj.io/sync-wave': ['-1', '0', '2', 'soon', ''],
  'argocd.argoproj.io/hook': PHASES,
  'argocd.argoproj.io/hook-delete-policy': ['HookSucceeded', 'BeforeHookCreation,HookFailed', 'Never'],
  'argocd.argoproj.io/sync-options': ['Prune=false', 'Replace=true,Force=true', 'constructor'],
  'helm.sh/hook': ['pre-install,pre-upgrade', 'post-install', 'test', 'crd-install', 'post-delete', 'later'],
  'helm.sh/hook-weight': ['-5', '1', 'heavy'],
  'helm.sh/resource-policy': ['keep', 'retain'],
  'kapp.k14s.io/change-group': GROUPS,
  'kapp.k14s.io/change-group.x': GROUPS,
  'kapp.k14s.io/change-rule': RULES,
  'kapp.k14s.io/change-rule.constructor': RULES,
  'kapp.k14s.io/exists': [''],
  'kapp.k14s.io/noop': [''],
  'kapp.k14s.io/nonce': [''],
  'lockstep.dev/prune': ['Disabled', 'Never'],
  'lockstep.dev/replace-immutable': ['true', 'false'],
  'kapp.k14s.io/versioned': [''],
  'kapp.k14s.io/disable-default-change-group-and-rules': [''],
  'config.kubernetes.io/depends-on': REFERENCES,
  'config.kubernetes.io/apply-time-mutation': [
    '- {sourceRef: {kind: ConfigMap, name: a}, sourcePath: $.data.x, targetPath: $.metadata.labels}',
    '- {sourceRef: {kind: Secret, name: a}, sourcePath: $.data.x, targetPath: $.spec.x}',
    '[',
    '*a',
  ],
  'kustomize.toolkit.fluxcd.io/ssa': ['ignore', 'Merge', 'x'],
}

const annotation = fc
  .constantFrom(...Object.keys(VALUES))
  .chain((key) =>
    fc.tuple(
      fc.constant(key),
      fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...VALUES[key]!) },
        { weight: 1, arbitrary: fc.string() },
      ),
    ),
  )

/** No, one or a few annotations. */
export const orderAnnotations: fc.Arbitrary<Readonly<Record<string, string>>> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 3, arbitrary: fc.array(annotation, { maxLength: 3 }).map((list) => Object.fromEntries(list)) },
)

/** A Config of kapp that binds groups and rules to the objects of `manifests`. */
export const kappConfig: KubeObject = {
  apiVersion: 'kapp.k14s.io/v1alpha1',
  kind: 'Config',
  metadata: { name: 'config' },
  changeGroupBindings: [
    { name: 'g', resourceMatchers: [{ apiVersionKindMatcher: { apiVersion: 'v1', kind: 'ConfigMap' } }] },
  ],
  changeRuleBindings: [
    {
      rules: ['upsert after upserting g'],
      ignoreIfCyclical: true,
      resourceMatchers: [
        { notMatcher: { matcher: { hasNamespaceMatcher: {} } } },
        { customResourceMatcher: {} },
      ],
    },
  ],
  waitRules: [
    {
      resourceMatchers: [{ allMatcher: {} }],
      conditionMatchers: [{ type: 'Ready', status: 'True', success: true }],
    },
  ],
}
