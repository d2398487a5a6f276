/** A hub of its own for one run of a command: an empty server in this process that knows our kinds and refuses as any. */
import { ownCrds } from '../../../api/crd/crd.ts'
import { createApiServer } from '../../../../../apiserver/src/server/index.ts'
import { connectInProcess } from '../../../../../kube/src/env/inprocess.ts'
import { createHttpClient } from '../../../../../kube/src/client/httpclient.ts'
import type { KubeObject } from '../../../../../kube/src/object/index.ts'
import type { CommandContext } from '../command.ts'
import type { HubConnection } from '../hub/hub.ts'
import { untilServed } from './localfleet.ts'

const NAME = 'client'
const MANAGER = 'lockstep-cli'

/** Has the namespaces that are asked for: whether they are on a real hub, nobody here can know. */
export async function rehearsalHub(
  c: CommandContext,
  namespace: string,
  namespaces: Iterable<string>,
): Promise<HubConnection> {
  const server = createApiServer(c.env, { name: NAME })
  for (const crd of ownCrds()) server.local.create(crd as unknown as KubeObject, MANAGER)
  for (const name of namespaces)
    server.local.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, MANAGER)
  const client = createHttpClient(c.env, NAME, connectInProcess(server.handle))
  await untilServed(c.env, client, c.signal)
  return { client, server: NAME, namespace }
}
