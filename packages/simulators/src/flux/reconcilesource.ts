/** The simulated source-controller: one run of a source (`internal/controller/*_controller.go`). */
import { err, ok, type Result } from '@lockstep/kube/env'
import { at, isArray, isString, type JsonValue, type KubeObject } from '@lockstep/kube/object'
import type { ArtifactContent, Revision } from './artifacts.ts'
import { chartContent } from './chartcontent.ts'
import { type FluxController, jittered, nowText, request } from './fluxcontext.ts'
import { artifactOf, durationMs, keyOf, requestedAt, type SimulatedSourceKind } from './fluxkind.ts'
import type { After } from './fluxqueue.ts'
import { FluxSubject } from './fluxsubject.ts'
import { Patcher } from './patcher.ts'

/** The reason of a source that cannot be fetched. */
const FAILURES: Readonly<Record<SimulatedSourceKind, string>> = {
  GitRepository: 'GitOperationFailed',
  OCIRepository: 'OCIArtifactPullFailed',
  Bucket: 'BucketOperationFailed',
  HelmRepository: 'IndexationFailed',
  HelmChart: 'ChartPullError',
}

/** Looks at a source once: what it had stays available until there is something newer. */
export async function reconcileSource(
  c: FluxController,
  kind: SimulatedSourceKind,
  namespace: string,
  name: string,
): Promise<After> {
  const object = c.caches[kind]?.get(namespace, name)
  if (!object || object.metadata.deletionTimestamp !== undefined) return 'done'
  if (at(object, 'spec', 'suspend') === true) return 'done'
  const subject = new FluxSubject(object, () => nowText(c.x))
  const patcher = new Patcher(c, kind, subject)
  const observed = Number(subject.field('observedGeneration') ?? 0)
  if (observed !== subject.generation) {
    const text = `processing object: new generation ${observed} -> ${subject.generation}`
    subject.reconciling('Progressing', text)
    if (!subject.get('Ready')) subject.mark('Ready', 'Unknown', 'Progressing', text)
    if (!(await patcher.patch()).ok) return 'backoff'
  }
  await request(c.x, c.x.settings.delays.pull)
  const found = resolve(c, kind, object)
  if (found.ok) {
    if (!(await announce(c, subject, patcher, found.value))) return 'backoff'
    store(c, subject, found.value)
  } else {
    subject.mark('FetchFailed', 'True', FAILURES[kind], found.error)
    subject.mark('Ready', 'False', FAILURES[kind], found.error)
  }
  const asked = requestedAt(object)
  if (asked !== undefined) subject.set({ lastHandledReconcileAt: asked })
  const written = await patcher.patch()
  if (!found.ok || !written.ok) return c.x.stop.aborted ? 'done' : 'backoff'
  return { ms: jittered(c.x, durationMs(String(at(object, 'spec', 'interval')))) }
}

/** An artifact is new if its revision or its content is. */
function isNew(subject: FluxSubject, revision: string, digest: string): boolean {
  const old = artifactOf(subject.object)
  return old?.revision !== revision || old.digest !== digest
}

/** What is about to change is said first, and the source is not Ready meanwhile; false: that could not be written. */
async function announce(
  c: FluxController,
  subject: FluxSubject,
  patcher: Patcher,
  { revision, content }: Revision,
): Promise<boolean> {
  if (!isNew(subject, revision, c.x.artifacts.keep(content))) return true
  const text = `building artifact: new upstream revision '${revision}'`
  subject.reconciling('Progressing', text)
  subject.mark('Ready', 'Unknown', 'Progressing', text)
  return (await patcher.patch()).ok
}

function store(c: FluxController, subject: FluxSubject, { revision, content }: Revision): void {
  const digest = c.x.artifacts.keep(content)
  const path = `${subject.object.kind.toLowerCase()}/${keyOf(subject.object)}/${digest.slice(7, 19)}.tar.gz`
  if (isNew(subject, revision, digest))
    subject.set({
      artifact: {
        digest,
        revision,
        path,
        url: `http://source-controller.flux-system.svc.cluster.local./${path}`,
        lastUpdateTime: nowText(c.x),
      },
    })
  const message = `stored artifact for revision '${revision}'`
  subject.drop('FetchFailed')
  subject.drop('Reconciling')
  subject.drop('Stalled')
  subject.mark('ArtifactInStorage', 'True', 'Succeeded', message)
  subject.mark('Ready', 'True', 'Succeeded', message)
  subject.set({ observedGeneration: subject.generation })
}

function resolve(c: FluxController, kind: SimulatedSourceKind, o: KubeObject): Result<Revision, string> {
  if (kind === 'HelmChart') return chartContent(c, o)
  const url = urlOf(o)
  const ref = refOf(kind, at(o, 'spec', 'ref'))
  const found = c.x.artifacts.resolve(url, ref)
  if (!found)
    return err(`failed to checkout and determine revision: unable to find ${ref || 'anything'} at ${url}`)
  const included = withIncludes(c, o, found.content)
  return included.ok ? ok({ revision: found.revision, content: included.value }) : included
}

const urlOf = (o: KubeObject): string =>
  String(at(o, 'spec', 'url') ?? `${at(o, 'spec', 'endpoint')}/${at(o, 'spec', 'bucketName')}`)

/** What a reference names; of several the one that wins. */
function refOf(kind: SimulatedSourceKind, ref: JsonValue | undefined): string {
  const [order, or] =
    kind === 'GitRepository'
      ? [['commit', 'name', 'semver', 'tag', 'branch'], 'master']
      : kind === 'OCIRepository'
        ? [['digest', 'semver', 'tag'], 'latest']
        : [[], '']
  return (
    order
      .map((name) => at(ref, name))
      .find((v) => isString(v) && v !== '')
      ?.toString() ?? or
  )
}

/** Folders of other repositories, put into this one: the revision does not tell of them. */
function withIncludes(
  c: FluxController,
  o: KubeObject,
  content: ArtifactContent,
): Result<ArtifactContent, string> {
  const list = at(o, 'spec', 'include')
  let objects = content.objects ?? {}
  for (const include of isArray(list) ? list : []) {
    const name = String(at(include, 'repository', 'name'))
    const source = c.caches.GitRepository?.get(o.metadata.namespace, name)
    const artifact = source && artifactOf(source)
    const other = artifact && c.x.artifacts.fetch(artifact.digest)
    if (!other) return err(`no artifact available for include '${name}'`)
    const from = String(at(include, 'fromPath') ?? '')
    const to = String(at(include, 'toPath') ?? name)
    for (const [folder, found] of Object.entries(other.objects ?? {}))
      if (from === '' || folder === from || folder.startsWith(`${from}/`))
        objects = {
          ...objects,
          [`${to}/${folder.slice(from.length)}`.replace(/\/+/g, '/').replace(/\/$/, '')]: found,
        }
  }
  return ok({ ...content, objects })
}
