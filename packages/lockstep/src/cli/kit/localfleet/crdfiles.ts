/** The definitions of our kinds as the files in `crds/` have them, and the numbers of their schemas. */

import { encodeYaml, type JsonObject } from '@lockstep/kube/object'
import {
  definitionDigest,
  definitionName,
  ownCrds,
  recordedSchemas,
  type SchemaRecord,
  sharedCrds,
} from '../../../api/crd/index.ts'
import { ownKinds } from '../../../api/registry.ts'

const HEAD = '# Generated from packages/lockstep/src/api by npm run generate. Not edited by hand.\n'

/** The records of all definitions: one that differs from its record gets the next number. */
export const currentSchemas = (records = recordedSchemas): Readonly<Record<string, SchemaRecord>> =>
  Object.fromEntries(
    ownKinds.map((kind): [string, SchemaRecord] => {
      const [name, digest] = [definitionName(kind), definitionDigest(kind)]
      const recorded = records[name]
      return [name, recorded?.digest === digest ? recorded : { schema: (recorded?.schema ?? 0) + 1, digest }]
    }),
  )

const yamlOf = (crds: readonly JsonObject[]): string =>
  HEAD + crds.map((crd) => `---\n${encodeYaml(crd)}`).join('')

/** By name of the file; the second is for hubs without Cluster API. */
export const crdFiles = (): Readonly<Record<string, string>> => ({
  'lockstep.yaml': yamlOf(ownCrds()),
  'resourcesets.yaml': yamlOf(sharedCrds()),
})
