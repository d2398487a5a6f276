/** `lockstep release`: Holds end, on all clusters or on one. */

import { ok, type Result } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import { type Hold, holdKind } from '../../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../../api/labels.ts'
import type { HubConnection } from '../hub/index.ts'
import { type CliFailure, type CommandContext, type CommandResult, nameOf, requestFailure } from '../index.ts'
import { clusterNames, isSelected } from '../snapshot/index.ts'
import { fit, listText, plural } from '../terminal/index.ts'
import { type SelectedModule, withModule } from '../units/index.ts'
import { endHold, isOver, readModuleHolds, unknownCluster } from './moduleholds.ts'

/** By which Holds name where they are in force: clusters of a module, environments of a pipeline. */
export type HoldScope = 'clusters' | 'environments'

/** What one cluster has to do with the Holds on its module, or one environment with those on its pipeline. */
export interface HoldsByScope {
  /** On it alone: they end. */
  readonly alone: readonly Stored<Hold>[]
  /** On others, too: these stay held. */
  readonly shared: readonly Stored<Hold>[]
  /** Everywhere: none of them can be taken off it. */
  readonly everywhere: readonly Stored<Hold>[]
}

export function holdsByScope(
  holds: readonly Stored<Hold>[],
  place: string,
  nowMs: number,
  places: HoldScope = 'clusters',
): HoldsByScope {
  const named = holds.filter(({ spec }) => spec[places]?.includes(place))
  const isAlone = ({ spec }: Hold): boolean => without(spec[places] ?? [], place).length === 0
  return {
    alone: named.filter(isAlone),
    shared: named.filter((h) => !isAlone(h)),
    everywhere: holds.filter((h) => h.spec[places] === undefined && !isOver(h, nowMs)),
  }
}

const without = (places: readonly string[], place: string): string[] =>
  places.filter((name) => name !== place)

export const releaseModule = (
  c: CommandContext,
  word: string,
  cluster: string | undefined,
): Promise<CommandResult> =>
  withModule(c, word, (meant) => (cluster === undefined ? endAll(c, meant) : endOn(c, meant, cluster)))

async function endAll(c: CommandContext, { hub, module }: SelectedModule): Promise<CommandResult> {
  const { name, namespace } = module.metadata
  const found = await readModuleHolds(c, hub, module)
  if (!found.ok) return found
  for (const { metadata } of found.value) {
    const done = await endHold(c, hub, { name: metadata.name, namespace: namespace! })
    if (!done.ok) return done
  }
  const text =
    found.value.length === 0
      ? `${name} is not held; nothing was changed`
      : `${name} goes on: ${plural(found.value.length, 'Hold')} deleted`
  printRelease(c, found.value, text)
  return { ok: true, value: 0 }
}

/** Others may change a Hold while we look: it is looked at again. */
export const MOST_TRIES = 5

async function endOn(
  c: CommandContext,
  { hub, seen, module }: SelectedModule,
  cluster: string,
): Promise<CommandResult> {
  const ended = new Map<string, Stored<Hold>>()
  const left = new Map<string, Stored<Hold>>()
  for (let tries = 1; ; tries++) {
    const found = await readModuleHolds(c, hub, module)
    if (!found.ok) return found
    const grip = holdsByScope(found.value, cluster, c.env.clock.now())
    const isNamed = grip.alone.length + grip.shared.length > 0 || ended.size + left.size > 0
    const unknown = isNamed ? undefined : unknownCluster(seen, hub, [cluster])
    if (unknown) return unknown
    const done = await releaseHolds(c, hub, grip, cluster, { ended, left, isLast: tries === MOST_TRIES })
    if (!done.ok) return done
    if (!done.value) continue
    const others = clusterNames(seen).filter((name) => name !== cluster && selects(name))
    const text = sentenceOf(module.metadata.name, cluster, { ended, left, ...grip, others })
    printRelease(c, [...ended.values(), ...left.values()], text)
    return { ok: true, value: grip.everywhere.length > 0 ? 1 : 0 }
  }

  function selects(name: string): boolean {
    const view = seen.clusters.find((x) => x.name === name)
    return view !== undefined && isSelected(module, view)
  }
}

export interface ReleaseProgress {
  readonly ended: Map<string, Stored<Hold>>
  readonly left: Map<string, Stored<Hold>>
  /** Who has changed something meanwhile is told of, now. */
  readonly isLast: boolean
}

/** False: somebody has changed one of them meanwhile. */
export async function releaseHolds(
  c: CommandContext,
  hub: HubConnection,
  { alone, shared }: HoldsByScope,
  place: string,
  { ended, left, isLast }: ReleaseProgress,
  places: HoldScope = 'clusters',
): Promise<Result<boolean, CliFailure>> {
  const write = { purpose: 'user', manager: CLI_MANAGER, signal: c.signal } as const
  for (const hold of [...alone, ...shared]) {
    const { name, uid, resourceVersion } = hold.metadata
    const fence = { uid, resourceVersion }
    const rest = without(hold.spec[places] ?? [], place)
    const done =
      rest.length === 0
        ? await hub.client.delete(holdKind, hold.metadata, { ...write, precondition: fence })
        : await hub.client.patch(
            holdKind,
            hold.metadata,
            { spec: { [places]: rest } },
            { ...write, precondition: fence },
          )
    if (!done.ok && done.error.kind === 'NotFound') continue
    if (!done.ok)
      return done.error.kind === 'FenceLost' && !isLast ? ok(false) : requestFailure(done.error, hub.server)
    const to = rest.length === 0 ? ended : left
    to.set(name, { ...hold, spec: { ...hold.spec, [places]: rest } })
  }
  return ok(true)
}

/** What came of it, and who still holds it there. */
function sentenceOf(
  module: string,
  cluster: string,
  of: Pick<ReleaseProgress, 'ended' | 'left'> &
    Pick<HoldsByScope, 'everywhere'> & { readonly others: readonly string[] },
): string {
  const changed = [
    ...(of.ended.size === 0 ? [] : [`${plural(of.ended.size, 'Hold')} deleted`]),
    ...[...of.left.values()].map(
      ({ metadata, spec }) => `Hold ${metadata.name} stays on ${firstOf(spec.clusters ?? [])}`,
    ),
  ]
  const [still] = of.everywhere
  if (still) {
    const what = changed.length === 0 ? 'nothing was changed' : changed.join(', ')
    return `${module} stays held on ${cluster}: Hold ${still.metadata.name} is on every cluster (${still.spec.reason}); ${what}. ${wayOut(module, still, of.others)}`
  }
  if (changed.length === 0) return `${module} is not held on ${cluster}; nothing was changed`
  return `${module} goes on on ${cluster}: ${changed.join(', ')}`
}

/** A Hold on every cluster cannot leave one out: another takes its place first, if the others are to stay. */
function wayOut(module: string, { metadata, spec }: Stored<Hold>, others: readonly string[]): string {
  const all = `lockstep release ${module} ends it everywhere`
  if (others.length === 0) return all
  const names = others.length <= MOST_NAMES ? others : [...others.slice(0, 1), '…']
  const flags = names.map((name) => (name === '…' ? name : `--cluster ${name}`)).join(' ')
  const starts = spec.scope === 'Starts' ? ' --starts' : ''
  return `${all}. To keep the others: lockstep hold ${module} ${flags}${starts}, then lockstep delete hold ${metadata.name}`
}

const MOST_NAMES = 4

const firstOf = (names: readonly string[]): string =>
  listText(
    names.length <= MOST_NAMES + 1
      ? names
      : [...names.slice(0, MOST_NAMES), `${names.length - MOST_NAMES} more`],
  )

export function printRelease(c: CommandContext, holds: readonly Stored<Hold>[], text: string): void {
  if (c.globals.output === 'name')
    for (const { metadata } of holds) c.terminal.data(`${nameOf(holdKind, metadata.name)}\n`)
  else c.terminal.print(fit(c.terminal.look, text))
}
