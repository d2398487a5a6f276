/** `lockstep up`: the fleet over HTTPS, until interrupted. Loaded only by that command: it brings the whole API along. */
import { isAbsolute, join } from 'node:path'
import type { User } from '@lockstep/apiserver/server'
import { createHttpClient, type ImpersonatingClient } from '@lockstep/kube/client'
import { type AllowedHost, hostOf } from '@lockstep/kube/env'
import { LIFELIKE } from '@lockstep/simulators/world'
import { type Manager, startManager } from '../../../controllers/manager/index.ts'
import { type CommandContext, type CommandResult, failed, INTERRUPTED, untilInterrupt } from '../index.ts'
import { plural } from '../terminal/index.ts'
import {
  CONTROLLER_USER,
  FLEET_NAMESPACE,
  furnish,
  HUB,
  kubeconfigOf,
  type LocalFleet,
  startLocalFleet,
  untilServed,
} from './localfleet.ts'
import { LOCAL_HOST, type LocalServer, serveLocally } from './localserver.ts'
import { manageNamespaces } from './managenamespaces.ts'
import { sourceCache } from './sourcecache.ts'
import { addTenants, tenantUser } from './tenants.ts'

export interface UpOptions {
  readonly clusters: number
  readonly port: number
  /** Namespaces whose users have the role edit there. */
  readonly tenants: readonly string[]
  /** Where the kubeconfig goes. */
  readonly out: string
  /** Below it are the repositories of `file://` sources. */
  readonly sourceRoot: string
  /** Beside the clusters of this process. */
  readonly allowHosts: readonly AllowedHost[]
}

/** Serves until the signal fires. */
export async function serveFleet(c: CommandContext, o: UpOptions): Promise<CommandResult> {
  const names = Array.from({ length: o.clusters }, (_, i) => `cluster-${i + 1}`)
  const fleet = startLocalFleet(c.env, { clusters: names, delays: LIFELIKE })
  const outcome = await serve(c, fleet, o)
  fleet.stop()
  return outcome
}

async function serve(c: CommandContext, fleet: LocalFleet, o: UpOptions): Promise<CommandResult> {
  const { port, out } = o
  const servers = new Map([[HUB, fleet.hub], ...fleet.clusters])
  const served = await serveLocally(c.env, servers, port)
  if (!served.ok)
    return failed('E_PORT_IN_USE', {
      address: `${LOCAL_HOST}:${port}`,
      problem: served.error.detail,
      suggestion: 'choose another port with --port, or 0 for a free one',
    })
  const local = served.value
  furnish(fleet, local.accessOf)
  addTenants(fleet.hub, o.tenants)
  const path = isAbsolute(out) ? out : join(c.host.cwd, out)
  const tenants = o.tenants.map((namespace) => ({
    namespace,
    token: local.accessOf(HUB, tenantUser(namespace)).token ?? '',
  }))
  const kubeconfig = kubeconfigOf([...servers.keys()], local.accessOf, FLEET_NAMESPACE, tenants)
  const written = await c.env.files.writeAtomic(path, kubeconfig, 0o600)
  if (!written.ok) {
    await local.close()
    return failed('E_FILE_READ', { path: out, problem: written.error.message })
  }
  const connect = (user?: User): ImpersonatingClient => {
    const connection = c.env.net.connect(local.endpointOf(HUB, user), 'operator')
    return createHttpClient(c.env, HUB, connection, user ? 'lockstep-controller' : 'lockstep-up')
  }
  const [client, admin] = [connect(CONTROLLER_USER), connect()]
  await untilServed(c.env, client, c.signal)
  const namespaces = manageNamespaces(c.env, fleet.hub, admin)
  const manager = startManager(c.env, client, {
    cacheDir: sourceCache(c.host),
    sourceRoot: o.sourceRoot,
    allowHosts: [{ namespace: undefined, to: hostOf(local) }, ...o.allowHosts],
  })
  await Promise.race([manager.started, untilInterrupt(c.signal)])
  if (!c.signal.aborted) welcome(c, fleet, local, o)
  await untilInterrupt(c.signal)
  namespaces.stop()
  await stop(c, manager, local)
  await client.close()
  await admin.close()
  return { ok: true, value: INTERRUPTED }
}

async function stop(c: CommandContext, manager: Manager, local: LocalServer): Promise<void> {
  manager.stop()
  await local.close()
  c.terminal.talk('Stopped; the fleet is deleted. lockstep up starts a new one.')
}

function welcome(c: CommandContext, fleet: LocalFleet, local: LocalServer, o: UpOptions): void {
  const { out, tenants } = o
  const t = c.terminal
  const names = [...fleet.clusters.keys()]
  const file = out.includes('/') ? out : `./${out}`
  t.print(
    `${t.paint('green', '✔')} lockstep up: a hub and ${plural(names.length, 'cluster')} at ${t.paint('bold', local.url)}`,
  )
  t.print('  All data is in memory and lost when this stops (Ctrl-C).')
  t.print('  Local use only: the kubeconfig gives administrator rights.')
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
  if (tenants.length > 0) {
    t.print(`Contexts with the role edit in their namespace: ${tenants.join(', ')}`)
    t.print(t.paint('bold', `  lockstep get modules --context ${tenants[0]}`))
    t.print('')
  }
  t.print(
    t.paint('dim', `Modules are in namespace ${FLEET_NAMESPACE} of context ${HUB}. Every cluster has the`),
  )
  t.print(t.paint('dim', `label env=prod, and ${names[0]} also tier=canary.`))
}
