/** Changes one ClusterResourceSet and waits until controllers have answered. */

import { ok, type Result } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import { type ClusterResourceSet, SET } from '../../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../../api/labels.ts'
import {
  type CliFailure,
  type CommandContext,
  type CommandResult,
  failed,
  INTERRUPTED,
  nameOf,
  requestFailure,
} from '../index.ts'
import { fit } from '../terminal/index.ts'
import { untilMet } from '../wait/index.ts'
import type { SelectedSets } from './selectsets.ts'

/** `lockstep.dev/managed`; null takes it off. */
export async function askManaged(
  c: CommandContext,
  { hub, kinds }: SelectedSets,
  { metadata: { namespace = '', name } }: Stored<ClusterResourceSet>,
  value: 'true' | null,
): Promise<Result<void, CliFailure>> {
  const patch = { metadata: { annotations: { [SET.managed]: value } } }
  const done = await hub.client.patch(kinds.set, { namespace, name }, patch as never, {
    purpose: 'user',
    manager: CLI_MANAGER,
    signal: c.signal,
    precondition: 'any',
  })
  return done.ok ? ok(undefined) : requestFailure(done.error, hub.server)
}

export interface FollowSet {
  readonly timeout: { readonly given: string; readonly ms: number }
  readonly lacks: (set: Stored<ClusterResourceSet>) => string | undefined
  readonly failure: (set: Stored<ClusterResourceSet>) => string | undefined
  /** What has not happened when the time is over: `is not taken over`. */
  readonly missed: string
  /** What to do then, or after a failure. */
  readonly advice: string
}

export type FollowSetResult =
  | { readonly how: 'met'; readonly set: Stored<ClusterResourceSet> }
  | { readonly how: 'lost'; readonly failure: CliFailure }
  | { readonly how: 'interrupted' }

export async function followSet(
  c: CommandContext,
  { hub, kinds }: SelectedSets,
  set: Stored<ClusterResourceSet>,
  f: FollowSet,
): Promise<FollowSetResult> {
  const { namespace = '', name } = set.metadata
  const ref = nameOf(kinds.set, name)
  const lost = (e: { readonly error: CliFailure }): FollowSetResult => ({ how: 'lost', failure: e.error })
  const ended = await untilMet(
    c,
    { ...hub, namespace },
    {
      kind: kinds.set,
      name,
      timeoutMs: f.timeout.ms,
      lacks: (o) => f.lacks(o as Stored<ClusterResourceSet>),
      failure: (o) => f.failure(o as Stored<ClusterResourceSet>),
      news: (text) => c.terminal.talk(fit(c.terminal.look, `${name}: ${text}`)),
    },
  )
  switch (ended.how) {
    case 'met':
      return { how: 'met', set: ended.object as Stored<ClusterResourceSet> }
    case 'failed':
      return lost(failed('E_REFUSED', { ref, problem: ended.text, suggestion: f.advice }))
    case 'late': {
      const problem = `${ref} ${f.missed} after ${f.timeout.given}: ${ended.lacks}`
      return lost(failed('E_TIMEOUT', { problem, suggestion: f.advice }))
    }
    case 'refused':
      return lost(requestFailure(ended.error, hub.server))
    case 'interrupted':
      return { how: 'interrupted' }
    default: {
      const suggestion = 'no action needed'
      return lost(failed('E_REFUSED', { ref, problem: 'the object was deleted', suggestion }))
    }
  }
}

/** Of all that were followed: an interrupt, the failures together, or success. */
export function followResult(all: readonly FollowSetResult[], refused: readonly CliFailure[]): CommandResult {
  if (all.some((f) => f.how === 'interrupted')) return { ok: true, value: INTERRUPTED }
  const failures = [...refused, ...all.flatMap((f) => (f.how === 'lost' ? [f.failure] : []))]
  const last = failures.at(-1)
  if (!last) return { ok: true, value: 0 }
  return { ok: false, error: failures.length === 1 ? last : { ...last, before: failures.slice(0, -1) } }
}
