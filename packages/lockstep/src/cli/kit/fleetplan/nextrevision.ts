/** What the controller would publish of modules in files: decided by itself, with inputs of the files and of the hub. */

import { err, ok, type Result } from '@lockstep/kube/env'
import { type ControllerRevision, secretKind } from '@lockstep/kube/kinds'
import { digestOf, type KubeObject, type Stored } from '@lockstep/kube/object'
import type { Module } from '../../../api/kinds/index.ts'
import { KEY_SECRET, SYSTEM_NAMESPACE } from '../../../api/labels.ts'
import { controllerRevisionOf, edgesOf, type RevisionRecord } from '../../../controllers/cache/index.ts'
import { decidePublish, type PublishDecision, type SharedValues } from '../../../controllers/publish/index.ts'
import { sharedOf } from '../../../decisions/binding/index.ts'
import { type ModuleEdge, moduleEdges, moduleId } from '../../../decisions/graph/index.ts'
import { moduleRefOf } from '../../../deliver/plan/index.ts'
import { hubView } from '../../../fleet/clusters/index.ts'
import { digesterOf, type HmacKeys, hmacKeysOf, type SourceFailure } from '../../../sources/intake/index.ts'
import { ClusterConnections, type HubConnection } from '../hub/index.ts'
import type { CommandContext } from '../index.ts'
import { asResolved } from '../render/index.ts'
import { readBindings } from '../units/index.ts'

export interface NextRevisionInput {
  readonly hub: HubConnection
  /** As they would be on the hub. */
  readonly modules: readonly Stored<Module>[]
  readonly history: readonly RevisionRecord[]
  /** All that the files hold. */
  readonly beside: readonly KubeObject[]
  readonly ring: HmacKeys | undefined
  readonly nowMs: number
}

/** A revision that is not published yet. */
export interface NextRevision {
  readonly stored: Stored<ControllerRevision>
  /** Undefined: those of the published one. */
  readonly objects: readonly KubeObject[] | undefined
  /** It depends on Secrets whose digests only the controller can make: it may be what is published already. */
  readonly isGuess: boolean
}

/** The keys of digests, where the user may read them. */
export async function ringOn(c: CommandContext, hub: HubConnection): Promise<HmacKeys | undefined> {
  const key = { namespace: SYSTEM_NAMESPACE, name: KEY_SECRET }
  const found = await hub.client.get(secretKind, key, { purpose: 'user', signal: c.signal })
  const ring = found.ok ? hmacKeysOf(found.value) : undefined
  return ring?.ok ? ring.value : undefined
}

export const currentIn = (
  history: readonly RevisionRecord[],
  module: Stored<Module>,
): RevisionRecord | undefined => {
  const id = moduleId(moduleRefOf(module))
  return history.find((r) => moduleId(r.module) === id && r.revision === module.status?.currentRevision)
}

/** Undefined: what is published already. */
export async function nextRevisionOf(
  c: CommandContext,
  module: Stored<Module>,
  p: NextRevisionInput,
): Promise<Result<NextRevision | undefined, SourceFailure>> {
  const ref = moduleRefOf(module)
  const own = p.history.filter((r) => moduleId(r.module) === moduleId(ref))
  const current = currentIn(p.history, module)
  const shared = await sharedValues(c, module, p)
  let isGuess = false
  const digests = current ? [current.bundle, ...current.inputs.map((i) => i.digest)] : []
  const keyed = () => {
    if (p.ring) return digesterOf(p.ring, `bundle/${ref.namespace}`, { where: '', module: ref, digests })
    isGuess = true
    return ok(digestOf)
  }
  const decided = await asResolved(c, { module, beside: p.beside, hub: p.hub, keyed }, (reading, outside) =>
    decidePublish({
      ref,
      module,
      current,
      outside,
      shared,
      now: p.nowMs,
      calendar: c.env.calendar,
      find: reading.find,
      keyed: reading.keyed,
      edgesOfPublished: (id) => edgesBeside(p, id),
      edgesOfSpec: (id) => edgesBeside(p, id),
      nextNumber: Math.max(0, ...own.map((r) => r.number)) + 1,
    }),
  )
  if (!decided.ok) return decided
  return ok(
    decided.value.type === 'publish' ? next(decided.value, isGuess && current !== undefined) : undefined,
  )
}

function next(
  { revision, bundle }: Extract<PublishDecision, { type: 'publish' }>,
  isGuess: boolean,
): NextRevision {
  const made = controllerRevisionOf(revision)
  const { name = '', ...metadata } = made.metadata
  const uid = `planned/${name}`
  const stored = { ...metadata, name, uid, resourceVersion: '1', creationTimestamp: '' }
  return { stored: { ...made, metadata: stored }, objects: bundle?.objects, isGuess }
}

/** What other modules need: of the files first. */
function edgesBeside({ modules }: NextRevisionInput, id: string): ModuleEdge[] {
  const other = modules.find((m) => moduleId(moduleRefOf(m)) === id)
  return other ? moduleEdges(edgesOf(other.spec.dependsOn, moduleRefOf(other).namespace)) : []
}

async function sharedValues(
  c: CommandContext,
  { spec, metadata }: Stored<Module>,
  { hub, beside }: NextRevisionInput,
): Promise<SharedValues> {
  const shared = sharedOf(spec.bindings ?? [])
  if (shared.length === 0) return ok(new Map())
  const cluster = hubView(metadata.namespace ?? '')
  const clusters = new ClusterConnections(c, hub, [])
  try {
    const names = shared.map((b) => b.name)
    const found = await readBindings(c, { hub, clusters, cluster, beside }, shared, names, new Map())
    if (found.ok) return found
    const failures = [found.error, ...(found.error.others ?? [])]
    return err(
      failures.map(({ reason, message, facts = {} }) => ({
        reason: reason as 'BindingUnresolved',
        message,
        facts,
        name: String(facts.binding ?? ''),
      })),
    )
  } finally {
    await clusters.close()
  }
}
