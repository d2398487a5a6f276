import { clusterApiDefinitions } from '../../packages/simulators/src/clusterapi/definitions.cases.ts'
import { rowsOfTier } from '../tier.ts'
import { embeddedFleet } from './embeddedfleet.ts'
import { setCases } from './sets.cases.ts'
import { runSetCases } from './sets.place.ts'

/** `ApplyOnce`, `Continuous`, `Reconcile`, or nothing for cases of all modes. */
const modeOf = (name: string): string => /^(\w+):/.exec(name)?.[1] ?? ''

for (const [version, release] of rowsOfTier(
  [
    ['v1beta2', '1.13'],
    ['v1beta1', '1.9'],
  ] as const,
  () => 'a version',
))
  runSetCases(
    `ClusterResourceSets of ${version}, on embedded API servers`,
    embeddedFleet,
    rowsOfTier(setCases, ({ name }) => modeOf(name)),
    { version, definitions: clusterApiDefinitions(release) },
  )
