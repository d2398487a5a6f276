/** The simulated kustomize-controller: one run of a Kustomization (`internal/controller/kustomization_controller.go`). */
import { err, ok, type Result } from '@lockstep/kube/env'
import { at, type KubeObject } from '@lockstep/kube/object'
import { type ApplySetResult, applySet, deleteSet, ownerLabels } from './applyset.ts'
import { buildManifests, notSimulated, objectsAt } from './buildmanifests.ts'
import { dependencyProblem, targetOf } from './dependencyproblem.ts'
import { type ExprProblem, healthRulesProblem } from './exprproblem.ts'
import { type FluxController, jittered, live, notCached, notFound, nowText, request } from './fluxcontext.ts'
import {
  type Artifact,
  artifactOf,
  durationMs,
  goDuration,
  type KustomizationSpec,
  kustomizationSpec,
  requestedAt,
  retryOf,
  type SimulatedSourceKind,
  timeoutOf,
} from './fluxkind.ts'
import type { After } from './fluxqueue.ts'
import { FluxSubject } from './fluxsubject.ts'
import { variablesOf } from './inputvalues.ts'
import { entriesOf, type InventoryId, idText, inventoryOf, missingFrom } from './inventoryid.ts'
import { finalize, KUSTOMIZATION_FINALIZER } from './kustomizationfinalizer.ts'
import { Patcher } from './patcher.ts'
import { waitForHealth } from './waitforhealth.ts'

interface KustomizationRun {
  readonly c: FluxController
  readonly subject: FluxSubject
  readonly patcher: Patcher
  readonly spec: KustomizationSpec
}

/** What a run was stopped by, and what comes next. */
interface Stop {
  readonly after: After
}

/** Looks at a Kustomization once. */
export async function reconcileKustomization(
  c: FluxController,
  namespace: string,
  name: string,
): Promise<After> {
  const object = c.caches.Kustomization?.get(namespace, name)
  if (!object) return 'done'
  const subject = new FluxSubject(object, () => nowText(c.x))
  const run = {
    c,
    subject,
    patcher: new Patcher(c, 'Kustomization', subject),
    spec: kustomizationSpec(object),
  }
  const after = await act(run)
  const written = await finish(run)
  return written.ok || c.x.stop.aborted ? after : 'backoff'
}

async function act(run: KustomizationRun): Promise<After> {
  const { c, subject, spec } = run
  const { metadata } = subject.object
  if (metadata.deletionTimestamp !== undefined) return finalize(c, subject)
  if (!metadata.finalizers?.includes(KUSTOMIZATION_FINALIZER)) {
    subject.finalizers = [...(metadata.finalizers ?? []), KUSTOMIZATION_FINALIZER]
    return 'backoff'
  }
  if (spec.suspend) return 'done'
  const rules = healthRulesProblem(spec.healthCheckExprs ?? [])
  if (rules !== undefined) return terminal(subject, rules)
  const source = sourceOf(run)
  if ('after' in source) return source.after
  const closed = await checkEdges(run, source.revision)
  if (closed?.terminal) return terminal(subject, closed.message)
  if (closed) {
    subject.mark('Ready', 'False', 'DependencyNotReady', closed.message)
    return { ms: c.x.settings.requeueDependencyMs }
  }
  const done = await reconcile(run, source)
  return { ms: done.ok ? jittered(c.x, durationMs(spec.interval)) : retryOf(spec) }
}

function terminal(subject: FluxSubject, message: string): After {
  subject.invalid(message)
  subject.set({ observedGeneration: subject.generation })
  return 'done'
}

/** The artifact of the source. Neither its generation nor its conditions are looked at. */
function sourceOf({ c, subject, spec }: KustomizationRun): Artifact | Stop {
  const { name, namespace = subject.object.metadata.namespace ?? '' } = spec.sourceRef
  const kind = spec.sourceRef.kind as SimulatedSourceKind
  const isDirect = c.x.settings.gates.DirectSourceFetch
  const source = isDirect ? live(c.x, kind, namespace, name) : c.caches[kind]?.get(namespace, name)
  if (!source) {
    subject.mark('Ready', 'False', 'ArtifactFailed', (isDirect ? notFound : notCached)(kind, name))
    return { after: { ms: retryOf(spec) } }
  }
  const artifact = artifactOf(source)
  if (artifact) return artifact
  const ms = c.x.settings.requeueDependencyMs
  subject.mark('Ready', 'False', 'ArtifactFailed', `Source artifact not found, retrying in ${goDuration(ms)}`)
  return { after: { ms } }
}

/** Each dependency is read from the API server, one after the other; the first closed edge ends it. */
async function checkEdges(
  { c, subject, spec }: KustomizationRun,
  revision: string,
): Promise<ExprProblem | undefined> {
  for (const edge of spec.dependsOn ?? []) {
    const { namespace, name } = targetOf(subject.object, edge)
    await request(c.x)
    const dependency = live(c.x, 'Kustomization', namespace, name) ?? {
      error: notFound('Kustomization', name),
    }
    const additive = c.x.settings.gates.AdditiveCELDependencyCheck
    const self = subject.object
    const problem = dependencyProblem({ kind: 'Kustomization', self, revision, edge, dependency, additive })
    if (problem) return problem
  }
  return undefined
}

/** Writes what a run is at; `mark` may add to it. */
type KustomizationProgress = (
  what: string,
  mark?: (message: string) => void,
) => Promise<Result<undefined, string>>

/** Fetch, build, apply, prune, health; what failed is in Ready already. */
async function reconcile(run: KustomizationRun, artifact: Artifact): Promise<Result<undefined, string>> {
  const { c, subject, patcher, spec } = run
  const { revision } = artifact
  const timeout = goDuration(timeoutOf(spec))
  const progress: KustomizationProgress = async (what, mark) => {
    const message = `${what} for revision ${revision} with a timeout of ${timeout}`
    subject.reconciling('Progressing', message)
    mark?.(message)
    const written = await patcher.patch()
    return written.ok ? written : err(`failed to update status: ${written.error}`)
  }
  subject.mark('Ready', 'Unknown', 'Progressing', 'Reconciliation in progress')
  const fetching = await progress('Fetching manifests')
  if (!fetching.ok) return fetching
  const oldInventory = inventoryOf(subject.written.status)
  await request(c.x, c.x.settings.delays.build)
  const content = c.x.artifacts.fetch(artifact.digest)
  const files = content && objectsAt(content, spec.path ?? '')
  if (!files)
    return failed(
      subject,
      'ArtifactFailed',
      `kustomization path not found: stat ${spec.path}: no such file or directory`,
    )
  subject.set({ lastAttemptedRevision: revision })
  const building = await progress('Building manifests')
  if (!building.ok) return building
  const built = await buildAll(run, files)
  if (!built.ok) return failed(subject, 'BuildFailed', built.error)
  const detecting = await progress('Detecting drift')
  if (!detecting.ok) return detecting
  const applied = await applySet(c, built.value, spec.force === true)
  if (!applied.ok) return failed(subject, 'ReconciliationFailed', `${applied.error}\n`)
  const pruned = await prune(run, applied.value, oldInventory)
  if (!pruned.ok) return failed(subject, 'PruneFailed', pruned.error)
  const healthy = await checkHealth(run, built.value, applied.value, progress)
  if (!healthy.ok) return failed(subject, 'HealthCheckFailed', healthy.error)
  subject.set({ lastAppliedRevision: revision })
  subject.mark('Ready', 'True', 'ReconciliationSucceeded', `Applied revision: ${revision}`)
  return ok(undefined)
}

function failed(subject: FluxSubject, reason: string, message: string): Result<undefined, string> {
  subject.mark('Ready', 'False', reason, message)
  return err(message)
}

async function buildAll(
  run: KustomizationRun,
  files: readonly KubeObject[],
): Promise<Result<readonly KubeObject[], string>> {
  const { c, subject, spec } = run
  const refused = notSimulated(spec)
  if (refused !== undefined) return err(refused)
  const { name = '', namespace = '' } = subject.object.metadata
  const values = variablesOf(c.x.api, namespace, spec)
  if (!values.ok) return values
  const strict = c.x.settings.gates.StrictPostBuildSubstitutions
  const built = buildManifests(files, spec, { values: values.value, strict })
  if (!built.ok) return built
  const { labels, annotations } = spec.commonMetadata ?? {}
  const more = { ...labels, ...ownerLabels({ name, namespace }) }
  return ok(
    built.value.map((o) => ({
      ...o,
      metadata: {
        ...o.metadata,
        labels: { ...o.metadata.labels, ...more },
        ...(annotations ? { annotations: { ...o.metadata.annotations, ...annotations } } : {}),
      },
    })),
  )
}

/** What the last inventory had and this one has not; what could not be deleted stays in it. */
async function prune(
  { c, subject, spec }: KustomizationRun,
  applied: readonly ApplySetResult[],
  old: readonly InventoryId[],
): Promise<Result<undefined, string>> {
  const ids = applied.map((a) => a.id)
  subject.set({ inventory: entriesOf(ids) })
  const stale = missingFrom(old, ids)
  if (!spec.prune || stale.length === 0) return ok(undefined)
  const { name = '', namespace = '' } = subject.object.metadata
  const { survivors, error } = await deleteSet(c, stale, { name, namespace })
  if (error === undefined) return ok(undefined)
  subject.set({ inventory: entriesOf([...ids, ...missingFrom(survivors, ids)]) })
  return err(error)
}

async function checkHealth(
  { c, subject, patcher, spec }: KustomizationRun,
  built: readonly KubeObject[],
  applied: readonly ApplySetResult[],
  progress: KustomizationProgress,
): Promise<Result<undefined, string>> {
  const ids = toCheck(subject.object, spec, applied)
  if (ids.length === 0) {
    subject.drop('Healthy')
    return ok(undefined)
  }
  const { clock } = c.x.env
  const started = clock.steady()
  const took = (): string => goDuration(clock.steady() - started)
  const running = await progress('Running health checks', (message) =>
    subject.mark('Healthy', 'Unknown', 'Progressing', message),
  )
  if (!running.ok) return running
  const done = await waitForHealth(c, ids, {
    pollMs: c.x.settings.delays.poll,
    timeoutMs: timeoutOf(spec),
    failFast: !c.x.settings.gates.DisableFailFastBehavior,
    rules: spec.healthCheckExprs ?? [],
    expiring: expiringJobs(built, applied),
  })
  if (!done.ok) {
    subject.mark('Healthy', 'False', 'HealthCheckFailed', done.error)
    return err(`health check failed after ${took()}: ${done.error}`)
  }
  subject.mark('Healthy', 'True', 'Succeeded', `Health check passed in ${took()}`)
  const written = await patcher.patch()
  return written.ok ? written : err(`unable to update the healthy status to progressing: ${written.error}`)
}

/** All that was applied with `wait`, else what is listed; never the Kustomization itself. */
function toCheck(
  self: KubeObject,
  spec: KustomizationSpec,
  applied: readonly ApplySetResult[],
): readonly InventoryId[] {
  const listed = (spec.healthChecks ?? []).map(({ apiVersion = 'apps/v1', kind, name, namespace = '' }) => {
    const [version = '', group = ''] = apiVersion.split('/').reverse()
    return { namespace, name, kind, group, version }
  })
  const ids = spec.wait ? applied.filter((a) => !a.skipped).map((a) => a.id) : listed
  const { name, namespace } = self.metadata
  return ids.filter((o) => !(o.kind === 'Kustomization' && o.name === name && o.namespace === namespace))
}

function expiringJobs(built: readonly KubeObject[], applied: readonly ApplySetResult[]): ReadonlySet<string> {
  const isExpiring = (id: InventoryId): boolean =>
    built.some(
      (o) =>
        o.kind === 'Job' &&
        o.metadata.name === id.name &&
        o.metadata.namespace === id.namespace &&
        at(o, 'spec', 'ttlSecondsAfterFinished') !== undefined,
    )
  return new Set(
    applied
      .map((a) => a.id)
      .filter(isExpiring)
      .map(idText),
  )
}

/**
 * The end of every run. The generation counts as observed where Ready is True, also where that was left by an earlier run: a
 * Kustomization that is suspended and changed observes a generation that it has never applied.
 */
async function finish({ subject, patcher }: KustomizationRun): Promise<Result<undefined, string>> {
  const asked = requestedAt(subject.object)
  if (asked !== undefined) subject.set({ lastHandledReconcileAt: asked })
  if (subject.is('Ready', 'True')) {
    subject.drop('Reconciling')
    subject.set({ observedGeneration: subject.generation })
  }
  const still = subject.get('Reconciling')
  if (subject.is('Ready', 'False') && still)
    subject.mark('Reconciling', 'True', 'ProgressingWithRetry', still.message)
  return patcher.patch()
}
