/** Roles that give an account its rights, and their bindings. */
import type { JsonObject } from '@lockstep/kube/object'
import { accountKey } from '../../../api/account.ts'
import { type ResourceRights, roleRules } from '../../../deliver/rights/index.ts'
import { bindingManifest, roleManifest } from '../install/index.ts'
import type { ModuleRights } from './modulerights.ts'

/** One Role for each namespace, a ClusterRole for the whole hub, and their bindings. */
export function roleManifests({ module, account, rights }: ModuleRights): JsonObject[] {
  const places = new Map<string | undefined, ResourceRights[]>()
  for (const r of rights) places.set(r.namespace, [...(places.get(r.namespace) ?? []), r])
  const { namespace: home = '', name: base = '' } = module.metadata
  // Unique in each namespace: names of namespaces and Modules have no colon.
  const name = `lockstep:${home}:${base}`
  const subject = { kind: 'ServiceAccount', ...accountKey(account) }
  return [...places].flatMap(([namespace, of]) => {
    const kind = namespace === undefined ? 'ClusterRole' : 'Role'
    const metadata = namespace === undefined ? { name } : { name, namespace }
    const rules = roleRules(of) as unknown as JsonObject[]
    return [roleManifest(kind, metadata, rules), bindingManifest(metadata, { kind, name }, subject)]
  })
}
