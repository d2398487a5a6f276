/** `demo --keep`: the fleet of the demo for kubectl, in real time from now on. */
import { join } from 'node:path'
import { sleep } from '@lockstep/kube/env'
import { type CommandContext, type CommandResult, failed, INTERRUPTED } from '../../kit/index.ts'
import { FLEET_NAMESPACE, HUB, kubeconfigOf, LOCAL_HOST, serveLocally } from '../../kit/localfleet/index.ts'
import type { DemoFleet } from './demofleet.ts'

const FILE = 'lockstep-demo.kubeconfig'
const SLICE_MS = 50

export async function keepFleet(c: CommandContext, fleet: DemoFleet): Promise<CommandResult> {
  const servers = new Map([[HUB, fleet.local.hub], ...fleet.local.clusters])
  const served = await serveLocally(c.env, servers, 0)
  if (!served.ok)
    return failed('E_PORT_IN_USE', {
      address: LOCAL_HOST,
      problem: served.error.detail,
      suggestion: 'choose another port with --port, or 0 for a free one',
    })
  const local = served.value
  const path = join(c.host.cwd, FILE)
  const kubeconfig = kubeconfigOf([...servers.keys()], local.accessOf, FLEET_NAMESPACE)
  const written = await c.env.files.writeAtomic(path, kubeconfig, 0o600)
  if (!written.ok) return failed('E_FILE_READ', { path, problem: written.error.message })
  const { terminal: t } = c
  t.print(`The fleet is served at ${local.url} until Ctrl-C:`)
  t.print(t.paint('bold', `  export KUBECONFIG=./${FILE}`))
  t.print('  lockstep status')
  t.print(`  kubectl get pods -A --context ${[...fleet.local.clusters.keys()][0]}`)
  const begun = c.env.clock.steady() - fleet.env.clock.steady()
  while (!c.signal.aborted) {
    const behind = c.env.clock.steady() - begun - fleet.env.clock.steady()
    if (behind > 0) await fleet.env.clock.run(() => c.signal.aborted, behind)
    await sleep(c.env.clock, SLICE_MS, c.signal)
  }
  await local.close()
  await c.env.files.remove(path)
  return { ok: true, value: INTERRUPTED }
}
