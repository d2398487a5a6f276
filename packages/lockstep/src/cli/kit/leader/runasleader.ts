/** The controllers, from the moment at which this process leads to that at which it does not any more. */

import { type GaugeValue, type Listening, type Result, sleep, supervise } from '@lockstep/kube/env'
import { type LeaderTerm, REFUSED_MS, type TermEnd, WritesInFlight } from '@lockstep/kube/leaderelection'
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
import type { OpenedHub } from '../hub/index.ts'
import {
  type CliFailure,
  type CommandContext,
  type CommandResult,
  failed,
  stoppedCode,
  untilInterrupt,
} from '../index.ts'
import type { ListenAddress } from './addressflag.ts'
import { checkDefinitions, type DefinitionCheck } from './definitioncheck.ts'
import { type EventFlags, openEvents } from './eventflags.ts'
import { HubProbe } from './hubprobe.ts'
import type { LeaderFlags } from './leaderflags.ts'
import { openHealth } from './openhealth.ts'
import { type MetricFlags, openMetrics } from './openmetrics.ts'
import { type HealthFacts, SILENT_MS } from './probechecks.ts'
import { processGauges } from './processgauges.ts'
import { type ThreadedElection, threadedElection } from './threadedelection.ts'

/** Settings of one process. */
export interface RunAsLeaderFlags {
  /** Undefined: this process is the only one. */
  readonly leader: LeaderFlags | undefined
  /** Undefined: it takes no events. */
  readonly events: EventFlags | undefined
  /** Undefined: its health is not served. */
  readonly health: ListenAddress | undefined
  /** Version of this Lockstep. */
  readonly version: string
  /** Undefined: its metrics are not served. */
  readonly metrics: MetricFlags | undefined
}

/** Milliseconds until a process that gave the Lease back takes part again: others come first. */
const STANDBY_MS = 60_000
/** Milliseconds that a process which is asked to stop waits for the answers to its writes. */
const DRAIN_MS = 30_000

type ControllersEnd =
  | { readonly step: TermEnd }
  | { readonly step: 'Moved'; readonly problem: string }
  | SupervisedEnd

/** Parts that run now, for probes and events. */
interface RunningParts {
  election: ThreadedElection | undefined
  isElectionOver: boolean
  leads: boolean
  /** Undefined without an election, and while another process leads. */
  term: LeaderTerm | undefined
  manager: SupervisedManager | undefined
  /** `manager.current` once its caches are complete. */
  complete: unknown
}

export async function runAsLeader(
  c: CommandContext,
  hub: OpenedHub,
  flags: RunAsLeaderFlags,
  options: ManagerOptions,
): Promise<CommandResult> {
  const parts: RunningParts = {
    election: undefined,
    isElectionOver: false,
    leads: false,
    term: undefined,
    manager: undefined,
    complete: undefined,
  }
  const writes = new WritesInFlight()
  const definitions = checkDefinitions(c.env, hub.client, flags.version, c.signal)
  const probe = new HubProbe(c.env, hub)
  const listening = await listen(c, flags, parts, () =>
    factsOf(hub, probe, definitions, parts, flags.leader !== undefined),
  )
  if (!listening.ok) return listening
  const incidents = new Incidents()
  const forget = c.host.onException?.((error) => parts.manager?.failed(error)) ?? (() => {})
  const start = (term: LeaderTerm | undefined): SupervisedManager => {
    sayIfTooShort(c, flags.leader)
    const held = stoppableTerm(term, c.signal)
    const recordTerm = stoppableTerm(term, NEVER)
    parts.manager = new SupervisedManager(c.env, incidents, (env) => {
      const client = hub.connect()
      const manager = startManager(env, client, { ...options, term: held, recordTerm, writes })
      supervise(env, async () => {
        await manager.started
        parts.complete = manager
        c.env.log.info('caches complete', { reason: 'CachesComplete' })
      })
      return { manager, close: () => client.close() }
    })
    return parts.manager
  }
  try {
    await Promise.race([definitions.current, untilInterrupt(c.signal)])
    return await leadUntilEnd(c, hub, flags.leader, { parts, writes, start })
  } finally {
    forget()
    await Promise.all(listening.value.map((l) => l.close()))
    await hub.client.close()
  }
}

/** Servers of this process, open from its start, also while another one leads. */
async function listen(
  c: CommandContext,
  { events, health, metrics, version }: RunAsLeaderFlags,
  parts: RunningParts,
  facts: () => HealthFacts,
): Promise<Result<readonly Listening[], CliFailure>> {
  const openers = [
    () => openHealth(c, health, facts),
    () => openMetrics(c, metrics, () => gaugesOf(c, version, metrics?.most ?? 0, facts(), parts)),
    () => openEvents(c, events, () => parts.manager?.current?.eventDesk),
  ]
  const open: Listening[] = []
  for (const opener of openers) {
    const opened = await opener()
    if (!opened.ok) {
      await Promise.all(open.map((l) => l.close()))
      return opened
    }
    if (opened.value) open.push(opened.value)
  }
  return { ok: true, value: open }
}

function gaugesOf(
  { env, host }: CommandContext,
  version: string,
  most: number,
  { hubMs }: Pick<HealthFacts, 'hubMs'>,
  { manager, term }: RunningParts,
): GaugeValue[] {
  const process = processGauges({
    version,
    node: host.node,
    leads: manager !== undefined,
    term,
    isHubUp: hubMs === undefined ? undefined : hubMs <= SILENT_MS,
    watches: env.meters.watches,
    now: env.clock.steady(),
  })
  return [...process, ...(manager?.current?.gauges(most) ?? [])]
}

function factsOf(
  hub: OpenedHub,
  probe: HubProbe,
  definitions: DefinitionCheck,
  parts: RunningParts,
  isElected: boolean,
): HealthFacts {
  const { election, isElectionOver, leads, manager } = parts
  const ages = election?.ages() ?? { beatMs: undefined, answeredMs: undefined }
  const answers = [hub.pulse.answeredMs, ages.answeredMs].filter((ms) => ms !== undefined)
  return {
    election: isElected ? { isOver: isElectionOver, leads, ...ages } : undefined,
    hubMs: answers.length === 0 ? undefined : Math.min(...answers),
    crdsProblem: probe.problem() ?? definitions.problem(),
    stalledMs: manager?.current?.stalledMs,
    areCachesComplete: manager && manager.current !== undefined && parts.complete === manager.current,
  }
}

const NEVER = new AbortController().signal

/** A process that is asked to stop begins nothing more, neither on a server nor on a Git host. */
const stoppableTerm = (term: LeaderTerm | undefined, stopping: AbortSignal): LeaderTerm => ({
  generation: term?.generation ?? 0,
  get isHeld() {
    return !stopping.aborted && (term?.isHeld ?? true)
  },
  get leftMs() {
    return stopping.aborted ? 0 : (term?.leftMs ?? Number.POSITIVE_INFINITY)
  },
})

interface LeadingParts {
  readonly parts: RunningParts
  readonly writes: WritesInFlight
  readonly start: (term: LeaderTerm | undefined) => SupervisedManager
}

/** Terms one after another: a process that failed by a bug of the caches of the hub lets another one lead first. */
async function leadUntilEnd(
  c: CommandContext,
  hub: OpenedHub,
  leader: LeaderFlags | undefined,
  { parts, writes, start }: LeadingParts,
): Promise<CommandResult> {
  const stopped = untilInterrupt(c.signal).then((): ControllersEnd => ({ step: 'Stopped' }))
  for (;;) {
    const election = takePart(c, hub, leader)
    parts.election = election
    parts.isElectionOver = false
    const end = Promise.race([stopped, ...endsOf(hub, election, parts)])
    const term = await Promise.race([election?.elected, end.then(() => undefined)])
    parts.leads = term !== undefined
    parts.term = term
    let last = term || !election ? await work(c, hub, start(term), { end, writes }) : await end
    await election?.stop()
    parts.leads = false
    parts.term = undefined
    parts.manager = undefined
    parts.election = undefined
    parts.isElectionOver = false
    if (last.step === 'Standby') {
      await sleep(c.env.clock, STANDBY_MS, c.signal)
      if (!c.signal.aborted) continue
      last = { step: 'Stopped' }
    }
    const result = resultOf(last, leader, c.signal)
    if (!result.ok)
      c.env.log.error('the controller ends', { reason: result.error.code, err: result.error.message })
    return result
  }
}

function endsOf(
  hub: OpenedHub,
  election: ThreadedElection | undefined,
  parts: RunningParts,
): readonly Promise<ControllersEnd>[] {
  const moved = Promise.race([hub.moved, ...(election ? [election.moved] : [])])
  const lost = election?.ended.then((step): ControllersEnd => {
    parts.isElectionOver = true
    return { step }
  })
  return [moved.then((problem): ControllersEnd => ({ step: 'Moved', problem })), ...(lost ? [lost] : [])]
}

function resultOf(end: ControllersEnd, leader: LeaderFlags | undefined, signal: AbortSignal): CommandResult {
  const lease = `${leader?.namespace}/${leader?.name}`
  switch (end.step) {
    case 'Stopped':
      return { ok: true, value: stoppedCode(signal) }
    case 'Standby':
    case 'Exit':
      return failed('E_INTERNAL', { count: `${MOST_OF_OTHERS}`, problem: bugText(end.error) })
    case 'Moved':
      return failed('E_HUB_MOVED', { problem: end.problem })
    case 'Refused':
      return failed('E_LEASE_UNUSABLE', { lease, problem: `401 or 403 for ${REFUSED_MS / 1000}s` })
    case 'NotRenewed':
    case 'Taken':
      return failed('E_LEADERSHIP_LOST', { lease, problem: PROBLEM[end.step] })
  }
}

const PROBLEM = {
  NotRenewed: 'it could not be renewed in time',
  Taken: 'another process has taken it, or it was deleted',
} as const

const takePart = (
  c: CommandContext,
  hub: OpenedHub,
  leader: LeaderFlags | undefined,
): ThreadedElection | undefined =>
  leader &&
  threadedElection(c.env, {
    ...leader,
    source: hub.source,
    cluster: hub.client.cluster,
    identity: `${c.host.hostname}_${c.env.random.uuid()}`,
    log: c.log,
    authorities: c.env.net.egress.authorities,
  })

/** What is sent to a Git host has to arrive before another one may lead. */
function sayIfTooShort(c: CommandContext, leader: LeaderFlags | undefined): void {
  if (!leader || leader.times.leaseMs >= MIN_LEASE_MS + leader.times.retryMs) return
  const least = Math.ceil((MIN_LEASE_MS + leader.times.retryMs) / 1000)
  c.env.log.warn('the Lease is too short for promotions: no promotion starts', {
    reason: 'LeaseTooShort',
    lease: `${leader.times.leaseMs / 1000}s`,
    hint: `set --leader-elect-lease-duration=${least}s or more`,
  })
}

/** Waits for the writes in flight, then records them: the next leader need not repeat any. */
async function finish(c: CommandContext, running: SupervisedManager, writes: WritesInFlight): Promise<void> {
  await writes.settled()
  // Reconciles read the last answers in this turn.
  await sleep(c.env.clock, 0)
  await running.record()
  await writes.close()
}

async function work(
  c: CommandContext,
  hub: OpenedHub,
  running: SupervisedManager,
  { end, writes }: { readonly end: Promise<ControllersEnd>; readonly writes: WritesInFlight },
): Promise<ControllersEnd> {
  c.env.log.info('controller started', { reason: 'Started', hub: hub.server })
  const last = await Promise.race([end, running.ended])
  c.env.log.info('controller stops', { reason: 'Stopping' })
  if (last.step === 'Stopped') {
    running.drain()
    await Promise.race([finish(c, running, writes), sleep(c.env.clock, DRAIN_MS)])
  }
  await running.stop()
  return last
}
