/**
 * A simulated Helm (`pkg/action`, `pkg/kube/client.go`): documents are written one by one, what is no more in the chart is deleted
 * after all of them, and nothing is undone when it stops half-way. The helm-controller and people use the same.
 */

import type { LocalApi } from '@lockstep/apiserver/server'
import { type Env, err, ok, type Result, sleep } from '@lockstep/kube/env'
import { encodeYaml, type KubeObject, parseYamlStream, timestamp, YamlError } from '@lockstep/kube/object'
import { apiVersionOfId, idOf, idShown, idText } from '../inventoryid.ts'
import { INSTALL_ORDER, sortedInHelmOrder, UNINSTALL_ORDER } from './helmorder.ts'
import { HelmStore, isPending, type Release } from './helmstore.ts'

/** The text of all documents as a chart made them, to the text of those that are written; `error`: nothing is. */
export type PostRenderer = (text: string) => string | { readonly error: string }

export interface HelmClient {
  readonly env: Env
  readonly api: LocalApi
  /** `helm`, or the controller's name. */
  readonly manager: string
  /** Milliseconds before each write. */
  readonly pauseMs: number
  /** Takes fields over that others own. */
  readonly force?: boolean
  readonly stop?: AbortSignal
}

export interface Upgrade {
  readonly name: string
  readonly namespace: string
  /** Where the release is remembered; its own namespace unless said otherwise. */
  readonly storageNamespace?: string
  readonly chart: { readonly name: string; readonly version: string }
  readonly configDigest?: string
  /** In the order of the chart's templates. */
  readonly documents: readonly KubeObject[]
  readonly postRenderer?: PostRenderer
  /** The client dies before this write (0 is the first) of an object or of a deletion. */
  readonly killBefore?: number
  /** Called after the last write; its error makes the release a failed one. */
  readonly wait?: (manifest: readonly KubeObject[]) => Promise<Result<undefined, string>>
}

/** `stored`: a release that failed is remembered. */
export interface HelmFailure {
  readonly message: string
  readonly stored: boolean
}

const FILENAME = 'postrenderer.helm.sh/postrender-filename'
const KILLED = 'signal: killed'

/** `helm upgrade --install`. */
export async function upgrade(h: HelmClient, u: Upgrade): Promise<Result<Release, HelmFailure>> {
  const store = new HelmStore(h.api, u.storageNamespace ?? u.namespace, h.manager)
  const history = store.history(u.name)
  const [last] = history
  if (last && isPending(last)) return unstored('another operation (install/upgrade/rollback) is in progress')
  const rendered = render(h, u)
  if (!rendered.ok) return unstored(rendered.error)
  const before = history.find((r) => r.status === 'deployed') ?? last
  const taken = foreign(h, u, rendered.value, before)
  if (taken !== undefined) return unstored(`Unable to continue with update: ${taken}`)
  const now = timestamp(h.env.clock.now())
  const pending: Release = {
    name: u.name,
    namespace: u.namespace,
    version: (last?.version ?? 0) + 1,
    status: last ? 'pending-upgrade' : 'pending-install',
    chartName: u.chart.name,
    chartVersion: u.chart.version,
    configDigest: u.configDigest ?? '',
    firstDeployed: last?.firstDeployed ?? now,
    lastDeployed: now,
    manifest: rendered.value,
  }
  store.put(pending)
  const problem =
    (await write(h, u, rendered.value, before?.manifest ?? [])) ?? (await waited(u, rendered.value))
  if (problem === KILLED || h.stop?.aborted) return err({ message: KILLED, stored: true })
  if (problem !== undefined) {
    store.put({ ...pending, status: 'failed' })
    return err({ message: problem, stored: true })
  }
  for (const r of history) if (r.status === 'deployed') store.put({ ...r, status: 'superseded' })
  const deployed: Release = { ...pending, status: 'deployed' }
  store.put(deployed)
  return ok(deployed)
}

const unstored = (message: string): Result<never, HelmFailure> => err({ message, stored: false })

async function waited(u: Upgrade, manifest: readonly KubeObject[]): Promise<string | undefined> {
  const done = await u.wait?.(manifest)
  return done && !done.ok ? done.error : undefined
}

/** A release that a dead client left pending counts as failed from now on. */
export function unlock(h: HelmClient, name: string, storageNamespace: string): void {
  const store = new HelmStore(h.api, storageNamespace, h.manager)
  const [last] = store.history(name)
  if (last && isPending(last)) store.put({ ...last, status: 'failed' })
}

/** Namespaces and marks of ownership as Helm adds them; then the post-renderer; then the order of kinds. */
function render(h: HelmClient, u: Upgrade): Result<readonly KubeObject[], string> {
  const rendered = postRendered(u)
  if (!rendered.ok) return rendered
  const owned = rendered.value.map((o) => {
    const { labels, annotations, namespace, ...metadata } = o.metadata
    const isNamespaced = h.api.served(o.apiVersion, o.kind)?.namespaced ?? true
    return {
      ...o,
      metadata: {
        ...metadata,
        ...(isNamespaced ? { namespace: namespace ?? u.namespace } : {}),
        labels: { ...labels, 'app.kubernetes.io/managed-by': 'Helm' },
        annotations: {
          ...annotations,
          'meta.helm.sh/release-name': u.name,
          'meta.helm.sh/release-namespace': u.namespace,
        },
      },
    }
  })
  return ok(sortedInHelmOrder(owned, INSTALL_ORDER))
}

/** Each document carries the name of its file on the way through the post-renderer, as Helm 4 does it. */
function postRendered({ documents, chart, postRenderer }: Upgrade): Result<readonly KubeObject[], string> {
  if (!postRenderer) return ok(documents)
  const named = documents.map((o, i) =>
    annotated(o, { ...o.metadata.annotations, [FILENAME]: `${chart.name}/templates/${i}.yaml` }),
  )
  const text = postRenderer(named.map((o) => `---\n${encodeYaml(o)}`).join(''))
  if (typeof text !== 'string') return err(`error while running post render on files: ${text.error}`)
  try {
    const out = parseYamlStream(text) as unknown as KubeObject[]
    if (out.length === 0 && documents.length > 0)
      return err('error while running post render on files: post-renderer produced empty output')
    return ok(out.map(withoutFilename))
  } catch (e) {
    if (!(e instanceof YamlError)) throw e
    return err(`error while parsing post rendered output: line ${e.line}: ${e.message}`)
  }
}

const annotated = (o: KubeObject, annotations: KubeObject['metadata']['annotations']): KubeObject => ({
  ...o,
  metadata: { ...o.metadata, annotations },
})

function withoutFilename(o: KubeObject): KubeObject {
  const { [FILENAME]: _, ...annotations } = o.metadata.annotations ?? {}
  return annotated(o, Object.keys(annotations).length === 0 ? undefined : annotations)
}

/** What is there already and belongs to nobody, or to another release. */
function foreign(
  h: HelmClient,
  u: Upgrade,
  manifest: readonly KubeObject[],
  before: Release | undefined,
): string | undefined {
  const known = new Set((before?.manifest ?? []).map((o) => idText(idOf(o))))
  for (const o of manifest) {
    const now = known.has(idText(idOf(o))) ? undefined : liveObject(h, o)
    const a = now?.metadata.annotations ?? {}
    const isOurs =
      a['meta.helm.sh/release-name'] === u.name && a['meta.helm.sh/release-namespace'] === u.namespace
    if (now && !isOurs)
      return `${o.kind} "${o.metadata.name}" in namespace "${o.metadata.namespace ?? ''}" exists and cannot be imported into the current release: invalid ownership metadata`
  }
  return undefined
}

function liveObject(h: HelmClient, o: KubeObject): KubeObject | undefined {
  const id = idOf(o)
  const resource = h.api.served(apiVersionOfId(id), id.kind)
  return resource && h.api.get(resource.id, id.namespace, id.name)
}

/** A creation that fails ends it at once, a change that fails at the end; deletions come only if nothing failed. */
async function write(
  h: HelmClient,
  u: Upgrade,
  manifest: readonly KubeObject[],
  before: readonly KubeObject[],
): Promise<string | undefined> {
  let n = 0
  const isAlive = async (): Promise<boolean> => {
    await sleep(h.env.clock, h.pauseMs, h.stop)
    return n++ !== u.killBefore && !h.stop?.aborted
  }
  const errors: string[] = []
  for (const o of manifest) {
    if (!(await isAlive())) return KILLED
    const isNew = liveObject(h, o) === undefined
    const done = h.api.apply(o, h.manager, { force: h.force ?? false })
    if (done.ok) continue
    if (isNew) return `failed to create resource: ${done.error.message}`
    errors.push(`${idShown(idOf(o))}: ${done.error.message}`)
  }
  if (errors.length > 0) return errors.join(' && ')
  const kept = new Set(manifest.map((o) => idText(idOf(o))))
  for (const o of before.filter((b) => !kept.has(idText(idOf(b))))) {
    if (!(await isAlive())) return KILLED
    deleteOne(h, o)
  }
  return undefined
}

function deleteOne(h: HelmClient, o: KubeObject): void {
  const now = liveObject(h, o)
  if (!now || now.metadata.annotations?.['helm.sh/resource-policy'] === 'keep') return
  const id = idOf(o)
  const resource = h.api.served(apiVersionOfId(id), id.kind)?.id ?? ''
  h.api.delete(resource, id.namespace, id.name, h.manager, { propagation: 'Background' })
}

/** Uninstalling waits for the end of objects, and looks that often. */
const GONE_POLL_MS = 2000

/** `helm uninstall --wait`: deletes what the last revision lists and nobody asked to keep, then forgets the release. */
export async function uninstall(
  h: HelmClient,
  name: string,
  storageNamespace: string,
  timeoutMs: number,
): Promise<Result<undefined, string>> {
  const store = new HelmStore(h.api, storageNamespace, h.manager)
  const [last] = store.history(name)
  if (!last) return ok(undefined)
  const deadline = h.env.clock.steady() + timeoutMs
  const objects = sortedInHelmOrder(last.manifest, UNINSTALL_ORDER)
  for (const o of objects) {
    await sleep(h.env.clock, h.pauseMs, h.stop)
    if (h.stop?.aborted) return err('context canceled')
    deleteOne(h, o)
  }
  const isThere = (o: KubeObject): boolean =>
    o.metadata.annotations?.['helm.sh/resource-policy'] !== 'keep' && liveObject(h, o) !== undefined
  for (const o of objects)
    while (isThere(o)) {
      if (h.env.clock.steady() >= deadline) return err(`${idShown(idOf(o))} termination timeout`)
      await sleep(h.env.clock, GONE_POLL_MS, h.stop)
      if (h.stop?.aborted) return err('context canceled')
    }
  store.purge(name)
  return ok(undefined)
}
