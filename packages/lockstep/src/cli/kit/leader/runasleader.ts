/** The controllers, from the moment at which this process leads to that at which it does not any more. */

import type { Result } from '@lockstep/kube/env'
import type { Election, TermEnd } from '@lockstep/kube/leaderelection'
import { type Manager, startManager } from '../../../controllers/manager/index.ts'
import { MIN_LEASE_MS } from '../../../controllers/promotion/index.ts'
import type { ManagerOptions } from '../../../controllers/runtime/index.ts'
import { type ControllerHub, findTarget } from '../hub/index.ts'
import {
  type CliFailure,
  type CommandContext,
  type CommandResult,
  failed,
  INTERRUPTED,
  untilInterrupt,
} from '../index.ts'
import { type EventFlags, openEvents } from './eventflags.ts'
import type { LeaderFlags } from './leaderflags.ts'
import { threadedElection } from './threadedelection.ts'

/** What one process is told of itself. */
export interface RunAsLeaderFlags {
  /** Undefined: there is no other process, so nobody is asked. */
  readonly leader: LeaderFlags | undefined
  /** Undefined: it takes no events. */
  readonly events: EventFlags | undefined
}

export async function runAsLeader(
  c: CommandContext,
  hub: ControllerHub,
  { leader, events }: RunAsLeaderFlags,
  options: ManagerOptions,
): Promise<CommandResult> {
  let manager: Manager | undefined
  const listening = await openEvents(c, events, () => manager?.eventDesk)
  if (!listening.ok) return listening
  const election = await takePart(c, hub, leader)
  if (!election.ok) {
    await listening.value?.close()
    return election
  }
  const stopped = untilInterrupt(c.signal).then((): TermEnd => 'Stopped')
  const end = Promise.race([stopped, ...(election.value ? [election.value.ended] : [])])
  const term = await Promise.race([election.value?.elected, end.then(() => undefined)])
  if (term || !election.value) {
    manager = startManager(c.env, hub.client, term ? { ...options, term } : options)
    sayIfTooShort(c, leader)
    await work(c, hub, manager, end)
  }
  await listening.value?.close()
  await hub.client.close()
  await election.value?.stop()
  const why = await end
  if (why === 'Stopped') return { ok: true, value: INTERRUPTED }
  const lease = `${leader?.namespace}/${leader?.name}`
  return failed('E_LEADERSHIP_LOST', { lease, problem: PROBLEM[why] })
}

const PROBLEM: Readonly<Record<Exclude<TermEnd, 'Stopped'>, string>> = {
  NotRenewed: 'it could not be renewed in time',
  Taken: 'another process has taken it, or it was deleted',
}

async function takePart(
  c: CommandContext,
  hub: ControllerHub,
  leader: LeaderFlags | undefined,
): Promise<Result<Election | undefined, CliFailure>> {
  if (!leader) return { ok: true, value: undefined }
  const target = await findTarget(c)
  if (!target.ok) return target
  const election = threadedElection(c.env, {
    ...leader,
    endpoint: target.value.endpoint,
    cluster: hub.client.cluster,
    identity: `${c.host.hostname}_${c.env.random.uuid()}`,
    level: c.globals.verbose ? 'debug' : 'info',
  })
  return { ok: true, value: election }
}

/** What is sent to a Git host has to arrive before another one may lead. */
function sayIfTooShort(c: CommandContext, leader: LeaderFlags | undefined): void {
  if (!leader || leader.times.leaseMs >= MIN_LEASE_MS + leader.times.retryMs) return
  const least = Math.ceil((MIN_LEASE_MS + leader.times.retryMs) / 1000)
  c.env.log.warn('the Lease is too short for promotions: no promotion starts', {
    lease: `${leader.times.leaseMs / 1000}s`,
    hint: `set --leader-elect-lease-duration=${least}s or more`,
  })
}

async function work(
  c: CommandContext,
  hub: ControllerHub,
  manager: Manager,
  end: Promise<TermEnd>,
): Promise<void> {
  c.env.log.info('controller started', { hub: hub.server })
  void manager.started.then(() => c.env.log.info('caches complete'))
  await end
  c.env.log.info('controller stops')
  manager.stop()
}
