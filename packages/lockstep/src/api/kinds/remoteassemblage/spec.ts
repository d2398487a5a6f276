import { z } from 'zod'
import { rules, sameName } from '../schemarules.ts'

const kind = z
  .string()
  .regex(/^[A-Z][A-Za-z0-9]{0,62}$/)
  .describe('Kind of the unit, one of the external controller.')
const name = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/)

const record = z
  .object({
    kind,
    name: name.describe('Name of the unit.'),
    revision: z.string().describe('Target revision: a published revision of a Module of the namespace.'),
    bundle: z.string().describe('Digest of the bundle.'),
    release: z.string().optional().describe('Release of the revision.'),
    serial: z
      .int()
      .optional()
      .describe(
        'Number of writes of this assignment; omitted, the generation of the RemoteAssemblage counts.',
      ),
  })
  .describe('Assignment of one unit to this cluster, by an external controller.')

export const remoteAssemblageSpec = z.object({
  clusterRef: z
    .object({
      kind: z.string().describe('Kind of the cluster.'),
      namespace: z.string().optional().describe('Namespace of the cluster.'),
      name: z.string().describe('Name of the cluster.'),
    })
    .meta(rules(sameName))
    .describe('Cluster of this RemoteAssemblage.'),
  syncs: z
    .array(record)
    .optional()
    .meta({ listType: 'map', mapKeys: ['kind', 'name'] })
    .describe('Assignments of an external controller. Those of Modules are in Inventories.'),
})

export type RemoteAssemblageSpec = z.output<typeof remoteAssemblageSpec>
export type ExternalAssignment = z.output<typeof record>
