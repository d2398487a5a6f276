/** Holds that a command ends on one cluster or one environment. */

import { ok, type Result } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import { type Hold, holdKind } from '../../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../../api/labels.ts'
import type { HubConnection } from '../hub/index.ts'
import { type CliFailure, type CommandContext, nameOf, requestFailure } from '../index.ts'
import { fit, listText, plural } from '../terminal/index.ts'
import { isOver } from './moduleholds.ts'

/** Field of a Hold that limits it: clusters of a module, environments of a pipeline. */
export type HoldScope = 'clusters' | 'environments'

/** Holds on a module or pipeline, seen from one of its clusters or environments. */
export interface HoldsByScope {
  /** Holds on this one alone: they are deleted. */
  readonly alone: readonly Stored<Hold>[]
  /** Holds that name others too: they stay on these. */
  readonly shared: readonly Stored<Hold>[]
  /** Holds on all: none of them can leave one out. */
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

/** A Hold may change between its read and its write: it is read again. */
const MOST_TRIES = 5

export interface EndedHolds {
  /** Deleted Holds. */
  readonly ended: readonly Stored<Hold>[]
  /** Holds that stay on other clusters or environments. */
  readonly left: readonly Stored<Hold>[]
  readonly everywhere: readonly Stored<Hold>[]
}

/** Ends the Holds that `read` returns on one cluster or environment. */
export async function endHoldsOn(
  c: CommandContext,
  hub: HubConnection,
  place: string,
  read: () => Promise<Result<readonly Stored<Hold>[], CliFailure>>,
  places: HoldScope = 'clusters',
): Promise<Result<EndedHolds, CliFailure>> {
  const ended = new Map<string, Stored<Hold>>()
  const left = new Map<string, Stored<Hold>>()
  for (let tries = 1; ; tries++) {
    const found = await read()
    if (!found.ok) return found
    const holds = holdsByScope(found.value, place, c.env.clock.now(), places)
    const progress = { ended, left, isLast: tries === MOST_TRIES }
    const done = await endNamed(c, hub, holds, place, progress, places)
    if (!done.ok) return done
    if (done.value)
      return ok({ ended: [...ended.values()], left: [...left.values()], everywhere: holds.everywhere })
  }
}

interface EndProgress {
  readonly ended: Map<string, Stored<Hold>>
  readonly left: Map<string, Stored<Hold>>
  /** True for the last try: a conflict is an error then. */
  readonly isLast: boolean
}

/** False if one of the Holds has changed since it was read. */
async function endNamed(
  c: CommandContext,
  hub: HubConnection,
  { alone, shared }: HoldsByScope,
  place: string,
  { ended, left, isLast }: EndProgress,
  places: HoldScope,
): Promise<Result<boolean, CliFailure>> {
  const write = { purpose: 'user', manager: CLI_MANAGER, signal: c.signal } as const
  for (const hold of [...alone, ...shared]) {
    const { name, uid, resourceVersion } = hold.metadata
    const precondition = { uid, resourceVersion }
    const rest = without(hold.spec[places] ?? [], place)
    const done =
      rest.length === 0
        ? await hub.client.delete(holdKind, hold.metadata, { ...write, precondition })
        : await hub.client.patch(
            holdKind,
            hold.metadata,
            { spec: { [places]: rest } },
            { ...write, precondition },
          )
    if (!done.ok && done.error.kind === 'NotFound') continue
    if (!done.ok)
      return done.error.kind === 'FenceLost' && !isLast ? ok(false) : requestFailure(done.error, hub.server)
    const to = rest.length === 0 ? ended : left
    to.set(name, { ...hold, spec: { ...hold.spec, [places]: rest } })
  }
  return ok(true)
}

/** `1 Hold deleted, Hold x stays on b`; empty if nothing was changed. */
export const endedText = (
  { ended, left }: Pick<EndedHolds, 'ended' | 'left'>,
  places: HoldScope = 'clusters',
): string =>
  [
    ...(ended.length === 0 ? [] : [`${plural(ended.length, 'Hold')} deleted`]),
    ...left.map(({ metadata, spec }) => `Hold ${metadata.name} stays on ${firstOf(spec[places] ?? [])}`),
  ].join(', ')

const MOST_NAMES = 4

const firstOf = (names: readonly string[]): string =>
  listText(
    names.length <= MOST_NAMES + 1
      ? names
      : [...names.slice(0, MOST_NAMES), `${names.length - MOST_NAMES} more`],
  )

export function printEnded(c: CommandContext, holds: readonly Stored<Hold>[], text: string): void {
  if (c.globals.output === 'name')
    for (const { metadata } of holds) c.terminal.data(`${nameOf(holdKind, metadata.name)}\n`)
  else c.terminal.print(fit(c.terminal.look, text))
}
