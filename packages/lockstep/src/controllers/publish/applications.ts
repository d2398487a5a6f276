/**
 * Modules of the applications of a cluster group: kept as the published revision of its Module has them, and taken away with it
 * or once it has them no more.
 */

import { type RequestError, requestErrorText } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { jsonEqual, keyOf, type ObjectMeta, type Stored } from '@lockstep/kube/object'
import { accountOf } from '../../api/account.ts'
import { API_VERSION } from '../../api/apiversion.ts'
import { type Module, moduleKind, moduleSpec } from '../../api/kinds/index.ts'
import { type ApplicationModule, applicationModules } from '../../decisions/clustergroup/index.ts'
import { type ModuleRef, moduleId } from '../../decisions/graph/index.ts'
import { fault, type SourceFailure } from '../../sources/intake/index.ts'
import { type HubCaches, moduleIndexOf, type RevisionRecord } from '../cache/index.ts'
import { ensure } from '../runtime/index.ts'
import type { PublishDeps } from './publishdeps.ts'

/** Apart from the engine's writes to Modules, which this one's applies must not take back. */
const MANAGER = 'lockstep-applications'

/** The Module that a Module is an application of; undefined: of none. */
export const groupOf = ({ ownerReferences = [] }: ObjectMeta): { name: string; uid: string } | undefined =>
  ownerReferences.find(
    (o) => o.controller === true && o.kind === moduleKind.kind && o.apiVersion === API_VERSION,
  )

export const groupIdOf = ({ metadata }: Pick<Stored<Module>, 'metadata'>): string | undefined => {
  const group = groupOf(metadata)
  const { namespace = '' } = metadata
  return group && moduleId({ kind: moduleKind.kind, namespace, name: group.name })
}

export const applicationsOf = ({ hub }: Pick<PublishDeps, 'hub'>, { namespace }: ModuleRef, uid: string) =>
  [...moduleIndexOf(hub, namespace)].filter((m) => groupOf(m.metadata)?.uid === uid)

/**
 * Creates, patches and deletes Modules of applications, as the revision asks. `seen` records the Modules that have their names.
 * Undefined: nothing failed.
 */
export async function reconcileApplications(
  c: PublishDeps,
  ref: ModuleRef,
  module: Stored<Module>,
  current: RevisionRecord | undefined,
  seen: Pick<HubCaches, 'module'>,
): Promise<SourceFailure | undefined> {
  // What waits for the revision must not come before anybody can see that it is published.
  if (!current || current.revision !== module.status?.currentRevision) return undefined
  const wanted = applicationModules(ref.name, module.spec, current.applications)
  const there = applicationsOf(c, ref, module.metadata.uid)
  if (wanted.length === 0 && there.length === 0) return undefined
  const failures: (SourceFailure | undefined)[] = []
  for (const companion of wanted) failures.push(await keep(c, seen, module, companion))
  const names = new Set(wanted.map((w) => w.name))
  for (const left of there.filter((m) => !names.has(m.metadata.name))) failures.push(await remove(c, left))
  return failures.find((f) => f !== undefined)
}

/** They go before what they need, as dependants do. */
export async function removeApplications(
  c: PublishDeps,
  ref: ModuleRef,
  module: Stored<Module>,
): Promise<void> {
  for (const m of applicationsOf(c, ref, module.metadata.uid)) await remove(c, m)
}

async function keep(
  c: PublishDeps,
  seen: Pick<HubCaches, 'module'>,
  group: Stored<Module>,
  companion: ApplicationModule,
): Promise<SourceFailure | undefined> {
  const { name } = companion
  const { namespace = '' } = group.metadata
  const found = seen.module({ kind: moduleKind.kind, namespace, name })
  const wanted = applicationModule(group, companion, found)
  if (!wanted.ok) return wanted.error
  // It goes, and comes again.
  const { hub } = c
  const target = {
    own: hub.inputs(accountOf(group)),
    kind: moduleKind,
    manager: MANAGER,
    observeWrite: (o: Stored<Module>) => hub.modules.observeWrite(o),
  }
  const kept = await ensure(target, {
    found,
    desired: { ...wanted.value, spec: withAccount(companion.spec, group) } as unknown as Module,
    isOwn: ({ metadata }) => groupOf(metadata)?.uid === group.metadata.uid,
    isSame: (there) => jsonEqual(moduleSpec.parse(there.spec) as never, wanted.value.spec as never),
  })
  return kept.type === 'Failed' ? failed(name, kept.error) : undefined
}

/** Applications act as the account of their group. */
function withAccount<S extends object>(spec: S, { spec: { serviceAccountName } }: Stored<Module>): S {
  return serviceAccountName === undefined ? spec : { ...spec, serviceAccountName }
}

/** As it is to be, with all defaults; `found` is what has its name. */
function applicationModule(
  owner: Stored<Module>,
  { name, spec }: ApplicationModule,
  found: Stored<Module> | undefined,
): Result<Module, SourceFailure> {
  const { name: group, namespace = '', uid } = owner.metadata
  if (found && groupOf(found.metadata)?.uid !== uid)
    return err(
      fault('OwnedByAnother', { owner: `Module ${group}`, because: 'Application' }, false, [
        { kind: 'Module', namespace, name },
      ]),
    )
  const read = moduleSpec.safeParse(withAccount(spec, owner))
  if (!read.success) {
    const [issue] = read.error.issues
    const field = `Module ${name} of an application: spec.${issue?.path.join('.')}`
    return err(fault('InvalidSpec', { field, problem: issue?.message ?? '' }))
  }
  const reference = { apiVersion: API_VERSION, kind: moduleKind.kind, name: group, uid }
  const ownerReferences = [{ ...reference, controller: true, blockOwnerDeletion: true }]
  return ok({
    apiVersion: API_VERSION,
    kind: moduleKind.kind,
    metadata: { name, namespace, ownerReferences },
    spec: read.data,
  })
}

/** Applications of a revision that is to be published: what would be written, and what would go. Pure. */
export function previewApplications(
  group: Stored<Module>,
  revision: RevisionRecord | undefined,
  modules: readonly Stored<Module>[],
): Result<{ readonly wanted: readonly Module[]; readonly left: readonly Stored<Module>[] }, SourceFailure> {
  const { name, namespace, uid } = group.metadata
  const beside = modules.filter((m) => m.kind === moduleKind.kind && m.metadata.namespace === namespace)
  const wanted: Module[] = []
  for (const companion of applicationModules(name, group.spec, revision?.applications ?? [])) {
    const found = beside.find((m) => m.metadata.name === companion.name)
    const made = applicationModule(group, companion, found)
    if (!made.ok) return made
    wanted.push(made.value)
  }
  const names = new Set(wanted.map((w) => w.metadata.name))
  const left = beside.filter((m) => groupOf(m.metadata)?.uid === uid && !names.has(m.metadata.name))
  return ok({ wanted, left })
}

async function remove(c: PublishDeps, module: Stored<Module>): Promise<SourceFailure | undefined> {
  const { uid, resourceVersion, deletionTimestamp, name } = module.metadata
  if (deletionTimestamp !== undefined) return undefined
  const gone = await c.hub.inputs(accountOf(module)).delete(moduleKind, keyOf(module), {
    purpose: 'record',
    manager: MANAGER,
    precondition: { uid, resourceVersion },
  })
  return gone.ok || gone.error.kind === 'NotFound' ? undefined : failed(name, gone.error)
}

/** Only the hub itself says that a Module is invalid: other refusals, such as a proxy's, may end without a change of the spec. */
const failed = (name: string, error: RequestError): SourceFailure =>
  error.kind === 'Invalid'
    ? fault('InvalidSpec', { field: of(name), problem: requestErrorText(error) })
    : fault('HubUnreachable', { because: 'Error', place: of(name), error: requestErrorText(error) }, true)

const of = (name: string): string => `Module ${name} of an application`
