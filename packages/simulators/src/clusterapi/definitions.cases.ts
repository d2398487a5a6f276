/** Upstream's kinds as a hub with Cluster API serves them: fields, enums, limits, and the rules of its webhooks. Ours, not a copy. */
import type { JsonObject, JsonValue, KubeObject } from '../../../kube/src/object/index.ts'
import type { ClusterApiVersion } from './clusterapioptions.ts'

const text = (more: JsonObject = {}): JsonObject => ({ type: 'string', ...more })
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
})
const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more })
const rules = (...all: readonly (readonly [rule: string, message: string])[]): JsonObject => ({
  'x-kubernetes-validations': all.map(([rule, message]) => ({ rule, message })),
})
const FROZEN = ['self == oldSelf', 'field is immutable'] as const
const NAME = text({ minLength: 1, maxLength: 253 })
const ATOMIC = { maxItems: 100, 'x-kubernetes-list-type': 'atomic' } as const
const KIND = text({ enum: ['Secret', 'ConfigMap'] })

const selector = (checked: boolean): JsonObject =>
  object(
    {
      matchLabels: { type: 'object', additionalProperties: text() },
      matchExpressions: list(
        object({ key: text(), operator: text(), values: list(text()) }, { required: ['key', 'operator'] }),
      ),
    },
    checked
      ? rules(
          [
            '(has(self.matchLabels) && self.matchLabels.size() > 0) || (has(self.matchExpressions) && self.matchExpressions.size() > 0)',
            'selector must not be empty',
          ],
          FROZEN,
        )
      : {},
  )

const newer = list(
  object(
    {
      type: text(),
      status: text({ enum: ['True', 'False', 'Unknown'] }),
      observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
      lastTransitionTime: text({ format: 'date-time' }),
      reason: text({ minLength: 1, maxLength: 1024 }),
      message: text({ maxLength: 32_768 }),
    },
    { required: ['lastTransitionTime', 'message', 'reason', 'status', 'type'] },
  ),
  { maxItems: 32, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
)
const legacy = list(
  object(
    {
      type: text({ minLength: 1, maxLength: 256 }),
      status: text(),
      severity: text({ maxLength: 32 }),
      lastTransitionTime: text({ format: 'date-time' }),
      reason: text({ maxLength: 256 }),
      message: text({ maxLength: 10_240 }),
    },
    { required: ['lastTransitionTime', 'status', 'type'] },
  ),
)
const generation = { type: 'integer', format: 'int64', minimum: 0 } as const

type ApiVersion = 'v1beta1' | 'v1beta2'

/** `older`: before conditions of the newer kind stood beside the others. */
const setSchema = (version: ApiVersion, checked: boolean, older: boolean): JsonObject =>
  object({
    spec: object(
      {
        clusterSelector: selector(checked),
        resources: list(object({ kind: KIND, name: NAME }, { required: ['kind', 'name'] }), {
          ...ATOMIC,
          ...(version === 'v1beta2' ? { minItems: 1 } : {}),
        }),
        strategy: text({
          enum: ['ApplyOnce', 'Reconcile'],
          ...(checked ? { default: 'ApplyOnce', ...rules(FROZEN) } : {}),
        }),
      },
      { required: version === 'v1beta2' ? ['clusterSelector', 'resources'] : ['clusterSelector'] },
    ),
    status: object(
      version === 'v1beta1'
        ? {
            conditions: legacy,
            observedGeneration: generation,
            ...(older ? {} : { v1beta2: object({ conditions: newer }) }),
          }
        : {
            conditions: newer,
            observedGeneration: generation,
            deprecated: object({ v1beta1: object({ conditions: legacy }) }),
          },
    ),
  })

const bindingSchema = (version: ApiVersion): JsonObject => {
  const applied = object(
    {
      kind: KIND,
      name: NAME,
      hash: text({ minLength: 1, maxLength: 256 }),
      lastAppliedTime: text({ format: 'date-time' }),
      applied: { type: 'boolean' },
    },
    { required: ['applied', 'kind', 'name'] },
  )
  const entry = object(
    { clusterResourceSetName: NAME, resources: list(applied, ATOMIC) },
    { required: ['clusterResourceSetName'] },
  )
  const clusterName = text({ minLength: 1, maxLength: 63, ...rules(FROZEN) })
  return object({
    spec: object(
      { bindings: list(entry, ATOMIC), clusterName },
      version === 'v1beta2' ? { required: ['clusterName'] } : {},
    ),
  })
}

const open = (): JsonObject => object({}, { 'x-kubernetes-preserve-unknown-fields': true })

/** Of a Cluster only what the sets' controller looks at is said. */
const clusterSchema = (): JsonObject =>
  object({ spec: object({ paused: { type: 'boolean' } }, open()), status: open() })

function definition(
  group: string,
  kind: string,
  plural: string,
  versions: readonly ApiVersion[],
  schema: (version: ApiVersion) => JsonObject,
  hasStatus = true,
): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels: { 'cluster.x-k8s.io/provider': 'cluster-api' } },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: versions.map((name, i) => ({
        name,
        served: true,
        storage: i === 0,
        schema: { openAPIV3Schema: schema(name) },
        ...(hasStatus ? { subresources: { status: {} } } : {}),
      })) as readonly JsonObject[] as JsonValue,
    },
  }
}

/**
 * Those of a release; the first version is stored. Nobody converts, as without the conversion webhook. `checked`: what the webhooks
 * refuse and default is refused and defaulted.
 */
export function clusterApiDefinitions(release: ClusterApiVersion, checked = true): readonly KubeObject[] {
  const versions: readonly ApiVersion[] = release === '1.13' ? ['v1beta2', 'v1beta1'] : ['v1beta1']
  const addons = 'addons.cluster.x-k8s.io'
  return [
    definition(addons, 'ClusterResourceSet', 'clusterresourcesets', versions, (v) =>
      setSchema(v, checked, release === '1.8'),
    ),
    definition(
      addons,
      'ClusterResourceSetBinding',
      'clusterresourcesetbindings',
      versions,
      bindingSchema,
      false,
    ),
    definition('cluster.x-k8s.io', 'Cluster', 'clusters', versions, clusterSchema),
  ]
}
