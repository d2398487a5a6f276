/** A simulated hub on which the controller has no rights but those of `lockstep install`. */
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Profile } from '../../packages/lockstep/src/api/rights.ts'
import { installManifests } from '../../packages/lockstep/src/cli/kit/install/installmanifests.ts'
import {
  CONTROLLER_TOKEN,
  CONTROLLER_USER,
} from '../../packages/lockstep/src/cli/kit/localfleet/localfleet.ts'
import { type AuditEntry, auditedHandler } from '../audit/auditentry.ts'
import { CONTROLLER_AGENT } from '../audit/auditproblems.ts'
import { accountsAdmin } from '../fleet/accountrights.ts'
import type { SimFleet } from '../fleet/simfleet.ts'

/** From now on; returns the requests that will come. Controllers that run keep the answers of before. */
export function underInstalledRoles(
  { env, hubApi }: SimFleet,
  namespaces: readonly string[],
  profiles: readonly Profile[],
): AuditEntry[] {
  const put = (o: object): void => {
    const { kind, metadata } = o as KubeObject
    const made = hubApi.local.create(o as KubeObject, 'install')
    if (!made.ok && made.error.reason !== 'AlreadyExists')
      throw new Error(`${kind} ${metadata.name}: ${made.error.message}`)
  }
  if (profiles.includes('argocd')) put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } })
  // The controller is an account, too: what all accounts may do says nothing of its roles.
  hubApi.local.delete('clusterrolebindings.rbac.authorization.k8s.io', '', 'all-accounts', 'install')
  for (const n of namespaces) put(accountsAdmin(n))
  for (const o of installManifests({ namespaces, profiles })) put(o)
  const audit: AuditEntry[] = []
  const access = { anonymous: 'admin', tokens: new Map([[CONTROLLER_TOKEN, CONTROLLER_USER]]) } as const
  const handler = auditedHandler(hubApi.handleFor(access), (e) => audit.push(e))
  const authorization = `Bearer ${CONTROLLER_TOKEN}`
  env.net.serve('https://hub.test', (request) => {
    const { headers } = request
    if (!headers['user-agent']?.startsWith(CONTROLLER_AGENT)) return handler(request)
    return handler({
      ...request,
      body: (limit) => request.body(limit),
      headers: { ...headers, authorization },
    })
  })
  return audit
}
