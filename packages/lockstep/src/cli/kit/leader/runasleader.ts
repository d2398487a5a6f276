/** The controllers, from the moment at which this process leads to that at which it does not any more. */

import { type Result, sleep, supervise } from '@lockstep/kube/env'
import type { Election, LeaderTerm, TermEnd } from '@lockstep/kube/leaderelection'
import { bugText } from '../../../api/bugtext.ts'
import {
  Incidents,
  MOST_OF_OTHERS,
  type SupervisedEnd,
  SupervisedManager,
  startManager,
} from '../../../controllers/manager/index.ts'
import { MIN_LEASE_MS } from '../../../controllers/promotion/index.ts'
import type { ManagerOptions } from '../../../controllers/runtime/index.ts'
import { findTarget, type OpenedHub } from '../hub/index.ts'
import {
  type CliFailure,
  type CommandContext,
  type CommandResult,
  failed,
  INTERRUPTED,
  untilInterrupt,
} from '../index.ts'
import { checkDefinitions } from './definitioncheck.ts'
import { type EventFlags, openEvents } from './eventflags.ts'
import type { LeaderFlags } from './leaderflags.ts'
import { threadedElection } from './threadedelection.ts'

/** What one process is told of itself. */
export interface RunAsLeaderFlags {
  /** Undefined: there is no other process, so nobody is asked. */
  readonly leader: LeaderFlags | undefined
  /** Undefined: it takes no events. */
  readonly events: EventFlags | undefined
  /** Version of this Lockstep. */
  readonly version: string
}

/** Milliseconds until a process that gave the Lease back takes part again: others come first. */
const STANDBY_MS = 60_000

type ControllersEnd = { readonly step: TermEnd } | SupervisedEnd

export async function runAsLeader(
  c: CommandContext,
  hub: OpenedHub,
  { leader, events, version }: RunAsLeaderFlags,
  options: ManagerOptions,
): Promise<CommandResult> {
  let running: SupervisedManager | undefined
  const listening = await openEvents(c, events, () => running?.current?.eventDesk)
  if (!listening.ok) return listening
  const incidents = new Incidents()
  const forget = c.host.onException?.((error) => running?.failed(error)) ?? (() => {})
  const start = (term: LeaderTerm | undefined): SupervisedManager => {
    sayIfTooShort(c, leader)
    running = new SupervisedManager(c.env, incidents, (env) => {
      const client = hub.connect()
      const manager = startManager(env, client, term ? { ...options, term } : options)
      supervise(env, () => manager.started.then(() => c.env.log.info('caches complete')))
      return { manager, close: () => client.close() }
    })
    return running
  }
  const definitions = checkDefinitions(c.env, hub.client, version, c.signal)
  try {
    await Promise.race([definitions.current, untilInterrupt(c.signal)])
    return await leadUntilEnd(c, hub, leader, start)
  } finally {
    forget()
    await listening.value?.close()
    await hub.client.close()
  }
}

/** Terms one after another: a process that failed by a bug of the caches of the hub lets another one lead first. */
async function leadUntilEnd(
  c: CommandContext,
  hub: OpenedHub,
  leader: LeaderFlags | undefined,
  start: (term: LeaderTerm | undefined) => SupervisedManager,
): Promise<CommandResult> {
  const stopped = untilInterrupt(c.signal).then((): ControllersEnd => ({ step: 'Stopped' }))
  for (;;) {
    const election = await takePart(c, hub, leader)
    if (!election.ok) return election
    const lost = election.value?.ended.then((step): ControllersEnd => ({ step }))
    const end = Promise.race([stopped, ...(lost ? [lost] : [])])
    const term = await Promise.race([election.value?.elected, end.then(() => undefined)])
    let last = term || !election.value ? await work(c, hub, start(term), end) : await end
    await election.value?.stop()
    if (last.step === 'Standby') {
      await sleep(c.env.clock, STANDBY_MS, c.signal)
      if (!c.signal.aborted) continue
      last = { step: 'Stopped' }
    }
    return resultOf(last, leader)
  }
}

function resultOf(end: ControllersEnd, leader: LeaderFlags | undefined): CommandResult {
  switch (end.step) {
    case 'Stopped':
      return { ok: true, value: INTERRUPTED }
    case 'Standby':
    case 'Exit':
      return failed('E_INTERNAL', { count: `${MOST_OF_OTHERS}`, problem: bugText(end.error) })
    case 'NotRenewed':
    case 'Taken':
      return failed('E_LEADERSHIP_LOST', {
        lease: `${leader?.namespace}/${leader?.name}`,
        problem: PROBLEM[end.step],
      })
  }
}

const PROBLEM: Readonly<Record<Exclude<TermEnd, 'Stopped'>, string>> = {
  NotRenewed: 'it could not be renewed in time',
  Taken: 'another process has taken it, or it was deleted',
}

async function takePart(
  c: CommandContext,
  hub: OpenedHub,
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
  hub: OpenedHub,
  running: SupervisedManager,
  end: Promise<ControllersEnd>,
): Promise<ControllersEnd> {
  c.env.log.info('controller started', { hub: hub.server })
  const last = await Promise.race([end, running.ended])
  c.env.log.info('controller stops')
  await running.stop()
  return last
}
