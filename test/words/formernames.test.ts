/**
 * Former names do not return: reasons, fields, values, flags and commands that have a new name. Each row is exact, since most of
 * these names are also English words.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

interface FormerRow {
  readonly now: string
  /** Source of a regular expression. */
  readonly former: string
  /** Files in which the text means something else. */
  readonly allowed?: readonly string[]
}

const FORMER_NAMES = 'packages/lockstep/src/cli/commands/formername.ts'
const FORMER_NAMES_TEST = 'packages/lockstep/src/cli/program.test.ts'
const FORMER_FIELDS = 'packages/lockstep/src/cli/kit/documents/documentrefusals.ts'
const FORMER_FIELDS_TEST = 'packages/lockstep/src/cli/kit/documents/documents.test.ts'

const word = (now: string, former: string): FormerRow => ({ now, former: String.raw`\b${former}\b` })
/** A flag of any command; `--now-later` is another one. */
const flag = (now: string, former: string, ...allowed: string[]): FormerRow => ({
  now,
  former: String.raw`--${former}\b(?!-)`,
  allowed: [FORMER_NAMES, FORMER_NAMES_TEST, ...allowed],
})
/** A value in code, YAML or Markdown. */
const quoted = (now: string, former: string, ...allowed: string[]): FormerRow => ({
  now,
  former: String.raw`['"\`]${former}['"\`]`,
  allowed,
})

const ROWS: readonly FormerRow[] = [
  // Reasons.
  word('RolloutLimit', 'NoSlot'),
  word('RolloutInProgress', 'RolloutUnderWay'),
  word('PromotionInProgress', 'PromotionUnderWay'),
  word('RolledBackWithDependency', 'BackWithDependency'),
  word('DependentAhead', 'DependantAhead'),
  word('DependentsRemain', 'DependantsRemain'),
  word('PreviousModuleRemoving', 'PreviousOwnerLeaving'),
  word('DeletionBlocked', 'DeletionWaits'),
  word('RollbackTargetUnknown', 'UndoUnknown'),
  word('PinnedRevisionUnknown', 'PinUnknown'),
  word('DriftNotReverted', 'DriftLeft'),
  word('StageInconclusive', 'StageUnproven'),
  word('AwaitingManualPromotion', 'AwaitingPeople'),
  word('MergeBlocked', 'MergeWaits'),
  word('RevertedInGit', 'RevertedAtBase'),
  word('CausedByPromotion', 'SelfCaused'),
  word('SourceNotSettled', 'SourceUnsettled'),
  // Events. Kubernetes and Helm have a Released of their own.
  word('DriftReverted', 'DriftRepaired'),
  word('CommitNotOnRef', 'NoRefVouches'),
  quoted(
    'Orphaned',
    'Released',
    'packages/health/src/rules/storagerules.ts',
    'packages/simulators/src/flux/helm/helmhistory.ts',
    'packages/simulators/src/flux/helm/loadrelease.ts',
  ),
  // Fields and their values.
  word('withDependents', 'withDependants'),
  word('revisionsFrom', 'levelsOnly'),
  quoted('drift: Revert', 'Repair'),
  { now: 'drift: Revert', former: String.raw`\bdrift: Repair\b|^\s*- Repair$` },
  quoted('action: Pause', 'Starts'),
  quoted('action: Suspend', 'Writes'),
  {
    now: 'action: Suspend or Pause',
    former: String.raw`\bscope: (Starts|Writes)\b|^\s*- (Starts|Writes)$|\.spec\.scope\b|\bself\.scope\b`,
    allowed: [FORMER_FIELDS_TEST],
  },
  { now: 'a Hold without scope', former: String.raw`Hold spec\.scope`, allowed: [FORMER_FIELDS] },
  // Flags.
  flag('diff --drift', 'admitted'),
  flag('reconcile --rebuild-digests', 'rehash'),
  flag('suspend', 'now', 'packages/lockstep/src/fleet/credentials/execplugin.test.ts'),
  flag('rollout pause', 'starts'),
  // Commands.
  word('suspend, or pin', 'lockstep hold'),
  word('resume, or unpin', 'lockstep release'),
  { now: 'suspend', former: '`(hold|release) (M|C|WHAT|MODULE|pipeline|--)' },
]

const root = resolve('.')
const TEXT = /\.(ts|yaml|yml|md|json|sh)$/
/** Bodies of decision records keep the names of their time. */
const RECORD = /^docs\/adr\/\d/

function* textsIn(folder: string): Generator<string> {
  for (const e of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
    const path = `${e.parentPath}/${e.name}`.slice(root.length + 1)
    if (e.isFile() && TEXT.test(path) && !RECORD.test(path) && !path.includes('generated')) yield path
  }
}

const sources = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/src`)
const paths = ['README.md', ...[...sources, 'crds', 'examples', 'docs'].flatMap((f) => [...textsIn(f)])]
const texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))

const hits = ({ former }: FormerRow): string[] => {
  const pattern = new RegExp(former, 'm')
  return [...texts].filter(([, text]) => pattern.test(text)).map(([path]) => path)
}

it.each(ROWS)('$former: use $now', (row) => {
  expect(hits(row).filter((path) => !row.allowed?.includes(path))).toEqual([])
})

it('each file that a row allows has its text', () => {
  for (const row of ROWS) {
    const found = hits(row)
    // The tables of former names are shared by several rows.
    const own = (row.allowed ?? []).filter((path) => path !== FORMER_NAMES && path !== FORMER_NAMES_TEST)
    for (const path of own) expect([row.former, path, found.includes(path)]).toEqual([row.former, path, true])
  }
})
