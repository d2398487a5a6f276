/** `lockstep rights --cluster`: what the credential of a cluster needs, and what of it is missing. */
import { requestErrorText } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import { at, defineKind, isArray, type KubeObject, keyText } from '@lockstep/kube/object'
import { type ResourceRights, type RoleRule, roleRules } from '../../../deliver/rights/index.ts'
import type { ClusterView } from '../../../fleet/clusters/index.ts'
import { tokenAccount } from '../../../fleet/credentials/index.ts'
import {
  type ClusterConnection,
  ClusterConnections,
  noCluster,
  type OpenedContext,
  type OpenedHub,
  openHub,
} from '../../kit/hub/index.ts'
import {
  type CliFailure,
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  isSet,
  requestFailure,
  textFlag,
} from '../../kit/index.ts'
import { printObjects } from '../../kit/output/index.ts'
import {
  applyObjects,
  deliveryObjects,
  type RegistrationObject,
  readRegistration,
  sameClusterUid,
  withContext,
} from '../../kit/registration/index.ts'
import {
  type ClusterRights,
  drawClusterRights,
  lackingRights,
  rightsOnCluster,
} from '../../kit/rights/index.ts'
import { readSnapshot } from '../../kit/snapshot/index.ts'
import { fit } from '../../kit/terminal/index.ts'

const clusterRoleKind = defineKind<KubeObject>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
})

export async function rightsOfCluster(c: CommandContext, name: string, flags: Flags): Promise<CommandResult> {
  const word = textFlag(flags, 'clusterContext')
  if (isSet(flags, 'apply') && word === undefined)
    return failed('E_USAGE', {
      problem: '--apply requires --cluster-context: the account of the cluster cannot grant rights to itself',
      suggestion: `for example: lockstep rights --cluster ${name} --cluster-context ${name} --apply`,
    })
  const hub = await openHub(c)
  if (!hub.ok) return hub
  const run = (context: OpenedContext | undefined): Promise<CommandResult> =>
    review(c, hub.value, name, { context, isApply: isSet(flags, 'apply') })
  try {
    return await (word === undefined ? run(undefined) : withContext(c, word, run))
  } finally {
    await hub.value.client.close()
  }
}

interface Review {
  readonly view: ClusterView
  readonly needed: ClusterRights
  /** Undefined: the credential in the Secret does not work. */
  readonly lacking: ReadonlyMap<ResourceRights, readonly string[]> | undefined
}

async function review(
  c: CommandContext,
  hub: OpenedHub,
  name: string,
  { context, isApply }: { readonly context: OpenedContext | undefined; readonly isApply: boolean },
): Promise<CommandResult> {
  const snapshot = await readSnapshot(c, hub)
  if (!snapshot.ok) return snapshot
  const view = snapshot.value.clusters.find((v) => v.name === name)
  if (!view)
    return noCluster(
      name,
      snapshot.value.clusters.map((v) => v.name),
      hub,
    )
  const same = context ? await sameClusterUid(c, hub, view.name, context) : ok(undefined)
  if (!same.ok) return same
  const own = new ClusterConnections(c, hub, [view])
  try {
    const there = await own.reach(name)
    const asked = context ? await discovered(c, context) : ok(there)
    if (!asked.ok) return asked
    if (typeof asked.value === 'string')
      return failed('E_REFUSED', {
        ref: `cluster ${name}`,
        problem: asked.value,
        suggestion: 'add --cluster-context CONTEXT to ask the cluster as an administrator',
      })
    const clusters = new ClusterConnections(c, hub, [view], new Map([[name, asked.value]]))
    const place = { hub, snapshot: snapshot.value, view, served: asked.value.served, clusters }
    const needed = await rightsOnCluster(c, place)
    if (!needed.ok) return needed
    const held =
      typeof there === 'string' ? undefined : await lackingRights(c, there.client, needed.value.rights)
    if (held && !held.ok) c.terminal.talk(`warning: ${requestErrorText(held.error)}`)
    const found = { view, needed: needed.value, lacking: held?.ok ? held.value : undefined }
    return await (isApply && context ? grant(c, hub, context, found) : show(c, hub, found))
  } finally {
    await own.close()
  }
}

async function discovered(
  c: CommandContext,
  { client, server }: OpenedContext,
): Promise<Result<ClusterConnection, CliFailure>> {
  const served = await client.discover({ purpose: 'user', signal: c.signal })
  return served.ok ? ok({ client, served: served.value }) : requestFailure(served.error, server)
}

const isComplete = ({ needed, lacking }: Review): boolean =>
  needed.unknown.length === 0 && lacking !== undefined && lacking.size === 0

async function show(c: CommandContext, hub: OpenedHub, r: Review): Promise<CommandResult> {
  const { view, needed, lacking } = r
  if (c.globals.output === 'table') {
    for (const line of drawClusterRights(c.terminal, view.name, needed, lacking)) c.terminal.print(line)
    return ok(isComplete(r) ? 0 : 1)
  }
  const objects = await objectsFor(c, hub, view, roleRules(needed.rights))
  if (!objects.ok) return objects
  for (const u of needed.unknown) c.terminal.talk(`warning: rights are unknown: ${u}`)
  printObjects(c, objects.value)
  return ok(isComplete(r) ? 0 : 1)
}

/**
 * ClusterRole and binding for the account that `cluster add` has made, never for one that only the Secret names: users with fewer
 * rights may write the Secret.
 */
async function objectsFor(
  c: CommandContext,
  hub: OpenedHub,
  { name, objectName, access }: ClusterView,
  rules: readonly RoleRule[],
): Promise<Result<RegistrationObject[], CliFailure>> {
  const registration = await readRegistration(c, hub, objectName)
  if (!registration.ok) return registration
  const account = access.type === 'Source' ? tokenAccount(access.source.endpoint) : undefined
  if (account && keyText(account) === keyText(registration.value.account))
    return ok(deliveryObjects(registration.value, rules))
  return failed('E_REFUSED', {
    ref: `cluster ${name}`,
    problem: 'its credential is not of the account that lockstep cluster add makes',
    suggestion: `register it: lockstep cluster add CONTEXT --name ${name}; or grant the rights of the table yourself`,
  })
}

/** Adds to the present rules: rights that no Module needs now may be granted on purpose. */
async function grant(
  c: CommandContext,
  hub: OpenedHub,
  context: OpenedContext,
  { view, needed, lacking }: Review,
): Promise<CommandResult> {
  const { terminal: t } = c
  for (const u of needed.unknown) t.talk(`warning: rights are unknown: ${u}`)
  if (lacking?.size === 0) {
    t.print(fit(t.look, `${t.paint('green', '✔')} The credential of cluster ${view.name} holds all rights.`))
    return ok(needed.unknown.length === 0 ? 0 : 1)
  }
  const missing = lacking ? [...lacking].map(([right, verbs]) => ({ ...right, verbs })) : needed.rights
  const made = await objectsFor(c, hub, view, roleRules(missing))
  if (!made.ok) return made
  const objects = await withPresentRules(c, context, made.value)
  if (!objects.ok) return objects
  const applied = await applyObjects(c, context, objects.value, (text) =>
    t.print(fit(t.look, `${text} applied`)),
  )
  if (!applied.ok) return applied
  return ok(needed.unknown.length === 0 ? 0 : 1)
}

async function withPresentRules(
  c: CommandContext,
  { client, server }: OpenedContext,
  objects: readonly RegistrationObject[],
): Promise<Result<readonly RegistrationObject[], CliFailure>> {
  const [role, ...rest] = objects
  const key = { name: role!.object.metadata.name ?? '' }
  const found = await client.get(clusterRoleKind, key, { purpose: 'user', signal: c.signal })
  if (!found.ok) return found.error.kind === 'NotFound' ? ok(objects) : requestFailure(found.error, server)
  const [present, added] = [at(found.value, 'rules'), at(role!.object, 'rules')]
  const rules = [...(isArray(present) ? present : []), ...(isArray(added) ? added : [])]
  return ok([{ ...role!, object: { ...role!.object, rules } as KubeObject }, ...rest])
}
