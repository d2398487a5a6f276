import { requestErrorText } from '@lockstep/kube/client'
import { refText } from '@lockstep/kube/object'
import { type Claim, claimsOf, takeClaim } from '../../../deliver/ownership/index.ts'
import {
  type Command,
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  INTERRUPTED,
  isSet,
  nameOf,
  textFlag,
} from '../../kit/index.ts'
import { printData } from '../../kit/output/index.ts'
import { fit, plural } from '../../kit/terminal/index.ts'
import {
  type Binder,
  type BoundUnit,
  bindUnit,
  bundlesOf,
  clusterOption,
  revisionFor,
  type SelectedUnit,
  withUnits,
} from '../../kit/units/index.ts'
import { type AdoptableUnit, headOf, unreadUnit } from './adoptableunit.ts'
import { adoptionObject, adoptReport, drawAdoptPlan, type UnitAdoption } from './adoptplan.ts'
import { lookAtMarks, openMarks } from './openmarks.ts'

/** `lockstep adopt`. */
export const adoptCommand: Command = {
  name: 'adopt',
  summary: 'Adopt objects of other tools',
  arguments: '[unit]',
  completes: ['unit'],
  detail:
    'UNIT is MODULE@CLUSTER, or MODULE for all of its clusters. Adopts existing objects that are in the deployed bundle, whatever spec.apply.adopt is. Lockstep takes the fields that kubectl, Helm, Flux, Argo CD and kapp manage. Objects of a Flux object that is not suspended, or of an Argo CD Application that syncs automatically, are refused. Exit 1 when an object was refused. With --from-markers: adopts the objects that carry the marks of the unit and name an Inventory that the hub does not have. Their content is not written. Objects that the bundle lacks wait with PruneConfirmation. Needs the right to update Inventories.',
  options: [
    clusterOption,
    { flags: '--from-markers', text: 'adopt objects that carry the marks of the unit' },
    { flags: '--all', text: 'with --from-markers: all units of the namespace' },
    {
      flags: '--from-hub <uid>',
      text: 'with --from-markers: UID of Namespace kube-system of a hub that no longer exists',
    },
    { flags: '--yes', text: 'adopt without confirmation' },
    { flags: '--dry-run', text: 'show the objects and change nothing' },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    [
      'Show objects that would be adopted, and their managers',
      'adopt monitoring@prod-eu --dry-run -n platform',
    ],
    ['Adopt objects on all clusters without confirmation', 'adopt monitoring --yes -n platform'],
    [
      'Show objects of a lost Inventory that would be adopted',
      'adopt --from-markers monitoring@prod-eu --dry-run -n platform',
    ],
    [
      'Take over all units of a lost hub, whose UID the variable has',
      'adopt --from-markers --all --from-hub "$OLD_HUB" --yes -n platform',
    ],
  ],
  async run(c, args, flags) {
    const isDry = isSet(flags, 'dryRun')
    const isSure = isSet(flags, 'yes')
    if (!isDry && !isSure && !(c.host.stdin.isTty && c.host.stdout.isTty))
      return failed('E_USAGE', {
        problem: 'cannot ask for confirmation: standard input is not a terminal',
        suggestion: 'add --yes to adopt the objects, or --dry-run to list them',
      })
    const stray = strayOf(args[0], flags)
    if (stray) return stray
    const isOfMarks = isSet(flags, 'fromMarkers')
    return withUnits(c, args[0], flags, async ({ hub, units, history, clusters }) => {
      const found: AdoptableUnit[] = []
      const marks = isOfMarks ? await openMarks(c, hub, clusters, textFlag(flags, 'fromHub')) : undefined
      if (marks?.ok === false) return marks
      for (const unit of units)
        found.push(
          marks
            ? await lookAtMarks(marks.value, unit)
            : await look(c, unit, history, { hub, clusters, bundles: bundlesOf(hub) }),
        )
      return decide(c, found, isDry, isSure)
    })
  },
}

/** One unit is named, or all are meant. */
function strayOf(unit: string | undefined, flags: Flags): ReturnType<typeof failed> | undefined {
  const wrong = (problem: string, suggestion: string) => failed('E_USAGE', { problem, suggestion })
  const [isOfMarks, isAll] = [isSet(flags, 'fromMarkers'), isSet(flags, 'all')]
  if (!isOfMarks && (isAll || textFlag(flags, 'fromHub') !== undefined))
    return wrong(
      '--all and --from-hub require --from-markers',
      'for example: lockstep adopt --from-markers --all',
    )
  if (isAll === (unit !== undefined))
    return wrong(
      isAll ? '--all takes no unit' : 'a unit is missing',
      'name a unit as MODULE@CLUSTER, or all units: lockstep adopt --from-markers --all',
    )
  return undefined
}

async function look(
  c: CommandContext,
  unit: SelectedUnit,
  history: Parameters<typeof revisionFor>[2],
  binder: Binder,
): Promise<AdoptableUnit> {
  const none = (problem: string): AdoptableUnit => unreadUnit(unit, problem)
  const revision = revisionFor(unit, { type: 'admitted' }, history)
  if (!revision.ok || !revision.value) return none('not deployed')
  const there = await binder.clusters.reach(unit.cluster)
  if (typeof there === 'string') return none(there)
  const bound = await bindUnit(c, unit, revision.value, 'admitted', { ...binder, there })
  if (!bound.ok) return none(bound.error.message)
  const claims = await claimsOf(bound.value.on)
  if (!claims.ok) return none(requestErrorText(claims.error))
  const takable = claims.value.filter((x) => x.refused === undefined).length
  const objects = claims.value.map((x) => adoptionObject(x, { taken: false }))
  return {
    plan: { ...headOf(unit), objects },
    takable,
    take: () => takeAll(c, unit, bound.value, claims.value),
  }
}

async function decide(
  c: CommandContext,
  found: readonly AdoptableUnit[],
  isDry: boolean,
  isSure: boolean,
): Promise<CommandResult> {
  const plan = found.map((f) => f.plan)
  const takable = found.reduce((sum, f) => sum + f.takable, 0)
  const isNothing = takable === 0 && !found.some((f) => f.isStampOnly)
  if (isDry || isNothing) return show(c, plan)
  if (!isSure) {
    for (const u of plan) for (const line of drawAdoptPlan(c.terminal, u)) c.terminal.print(line)
    c.terminal.talk(`Adopt ${plural(takable, 'object')}? Type yes to continue.`)
    const said = await c.host.stdin.line(c.signal)
    if (c.signal.aborted) return { ok: true, value: INTERRUPTED }
    if (said?.trim() !== 'yes') {
      c.terminal.talk('Nothing was changed.')
      return { ok: true, value: 1 }
    }
  }
  const done: UnitAdoption[] = []
  for (const f of found) done.push(await f.take())
  return show(c, done)
}

async function takeAll(
  c: CommandContext,
  unit: SelectedUnit,
  bound: BoundUnit,
  claims: readonly Claim[],
): Promise<UnitAdoption> {
  const objects: UnitAdoption['objects'] = []
  const { inventory } = bound.on
  for (const claim of inventory ? claims : []) {
    if (claim.refused !== undefined) {
      objects.push(adoptionObject(claim, { taken: false }))
      continue
    }
    const done = await takeClaim({ ...bound.on, inventory: inventory! }, claim)
    objects.push(adoptionObject(claim, { taken: done.ok, refused: done.ok ? undefined : done.error.message }))
    const from = claim.from === '' ? '' : ` from ${claim.from}`
    if (done.ok)
      c.terminal.talk(
        fit(
          c.terminal.look,
          `${c.terminal.paint('green', '✔')} ${unit.cluster}: adopted ${refText(claim.ref)}${from}`,
        ),
      )
  }
  return { ...headOf(unit), objects }
}

function show(c: CommandContext, units: readonly UnitAdoption[]): CommandResult {
  const names = units.flatMap((u) => u.objects.map((o) => `${u.cluster}/${nameOf(o, o.name)}`))
  if (!printData(c, adoptReport.fill({ units: [...units] }), names))
    for (const u of units) {
      const left = { ...u, objects: u.objects.filter((o) => !o.taken) }
      if (u.objects.length === 0 || left.objects.length > 0)
        for (const line of drawAdoptPlan(c.terminal, left)) c.terminal.print(line)
    }
  const lost = units.find((u) => u.problem !== undefined)
  if (lost)
    return failed('E_REFUSED', {
      ref: `${lost.module} on ${lost.cluster}`,
      problem: lost.problem!,
      suggestion: lost.suggestion ?? `lockstep why ${lost.module}@${lost.cluster}`,
    })
  const isRefused = units.some((u) => u.objects.some((o) => o.refused !== undefined))
  return { ok: true, value: isRefused ? 1 : 0 }
}
