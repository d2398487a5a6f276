import { expect, it } from 'vitest'
import { sleep } from '../../../../../../kube/src/env/index.ts'
import type { KubeObject } from '../../../../../../kube/src/object/index.ts'
import { createTerminal } from '../../../kit/terminal/terminal.ts'
import { startDemoFleet } from '../demofleet.ts'
import { AttackPlay, CLUSTER, hasSucceeded } from './attackplay.ts'
import { attacks, TEAM } from './attacks.ts'
import { drawAttack } from './drawattacks.ts'

const t = createTerminal(
  { color: false, unicode: true, live: false, wraps: false, width: 100 },
  { out() {}, err() {} },
)
const attack = (id: string) => attacks.find((a) => a.id === id)!

/** A hub whose administrator bound the account of the team to cluster-admin. */
async function openHub() {
  const fleet = await startDemoFleet('1', [CLUSTER])
  const play = new AttackPlay(fleet)
  expect(await play.prepare()).toBe(true)
  fleet.local.hub.local.create(
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'too-much' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'lockstep-deployer', namespace: TEAM }],
    } as unknown as KubeObject,
    'test',
  )
  return { fleet, play }
}

it('an attack with enough rights gets through, and its writes are counted', async () => {
  const { fleet, play } = await openHub()
  const result = await play.play(attack('A2'))
  fleet.stop()
  expect(hasSucceeded(result)).toBe(true)
  expect(result.refusal).toBeUndefined()
  const user = 'system:serviceaccount:team-a:lockstep-deployer'
  expect(result.reached).toContain(`create jobs.batch lockstep-system/steal on hub by ${user}`)
  expect(result.outside.some((c) => c.resource === 'jobs.batch' && c.user === user)).toBe(true)
  const text = drawAttack(t, result).join('\n')
  expect(text).toContain('✗ accepted')
  expect(text).toMatch(/✗ written +create jobs\.batch lockstep-system\/steal on hub by/)
})

it('a write beside a refusal counts as a success of the attack', async () => {
  const fleet = await startDemoFleet('1', [CLUSTER])
  const play = new AttackPlay(fleet)
  await play.prepare()
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'kube-system' } }
  const later = sleep(fleet.env.clock, 5000).then(() =>
    fleet.local.hub.local.create(config as unknown as KubeObject, 'test'),
  )
  const result = await play.play(attack('A1'))
  fleet.stop()
  expect((await later).ok).toBe(true)
  expect([result.refusal !== undefined, result.reached, result.outside.length]).toEqual([true, [], 1])
  expect(hasSucceeded(result)).toBe(true)
})
