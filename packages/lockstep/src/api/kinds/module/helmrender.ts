import { z } from 'zod'
import { dnsName } from '../schemarules.ts'

const valuesFrom = z.object({
  kind: z.enum(['ConfigMap', 'Secret']).describe('Kind of the object.'),
  name: dnsName.describe('Name of an object in the namespace of this Module.'),
  valuesKey: z
    .string()
    .min(1)
    .max(253)
    .default('values.yaml')
    .describe('Key with a YAML document of values, or with the text for `targetPath`.'),
  targetPath: z
    .string()
    .min(1)
    .max(250)
    .optional()
    .describe('Path of the value that is set to the text, such as a.b; a dot in a key is written \\.'),
  optional: z.boolean().default(false).describe('Whether the object may be missing.'),
})

const parameter = z.object({
  name: z
    .string()
    .min(1)
    .max(1024)
    .describe('Path of the value, such as a.b or a[0].b; a dot in a key is written \\.'),
  value: z
    .string()
    .max(65_536)
    .default('')
    .describe('Value. A number, true, false and null keep their type.'),
  forceString: z.boolean().default(false).describe('Whether the value is always a string.'),
})

export const kubeVersion = z
  .string()
  .max(64)
  .regex(/^v?[0-9]+\.[0-9]+(\.[0-9]+)?([-+][0-9A-Za-z.+-]+)?$/)

export const apiVersions = z
  .array(
    z
      .string()
      .max(317)
      .regex(/^[0-9A-Za-z.-]+(\/[0-9A-Za-z.-]+){0,2}$/),
  )
  .max(256)

export const helm = z
  .object({
    releaseName: z
      .string()
      .min(1)
      .max(53)
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/)
      .optional()
      .describe('Name of the Helm release; the name of this Module if omitted.'),
    valuesFiles: z
      .array(z.string().min(1).max(1024))
      .max(32)
      .optional()
      .describe(
        'Values files, later ones override earlier ones. Paths begin at the chart; /x at the root of its repository, $name/x at that of `source.refs`.',
      ),
    ignoreMissingValuesFiles: z
      .boolean()
      .default(false)
      .describe('Whether missing values files are skipped.'),
    valuesFrom: z
      .array(valuesFrom)
      .max(32)
      .optional()
      .describe(
        'Values from objects, which override all values files. With a Secret, the bundle is stored as a Secret.',
      ),
    values: z
      .unknown()
      .meta({ anyObject: true })
      .optional()
      .describe('Values that override all files and objects.'),
    parameters: z
      .array(parameter)
      .max(256)
      .optional()
      .describe('Parameters that override all values, as --set of Helm.'),
    kubeVersion: kubeVersion
      .default('1.30.0')
      .describe('Kubernetes version in .Capabilities.KubeVersion, the same for all clusters.'),
    apiVersions: apiVersions
      .optional()
      .describe('API versions in .Capabilities.APIVersions, in addition to those of Helm.'),
    includeCRDs: z
      .boolean()
      .default(true)
      .describe('Whether objects in the crds folder of charts are included.'),
    tests: z.boolean().default(false).describe('Whether test hooks are included; they are not run.'),
    skipSchemaValidation: z
      .boolean()
      .default(false)
      .describe('Whether the check of values against values.schema.json is skipped.'),
    allowRandom: z
      .boolean()
      .default(false)
      .describe(
        'Whether rendering may return different results. The first result is kept until this Module changes.',
      ),
  })
  .describe(
    'Rendering by `helm template` of a chart, including dependencies in its charts folder. Needs Helm beside the controller, and `namespace`.',
  )

export type HelmRender = z.output<typeof helm>
