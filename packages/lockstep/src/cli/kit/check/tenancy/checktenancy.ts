/** `lockstep check tenancy`: policies, managed namespaces, and the accounts and rights of all Modules of a hub. */
import { ok, type Result } from '@lockstep/kube/env'
import { defineKind, type KubeObject, keyText } from '@lockstep/kube/object'
import { accountKey } from '../../../../api/account.ts'
import { bootstrapModuleKind, inventoryKind, type Module, moduleKind } from '../../../../api/kinds/index.ts'
import { inventoryName, moduleRefOf } from '../../../../deliver/plan/index.ts'
import { HUB_CLUSTER } from '../../../../fleet/clusters/index.ts'
import { listAll, type OpenedHub, openHub } from '../../hub/index.ts'
import type { CliFailure, CommandContext, CommandResult } from '../../index.ts'
import { CONTROLLER_ROLE, controllerBinding } from '../../install/index.ts'
import {
  grantManifests,
  hubModuleRights,
  isGranted,
  printGrants,
  type ReviewedRights,
  reviewRights,
  servedBy,
} from '../../rights/index.ts'
import { checkPolicies, POLICIES_FOR } from '../checkpolicies.ts'
import { type CheckFinding, checkReport } from '../checkreport.ts'
import { listFindings } from '../drawfindings.ts'

const roleBindingKind = defineKind<KubeObject & { readonly roleRef: { readonly name: string } }>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
})

/** Exit 1 when something is missing. */
export async function checkTenancy(c: CommandContext): Promise<CommandResult> {
  const opened = await openHub(c)
  if (!opened.ok) return opened
  const hub = opened.value
  try {
    const rights = await rightsOfAll(c, hub)
    if (!rights.ok) return rights
    const namespaces = [...new Set(rights.value.map((m) => m.account.namespace))].sort()
    const managed = await managedOf(c, hub, namespaces)
    if (!managed.ok) return managed
    const findings = [
      ...(await checkPolicies(hub.client, c.signal)),
      ...namespaces.map((n) => namespaceFinding(n, managed.value.has(n))),
      ...rights.value.map(moduleFinding),
    ]
    const missing = findings.filter((f) => f.state === 'missing')
    if (c.globals.output === 'yaml') {
      const grants = await grantManifests(c, hub, rights.value)
      if (!grants.ok) return grants
      printGrants(c, rights.value, [...namespaces.map((n) => controllerBinding(n)), ...grants.value])
      for (const f of findings)
        if (f.state !== 'ok' && f.for === POLICIES_FOR) c.terminal.talk(`warning: ${f.name}: ${f.found}`)
    } else listFindings(c, checkReport.fill({ findings }), findings)
    return ok(missing.length > 0 ? 1 : 0)
  } finally {
    await hub.client.close()
  }
}

/** Modules of the namespace of -n, else of all namespaces. */
async function rightsOfAll(c: CommandContext, hub: OpenedHub): Promise<Result<ReviewedRights[], CliFailure>> {
  const { namespace } = c.globals
  const place = namespace === undefined ? {} : { namespace }
  const modules = await listAll<Module>(c, hub, moduleKind, place)
  if (!modules.ok) return modules
  const boot = await listAll(c, hub, bootstrapModuleKind, place)
  if (!boot.ok) return boot
  const inventories = await listAll(c, hub, inventoryKind, place)
  if (!inventories.ok) return inventories
  const served = await servedBy(c, hub)
  if (!served.ok) return served
  const all = []
  for (const module of [...modules.value, ...boot.value]) {
    const ref = moduleRefOf(module)
    const unit = inventoryName(ref, HUB_CLUSTER)
    const inventory = inventories.value.find(
      ({ metadata }) => metadata.namespace === ref.namespace && metadata.name === unit,
    )
    const there = { ...hub, namespace: ref.namespace }
    const found = await hubModuleRights(c, module as never, { hub: there, inventory, served: served.value })
    if (!found.ok) return found
    all.push(found.value)
  }
  return reviewRights(c, hub, all)
}

/** Namespaces with a RoleBinding for the controller. */
async function managedOf(
  c: CommandContext,
  hub: OpenedHub,
  namespaces: readonly string[],
): Promise<Result<ReadonlySet<string>, CliFailure>> {
  const managed = new Set<string>()
  for (const namespace of namespaces) {
    const bindings = await listAll(c, hub, roleBindingKind, { namespace })
    if (!bindings.ok) return bindings
    if (bindings.value.some((b) => b.roleRef.name === CONTROLLER_ROLE)) managed.add(namespace)
  }
  return ok(managed)
}

const namespaceFinding = (namespace: string, isManaged: boolean): CheckFinding => ({
  name: `namespace ${namespace}`,
  state: isManaged ? 'ok' : 'missing',
  found: isManaged
    ? `RoleBinding to ${CONTROLLER_ROLE}`
    : `no RoleBinding to ${CONTROLLER_ROLE}; run: lockstep install --namespaces ${namespace} --controller=false`,
  for: 'its Modules',
})

function moduleFinding(m: ReviewedRights): CheckFinding {
  const { namespace, name } = m.module.metadata
  const facts = { name: `${m.module.kind} ${namespace}/${name}`, for: 'its delivery' }
  const account = `ServiceAccount ${keyText(accountKey(m.account))}`
  if (isGranted(m)) return { ...facts, state: 'ok', found: `${account} holds its rights` }
  const details = `run: lockstep rights ${name} -n ${namespace}`
  if (m.held?.exists === false && m.rights.length > 0)
    return { ...facts, state: 'missing', found: `${account} does not exist; ${details}` }
  const lacks = m.held?.lacking?.size ?? 0
  if (lacks > 0)
    return {
      ...facts,
      state: 'missing',
      found: `${account} lacks rights on ${lacks} of ${m.rights.length} resources; ${details}`,
    }
  const why = m.unknown[0] ?? 'you may not act as the account'
  return { ...facts, state: 'unknown', found: `${why}; ${details}` }
}
