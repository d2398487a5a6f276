/** A hub of its own for one run of a command: an empty server in this process that knows our kinds and refuses as any. */

import { createApiServer } from '@lockstep/apiserver/server'
import { createHttpClient } from '@lockstep/kube/client'
import { connectInProcess } from '@lockstep/kube/env'
import type { KubeObject } from '@lockstep/kube/object'
import { ownCrds } from '../../../api/crd/index.ts'
import type { HubConnection } from '../hub/index.ts'
import type { CommandContext } from '../index.ts'
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
