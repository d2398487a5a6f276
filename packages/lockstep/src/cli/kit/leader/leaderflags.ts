/** Flags of an election, named and checked as those of kube-controller-manager are. */

import type { Result } from '@lockstep/kube/env'
import { LEASE_TIMES, type LeaseTimes } from '@lockstep/kube/leaderelection'
import { SYSTEM_NAMESPACE } from '../../../api/labels.ts'
import { type CliFailure, durationFlag, type Flags, failed, type Option, textFlag } from '../index.ts'

export const LEASE_NAME = 'lockstep-leader'

const LEASE = 'leader-elect-lease-duration'
const RENEW = 'leader-elect-renew-deadline'
const RETRY = 'leader-elect-retry-period'

const seconds = (ms: number): string => `${ms / 1000}s`

export const leaderOptions: readonly Option[] = [
  {
    flags: '--leader-elect [boolean]',
    text: 'run as one of several replicas, of which one works',
    choices: ['true', 'false'],
    default: 'true',
  },
  {
    flags: `--${LEASE} <duration>`,
    text: 'time after the last renewal before another replica takes the Lease',
    default: seconds(LEASE_TIMES.leaseMs),
  },
  {
    flags: `--${RENEW} <duration>`,
    text: 'time the leader writes after its last renewal',
    default: seconds(LEASE_TIMES.renewMs),
  },
  {
    flags: `--${RETRY} <duration>`,
    text: 'time between two renewals, and between two reads',
    default: seconds(LEASE_TIMES.retryMs),
  },
  { flags: '--leader-elect-resource-name <name>', text: 'name of the Lease', default: LEASE_NAME },
  {
    flags: '--leader-elect-resource-namespace <namespace>',
    text: 'namespace of the Lease',
    default: SYSTEM_NAMESPACE,
    completes: 'namespace',
  },
]

export interface LeaderFlags {
  readonly namespace: string
  readonly name: string
  readonly times: LeaseTimes
}

/** How far apart the tries of many may drift (client-go: JitterFactor). */
const JITTER = 1.2

/** Undefined: no election. */
export function leaderFlags(flags: Flags): Result<LeaderFlags | undefined, CliFailure> {
  if (textFlag(flags, 'leaderElect') === 'false') return { ok: true, value: undefined }
  const lease = durationFlag(LEASE, textFlag(flags, 'leaderElectLeaseDuration')!)
  if (!lease.ok) return lease
  const renew = durationFlag(RENEW, textFlag(flags, 'leaderElectRenewDeadline')!)
  if (!renew.ok) return renew
  const retry = durationFlag(RETRY, textFlag(flags, 'leaderElectRetryPeriod')!)
  if (!retry.ok) return retry
  const problem =
    lease.value <= renew.value
      ? `--${LEASE} must be greater than --${RENEW}`
      : renew.value <= retry.value * JITTER
        ? `--${RENEW} must be greater than ${JITTER} times --${RETRY}`
        : undefined
  if (problem) return failed('E_USAGE', { problem, suggestion: 'for example: 15s, 10s and 2s' })
  const times = { leaseMs: lease.value, renewMs: renew.value, retryMs: retry.value }
  const namespace = textFlag(flags, 'leaderElectResourceNamespace')!
  return { ok: true, value: { namespace, name: textFlag(flags, 'leaderElectResourceName')!, times } }
}
