import { clusterApiDefinitions } from '../../src/apiserver/world/clusterapi/definitions.cases.ts'
import { embeddedFleet } from './embedded.ts'
import { setCases } from './sets.cases.ts'
import { runSetCases } from './sets.place.ts'

for (const [version, release] of [
  ['v1beta2', '1.13'],
  ['v1beta1', '1.9'],
] as const)
  runSetCases(`ClusterResourceSets of ${version}, on embedded API servers`, embeddedFleet, setCases, {
    version,
    definitions: clusterApiDefinitions(release),
  })
