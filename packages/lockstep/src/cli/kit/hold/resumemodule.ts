/** `lockstep resume` and `lockstep rollout resume` of a module. */

import { ok, type Result } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import type { Hold, HoldSpec } from '../../../api/kinds/index.ts'
import type { CliFailure, CommandContext, CommandResult } from '../index.ts'
import { clusterNames, isSelected, pinRelease, pinsOf } from '../snapshot/index.ts'
import { type SelectedModule, withModule } from '../units/index.ts'
import { type EndedHolds, endedText, endHoldsOn, printEnded } from './endedholds.ts'
import { endHold, isOver, readModuleHolds, unknownCluster } from './moduleholds.ts'

export interface ResumeRequest {
  readonly cluster: string | undefined
  /** Actions of the Holds to end. */
  readonly ends: readonly HoldSpec['action'][]
}

/** Ends suspends and pauses, or pauses alone; pins stay. */
export const resumeModule = (
  c: CommandContext,
  word: string,
  { cluster, ends }: ResumeRequest,
): Promise<CommandResult> =>
  withModule(c, word, async (meant) => {
    const isMeant = ({ spec }: Hold): boolean => ends.includes(spec.action)
    const done =
      cluster === undefined ? await endAll(c, meant, isMeant) : await endOn(c, meant, cluster, isMeant)
    if (!done.ok) return done
    const found = await readModuleHolds(c, meant.hub, meant.module)
    if (!found.ok) return found
    const rest = {
      ...done.value,
      cluster,
      ends,
      now: found.value.filter((h) => !isOver(h, c.env.clock.now())),
    }
    const { text, code } = outcomeOf(meant, rest)
    printEnded(c, [...done.value.ended, ...done.value.left], text)
    return { ok: true, value: code }
  })

async function endAll(
  c: CommandContext,
  { hub, module }: SelectedModule,
  isMeant: (hold: Hold) => boolean,
): Promise<Result<EndedHolds, CliFailure>> {
  const found = await readModuleHolds(c, hub, module)
  if (!found.ok) return found
  const ended = found.value.filter(isMeant)
  for (const { metadata } of ended) {
    const done = await endHold(c, hub, { name: metadata.name, namespace: module.metadata.namespace! })
    if (!done.ok) return done
  }
  return ok({ ended, left: [], everywhere: [] })
}

async function endOn(
  c: CommandContext,
  { hub, seen, module }: SelectedModule,
  cluster: string,
  isMeant: (hold: Hold) => boolean,
): Promise<Result<EndedHolds, CliFailure>> {
  const before = await readModuleHolds(c, hub, module)
  if (!before.ok) return before
  // A Hold may name a cluster that the fleet no longer has: it can be ended there too.
  const isNamed = before.value.some(({ spec }) => spec.clusters?.includes(cluster))
  const unknown = isNamed ? undefined : unknownCluster(seen, hub, [cluster])
  if (unknown) return unknown
  return endHoldsOn(c, hub, cluster, async () => {
    const found = await readModuleHolds(c, hub, module)
    return found.ok ? ok(found.value.filter(isMeant)) : found
  })
}

interface ResumeOutcome extends EndedHolds, ResumeRequest {
  /** Holds on the module after the command. */
  readonly now: readonly Stored<Hold>[]
}

const command = ({ ends }: ResumeRequest): string =>
  ends.includes('Suspend') ? 'lockstep resume' : 'lockstep rollout resume'

const stateOf = ({ spec }: Hold): string => (spec.action === 'Suspend' ? 'suspended' : 'paused')

function outcomeOf(
  meant: SelectedModule,
  o: ResumeOutcome,
): { readonly text: string; readonly code: number } {
  const { name } = meant.module.metadata
  const what = o.cluster === undefined ? name : `${name} on ${o.cluster}`
  const changed = endedText(o)
  const [still] = o.everywhere
  if (still) {
    const state = stateOf(still)
    return {
      code: 1,
      text: `${what} stays ${state}: Hold ${still.metadata.name} applies to all clusters (${still.spec.reason}); ${changed || 'nothing was changed'}. ${command(o)} ${name} ends it on all clusters${keepText(meant, o, still)}`,
    }
  }
  const other = o.now.find((h) => h.spec.action === 'Suspend' && isWithin(h, o.cluster))
  const rest = other
    ? `suspended by Hold ${other.metadata.name}; end it with: lockstep resume ${name}`
    : undefined
  if (changed !== '')
    return { code: 0, text: `${what} resumes: ${changed}${rest === undefined ? '' : `; still ${rest}`}` }
  if (rest !== undefined) return { code: 1, text: `${what} is ${rest}` }
  const pinned = o.ends.includes('Suspend') ? pinnedText(meant, o) : undefined
  if (pinned !== undefined) return { code: 1, text: pinned }
  const state = o.ends.includes('Suspend') ? 'suspended or paused' : 'paused'
  return { code: 0, text: `${what} is not ${state}; nothing was changed` }
}

const isWithin = ({ spec: { clusters } }: Hold, cluster: string | undefined): boolean =>
  clusters === undefined || cluster === undefined || clusters.includes(cluster)

/** `hello on prod-us is pinned at 2026.10 by Hold audit; end it with: lockstep unpin hello@prod-us`. */
function pinnedText({ seen, module }: SelectedModule, { now, cluster }: ResumeOutcome): string | undefined {
  const { name } = module.metadata
  const all = pinsOf({ holds: now, nowMs: seen.nowMs }, module)
  const pin = all.find((p) => cluster === undefined || p.clusters.includes(cluster))
  if (!pin) return undefined
  const on = cluster ?? pin.clusters[0]!
  return `${name} on ${on} is pinned at ${pinRelease(seen, module, pin)} by Hold ${pin.hold.metadata.name}; end it with: lockstep unpin ${name}@${on}`
}

/** A Hold on all clusters cannot leave one out: Holds on the other clusters replace it first. */
function keepText({ seen, module }: SelectedModule, { cluster }: ResumeRequest, still: Stored<Hold>): string {
  const { name } = module.metadata
  const others = clusterNames(seen).filter((other) => {
    const view = seen.clusters.find((x) => x.name === other)
    return other !== cluster && view !== undefined && isSelected(module, view)
  })
  const [first] = others
  if (first === undefined) return ''
  const verb = still.spec.action === 'Suspend' ? 'lockstep suspend' : 'lockstep rollout pause'
  const end = `then lockstep delete hold ${still.metadata.name}`
  return others.length === 1
    ? `. To keep ${first} ${stateOf(still)}: ${verb} ${name}@${first}, ${end}`
    : `. To keep the other ${others.length} clusters ${stateOf(still)}: ${verb} ${name}@${first} and so on for each, ${end}`
}
