/** A plan of the fleet, for people. */
import { shortDuration } from '@lockstep/kube/object'
import { handoverLines, type PlannedFleet } from '../../kit/fleetplan/index.ts'
import type { CommandContext, CommandResult } from '../../kit/index.ts'
import { printData, printTable } from '../../kit/output/index.ts'
import { firstOf, fit, listText, plural, type Terminal } from '../../kit/terminal/index.ts'
import { type FleetPlanFacts, fleetPlanReport, type ModulePlanFacts } from './fleetplanreport.ts'
import { planFacts } from './planfacts.ts'

export interface PlanDrawOptions {
  readonly isOrdered: boolean
  readonly isExpanded: boolean
  /** Of the files. */
  readonly paths: readonly string[]
  /** What the controller is said to let leave at once. */
  readonly maxRemoval: string
}

type DrawnFacts = FleetPlanFacts & { readonly modules: readonly ModulePlanFacts[] }

export function drawFleetPlan(c: CommandContext, planned: PlannedFleet, o: PlanDrawOptions): CommandResult {
  const facts = planFacts(planned)
  const exit = { ok: true, value: facts.completes ? 0 : 1 } as const
  const names = facts.modules.filter((m) => m.moves > 0).map((m) => `${m.kind.toLowerCase()}/${m.module}`)
  if (printData(c, fleetPlanReport.fill(facts), names)) return exit
  const t = c.terminal
  t.print(fit(t.look, t.paint('bold', headOf(facts))))
  if (facts.modules.length > 0) printTable(c, [HEAD, ...facts.modules.map(rowOf)])
  for (const m of facts.modules) for (const line of linesOf(t, m, o.maxRemoval)) t.print(fit(t.look, line))
  for (const line of handoverLines(t.look, facts.handovers)) t.print(line)
  if (o.isExpanded) drawObjects(t, facts.modules)
  if (o.isOrdered && facts.starts.length > 0) drawSteps(c, facts)
  for (const line of endOf(t, facts, o)) t.print(fit(t.look, line))
  return exit
}

function headOf({ modules, clusters, moves, namespace }: DrawnFacts): string {
  const releases = new Set(modules.flatMap((m) => (m.change === 'unchanged' ? [] : (m.to?.release ?? []))))
  const [release] = releases
  const what = releases.size === 1 ? `Release ${release}` : `Namespace ${namespace}`
  const pinned = modules.reduce((n, m) => n + m.pinned.length, 0)
  const moved = moves === 0 ? 'nothing moves' : `${plural(moves, 'unit')} ${moves === 1 ? 'moves' : 'move'}`
  const stay = pinned === 0 ? '' : `, ${pinned} ${pinned === 1 ? 'stays' : 'stay'} pinned`
  return `${what}: ${plural(modules.length, 'module')} × ${plural(clusters, 'cluster')}: ${moved}${stay}`
}

const HEAD = ['LAYER', 'MODULE', 'CLUSTERS', 'MOVE', '+', '~', '-', 'NEEDS', 'HOW']

function rowOf(m: ModulePlanFacts): string[] {
  const count = (action: string): string =>
    m.objects ? String(m.objects.filter((x) => x.action === action).length) : '?'
  return [
    ...[String(m.layer), m.module, String(m.clusters), String(m.moves)],
    ...[count('create'), count('change'), count('delete')],
    m.needs.map((n) => needText(n, m)).join(', ') || '–',
    howText(m),
  ]
}

function needText(n: ModulePlanFacts['needs'][number], { to }: ModulePlanFacts): string {
  const name = n.on.replace(/^Module\//, '')
  const where = n.cluster === undefined ? '' : ` on ${n.cluster}`
  const release = n.release === 'Same' && to?.release !== undefined ? ` @ ${to.release}` : ''
  return `${name}${where}${release}${n.optional ? ' (optional)' : ''}`
}

function howText({ stages, strategy, maxUnavailable, clusters }: ModulePlanFacts): string {
  if (strategy === 'External') return 'External'
  if (strategy === 'Replace' && maxUnavailable >= clusters) return 'all at once'
  const most = `≤ ${maxUnavailable} at once`
  if (stages.length > 0) return `${plural(stages.length, 'stage')}, ${most}`
  return strategy === 'Incremental' ? `1, then ${most}` : most
}

/** `canary 10, 1h → approval → rest 110`. */
function stagesText({ stages }: ModulePlanFacts): string {
  const steps = stages.flatMap((s) => [
    ...(s.approvalBefore ? ['approval'] : []),
    `${s.name} ${s.clusters}${s.soakSeconds > 0 ? `, ${shortDuration(s.soakSeconds * 1000)}` : ''}`,
    ...s.gates,
    ...(s.approval ? ['approval'] : []),
  ])
  // Consent to the end of one stage and to the beginning of the next are two.
  return steps.join(' → ')
}

/** Who starts in it, first come first; of many the first ten. */
function membersText({ first, starts }: ModulePlanFacts['stages'][number]): string {
  const others = starts - first.length
  return `${first.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}

/** What else somebody should know of a module. */
function linesOf(t: Terminal, m: ModulePlanFacts, maxRemoval: string): string[] {
  const note = (text: string): string => `${t.paint('yellow', '!')} ${m.module}: ${text}`
  const out: string[] = []
  if (m.change === 'unchanged' && m.moves === 0 && m.completes) return []
  if (m.stages.length > 0) out.push(`  ${m.module}: ${stagesText(m)}`)
  for (const s of m.stages) if (s.first.length > 0) out.push(`    ${s.name}: ${membersText(s)}`)
  if (m.isGuess) out.push(note('it depends on Secrets that you may not read, so it may be unchanged'))
  if (m.change === 'new' && m.clusters === 0) out.push(note('it targets no cluster'))
  if (m.pinned.length > 0) out.push(note(pinnedText(m)))
  // Where nothing of it was before, all of them join.
  if (m.from && m.joins.length > 0) out.push(note(`joins ${listText(firstOf(m.joins))}`))
  if (m.leaves.length > 0)
    out.push(note(`${m.change === 'deleted' ? 'deleted: ' : ''}removed from ${listText(firstOf(m.leaves))}`))
  const whens = [m.windows, ...m.stages.map((s) => s.windows)]
  for (const [i, w] of whens.entries())
    if (w && !w.isOpen)
      out.push(
        note(
          `${i === 0 ? '' : `stage ${m.stages[i - 1]!.name}: `}window ${w.nextOpens ? `opens ${w.nextOpens}` : 'does not open within 366 days'}`,
        ),
      )
  for (const s of m.stages)
    if (s.gateExpr !== undefined) out.push(note(`stage ${s.name} ends when ${s.gateExpr}`))
  const [twice] = m.selectedTwice
  if (twice)
    out.push(
      note(
        `${twice.cluster} is in stage ${twice.in}, although ${twice.also} selects it too${more(m.selectedTwice.length)}`,
      ),
    )
  for (const w of m.waits)
    out.push(
      `${t.paint(m.completes ? 'yellow' : 'red', m.completes ? '!' : '✗')} ${m.module}: ${waitText(w, maxRemoval)}`,
    )
  return out
}

const more = (n: number): string => (n > 1 ? `, also ${n - 1} more` : '')

function pinnedText({ pinned, from }: ModulePlanFacts): string {
  const by = [...new Set(pinned.map((p) => `Hold/${p.by}`))]
  const where = listText(firstOf(pinned.map((p) => p.cluster)))
  return `stays ${from ? `at ${from.release ?? from.revision} ` : ''}on ${where}: ${listText(by)}`
}

/** What never starts, or waits; a limit of the controller is named, as its own may be another. */
export const waitText = (
  { reason, message, count }: Pick<ModulePlanFacts['waits'][number], 'reason' | 'message' | 'count'>,
  maxRemoval: string,
): string =>
  `${count !== undefined && count > 1 ? `${count}× ` : ''}${reason}: ${message}${reason === 'RemovalTooLarge' ? ` (with --max-removal ${maxRemoval})` : ''}`

const SIGN = { create: '+', change: '~', delete: '-' } as const
const COLOUR = { create: 'green', change: 'yellow', delete: 'red' } as const

function drawObjects(t: Terminal, modules: readonly ModulePlanFacts[]): void {
  for (const m of modules)
    for (const { action, object } of m.objects ?? [])
      t.print(fit(t.look, `${t.paint(COLOUR[action], SIGN[action])} ${m.module}: ${object}`))
}

function drawSteps(c: CommandContext, facts: DrawnFacts): void {
  const approvals = (step: number): string[][] =>
    facts.approvals
      .filter((a) => a.afterStep === step)
      .map((a) => ['', '', a.module.replace(/^Module\//, ''), 'Approve', a.stage, '', a.command])
  const rows = facts.starts.flatMap((s, i) => {
    const isFirst = i === 0 || facts.starts[i - 1]!.step !== s.step
    const row = [
      isFirst ? String(s.step) : '',
      isFirst ? shortDuration(s.afterSeconds * 1000) : '',
      s.module.replace(/^Module\//, ''),
      s.action,
      s.stage === 'all' ? '' : s.stage,
      String(s.clusters.length),
      firstOf(s.clusters).join(', '),
    ]
    return isFirst ? [...approvals(s.step - 1), row] : [row]
  })
  c.terminal.print('')
  printTable(c, [
    ['STEP', 'AFTER', 'MODULE', 'ACTION', 'STAGE', 'N', 'CLUSTERS'],
    ...rows,
    ...approvals(facts.starts.at(-1)!.step),
  ])
}

function endOf(t: Terminal, facts: DrawnFacts, { paths, isOrdered, isExpanded }: PlanDrawOptions): string[] {
  const { moves, layers, widest, seconds, approvals, completes, disruptionBudgets } = facts
  if (moves === 0 && completes) return []
  const waits = [
    ...(seconds > 0 ? [`${shortDuration(seconds * 1000)} of waiting`] : []),
    ...(approvals.length > 0 ? [plural(approvals.length, 'approval')] : []),
  ]
  const most = `at most ${plural(widest.units, 'unit')} on ${plural(widest.clusters, 'cluster')} at once`
  const out =
    moves === 0
      ? []
      : [`${plural(layers, 'layer')}, ${most}${waits.length > 0 ? `; ${listText(waits)}` : ''}.`]
  for (const b of disruptionBudgets)
    out.push(
      `DisruptionBudget ${b.name}: at most ${b.widest} of ${plural(b.clusters, 'cluster')} at once, limit ${b.max}.`,
    )
  if (!completes) out.push(t.paint('red', '✗ Some Modules cannot start; see above.'))
  const hints = [...(isOrdered ? [] : ['steps: --order']), ...(isExpanded ? [] : ['objects: --expand'])]
  const run = paths.length === 0 ? [] : [`To apply: lockstep apply -f ${paths.join(' -f ')}`]
  const last = [...run, ...(hints.length > 0 ? [hints.join('   ')] : [])].join('   ')
  return last === '' ? out : [...out, t.paint('dim', last)]
}
