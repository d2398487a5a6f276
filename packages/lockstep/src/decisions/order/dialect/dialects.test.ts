/** What each annotation says, and what is refused. */
import { describe, expect, it } from 'vitest'
import { graphOf, manifest, nodeOf, refusalOf } from '../../../../../../test/order.ts'
import type { HookNode } from '../ordergraph.ts'
import { DEFAULT_ORDER_OPTIONS, type OrderOptions } from '../orderoptions.ts'

const optionsWith = (key: string, value: string): OrderOptions =>
  nodeOf(graphOf([manifest('v1 ConfigMap app/a', { [key]: value })]), 'object', 'app/a').options

describe('what an annotation says of the object itself', () => {
  const KEPT = { prune: false, delete: false }
  it.each<[key: string, value: string, said: Partial<OrderOptions>]>([
    ['lockstep.dev/apply', 'Merge', { mode: 'Merge' }],
    ['lockstep.dev/apply', 'Observe', { mode: 'Observe' }],
    ['lockstep.dev/prune', 'Disabled', KEPT],
    ['lockstep.dev/replace-immutable', 'true', { replaceImmutable: true }],
    ['argocd.argoproj.io/sync-options', 'Prune=false', { prune: false }],
    ['argocd.argoproj.io/sync-options', 'Delete=false, Prune=confirm', { delete: false, confirm: ['Prune'] }],
    ['argocd.argoproj.io/sync-options', 'Delete=confirm,Prune=confirm', { confirm: ['Delete', 'Prune'] }],
    ['argocd.argoproj.io/sync-options', 'Replace=true', { mode: 'Replace' }],
    ['argocd.argoproj.io/sync-options', 'Force=true', { replaceImmutable: true }],
    ['argocd.argoproj.io/sync-options', 'Validate=false', { validate: 'Warn' }],
    ['argocd.argoproj.io/sync-options', 'ServerSideApply=true,PruneLast=true,Prune=true', {}],
    ['argocd.argoproj.io/compare-options', 'IgnoreExtraneous', {}],
    ['argocd.argoproj.io/ignore-restart-policy', 'true', { ignoreRestartPolicy: true }],
    ['argocd.argoproj.io/hook', 'Skip', { mode: 'Ignore' }],
    ['helm.sh/hook', 'test', { mode: 'Ignore' }],
    ['helm.sh/hook', 'test-success, test', { mode: 'Ignore' }],
    ['helm.sh/hook', 'crd-install', {}],
    ['helm.sh/resource-policy', ' Keep', KEPT],
    ['kapp.k14s.io/disable-wait', '', { disableWait: true }],
    ['kapp.k14s.io/exists', '', { mode: 'Observe', disableWait: true }],
    ['kapp.k14s.io/noop', '', { mode: 'Ignore' }],
    ['kapp.k14s.io/nonce', '', { nonce: 'kapp.k14s.io/nonce' }],
    ['kapp.k14s.io/create-strategy', 'fallback-on-update', { adopt: true }],
    ['kapp.k14s.io/update-strategy', 'fallback-on-replace', { replaceImmutable: true }],
    ['kapp.k14s.io/update-strategy', 'always-replace', { mode: 'Replace' }],
    ['kapp.k14s.io/update-strategy', 'skip', { mode: 'IfNotPresent' }],
    ['kapp.k14s.io/delete-strategy', 'orphan', KEPT],
    ['kapp.k14s.io/change-group', 'db/{kind}', { changeGroups: ['db/ConfigMap'] }],
    [
      'kapp.k14s.io/change-rule',
      'upsert after deleting g',
      {
        changeRules: [
          {
            action: 'upsert',
            order: 'after',
            other: 'deleting',
            group: 'g',
            weight: 0,
            ignoreIfCyclical: false,
          },
        ],
      },
    ],
    ['client.lifecycle.config.k8s.io/deletion', 'detach', KEPT],
    ['client.lifecycle.config.k8s.io/mutation', 'ignore', { mode: 'IfNotPresent' }],
    ['cli-utils.sigs.k8s.io/on-remove', 'keep', KEPT],
    ['config.k8s.io/owning-inventory', 'x', {}],
    ['kustomize.toolkit.fluxcd.io/ssa', 'ifNotPresent', { mode: 'IfNotPresent' }],
    ['kustomize.toolkit.fluxcd.io/ssa', 'sometimes', {}],
    ['kustomize.toolkit.fluxcd.io/force', 'Enabled', { replaceImmutable: true }],
    ['kustomize.toolkit.fluxcd.io/prune', 'disabled', KEPT],
    ['kustomize.toolkit.fluxcd.io/reconcile', 'Disabled', { mode: 'Ignore' }],
    ['constructor', 'x', {}],
  ])('%s: %s', (key, value, said) =>
    expect(optionsWith(key, value)).toEqual({ ...DEFAULT_ORDER_OPTIONS, ...said }),
  )

  it('a key of Flux counts as a label too', () => {
    const o = manifest('v1 ConfigMap app/a')
    const labels = { 'kustomize.toolkit.fluxcd.io/ssa': 'Merge', 'lockstep.dev/apply': 'Replace' }
    const labelled = { ...o, metadata: { ...o.metadata, labels } }
    expect(nodeOf(graphOf([labelled]), 'object', 'app/a').options.mode).toBe('Merge')
  })

  it('of several modes ours counts, else the one that touches the object least', () => {
    const notes = {
      'kustomize.toolkit.fluxcd.io/ssa': 'Merge',
      'client.lifecycle.config.k8s.io/mutation': 'ignore',
      'argocd.argoproj.io/sync-options': 'Replace=true',
    }
    const mode = (more: object) =>
      nodeOf(graphOf([manifest('v1 Secret a/b', { ...notes, ...more })]), 'object', 'a/b').options.mode
    expect(mode({})).toBe('IfNotPresent')
    expect(mode({ 'lockstep.dev/apply': 'Override' })).toBe('Override')
  })

  it('values are copied from other objects, of this namespace where none is said', () => {
    const text = `
- sourceRef: {kind: Service, name: db, apiVersion: v1}
  sourcePath: $.spec.clusterIP
  targetPath: $.data.host
  token: $\{host}
- sourceRef: {group: example.com, kind: Widget, name: w, namespace: other}
  sourcePath: $.status.id
  targetPath: $.data.id`
    const body = { data: { host: '$' + '{host}:5432', id: '' } }
    const object = manifest('v1 ConfigMap app/a', { 'config.kubernetes.io/apply-time-mutation': text }, body)
    expect(nodeOf(graphOf([object]), 'object', 'app/a').options.mutations).toEqual([
      {
        source: { group: '', version: 'v1', kind: 'Service', namespace: 'app', name: 'db' },
        sourcePath: '$.spec.clusterIP',
        targetPath: '$.data.host',
        token: '$' + '{host}',
      },
      {
        source: { group: 'example.com', kind: 'Widget', namespace: 'other', name: 'w' },
        sourcePath: '$.status.id',
        targetPath: '$.data.id',
      },
    ])
  })
})

describe('hooks', () => {
  type Shown = Pick<HookNode, 'phase' | 'when' | 'policy'>
  const hooks = (notes: Readonly<Record<string, string>>, kind = 'batch/v1 Job'): Shown[] => {
    const graph = graphOf([manifest(`${kind} app/j`, notes)])
    const later = [...graph.syncFail, ...graph.preDelete, ...graph.postDelete].flat()
    return [...graph.nodes, ...later].flatMap((n) =>
      n.type === 'hook' ? [{ phase: n.phase, when: n.when, policy: n.policy }] : [],
    )
  }
  const BEFORE = ['BeforeHookCreation'] as const
  it.each<[what: string, notes: Readonly<Record<string, string>>, hooks: Shown[]]>([
    [
      'of Argo CD, one for each phase',
      { 'argocd.argoproj.io/hook': 'PostSync, PreSync,SyncFail' },
      [
        { phase: 'PreSync', when: ['always'], policy: BEFORE },
        { phase: 'PostSync', when: ['always'], policy: BEFORE },
        { phase: 'SyncFail', when: ['always'], policy: BEFORE },
      ],
    ],
    [
      'of Helm, by events',
      {
        'helm.sh/hook': 'pre-install,pre-upgrade,post-rollback,test',
        'helm.sh/hook-delete-policy': 'hook-succeeded',
      },
      [
        { phase: 'PreSync', when: ['install', 'upgrade'], policy: ['HookSucceeded'] },
        { phase: 'PostSync', when: ['rollback'], policy: ['HookSucceeded'] },
      ],
    ],
    [
      'Argo CD goes before Helm, policies add up',
      {
        'argocd.argoproj.io/hook': 'Sync',
        'argocd.argoproj.io/hook-delete-policy': 'HookFailed',
        'helm.sh/hook': 'post-install',
        'helm.sh/hook-delete-policy': 'hook-succeeded,before-hook-creation',
      },
      [{ phase: 'Sync', when: ['always'], policy: ['BeforeHookCreation', 'HookFailed', 'HookSucceeded'] }],
    ],
    [
      'ours goes before both',
      {
        'lockstep.dev/hook': 'PreSync',
        'lockstep.dev/hook-delete-policy': 'HookSucceeded',
        'argocd.argoproj.io/hook': 'PostSync',
        'helm.sh/hook': 'post-install',
        'helm.sh/hook-delete-policy': 'hook-failed',
      },
      [{ phase: 'PreSync', when: ['always'], policy: ['HookSucceeded'] }],
    ],
    [
      'Skip beside a phase is nothing',
      { 'argocd.argoproj.io/hook': 'Skip,Sync' },
      [{ phase: 'Sync', when: ['always'], policy: BEFORE }],
    ],
    [
      'before and after deletion',
      { 'helm.sh/hook': 'pre-delete,post-delete' },
      [
        { phase: 'PreDelete', when: ['always'], policy: BEFORE },
        { phase: 'PostDelete', when: ['always'], policy: BEFORE },
      ],
    ],
  ])('%s', (_, notes, expected) => expect(hooks(notes)).toEqual(expected))

  it('a definition is never deleted by a policy of Helm', () => {
    const notes = { 'helm.sh/hook': 'pre-install', 'helm.sh/hook-delete-policy': 'hook-succeeded' }
    expect(hooks(notes, 'apiextensions.k8s.io/v1 CustomResourceDefinition')[0]?.policy).toEqual([])
  })

  it('have a timeout and retries', () => {
    const notes = {
      'lockstep.dev/hook': 'PreSync',
      'lockstep.dev/hook-timeout': '1m30s',
      'lockstep.dev/hook-retries': '3',
    }
    const hook = nodeOf(graphOf([manifest('batch/v1 Job app/j', notes)]), 'hook', 'app/j')
    expect([hook.timeoutSeconds, hook.retries]).toEqual([90, 3])
  })
})

describe('what is refused', () => {
  const REFERENCE = '[group]/Kind/name or [group]/namespaces/ns/Kind/name, separated by commas'
  it.each<[key: string, value: string, allowed: string]>([
    ['argocd.argoproj.io/hook', 'presync', 'PreSync, Sync, PostSync, SyncFail, PreDelete, PostDelete, Skip'],
    ['argocd.argoproj.io/hook', '', 'PreSync, Sync, PostSync, SyncFail, PreDelete, PostDelete, Skip'],
    ['lockstep.dev/hook', 'PreSync,x', 'PreSync, Sync, PostSync, SyncFail, PreDelete, PostDelete, Skip'],
    ['argocd.argoproj.io/hook-delete-policy', 'Never', 'BeforeHookCreation, HookSucceeded, HookFailed'],
    ['helm.sh/hook-delete-policy', 'never', 'before-hook-creation, hook-succeeded, hook-failed'],
    ['helm.sh/resource-policy', 'retain', 'keep'],
    ['lockstep.dev/apply', 'override', 'Override, Merge, IfNotPresent, Ignore, Replace, Observe'],
    ['lockstep.dev/prune', 'false', 'Disabled'],
    ['lockstep.dev/replace-immutable', 'yes', 'true'],
    ['lockstep.dev/hook-timeout', '10', 'a duration such as 90s or 10m'],
    ['lockstep.dev/hook-timeout', '0s', 'a duration such as 90s or 10m'],
    ['lockstep.dev/hook-retries', '11', '0 to 10'],
    ['lockstep.dev/step', '1000', '0 to 999'],
    ['lockstep.dev/step', '-1', '0 to 999'],
    ['lockstep.dev/step', '01', '0 to 999'],
    ['lockstep.dev/step', 'first', '0 to 999'],
    ['lockstep.dev/step', '', '0 to 999'],
    [
      'lockstep.dev/depends-on',
      'apps/Deployment',
      `${REFERENCE}, each with =Applied, =Exists, =Healthy, =Complete or without`,
    ],
    [
      'lockstep.dev/depends-on',
      '/Namespace/a=Gone',
      `${REFERENCE}, each with =Applied, =Exists, =Healthy, =Complete or without`,
    ],
    ['lockstep.dev/wait-for', '{}', 'a JSON list of {apiVersion, kind, name, namespace, when}'],
    ['config.kubernetes.io/depends-on', '/Namespace/a,/Namespace/a', `${REFERENCE}, each once`],
    [
      'config.kubernetes.io/apply-time-mutation',
      '[',
      'a YAML list of sourceRef {kind, name}, sourcePath, targetPath and token',
    ],
    [
      'kapp.k14s.io/change-rule',
      'upsert later g',
      '(upsert|delete) (before|after) (upserting|deleting) GROUP',
    ],
    [
      'kapp.k14s.io/change-rule.x',
      'upsert before upserting a b',
      '(upsert|delete) (before|after) (upserting|deleting) GROUP',
    ],
    [
      'kapp.k14s.io/change-group',
      '{crd-kind}',
      'placeholders that the object has a value for, of {name} {namespace} {kind} {api-group} {crd-kind} {crd-group}',
    ],
    ['kapp.k14s.io/update-strategy', 'never', 'fallback-on-replace, always-replace, skip'],
  ])('%s: %s', (key, value, allowed) => {
    const message = `batch/Job app/migrate: ${key} has value "${value}"; allowed: ${allowed}`
    expect(refusalOf([manifest('batch/v1 Job app/migrate', { [key]: value })])).toBe(
      `InvalidAnnotation: ${message}`,
    )
  })

  const copy = (kind: string, sourcePath: string, targetPath: string, more = '') =>
    `[{sourceRef: {kind: ${kind}, name: s}, sourcePath: '${sourcePath}', targetPath: '${targetPath}'${more}}]`

  it.each([
    [
      copy('Secret', '$.data.x', '$.data.x'),
      'it copies from Secret app/s into a ConfigMap, which is readable without access to Secrets; copy into a Secret',
    ],
    [
      copy('Service', '$..x', '$.data.x'),
      'sourcePath "$..x" is no path to one value: "..x" is not .name, ["name"] or [0]',
    ],
    [copy('Service', '$.spec', 'data'), 'targetPath "data" does not begin with $'],
    [copy('Service', '$.spec', '$.metadata.name'), 'targetPath $.metadata.name names the object itself'],
    [
      copy('Service', '$.spec', '$.data.lost'),
      'targetPath $.data.lost is not in the manifest; give it a value to be replaced',
    ],
    [
      copy('Service', '$.spec', '$.data', ', token: x'),
      'targetPath $.data is not a text, so that it holds no token',
    ],
  ])('a copy: %s', (value, problem) => {
    const key = 'config.kubernetes.io/apply-time-mutation'
    const object = manifest('v1 ConfigMap app/a', { [key]: value }, { data: { x: '' } })
    expect(refusalOf([object])).toBe(
      `UnsupportedAnnotation: ConfigMap app/a: ${key} is not supported: ${problem}`,
    )
  })

  it('a Secret may be copied into a Secret', () => {
    const value = copy('Secret', '$.data.x', '$.data.x')
    const notes = { 'config.kubernetes.io/apply-time-mutation': value }
    expect(refusalOf([manifest('v1 Secret app/a', notes, { data: { x: '' } })])).toBe('accepted')
  })

  it('an expression that does not compile, with its place', () => {
    const value = JSON.stringify([{ apiVersion: 'v1', kind: 'Pod', name: 'p', when: 'object.x ==' }])
    expect(refusalOf([manifest('v1 ConfigMap app/a', { 'lockstep.dev/wait-for': value })])).toMatch(
      /^InvalidAnnotation: ConfigMap app\/a: lockstep\.dev\/wait-for has value .*; allowed: CEL over object in when: 1:\d+: /,
    )
  })

  it('what kapp does by renaming objects', () => {
    expect(refusalOf([manifest('v1 ConfigMap app/a', { 'kapp.k14s.io/versioned': '' })])).toBe(
      'UnsupportedAnnotation: ConfigMap app/a: kapp.k14s.io/versioned is not supported: objects are not renamed; use the configMapGenerator and secretGenerator of kustomize',
    )
  })

  it('nothing of a dialect that is switched off, nor of ours on a ClusterResourceSet', () => {
    const wrong = manifest('v1 ConfigMap app/a', {
      'argocd.argoproj.io/hook': 'presync',
      'kapp.k14s.io/versioned': '',
    })
    expect(refusalOf([wrong], ['Helm', 'Flux'])).toBe('accepted')
    const set = manifest('addons.cluster.x-k8s.io/v1beta1 ClusterResourceSet a/b', {
      'lockstep.dev/hook': 'x',
    })
    expect(refusalOf([set])).toBe('accepted')
  })
})

it('what has no effect is said', () => {
  const graph = graphOf([
    manifest('v1 ConfigMap app/a', { 'kapp.k14s.io/deploy-logs': '', 'kapp.k14s.io/renew-duration': '1h' }),
  ])
  expect(graph.warnings).toEqual([
    'ConfigMap app/a: kapp.k14s.io/deploy-logs has no effect',
    'ConfigMap app/a: kapp.k14s.io/renew-duration has no effect',
  ])
})
