import { z } from 'zod'
import { dnsName } from '../schemarules.ts'

const valuesFrom = z.object({
  kind: z.enum(['ConfigMap', 'Secret']),
  name: dnsName.describe('Name of an object in the namespace of this Module.'),
  valuesKey: z
    .string()
    .min(1)
    .max(253)
    .default('values.yaml')
    .describe('The key: a YAML document, or with targetPath the text itself.'),
  targetPath: z
    .string()
    .min(1)
    .max(250)
    .optional()
    .describe('Where the text goes, whatever is in it: a.b, a dot in a key as \\.'),
  optional: z.boolean().default(false).describe('The object need not be there.'),
})

const parameter = z.object({
  name: z.string().min(1).max(1024).describe('a.b, a[0].b; a dot in a key as \\.'),
  value: z
    .string()
    .max(65_536)
    .default('')
    .describe('A number, true, false and null are what they look like.'),
  forceString: z.boolean().default(false).describe('The value is a text, whatever it looks like.'),
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
      .describe('Absent: the name of this Module.'),
    valuesFiles: z
      .array(z.string().min(1).max(1024))
      .max(32)
      .optional()
      .describe(
        'From left to right: paths from the directory of the chart; /x from the root of its repository, $name/x from that of source.refs.',
      ),
    ignoreMissingValuesFiles: z
      .boolean()
      .default(false)
      .describe('True: files of valuesFiles that are not there are passed over.'),
    valuesFrom: z
      .array(valuesFrom)
      .max(32)
      .optional()
      .describe('From left to right, over all valuesFiles. With a Secret, the bundle is stored as one.'),
    values: z.unknown().meta({ anyObject: true }).optional().describe('Values over all others.'),
    parameters: z
      .array(parameter)
      .max(256)
      .optional()
      .describe('Over all values, from left to right, as --set of Helm has them.'),
    kubeVersion: kubeVersion
      .default('1.30.0')
      .describe('What .Capabilities.KubeVersion is, for all clusters alike.'),
    apiVersions: apiVersions
      .optional()
      .describe('What .Capabilities.APIVersions has, beside what Helm itself knows.'),
    includeCRDs: z.boolean().default(true).describe('The folder crds of charts, too.'),
    tests: z.boolean().default(false).describe('Hooks that are tests, too; they are not run.'),
    skipSchemaValidation: z
      .boolean()
      .default(false)
      .describe('True: values are not compared with values.schema.json.'),
    allowRandom: z
      .boolean()
      .default(false)
      .describe(
        'True: what comes out may differ from run to run; what came first stays until the content of this Module is another.',
      ),
  })
  .describe(
    'What helm template makes of the chart at the path, with dependencies that lie in its folder charts. Needs helm beside the controller, and namespace.',
  )

export type HelmRender = z.output<typeof helm>
