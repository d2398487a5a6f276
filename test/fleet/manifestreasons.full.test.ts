/** Reasons that manifests, their bindings and their objects cause end when a user has corrected them. */
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { jobHook, together } from './hookspecs.ts'
import { retry } from './hookstory.ts'
import { type ReasonCase, reasonCases } from './reasoncase.ts'
import { clusterSecret, must } from './simfleet.ts'
import { edge, reasons, USER } from './single.ts'
import { configManifest, type ModuleOptions, Story } from './steps.ts'

const FORCE = { ...USER, force: true } as const

const ofModule = (story: Story): string[] => story.blockers('m')
const ofUnit = (story: Story): string[] => reasons(story)

/** Module `m` has `bad`, until a user writes `good` into the ConfigMap. */
const corrected = (
  says: RegExp,
  bad: string,
  options: ModuleOptions = {},
  stored: ReasonCase['stored'] = ofModule,
): ReasonCase => ({
  cause: async (story) => {
    await story.config('v1', bad)
    await story.module('m', 'v1', options)
  },
  stored,
  says,
  mend: (story) => story.config('v1', configManifest('a', '1')),
})

const labelled = async (story: Story, labels: Record<string, string>): Promise<void> => {
  const secret = clusterSecret('edge', { env: 'prod', ...labels })
  must(await story.during(story.fleet.hub.apply(secretKind, secret, FORCE)))
}

const bound = (bindings: readonly object[], value: string): ReasonCase['cause'] => {
  return async (story) => {
    await story.config('v1', configManifest('a', value))
    await story.module('m', 'v1', { bindings })
  }
}

const claimKind = defineKind({
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
})

const claim = (mode: string): string =>
  `apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: default}\nspec: {accessModes: [${mode}], resources: {requests: {storage: 1Gi}}}\n`

const REPLACE = { apply: { replaceImmutable: true } }

const replaced = (mend: ReasonCase['mend'], isOver?: ReasonCase['isOver']): ReasonCase => ({
  cause: async (story) => {
    await story.config('v1', claim('ReadWriteOnce'))
    await story.module('m', 'v1', REPLACE)
    await story.until(() => story.isReady('m'))
    await story.config('v1', claim('ReadWriteMany'))
  },
  stored: ofUnit,
  says: /^ReplaceRefused: PersistentVolumeClaim default\/data: .* holds data/,
  mend,
  ...(isOver && { isOver }),
})

const NEVER = { image: 'job:1', outcome: 'NeverReady' } as const

const hookTimeout = {
  cause: async (story) => {
    const annotations = { 'lockstep.dev/hook-timeout': '30s' }
    story.fleet.clusters.get('edge')!.world.fail(NEVER)
    await story.config('v1', together(jobHook('slow', 'PreSync', { annotations }), configManifest('a', '1')))
    await story.module('m', 'v1')
  },
  stored: ofUnit,
  says: /^HookTimeout: hook Job default\/slow \(PreSync, attempt 1 of 1\) did not end within 30s/,
} satisfies Omit<ReasonCase, 'mend'>

reasonCases(
  {
    'BindingInvalid, a value of another type': {
      cause: async (story) => {
        await labelled(story, { replicas: 'abc' })
        await bound([{ name: 'n', type: 'Integer', cluster: { label: 'replicas' } }], 'n$(n)')(story)
      },
      stored: ofModule,
      says: /^BindingInvalid: n: "abc" is not an Integer$/,
      mend: (story) => labelled(story, { replicas: '3' }),
    },
    'BindingInvalid, a circle': {
      cause: bound(
        [
          { name: 'a', value: '$(b)' },
          { name: 'b', value: '$(a)' },
        ],
        '$(a)',
      ),
      stored: ofModule,
      says: /^BindingInvalid: bindings: a → b → a; remove one of these mentions$/,
      mend: bound([{ name: 'a', value: 'x' }], '$(a)'),
    },
    'BindingInvalid, a kind that mentions a value': corrected(
      /^BindingInvalid: .*kind mentions \$\(a\): what an object is cannot depend on a value$/,
      configManifest('a', '1').replace('kind: ConfigMap', 'kind: $(a)'),
      { bindings: [{ name: 'a', value: 'ConfigMap' }] },
    ),
    'BindingInvalid, a label of targets that mentions a value': {
      cause: async (story) => {
        await story.config('v1', configManifest('a', '1'))
        const targets = { clusterSelector: { matchLabels: { env: '$(a)' } } }
        await story.module('m', 'v1', { targets, bindings: [{ name: 'a', value: 'prod' }] })
      },
      stored: ofModule,
      says: /^BindingInvalid: spec\.targets\..* mentions \$\(a\): bindings are replaced in manifests only$/,
      mend: (story) => story.module('m', 'v1', { bindings: [{ name: 'a', value: 'prod' }] }),
    },
    BundleTooLarge: corrected(
      /^BundleTooLarge: 10001 objects, the limit is 10000 objects; split the Module$/,
      Array.from({ length: 10_001 }, (_, i) => `{apiVersion: v1, kind: Pod, metadata: {name: p${i}}}`).join(
        '\n---\n',
      ),
    ),
    'DuplicateObject, in one source': corrected(
      /^DuplicateObject: ConfigMap default\/a occurs twice with different content/,
      together(configManifest('a', '1'), configManifest('a', '2')),
    ),
    'DuplicateObject, by spec.render.namespace': corrected(
      /^DuplicateObject: ConfigMap default\/a occurs twice .*without metadata\.namespace/,
      together(configManifest('a', '1'), configManifest('a', '2').replace(', namespace: default', '')),
      { render: { namespace: 'default' } },
      ofUnit,
    ),
    NamespaceMissing: corrected(
      /^NamespaceMissing: ConfigMap a has no namespace/,
      configManifest('a', '1').replace(', namespace: default', ''),
      {},
      ofUnit,
    ),
    UnsupportedAnnotation: corrected(
      /^UnsupportedAnnotation: ConfigMap default\/a: kapp\.k14s\.io\/versioned is not supported: /,
      configManifest('a', '1').replace('default}', 'default, annotations: {kapp.k14s.io/versioned: ""}}'),
    ),
    'ReplaceRefused, the manifest is reverted': replaced((story) =>
      story.config('v1', claim('ReadWriteOnce')),
    ),
    'ReplaceRefused, the object is deleted': replaced(
      async (story) =>
        must(await story.during(edge(story).delete(claimKind, { namespace: 'default', name: 'data' }, USER))),
      // The rollout stays halted: its approver retries it.
      (story) => story.inventory('m', 'edge')?.status?.state === 'Ready',
    ),
    'HookTimeout, a revision without the hook': {
      ...hookTimeout,
      mend: (story) => story.config('v1', configManifest('a', '2')),
    },
    'HookTimeout, the hook is run again': {
      ...hookTimeout,
      mend: async (story) => {
        story.fleet.clusters.get('edge')!.world.heal(NEVER)
        await retry(story, 'Failed')
      },
    },
  },
  Story.begin,
)
