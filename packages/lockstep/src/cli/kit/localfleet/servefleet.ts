/** `lockstep up`: the fleet over HTTP, until interrupted. Loaded only by that command: it brings the whole API along. */
import { isAbsolute, join } from 'node:path'
import { serveClusters } from '@lockstep/apiserver/server'
import { createHttpClient } from '@lockstep/kube/client'
import type { Listening } from '@lockstep/kube/env'
import { LIFELIKE } from '@lockstep/simulators/world'
import { type Manager, startManager } from '../../../controllers/manager/index.ts'
import { type CommandContext, type CommandResult, failed, INTERRUPTED, untilInterrupt } from '../index.ts'
import { plural } from '../terminal/index.ts'
import {
  FLEET_NAMESPACE,
  furnish,
  HUB,
  kubeconfigOf,
  type LocalFleet,
  startLocalFleet,
  untilServed,
} from './localfleet.ts'
import { sourceCache } from './sourcecache.ts'

const HOST = '127.0.0.1'

export interface UpOptions {
  readonly clusters: number
  readonly port: number
  /** Where the kubeconfig goes. */
  readonly out: string
}

/** Serves until the signal fires. */
export async function serveFleet(c: CommandContext, o: UpOptions): Promise<CommandResult> {
  const names = Array.from({ length: o.clusters }, (_, i) => `cluster-${i + 1}`)
  const fleet = startLocalFleet(c.env, { clusters: names, delays: LIFELIKE })
  const outcome = await serve(c, fleet, o.port, o.out)
  fleet.stop()
  return outcome
}

async function serve(
  c: CommandContext,
  fleet: LocalFleet,
  port: number,
  out: string,
): Promise<CommandResult> {
  const servers = new Map([[HUB, fleet.hub], ...fleet.clusters])
  const listening = await c.env.net.listen({ host: HOST, port }, serveClusters(servers))
  if (!listening.ok)
    return failed('E_PORT_IN_USE', {
      address: `${HOST}:${port}`,
      problem: listening.error.detail,
      suggestion: 'choose another port with --port, or 0 for a free one',
    })
  const urlOf = (name: string): string => `${listening.value.url}/clusters/${name}`
  furnish(fleet, urlOf)
  const path = isAbsolute(out) ? out : join(c.host.cwd, out)
  const contexts = [...servers.keys()].map((name) => ({ name, url: urlOf(name) }))
  const written = await c.env.files.writeAtomic(path, kubeconfigOf(contexts, FLEET_NAMESPACE), 0o600)
  if (!written.ok) {
    await listening.value.close()
    return failed('E_FILE_READ', { path: out, problem: written.error.message })
  }
  const client = createHttpClient(c.env, HUB, c.env.net.connect({ url: urlOf(HUB) }), 'lockstep-controller')
  await untilServed(c.env, client, c.signal)
  const manager = startManager(c.env, client, { cacheDir: sourceCache(c.host), files: true })
  await Promise.race([manager.started, untilInterrupt(c.signal)])
  if (!c.signal.aborted) welcome(c, fleet, listening.value, out)
  await untilInterrupt(c.signal)
  await stop(c, manager, listening.value)
  await client.close()
  return { ok: true, value: INTERRUPTED }
}

async function stop(c: CommandContext, manager: Manager, listening: Listening): Promise<void> {
  manager.stop()
  await listening.close()
  c.terminal.talk('Stopped; the fleet is deleted. lockstep up starts a new one.')
}

function welcome(c: CommandContext, fleet: LocalFleet, listening: Listening, out: string): void {
  const t = c.terminal
  const names = [...fleet.clusters.keys()]
  const file = out.includes('/') ? out : `./${out}`
  t.print(
    `${t.paint('green', '✔')} lockstep up: a hub and ${plural(names.length, 'cluster')} at ${t.paint('bold', listening.url)}`,
  )
  t.print('  All data is in memory and lost when this stops (Ctrl-C).')
  t.print('  No authentication; local use only.')
  t.print('')
  t.print('In another terminal:')
  t.print(t.paint('bold', `  export KUBECONFIG=${file}`))
  const lines: readonly (readonly [string, string])[] = [
    ['lockstep apply -f examples/platform/v1', 'apply a release of the example platform'],
    ['lockstep status', 'modules × clusters'],
    ['lockstep get modules', ''],
    ['lockstep why ingress@cluster-1', 'root cause of a waiting unit'],
    [`kubectl get pods -A --context ${names[0]}`, 'objects on a cluster'],
  ]
  for (const [line, what] of lines)
    t.print(`  ${line.padEnd(44)}${what ? t.paint('dim', `# ${what}`) : ''}`.trimEnd())
  t.print('')
  t.print(
    t.paint('dim', `Modules are in namespace ${FLEET_NAMESPACE} of context ${HUB}. Every cluster has the`),
  )
  t.print(t.paint('dim', `label env=prod, and ${names[0]} also tier=canary.`))
}
