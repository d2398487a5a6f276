/** One set on one cluster (`ApplyClusterResourceSet`): sources, binding, connection, content, and the patch of the binding. */
import { type JsonObject, jsonEqual, type KubeObject, timestamp } from '@lockstep/kube/object'
import { ClusterFailed, NotConnected, Panic } from './aggregateerror.ts'
import { applyResources, needsApply, type Strategy } from './applyresources.ts'
import type { ClusterApiContext } from './clusterapicontext.ts'
import type { SetSubject } from './patchsubject.ts'
import type { Remote } from './remote.ts'
import { BadContent, contentOf, type ResourceContent } from './resourcecontent.ts'
import { APPLIED, notApplied, unconnected, unreadable, wrongType } from './setcondition.ts'
import {
  ADDONS,
  type AppliedResource,
  type BindingClusterEntry,
  bindingSpec,
  ownerOf,
  ownersOf,
  pathOf,
  setSpec,
  sourcePath,
  type UpstreamSourceRef,
  withOwner,
} from './setspec.ts'
import { isReason, RequestFailed } from './upstreamclient.ts'

/** What went wrong; undefined: nothing, or only that a source is missing. */
export async function applyToCluster(
  x: ClusterApiContext,
  s: SetSubject,
  cluster: KubeObject,
): Promise<unknown> {
  const namespace = cluster.metadata.namespace ?? ''
  const sources: MountedSource[] = []
  const failures: unknown[] = []
  for (const ref of setSpec(s.set).resources ?? []) {
    const source = await readSource(x, s, ref, namespace).catch((e: unknown) => void failures.push(e))
    if (source) sources.push({ ref, source })
  }
  if (failures.length > 0) return new ClusterFailed(failures)
  let binding: KubeObject
  try {
    binding = await getOrCreate(x, s.set, cluster)
  } catch (e) {
    return e
  }
  const draft = new BindingDraft(x, s.set, binding)
  let failed: unknown
  try {
    failed = await applySources(x, s, draft, cluster, sources)
  } finally {
    // Deferred: written whatever happened, and always, if only with its resourceVersion.
    const refused = await draft.write().catch((e: unknown) => e)
    if (refused !== undefined)
      failed = new ClusterFailed(failed === undefined ? [refused] : [failed, refused])
  }
  return failed
}

interface MountedSource {
  readonly ref: UpstreamSourceRef
  readonly source: KubeObject
}

/** Undefined: it is missing, which is no error. @throws RequestFailed */
async function readSource(
  { client, ways }: ClusterApiContext,
  s: SetSubject,
  ref: UpstreamSourceRef,
  namespace: string,
): Promise<KubeObject | undefined> {
  const path = sourcePath(ref, namespace)
  let source: KubeObject
  try {
    source = { ...((await client.get(path)) as unknown as KubeObject), kind: ref.kind }
  } catch (e) {
    s.mark(unreadable(e instanceof Error ? e.message : String(e)))
    if (isReason(e, 'NotFound')) return undefined
    throw e
  }
  if (ref.kind === 'Secret' && source.type !== `${ADDONS}/resource-set`) {
    const message = 'unsupported secret type'
    s.mark(wrongType(ref.name, message))
    throw new RequestFailed(0, '', message)
  }
  const owners = withOwner(ownersOf(source), ownerOf(ways, s.set))
  if (!jsonEqual(owners, ownersOf(source)))
    await client.patch(path, { metadata: { ownerReferences: owners } } as unknown as JsonObject)
  return source
}

/** As the cache has it; what somebody else has just made is looked for in the cache again. @throws RequestFailed */
async function getOrCreate(
  { bindings, client, ways }: ClusterApiContext,
  set: KubeObject,
  cluster: KubeObject,
): Promise<KubeObject> {
  const { namespace = '', name = '' } = cluster.metadata
  const found = bindings.get(namespace, name)
  if (found) return found
  try {
    return (await client.create(pathOf(ways, 'clusterresourcesetbindings', namespace), {
      apiVersion: `${ADDONS}/${ways.apiVersion}`,
      kind: 'ClusterResourceSetBinding',
      metadata: { name, namespace, ownerReferences: [ownerOf(ways, set)] },
      spec: { clusterName: name },
    })) as unknown as KubeObject
  } catch (e) {
    const made = isReason(e, 'AlreadyExists') ? bindings.get(namespace, name) : undefined
    if (made) return made
    throw e
  }
}

/** A binding while a cluster is worked on. */
class BindingDraft {
  private readonly x: ClusterApiContext
  private readonly set: KubeObject
  private readonly binding: KubeObject
  private entries: readonly BindingClusterEntry[]

  constructor(x: ClusterApiContext, set: KubeObject, binding: KubeObject) {
    this.x = x
    this.set = set
    this.binding = binding
    const entries = bindingSpec(binding).bindings ?? []
    const name = set.metadata.name ?? ''
    this.entries = entries.some((e) => e.clusterResourceSetName === name)
      ? entries
      : [...entries, { clusterResourceSetName: name }]
  }

  find({ kind, name }: UpstreamSourceRef): AppliedResource | undefined {
    const entry = this.entries.find((e) => e.clusterResourceSetName === this.set.metadata.name)
    return entry?.resources?.find((r) => r.kind === kind && r.name === name)
  }

  record({ kind, name }: UpstreamSourceRef, hash: string, applied: boolean): void {
    const lastAppliedTime = timestamp(this.x.client.life.env.clock.now())
    const next = { kind, name, ...(hash === '' ? {} : { hash }), lastAppliedTime, applied }
    const put = (list: readonly AppliedResource[] = []): readonly AppliedResource[] =>
      this.find({ kind, name })
        ? list.map((r) => (r.kind === kind && r.name === name ? next : r))
        : [...list, next]
    this.entries = this.entries.map((e) =>
      e.clusterResourceSetName === this.set.metadata.name ? { ...e, resources: put(e.resources) } : e,
    )
  }

  /** @throws RequestFailed */
  async write(): Promise<void> {
    const { ways, client } = this.x
    const { namespace = '', name, resourceVersion = '' } = this.binding.metadata
    const owners = withOwner(ownersOf(this.binding), ownerOf(ways, this.set))
    const isOwned = jsonEqual(owners, ownersOf(this.binding))
    const isSame = jsonEqual(this.entries, bindingSpec(this.binding).bindings ?? [])
    await client.patch(`${pathOf(ways, 'clusterresourcesetbindings', namespace)}/${name}`, {
      metadata: { ...(isOwned ? {} : { ownerReferences: owners }), resourceVersion },
      ...(isSame ? {} : { spec: { bindings: this.entries } }),
    } as unknown as JsonObject)
  }
}

async function applySources(
  x: ClusterApiContext,
  s: SetSubject,
  draft: BindingDraft,
  cluster: KubeObject,
  sources: readonly MountedSource[],
): Promise<unknown> {
  let remote: Remote
  try {
    remote = await x.connections.remote(cluster)
  } catch (e) {
    s.mark(unconnected(e instanceof Error ? e.message : String(e)))
    return e
  }
  if (x.ways.waitsForService) {
    try {
      await remote.read('v1', 'Service', 'default', 'kubernetes')
    } catch (e) {
      return e instanceof NotConnected
        ? e
        : new Error(`failed to retrieve the Service for Kubernetes API Server`)
    }
  }
  const failures: unknown[] = []
  for (const { ref, source } of sources) {
    const failed = await applySource(x, s, draft, remote, ref, source)
    if (failed !== undefined) failures.push(failed)
  }
  if (failures.length > 0) return new ClusterFailed(failures)
  // Also over another cluster's failure, and over a source that is missing.
  s.mark(APPLIED)
  return undefined
}

async function applySource(
  x: ClusterApiContext,
  s: SetSubject,
  draft: BindingDraft,
  remote: Remote,
  ref: UpstreamSourceRef,
  source: KubeObject,
): Promise<unknown> {
  let content: ResourceContent
  let strategy: Strategy
  try {
    content = contentOf(source)
    strategy = strategyOf(x, s.set)
  } catch (e) {
    if (!(e instanceof BadContent)) throw e
    draft.record(ref, '', false)
    return e
  }
  if (!needsApply(strategy, draft.find(ref), content.hash)) return undefined
  draft.record(ref, '', false)
  try {
    await applyResources(remote, strategy, content.objects)
    draft.record(ref, content.hash, true)
    return undefined
  } catch (e) {
    s.mark(notApplied(e instanceof Error ? e.message : String(e)))
    draft.record(ref, content.hash, false)
    return e
  }
}

/** @throws BadContent, or Panic where a version calls the scope that it has not made */
function strategyOf({ ways }: ClusterApiContext, set: KubeObject): Strategy {
  const strategy = setSpec(set).strategy ?? ''
  if (strategy === 'ApplyOnce' || strategy === 'Reconcile') return strategy
  if (ways.unknownStrategy === 'refused')
    throw new BadContent(`unsupported or empty resource strategy: ${JSON.stringify(strategy)}`)
  throw new Panic('runtime error: invalid memory address or nil pointer dereference')
}
