import { expect, it } from 'vitest'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { blocked } from '../../api/blocker.ts'
import type { ClusterCondition } from '../../fleet/clusters/clustercondition.ts'
import { ClusterLog } from './clusterlog.ts'

const ON = [{ kind: 'Cluster', name: 'c1', namespace: 'platform' }] as const
const CONNECTED: ClusterCondition = { state: 'Connected', reason: undefined, message: '' }
const connecting = condition(
  'Connecting',
  blocked('ClusterConnecting', ON, { error: undefined, since: undefined }),
)
const away = condition('Unreachable', blocked('ClusterUnreachable', ON, { error: 'x', since: undefined }))
const rejected = condition('Unreachable', blocked('CredentialsRejected', ON, { error: 'Unauthorized' }))

function condition(
  state: ClusterCondition['state'],
  blocker: NonNullable<ClusterCondition['blocker']>,
): ClusterCondition {
  return { state, reason: blocker.reason, message: blocker.message, blocker }
}

function linesOf(...conditions: readonly (ClusterCondition | undefined)[]): string[] {
  const env = createSimEnv('clusters')
  const log = new ClusterLog(env)
  for (const c of conditions)
    log.note({ namespace: 'platform', name: 'c1', access: { type: 'Missing', message: '' } }, c)
  return env.lines.map((l) => `${l.level} ${l.fields.reason} ${l.fields.cluster}`)
}

it.each([
  ['a start', [connecting, CONNECTED, CONNECTED], ['info ClusterConnected platform/c1']],
  [
    'an outage',
    [CONNECTED, connecting, away, away, connecting, CONNECTED],
    [
      'info ClusterConnected platform/c1',
      'warn ClusterUnreachable platform/c1',
      'info ClusterConnected platform/c1',
    ],
  ],
  [
    'a problem before the first connection, and another one after it',
    [connecting, away, rejected, CONNECTED],
    [
      'warn ClusterUnreachable platform/c1',
      'warn CredentialsRejected platform/c1',
      'info ClusterConnected platform/c1',
    ],
  ],
  [
    'a cluster that is deleted and created again',
    [CONNECTED, undefined, CONNECTED],
    ['info ClusterConnected platform/c1', 'info ClusterConnected platform/c1'],
  ],
] as const)('%s', (_, conditions, lines) => {
  expect(linesOf(...conditions)).toEqual(lines)
})
