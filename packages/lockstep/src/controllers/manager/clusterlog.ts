/** Lines of the log about connections to clusters. */
import { type Env, ProblemLog } from '@lockstep/kube/env'
import type { ClusterCondition, ClusterView } from '../../fleet/clusters/index.ts'
import { isRecordedReason } from '../runtime/index.ts'

type LoggedView = Pick<ClusterView, 'namespace' | 'name' | 'access'>

/** A cluster has a line when it is connected for the first time, when a problem begins, and when it ends. */
export class ClusterLog {
  private readonly log: Env['log']
  private readonly problems: ProblemLog
  private readonly connected = new Set<string>()

  constructor(env: Pick<Env, 'clock' | 'log'>) {
    this.log = env.log
    this.problems = new ProblemLog(env)
  }

  /** `condition`: undefined if the cluster is not in any inventory. The hub has lines of its own. */
  note({ namespace, name, access }: LoggedView, condition: ClusterCondition | undefined): void {
    if (access.type === 'Hub') return
    const key = `${namespace}/${name}`
    const { state, blocker } = condition ?? {}
    if (state === undefined || state === 'Deleting') {
      this.connected.delete(key)
      this.problems.forget(key)
    } else if (blocker !== undefined && isRecordedReason(blocker.reason)) {
      this.problems.begin(key, blocker.reason, blocker.message, { cluster: key })
    } else if (state === 'Connected') this.noteConnected(key)
  }

  private noteConnected(key: string): void {
    const message = `cluster ${key} is connected`
    const facts = { cluster: key }
    if (!this.connected.has(key) && !this.problems.has(key))
      this.log.info(message, { reason: 'ClusterConnected', cluster: key })
    this.connected.add(key)
    this.problems.end(key, 'ClusterConnected', message, facts)
  }
}
