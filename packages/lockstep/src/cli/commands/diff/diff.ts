import { requestErrorText } from '@lockstep/kube/client'
import { ok } from '@lockstep/kube/env'
import type { RevisionRecord } from '../../../controllers/cache/index.ts'
import { expectedHandovers, listedClaims, type UnitClaimsDeps } from '../../../controllers/plan/index.ts'
import { previewUnit } from '../../../deliver/plan/index.ts'
import type { ServedKinds } from '../../../fleet/connection/index.ts'
import { changesOf, differs, diffReport, drawDiff, type UnitDiff } from '../../kit/diff/index.ts'
import type { HubConnection } from '../../kit/hub/index.ts'
import {
  type Command,
  type CommandContext,
  type CommandResult,
  failed,
  isSet,
  nameOf,
  textFlag,
} from '../../kit/index.ts'
import { printData } from '../../kit/output/index.ts'
import { readAllFleetObjects } from '../../kit/snapshot/index.ts'
import {
  type Binder,
  bindUnit,
  bundlesOf,
  clusterOption,
  type RevisionChoice,
  revisionFor,
  type SelectedUnit,
  withUnits,
} from '../../kit/units/index.ts'

/** `lockstep diff`. */
export const diffCommand: Command = {
  name: 'diff',
  summary: 'Show changes of a Module on its clusters',
  arguments: '<unit>',
  completes: ['unit'],
  detail:
    'UNIT is MODULE@CLUSTER, or MODULE for all of its clusters. Compares the objects on the cluster with the published revision, by dry runs with the credential of the cluster; nothing is written. Values of Secrets are hidden. For an object with values of a Secret, a status withholds the text of the server; --server shows it. Exit 1 when something differs, as kubectl diff.',
  options: [
    clusterOption,
    {
      flags: '--server',
      text: 'show what the server says about refused objects, with values of Secrets',
    },
    { flags: '--drift', text: 'show drift only: compare with the deployed revision' },
    { flags: '--revision <revision>', text: 'revision or release of the history to compare with' },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['Show changes of the published revision on all clusters', 'diff monitoring -n platform'],
    ['Show drift on one cluster', 'diff monitoring@prod-eu --drift -n platform'],
    ['Show changes of a rollback to a release', 'diff monitoring --revision 2026.10 -n platform'],
    ['Show why the server refuses an object with a Secret value', 'diff shop@prod-eu --server -n platform'],
  ],
  async run(c, args, flags) {
    const prefix = textFlag(flags, 'revision')
    const isDrift = isSet(flags, 'drift')
    const isShown = isSet(flags, 'server')
    if (prefix !== undefined && isDrift)
      return failed('E_USAGE', {
        problem: '--drift and --revision exclude each other',
        suggestion: 'give one of them',
      })
    const wanted: RevisionChoice = isDrift
      ? { type: 'admitted' }
      : prefix === undefined
        ? { type: 'published' }
        : { type: 'revision', prefix }
    return withUnits(c, args[0]!, flags, async ({ hub, units, history, clusters }) => {
      const bundles = bundlesOf(hub)
      // A handover depends on the published revisions of all Modules.
      const claims = wanted.type === 'published' ? await readClaims(c, hub, bundles) : ok(undefined)
      if (!claims.ok) return claims
      const found: UnitDiff[] = []
      for (const unit of units) {
        const revision = revisionFor(unit, wanted, history)
        if (!revision.ok) return revision
        const as = isDrift ? 'admitted' : 'now'
        found.push(
          await diffOf(
            c,
            unit,
            revision.value,
            { as, isShown, claims: claims.value },
            { hub, clusters, bundles },
          ),
        )
      }
      return show(c, found)
    })
  },
}

interface Compared {
  readonly as: 'admitted' | 'now'
  readonly isShown: boolean
  readonly claims: UnitClaimsDeps | undefined
}

async function readClaims(c: CommandContext, hub: HubConnection, bundles: Binder['bundles']) {
  const objects = await readAllFleetObjects(c, hub)
  return objects.ok ? ok(listedClaims(objects.value, c.env, bundles)) : objects
}

/** Undefined: the cluster is in no inventory. */
function handoversOf(
  claims: UnitClaimsDeps,
  { ref, cluster: name, inventory }: SelectedUnit,
  { clusters }: Binder,
  { served }: ServedKinds,
) {
  const cluster = clusters.view(name)
  const clusterUid = cluster && claims.fleet.connection(cluster)?.uid
  return cluster && expectedHandovers(claims, { ref, cluster, inventory, clusterUid, served })
}

async function diffOf(
  c: CommandContext,
  unit: SelectedUnit,
  revision: RevisionRecord | undefined,
  { as, isShown, claims }: Compared,
  binder: Binder,
): Promise<UnitDiff> {
  const head = {
    module: unit.ref.name,
    namespace: unit.ref.namespace,
    cluster: unit.cluster,
    revision: revision?.revision ?? '',
    ...(revision?.release === undefined ? {} : { release: revision.release }),
  }
  if (!revision) return { ...head, changes: [] }
  const there = await binder.clusters.reach(unit.cluster)
  if (typeof there === 'string') return { ...head, problem: there, changes: [] }
  const bound = await bindUnit(c, unit, revision, as, { ...binder, there })
  if (!bound.ok) return { ...head, problem: bound.error.message, changes: [] }
  const handovers = claims && handoversOf(claims, unit, binder, bound.value.on.cluster)
  const changes = await previewUnit({
    ...bound.value.on,
    showsSecrets: isShown,
    ...(handovers ? { handovers } : {}),
  })
  if (!changes.ok) return { ...head, problem: requestErrorText(changes.error), changes: [] }
  return { ...head, changes: changesOf(changes.value, bound.value.hidden, isShown) }
}

function show(c: CommandContext, units: readonly UnitDiff[]): CommandResult {
  const isDifferent = units.some(differs)
  const names = units.flatMap((u) =>
    u.changes.filter((x) => x.action !== 'none').map((x) => `${u.cluster}/${nameOf(x, x.name)}`),
  )
  if (!printData(c, diffReport.fill({ differs: isDifferent, units: [...units] }), names))
    for (const u of units) drawDiff(c.terminal, u)
  const lost = units.filter((u) => u.problem !== undefined)
  if (lost[0])
    return failed('E_UNREACHABLE', {
      server: lost.map((u) => u.cluster).join(', '),
      problem: lost[0].problem!,
      suggestion: `lockstep status cluster/${lost[0].cluster}`,
    })
  return { ok: true, value: isDifferent ? 1 : 0 }
}
