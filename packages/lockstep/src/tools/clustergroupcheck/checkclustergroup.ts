/** What goes wrong with the values of a cluster group where Argo CD and the chart deliver them: found without a cluster. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { valuePathText } from '@lockstep/kube/object'
import {
  type ClusterGroupValuesFile,
  evaluateClusterGroup,
  type Problem,
  type ValuesNote,
} from '../../decisions/clustergroup/index.ts'
import { isPrefix } from '../fluximport/fieldreader.ts'
import { type ClusterGroupRuleId, clusterGroupRuleIds, clusterGroupRules } from './clustergrouprules.ts'
import type { GroupCheckRule, GroupFinding, UnplacedFinding } from './groupcheckrule.ts'
import { groupMembersOf } from './groupmembers.ts'
import { locatePaths } from './locatepaths.ts'
import { objectsBeforeApi } from './objectsbeforeapi.ts'
import {
  sequenceJobsAtAnotherTime,
  sequenceJobsWithoutObject,
  sequenceJobsWithoutRights,
} from './sequencejobs.ts'
import {
  syncWavesBeforeOperators,
  syncWavesWithoutHealth,
  syncWavesWithoutNumbers,
  syncWavesWithoutResult,
} from './syncwaves.ts'

const LOOKS: readonly GroupCheckRule[] = [
  syncWavesWithoutResult,
  sequenceJobsAtAnotherTime,
  sequenceJobsWithoutObject,
  syncWavesWithoutHealth,
  syncWavesBeforeOperators,
  syncWavesWithoutNumbers,
  sequenceJobsWithoutRights,
  objectsBeforeApi,
]

/**
 * By file, line and rule. An error: files that cannot be read; what they would have said may change everything.
 * Values are read as the chart reads them, from left to right.
 */
export function checkClusterGroup(
  files: readonly ClusterGroupValuesFile[],
): Result<GroupFinding[], Problem[]> {
  const looked = evaluateClusterGroup({ files }, true)
  if (!looked.ok) return err(looked.error)
  const { notes, group } = looked.value
  const checked = { ...looked.value, members: groupMembersOf(group) }
  const found = [
    ...refusals(notes.problems),
    ...warnings(notes.warned),
    ...LOOKS.flatMap((look) => look(checked)),
  ]
  const place = locatePaths(files, (path) => notes.layers.of(path)?.file)
  const index = new Map(files.map(({ file }, i) => [file, i]))
  return ok(
    found
      .map(({ rule, path, message, level, fix }) => ({
        rule,
        level: level ?? clusterGroupRules[rule].level,
        place: place(path),
        path: valuePathText(path),
        message,
        fix: sentence(fix ?? clusterGroupRules[rule].fix),
      }))
      .toSorted(
        (a, b) =>
          index.get(a.place.file)! - index.get(b.place.file)! ||
          a.place.line - b.place.line ||
          a.place.column - b.place.column ||
          clusterGroupRuleIds.indexOf(a.rule) - clusterGroupRuleIds.indexOf(b.rule),
      ),
  )
}

/** Templates say nothing new of a value that the schema refuses. */
function refusals(problems: readonly (Problem & ValuesNote)[]): UnplacedFinding[] {
  const refused = problems.filter((p) => p.stage === 'values').map((p) => p.path)
  return problems
    .filter((p) => p.stage === 'values' || !refused.some((path) => isPrefix(path, p.path)))
    .map((p) => foundOf(p, p.stage === 'values' ? 'V1' : 'V2'))
}

const warnings = (notes: readonly ValuesNote[]): UnplacedFinding[] =>
  notes.flatMap((note) => (note.trap === undefined || note.trap === 'Idle' ? [] : [foundOf(note, note.trap)]))

const foundOf = ({ path, what, todo, trap }: ValuesNote, otherwise: ClusterGroupRuleId): UnplacedFinding => ({
  rule: trap === undefined || trap === 'Idle' ? otherwise : trap,
  path,
  message: what.replace(/^: |^ /, ''),
  ...(todo === undefined ? {} : { fix: todo }),
})

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?]$/.test(text) ? '' : '.'}`
