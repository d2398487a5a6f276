import { z } from 'zod'
import { dnsLabel, rules } from '../schemarules.ts'

const objectName = z
  .string()
  .min(1)
  .max(253)
  .describe(
    'Name of the object. It may contain other bindings. If the name depends on the cluster, so does the value.',
  )

const keyRef = z.object({ name: objectName, key: z.string().min(1).max(253).describe('Key of the object.') })

const fieldPath = z
  .string()
  .min(1)
  .max(1024)
  .regex(/^(\$?\.)?[A-Za-z_]/)
  .describe(
    'Path of the value, such as status.endpoint, metadata.labels["a/b"] or spec.ports[0].port; [*] selects all elements. Several values become a JSON list.',
  )

const isRead = (message: string) =>
  rules({ rule: "self.apiVersion != 'v1' || self.kind != 'Secret'", message, fieldPath: '.kind' })

const apiVersion = z.string().min(1).max(317)
const kind = z.string().min(1).max(63)

const given = (what: string) =>
  z
    .boolean()
    .optional()
    .meta(rules({ rule: 'self', message: 'must be true or omitted' }))
    .describe(`${what}. The only value is true.`)

const cluster = z
  .object({
    name: given('Name of the cluster'),
    namespace: given('Namespace of the object that represents the cluster on the hub'),
    uid: given('UID of the object that represents the cluster on the hub'),
    label: z.string().min(1).max(317).optional().describe('Label of the object that represents the cluster.'),
    annotation: z
      .string()
      .min(1)
      .max(317)
      .optional()
      .describe('Annotation of the object that represents the cluster.'),
    property: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe('Property in status.properties of a ClusterProfile.'),
    fieldPath: fieldPath
      .optional()
      .describe(
        'Any field of a Cluster of Cluster API, or of a ClusterProfile: spec.topology.version, spec.ports[0].port; [*] takes all elements. Several values are a JSON list.',
      ),
  })
  .meta({ exactlyOne: ['name', 'namespace', 'uid', 'label', 'annotation', 'property', 'fieldPath'] })
  .describe('Field of the cluster as known on the hub.')

const binding = z
  .object({
    name: z
      .string()
      .max(63)
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
      .describe('Name of the binding. Manifests refer to it as $(NAME).'),
    type: z
      .enum(['String', 'Integer', 'Boolean', 'JSON'])
      .default('String')
      .describe('Type of a scalar that consists of the reference only; in a longer text each value is text.'),
    default: z.string().max(4096).optional().describe('Value for clusters without one.'),
    value: z.string().max(4096).optional().describe('Text, which may contain other bindings.'),
    cluster: cluster.optional(),
    configMapKeyRef: keyRef.optional().describe('Key of a ConfigMap in the namespace of the Module.'),
    secretKeyRef: keyRef.optional().describe('Key of a Secret in the namespace of the Module.'),
    objectFieldRef: z
      .object({
        apiVersion: apiVersion.describe('API version of the object.'),
        kind: kind.describe('Kind of the object.'),
        name: objectName,
        fieldPath,
      })
      .meta(isRead('must not be a Secret; use secretKeyRef'))
      .optional()
      .describe('Field of an object in the namespace of the Module.'),
    workloadFieldRef: z
      .object({
        apiVersion: apiVersion.describe('API version of the object.'),
        kind: kind.describe('Kind of the object.'),
        namespace: dnsLabel.optional().describe('Namespace of the object.'),
        name: objectName,
        fieldPath,
      })
      .meta(isRead('must not be a Secret of a cluster'))
      .optional()
      .describe('Field of an object on the cluster.'),
  })
  .meta({
    exactlyOne: ['value', 'cluster', 'configMapKeyRef', 'secretKeyRef', 'objectFieldRef', 'workloadFieldRef'],
  })

export const moduleBindings = z
  .array(binding)
  .max(64)
  .optional()
  .meta({ listType: 'map', mapKeys: ['name'] })
  .describe(
    'Values to which manifests refer as $(NAME), in all texts except keys; $$(NAME) is the literal text. CLUSTER_NAME and CLUSTER_NAMESPACE are predefined.',
  )

export type ModuleBinding = z.output<typeof binding>
