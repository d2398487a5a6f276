/** The definitions of our kinds as the files in `crds/` have them. */

import { encodeYaml, type JsonObject } from '@lockstep/kube/object'
import { ownCrds, sharedCrds } from '../../../api/crd/index.ts'

const HEAD = '# Generated from packages/lockstep/src/api by npm run generate. Not edited by hand.\n'

const yamlOf = (crds: readonly JsonObject[]): string =>
  HEAD + crds.map((crd) => `---\n${encodeYaml(crd)}`).join('')

/** By name of the file; the second is for hubs without Cluster API. */
export const crdFiles = (): Readonly<Record<string, string>> => ({
  'lockstep.yaml': yamlOf(ownCrds()),
  'resourcesets.yaml': yamlOf(sharedCrds()),
})
