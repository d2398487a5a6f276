/** References of facts: what a blocked item waits for. Stored in `status.blockers[].on`. */
import { z } from 'zod'

/** The cluster of the unit that a summary is about, where clusters wait for the same on their own cluster. */
export const SELF = '$self'

/** References that a stored blocker has at most. */
export const MAX_REFS = 8

const kinds = [
  'Unit',
  'Module',
  'Object',
  'Cluster',
  'Hold',
  'Approval',
  'Budget',
  'Source',
  'Time',
  'Person',
  'External',
] as const

export type WaitKind = (typeof kinds)[number]

export const waitRef = z
  .object({
    kind: z.enum(kinds).describe('Kind of reference.'),
    name: z.string().describe('Name of the object, Module, cluster, or point in time.'),
    namespace: z.string().optional().describe('Namespace of the object.'),
    group: z.string().optional().describe('RemoteAssemblage of another tool that lists the unit.'),
    cluster: z.string().optional().describe('Cluster; `$self` in a summary: the cluster of each unit.'),
    object: z
      .object({ apiVersion: z.string().describe('API version.'), kind: z.string().describe('Kind.') })
      .optional()
      .describe('Kind of the object, or of the Module where it is not Module.'),
  })
  .describe('Object, unit or event that ends the wait.')

/** `name` of a Unit or Module is the Module's; of an Object, the object's; of a Time, RFC 3339 or a duration. */
export type WaitRef = Readonly<z.output<typeof waitRef>>

export type WaitRefOf<K extends WaitKind> = WaitRef & { readonly kind: K }

/** Which references a reason has; `min` 1: at least one. */
export interface RefPattern<K extends WaitKind, Min extends 0 | 1> {
  readonly kinds: readonly K[]
  readonly min: Min
  /** The references are a sample, such as the clusters that use a limit: other ones do not begin another wait. */
  readonly isSample: boolean
}

export const oneOrMore = <K extends WaitKind>(...of: readonly K[]): RefPattern<K, 1> => ({
  kinds: of,
  min: 1,
  isSample: false,
})
export const anyNumber = <K extends WaitKind>(...of: readonly K[]): RefPattern<K, 0> => ({
  kinds: of,
  min: 0,
  isSample: false,
})
export const sampleOf = <K extends WaitKind>(...of: readonly K[]): RefPattern<K, 0> => ({
  kinds: of,
  min: 0,
  isSample: true,
})

export type RefsOfPattern<P> =
  P extends RefPattern<infer K, 1>
    ? readonly [WaitRefOf<K>, ...WaitRefOf<K>[]]
    : P extends RefPattern<infer K, 0>
      ? readonly WaitRefOf<K>[]
      : never
