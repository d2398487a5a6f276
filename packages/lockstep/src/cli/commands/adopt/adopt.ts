import { requestErrorText } from '@lockstep/kube/client'
import { refText } from '@lockstep/kube/object'
import { type Claim, claimsOf, takeClaim } from '../../../deliver/ownership/index.ts'
import {
  type Command,
  type CommandContext,
  type CommandResult,
  failed,
  INTERRUPTED,
  isSet,
  nameOf,
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
import { adoptionObject, adoptReport, drawAdoptPlan, type UnitAdoption } from './adoptplan.ts'

/** `lockstep adopt`. */
export const adoptCommand: Command = {
  name: 'adopt',
  summary: 'Adopt objects of other tools',
  arguments: '<unit>',
  completes: ['unit'],
  detail:
    'UNIT is MODULE@CLUSTER, or MODULE for all of its clusters. Adopts existing objects that are in the deployed bundle, whatever spec.apply.adopt is. Lockstep takes the fields that kubectl, Helm, Flux, Argo CD and kapp manage. Objects of a Flux object that is not suspended, or of an Argo CD Application that syncs automatically, are refused. Exit 1 when an object was refused.',
  options: [
    clusterOption,
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
  ],
  async run(c, args, flags) {
    const isDry = isSet(flags, 'dryRun')
    const isSure = isSet(flags, 'yes')
    if (!isDry && !isSure && !(c.host.stdin.isTty && c.host.stdout.isTty))
      return failed('E_USAGE', {
        problem: 'cannot ask for confirmation: standard input is not a terminal',
        suggestion: 'add --yes to adopt the objects, or --dry-run to list them',
      })
    return withUnits(c, args[0]!, flags, async ({ hub, units, history, clusters }) => {
      const found: AdoptableUnit[] = []
      for (const unit of units)
        found.push(await look(c, unit, history, { hub, clusters, bundles: bundlesOf(hub) }))
      return decide(c, found, isDry, isSure)
    })
  },
}

interface AdoptableUnit {
  readonly unit: SelectedUnit
  readonly bound: BoundUnit | undefined
  readonly claims: readonly Claim[]
  readonly problem: string | undefined
}

async function look(
  c: CommandContext,
  unit: SelectedUnit,
  history: Parameters<typeof revisionFor>[2],
  binder: Binder,
): Promise<AdoptableUnit> {
  const none = (problem: string): AdoptableUnit => ({ unit, bound: undefined, claims: [], problem })
  const revision = revisionFor(unit, { type: 'admitted' }, history)
  if (!revision.ok || !revision.value) return none('not deployed')
  const there = await binder.clusters.reach(unit.cluster)
  if (typeof there === 'string') return none(there)
  const bound = await bindUnit(c, unit, revision.value, 'admitted', { ...binder, there })
  if (!bound.ok) return none(bound.error.message)
  const claims = await claimsOf(bound.value.on)
  if (!claims.ok) return none(requestErrorText(claims.error))
  return { unit, bound: bound.value, claims: claims.value, problem: undefined }
}

const planOf = (f: AdoptableUnit): UnitAdoption => ({
  ...headOf(f),
  objects: f.claims.map((x) => adoptionObject(x, { taken: false })),
})

const headOf = ({ unit, problem }: AdoptableUnit) => ({
  module: unit.ref.name,
  namespace: unit.ref.namespace,
  cluster: unit.cluster,
  ...(problem === undefined ? {} : { problem }),
})

async function decide(
  c: CommandContext,
  found: readonly AdoptableUnit[],
  isDry: boolean,
  isSure: boolean,
): Promise<CommandResult> {
  const plan = found.map(planOf)
  const takable = found.flatMap((f) => f.claims.filter((x) => x.refused === undefined))
  if (isDry || takable.length === 0) return show(c, plan)
  if (!isSure) {
    for (const u of plan) for (const line of drawAdoptPlan(c.terminal, u)) c.terminal.print(line)
    c.terminal.talk(`Adopt ${plural(takable.length, 'object')}? Type yes to continue.`)
    const said = await c.host.stdin.line(c.signal)
    if (c.signal.aborted) return { ok: true, value: INTERRUPTED }
    if (said?.trim() !== 'yes') {
      c.terminal.talk('Nothing was changed.')
      return { ok: true, value: 1 }
    }
  }
  const done: UnitAdoption[] = []
  for (const f of found) done.push(await takeAll(c, f))
  return show(c, done)
}

async function takeAll(c: CommandContext, f: AdoptableUnit): Promise<UnitAdoption> {
  const objects: UnitAdoption['objects'] = []
  const inventory = f.bound?.on.inventory
  for (const claim of inventory ? f.claims : []) {
    if (claim.refused !== undefined) {
      objects.push(adoptionObject(claim, { taken: false }))
      continue
    }
    const done = await takeClaim({ ...f.bound!.on, inventory: inventory! }, claim)
    objects.push(adoptionObject(claim, { taken: done.ok, refused: done.ok ? undefined : done.error.message }))
    const from = claim.from === '' ? '' : ` from ${claim.from}`
    if (done.ok)
      c.terminal.talk(
        fit(
          c.terminal.look,
          `${c.terminal.paint('green', '✔')} ${f.unit.cluster}: adopted ${refText(claim.ref)}${from}`,
        ),
      )
  }
  return { ...headOf(f), objects }
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
      suggestion: `lockstep why ${lost.module}@${lost.cluster}`,
    })
  const isRefused = units.some((u) => u.objects.some((o) => o.refused !== undefined))
  return { ok: true, value: isRefused ? 1 : 0 }
}
