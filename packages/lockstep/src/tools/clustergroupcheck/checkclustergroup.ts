/** What goes wrong with the values of a cluster group where Argo CD and the chart deliver them: found without a cluster. */
import { err, ok, type Result } from '../../../../kube/src/env/result.ts'
import { fieldText, isPrefix } from '../fluximport/fieldreader.ts'
import type { ValuesFile } from '../../decisions/clustergroup/values/layers.ts'
import type { Note, Problem } from '../../decisions/clustergroup/values/problem.ts'
import { lookAt } from '../../decisions/clustergroup/render/renderclustergroup.ts'
import { beforeApi } from './objectsbeforeapi.ts'
import type { Found, GroupFinding, Look } from './groupcheckrule.ts'
import { atAnotherTime, withoutObject, withoutRights } from './sequencejobs.ts'
import { membersOf } from './groupmembers.ts'
import { placesIn } from './locatepaths.ts'
import { type RuleId, ruleIds, rules } from './clustergrouprules.ts'
import { beforeOperators, noNumbers, withoutHealth, withoutResult } from './syncwaves.ts'

const LOOKS: readonly Look[] = [
  withoutResult,
  atAnotherTime,
  withoutObject,
  withoutHealth,
  beforeOperators,
  noNumbers,
  withoutRights,
  beforeApi,
]

/**
 * By file, line and rule. An error: files that cannot be read; what they would have said may change everything.
 * Values are read as the chart reads them, from left to right.
 */
export function checkClusterGroup(files: readonly ValuesFile[]): Result<GroupFinding[], Problem[]> {
  const looked = lookAt({ files }, true)
  if (!looked.ok) return err(looked.error)
  const { notes, group } = looked.value
  const checked = { ...looked.value, members: membersOf(group) }
  const found = [
    ...refusals(notes.problems),
    ...warnings(notes.warned),
    ...LOOKS.flatMap((look) => look(checked)),
  ]
  const place = placesIn(files, (path) => notes.layers.of(path)?.file)
  const index = new Map(files.map(({ file }, i) => [file, i]))
  return ok(
    found
      .map(({ rule, path, message, level, fix }) => ({
        ...{ rule, level: level ?? rules[rule].level, place: place(path), path: fieldText(path), message },
        fix: sentence(fix ?? rules[rule].fix),
      }))
      .toSorted(
        (a, b) =>
          index.get(a.place.file)! - index.get(b.place.file)! ||
          a.place.line - b.place.line ||
          a.place.column - b.place.column ||
          ruleIds.indexOf(a.rule) - ruleIds.indexOf(b.rule),
      ),
  )
}

/** Templates say nothing new of a value that the schema refuses. */
function refusals(problems: readonly (Problem & Note)[]): Found[] {
  const refused = problems.filter((p) => p.stage === 'values').map((p) => p.path)
  return problems
    .filter((p) => p.stage === 'values' || !refused.some((path) => isPrefix(path, p.path)))
    .map((p) => foundOf(p, p.stage === 'values' ? 'V1' : 'V2'))
}

const warnings = (notes: readonly Note[]): Found[] =>
  notes.flatMap((note) => (note.trap === undefined || note.trap === 'Idle' ? [] : [foundOf(note, note.trap)]))

const foundOf = ({ path, what, todo, trap }: Note, otherwise: RuleId): Found => ({
  rule: trap === undefined || trap === 'Idle' ? otherwise : trap,
  path,
  message: what.replace(/^: |^ /, ''),
  ...(todo === undefined ? {} : { fix: todo }),
})

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?]$/.test(text) ? '' : '.'}`
