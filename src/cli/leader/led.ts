/** The controllers, from the moment at which this process leads to that at which it does not any more. */
import { type Manager, startManager } from '../../controllers/manager.ts'
import type { ManagerOptions } from '../../controllers/options.ts'
import type { Result } from '../../env/result.ts'
import type { Election, End } from '../../kube/lease/election.ts'
import type { Context } from '../command.ts'
import { type CliFailure, failed, INTERRUPTED, type Outcome } from '../failure.ts'
import type { Hub } from '../hub/hub.ts'
import { findTarget } from '../hub/kubeconfig.ts'
import { untilAborted } from '../interrupt.ts'
import type { LeaderFlags } from './flags.ts'
import { threadedElection } from './threaded.ts'

/** `leader` undefined: there is no other process, so nobody is asked. */
export async function led(
  c: Context,
  hub: Hub,
  leader: LeaderFlags | undefined,
  options: ManagerOptions,
): Promise<Outcome> {
  const election = await takePart(c, hub, leader)
  if (!election.ok) return election
  const stopped = untilAborted(c.signal).then((): End => 'Stopped')
  const end = Promise.race([stopped, ...(election.value ? [election.value.ended] : [])])
  const term = await Promise.race([election.value?.elected, end.then(() => undefined)])
  if (term || !election.value) await work(c, hub, term ? { ...options, term } : options, end)
  await hub.client.close()
  await election.value?.stop()
  const why = await end
  if (why === 'Stopped') return { ok: true, value: INTERRUPTED }
  const lease = `${leader?.namespace}/${leader?.name}`
  return failed('E_LEADERSHIP_LOST', { lease, problem: PROBLEM[why] })
}

const PROBLEM: Readonly<Record<Exclude<End, 'Stopped'>, string>> = {
  NotRenewed: 'it could not be renewed in time',
  Taken: 'another process has taken it, or it was deleted',
}

async function takePart(
  c: Context,
  hub: Hub,
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

async function work(c: Context, hub: Hub, options: ManagerOptions, end: Promise<End>): Promise<void> {
  const manager: Manager = startManager(c.env, hub.client, options)
  c.env.log.info('controller started', { hub: hub.server })
  void manager.started.then(() => c.env.log.info('caches complete'))
  await end
  c.env.log.info('controller stops')
  manager.stop()
}
