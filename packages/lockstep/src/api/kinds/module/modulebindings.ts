import { z } from 'zod'
import { dnsLabel, rules } from '../schemarules.ts'

const objectName = z
  .string()
  .min(1)
  .max(253)
  .describe(
    'May mention other bindings; of a name that depends on the cluster each cluster has its own value.',
  )

const keyRef = z.object({ name: objectName, key: z.string().min(1).max(253) })

const fieldPath = z
  .string()
  .min(1)
  .max(1024)
  .regex(/^(\$?\.)?[A-Za-z_]/)
  .describe(
    'Where the value is: status.endpoint, metadata.labels["a/b"], spec.ports[0].port; [*] takes all elements. Several values are a JSON list.',
  )

const isRead = (message: string) =>
  rules({ rule: "self.apiVersion != 'v1' || self.kind != 'Secret'", message, fieldPath: '.kind' })

const apiVersion = z.string().min(1).max(317)
const kind = z.string().min(1).max(63)

const given = (what: string) =>
  z
    .boolean()
    .optional()
    .meta(rules({ rule: 'self', message: 'is true or absent' }))
    .describe(`true: ${what}.`)

const cluster = z
  .object({
    name: given('the name under which units know the cluster'),
    namespace: given('the namespace of its object on the hub'),
    uid: given('the uid of its object on the hub'),
    label: z.string().min(1).max(317).optional().describe('A label of that object.'),
    annotation: z.string().min(1).max(317).optional().describe('An annotation of that object.'),
    property: z.string().min(1).max(253).optional().describe('Of status.properties of a ClusterProfile.'),
    fieldPath: fieldPath
      .optional()
      .describe(
        'Any field of a Cluster of Cluster API, or of a ClusterProfile: spec.topology.version, spec.ports[0].port; [*] takes all elements. Several values are a JSON list.',
      ),
  })
  .meta({ exactlyOne: ['name', 'namespace', 'uid', 'label', 'annotation', 'property', 'fieldPath'] })
  .describe('What the hub knows of the cluster.')

const binding = z
  .object({
    name: z
      .string()
      .max(63)
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
      .describe('As manifests mention it: $(NAME).'),
    type: z
      .enum(['String', 'Integer', 'Boolean', 'JSON'])
      .default('String')
      .describe('What a scalar becomes that is nothing but the mention; within a text every value is text.'),
    default: z.string().max(4096).optional().describe('Where there is no value.'),
    value: z.string().max(4096).optional().describe('A text; it may mention other bindings.'),
    cluster: cluster.optional(),
    configMapKeyRef: keyRef.optional().describe('A key of a ConfigMap beside the module on the hub.'),
    secretKeyRef: keyRef.optional().describe('A key of a Secret beside the module on the hub.'),
    objectFieldRef: z
      .object({ apiVersion, kind, name: objectName, fieldPath })
      .meta(isRead('is not read field by field; use secretKeyRef'))
      .optional()
      .describe('A field of an object beside the module on the hub.'),
    workloadFieldRef: z
      .object({ apiVersion, kind, namespace: dnsLabel.optional(), name: objectName, fieldPath })
      .meta(isRead('of a cluster is not read'))
      .optional()
      .describe('A field of an object on the cluster itself.'),
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
    'Values that manifests mention as $(NAME), in any text but names of keys; $$(NAME) is the text itself. CLUSTER_NAME and CLUSTER_NAMESPACE are given.',
  )

export type ModuleBinding = z.output<typeof binding>
