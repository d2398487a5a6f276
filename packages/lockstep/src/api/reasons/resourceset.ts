/** Reasons of ClusterResourceSets. */
import { z } from 'zod'
import { groupsText } from './clustergroup.ts'
import { listText, named } from './nameof.ts'
import { number, oneOf, reason, text, texts } from './reason.ts'
import { oneOrMore, sampleOf, type WaitRefOf } from './waitref.ts'

const object = (apiVersion: string, kind: string, namespace: string, name: string): WaitRefOf<'Object'> => ({
  kind: 'Object',
  name,
  namespace,
  object: { apiVersion, kind },
})
const source = object('v1', 'ConfigMap', 'default', 'calico-addon')
const set = object('addons.cluster.x-k8s.io/v1beta2', 'ClusterResourceSet', 'default', 'calico')

const cluster = z.object({ cluster: text, detail: text.optional() })
const groups = z.array(z.object({ reason: text, clusters: z.array(cluster).readonly() })).readonly()

/** `ConfigMap default/a key b document 1: `, or nothing. */
const head = (at: string | undefined): string => (at === undefined ? '' : `${at}: `)

export const resourceSetReasons = {
  NotApplied: reason({
    actor: 'cause',
    on: sampleOf('Cluster'),
    facts: { applied: number, total: number, groups },
    message: (f) => [`applied on ${f.applied} of ${f.total} clusters`, ...groupsText(f.groups)].join('; '),
    meaning: 'Connected clusters do not have all objects of a ClusterResourceSet.',
    advice: () => 'correct the rejected objects; they are applied again within a minute',
    examples: [
      {
        on: [{ kind: 'Cluster', name: 'cluster-1', namespace: 'default' }],
        applied: 2,
        total: 3,
        groups: [
          {
            reason: 'NotApplied',
            clusters: [{ cluster: 'cluster-1', detail: 'ConfigMap a: quota exceeded' }],
          },
        ],
      },
    ],
  }),
  InvalidResource: reason({
    actor: 'author',
    on: oneOrMore('Object'),
    facts: {
      because: oneOf(
        'NoData',
        'NotUtf8',
        'NotYaml',
        'JsonArray',
        'NotAnObject',
        'FieldMissing',
        'NamespaceNotAString',
        'NamespaceMissing',
        'GenerateName',
      ),
      at: text.optional(),
      field: text.optional(),
      byte: number.optional(),
      place: text.optional(),
      error: text.optional(),
      kind: text.optional(),
      name: text.optional(),
      mode: text.optional(),
    },
    message: (f) => {
      const [ref] = f.on
      switch (f.because) {
        // The words of Cluster API.
        case 'NoData':
          return `failed to get data field from resource ${ref?.namespace}/${ref?.name}: ${ref?.object?.kind} has no data; put the manifests into data${f.field === 'binaryData' ? ', binaryData is not read' : ''}`
        case 'NotUtf8':
          return `${head(f.at)}is not UTF-8 at byte ${f.byte}`
        case 'NotYaml':
          return `${head(f.at)}is not YAML at ${f.place}${f.error === undefined ? '' : `: ${f.error}`}`
        case 'JsonArray':
          return `${head(f.at)}JSON array ${f.error} at byte ${f.byte}`
        case 'NotAnObject':
          return `${head(f.at)}is not an object; write a manifest with apiVersion, kind and metadata.name`
        case 'FieldMissing':
          return `${head(f.at)}has no ${f.field}; add it`
        case 'NamespaceNotAString':
          return `${head(f.at)}has a metadata.namespace that is not a string; quote it`
        case 'NamespaceMissing':
          return `${head(f.at)}${f.kind} "${f.name}" has no metadata.namespace; add one`
        case 'GenerateName':
          return `${head(f.at)}${f.kind} has generateName only: mode ${f.mode} finds objects by name; set metadata.name`
      }
    },
    meaning:
      'A source of a ClusterResourceSet cannot be read, or has an invalid manifest. Other sources are delivered.',
    advice: (f) => `correct the manifest in ${named(f)}`,
    examples: [
      {
        on: [source],
        because: 'FieldMissing',
        at: 'ConfigMap default/calico-addon key a.yaml document 3',
        field: 'kind',
      },
    ],
  }),
  WrongSecretType: reason({
    actor: 'author',
    on: oneOrMore('Object'),
    facts: { type: text.optional() },
    // The words of Cluster API.
    message: (f) => `Secret type of resource ${f.on[0]?.name} is not supported`,
    meaning: 'A Secret of a ClusterResourceSet is not of type addons.cluster.x-k8s.io/resource-set.',
    advice: (f) => `recreate ${named(f)} with type addons.cluster.x-k8s.io/resource-set`,
    examples: [{ on: [object('v1', 'Secret', 'default', 'calico-addon')], type: 'Opaque' }],
  }),
  InvalidSetting: reason({
    actor: 'author',
    on: oneOrMore('Object'),
    facts: { annotation: text, path: text.optional(), value: text.optional(), error: text },
    message: (f) =>
      `${f.annotation}${f.path ?? ''}: ${f.value === undefined ? '' : `${f.value}: `}${f.error}`,
    meaning:
      'An annotation of a ClusterResourceSet has an invalid value. The last valid settings stay in force.',
    advice: (f) => `correct ${f.annotation} of ${named(f)}`,
    examples: [
      {
        on: [set],
        annotation: 'lockstep.dev/interval',
        value: '"10"',
        error: 'not a duration; write "10s" or "10m"',
      },
    ],
  }),
  PreviousControllerActive: reason({
    actor: 'platform',
    on: oneOrMore('Object', 'External'),
    facts: { controller: oneOf('ClusterAPI', 'Weave'), lease: text.optional(), seconds: number.optional() },
    message: (f) => {
      if (f.controller === 'Weave')
        return `${f.lease} is held by the pipeline-controller of weaveworks; stop it`
      const seen =
        f.lease === undefined
          ? 'no Lease, but its webhooks are registered'
          : `Lease ${f.lease}, renewed ${f.seconds} s ago`
      return `Cluster API's controller (${seen}) has not acknowledged the pause; versions before 1.9 cannot: upgrade, or disable its ClusterResourceSet feature`
    },
    meaning: 'The controller that managed the object before is still active. Nothing is written.',
    advice: (f) =>
      f.controller === 'Weave'
        ? 'stop the pipeline-controller of weaveworks'
        : 'upgrade Cluster API to 1.9, or disable its feature gate ClusterResourceSet',
    examples: [
      {
        on: [object('coordination.k8s.io/v1', 'Lease', 'weave', 'pipeline-controller')],
        controller: 'Weave',
        lease: 'Lease weave/pipeline-controller',
      },
    ],
  }),
  ObjectExists: reason({
    actor: 'author',
    on: oneOrMore('Object'),
    facts: {},
    message: (f) =>
      `${named({ on: f.on.slice(0, 1), clusters: f.clusters })} exists, and lockstep.dev/existing is Fail; delete it, or set Keep or Take`,
    meaning: 'An object that a ClusterResourceSet creates exists, and lockstep.dev/existing is Fail.',
    advice: () => 'delete the object, or set lockstep.dev/existing: Keep or Take',
    examples: [
      {
        on: [
          {
            kind: 'Object',
            name: 'b',
            namespace: 'a',
            cluster: 'c1',
            object: { apiVersion: 'v1', kind: 'Secret' },
          },
        ],
      },
    ],
  }),
  StrategyUnknownUpstream: reason({
    actor: 'platform',
    on: oneOrMore('Object'),
    facts: { annotation: text },
    message: (f) =>
      `spec.strategy Continuous is unknown to the definition of Cluster API and stays in force; set ${f.annotation}: Continuous`,
    meaning: 'The strategy is Continuous, and the definition of Cluster API does not have the value.',
    advice: (f) => `annotate ${named(f)} with ${f.annotation}: Continuous`,
    examples: [{ on: [set], annotation: 'lockstep.dev/mode' }],
  }),
  FieldsMayRemain: reason({
    actor: 'author',
    on: oneOrMore('Cluster'),
    facts: { source: text, objects: texts, count: number },
    message: (f) =>
      `fields of an earlier content of ${f.source} may remain on ${f.on[0]?.name}: ${listText(f.objects, f.count)}; compare them with their manifests`,
    meaning:
      'A ClusterResourceSet was taken over with another content than Cluster API applied. Fields that left the manifests may remain.',
    advice: () =>
      'compare the objects with their manifests (kubectl get -o yaml --show-managed-fields) and delete remaining fields of manager "manager"',
    examples: [
      {
        on: [{ kind: 'Cluster', name: 'cluster-1', namespace: 'default' }],
        source: 'ConfigMap default/calico-addon',
        objects: ['ConfigMap a/b'],
        count: 1,
      },
    ],
  }),
} as const
