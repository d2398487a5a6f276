/** Probes of processes: what a leader and a standby answer, while they stand still, and while their hub is away. */
import { expect } from 'vitest'
import { parseKubeconfig } from '../../packages/lockstep/src/fleet/kubeconfig/kubeconfigtarget.ts'
import { openGate } from '../kube/tcpgate.ts'
import { ControllerReplicas, type LeaseLength, type Replica } from './controllerreplicas.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'
import { probe, untilStatus } from './healthprobes.ts'

const PATIENCE_SECONDS = 300
const PROBED = { args: ['--health-address', '127.0.0.1:0'] }

async function withReplicas(
  c: Corner,
  kubeconfig: string,
  length: LeaseLength,
  story: (leader: Replica, standby: Replica) => Promise<void>,
): Promise<void> {
  c.controllers.kill()
  const replicas = new ControllerReplicas(kubeconfig, c.namespace, length)
  try {
    const leader = await replicas.start(PROBED)
    await leader.said('leads')
    await story(leader, await replicas.start(PROBED))
  } finally {
    await replicas.stop()
    c.controllers.start()
  }
}

const ALL = ['ping', 'lease-thread', 'queue', 'hub', 'crds', 'lease', 'caches']

export const probeCases: readonly FleetCase[] = [
  {
    name: 'probes: leader and standby are live and ready; one that is stopped does not answer',
    alone: true,
    patienceSeconds: PATIENCE_SECONDS,
    run: (c) =>
      withReplicas(c, c.subject.hub.kubeconfig, 'quick', async (leader, standby) => {
        const { token = 'no token' } = JSON.parse(c.subject.hub.kubeconfig).users[0].user
        for (const replica of [leader, standby]) {
          const body = await untilStatus(replica, '/readyz?verbose', 200)
          expect(body).toBe(`${ALL.map((name) => `[+]${name} ok\n`).join('')}readyz check passed\n`)
          expect(body).not.toContain(token)
          expect(await untilStatus(replica, '/livez', 200)).toBe('ok')
          await untilStatus(replica, '/metrics', 404)
        }
        leader.kill('SIGSTOP')
        for (let i = 0; i < 3; i++) expect(await probe(leader, '/livez')).toBeUndefined()
        await standby.said('leads')
        await untilStatus(standby, '/readyz', 200)
        leader.kill('SIGCONT')
        expect((await leader.ended).code).toBe(1)
      }),
  },
  {
    name: 'probes: a hub that is away makes a standby unready, and no more',
    isLong: true,
    alone: true,
    patienceSeconds: PATIENCE_SECONDS,
    async run(c) {
      const target = parseKubeconfig(c.subject.hub.kubeconfig, 'Person')
      if (!target.ok) throw new Error(target.error.message)
      const { url } = target.value.source.endpoint
      const gate = await openGate(url)
      const kubeconfig = c.subject.hub.kubeconfig.replace(url, gate.url)
      try {
        await withReplicas(c, kubeconfig, 'quick', async (leader, standby) => {
          await untilStatus(standby, '/readyz', 200)
          gate.shut()
          expect((await leader.ended).code).toBe(1)
          const body = await untilStatus(standby, '/readyz', 503)
          expect(body).toMatch(/^\[-\]hub failed: no answer for 3\ds$/m)
          expect(body).toMatch(/^\[-\]lease failed: no answer for 3\ds$/m)
          expect(body).not.toContain('127.0.0.1')
          expect(await untilStatus(standby, '/livez', 200)).toBe('ok')
          gate.open()
          await untilStatus(standby, '/readyz', 200)
          await standby.said('leads')
        })
      } finally {
        await gate.close()
      }
    },
  },
]
