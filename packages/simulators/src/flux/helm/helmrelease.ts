/** The simulated helm-controller: one run of a HelmRelease (`internal/controller/helmrelease_controller.go`). */
import type { KubeObject } from '@lockstep/kube/object'
import { dependencyProblem, targetOf } from '../dependencyproblem.ts'
import { type ExprProblem, healthRulesProblem } from '../exprproblem.ts'
import { type FluxController, jittered, live, notCached, notFound, nowText, request } from '../fluxcontext.ts'
import {
  artifactOf,
  durationMs,
  goDuration,
  helmReleaseSpec,
  keyIn,
  requestedAt,
  type SimulatedSourceKind,
} from '../fluxkind.ts'
import type { After } from '../fluxqueue.ts'
import { conditionsOf, FluxSubject, isCondition } from '../fluxsubject.ts'
import { Patcher } from '../patcher.ts'
import { chartNameOf, reconcileHelmChart, removeChart } from './helmchart.ts'
import { clearHistory, latestOf, storageOf, uninstallRelease } from './helmhistory.ts'
import { again, failing, type HelmEnd, type HelmRun, stalled } from './helmrun.ts'
import { type LoadedRelease, loadRelease, reconcileRelease } from './loadrelease.ts'

export const HELM_FINALIZER = 'finalizers.fluxcd.io'

/** Looks at a HelmRelease once. */
export async function reconcileHelmRelease(
  c: FluxController,
  namespace: string,
  name: string,
): Promise<After> {
  const object = c.caches.HelmRelease?.get(namespace, name)
  if (!object) return 'done'
  const subject = new FluxSubject(object, () => nowText(c.x))
  const run = { c, subject, patcher: new Patcher(c, 'HelmRelease', subject), spec: helmReleaseSpec(object) }
  const end = await act(run)
  const asked = requestedAt(object)
  if (asked !== undefined) subject.set({ lastHandledReconcileAt: asked })
  if (end.observed) subject.set({ observedGeneration: subject.generation })
  const written = await run.patcher.patch()
  return written.ok || c.x.stop.aborted ? end.after : 'backoff'
}

async function act(run: HelmRun): Promise<HelmEnd> {
  const { c, subject, spec } = run
  const { metadata } = subject.object
  if (metadata.deletionTimestamp !== undefined) return remove(run)
  if (!metadata.finalizers?.includes(HELM_FINALIZER)) {
    subject.finalizers = [...(metadata.finalizers ?? []), HELM_FINALIZER]
    return again
  }
  // Whatever Ready says: a run that ends without an error observes its generation.
  if (spec.suspend) return { after: 'done', observed: true }
  const rules = healthRulesProblem(spec.healthCheckExprs ?? [])
  if (rules !== undefined) return terminal(subject, rules)
  const chart = await reconcileHelmChart(run)
  if (!chart.ok) return failing
  subject.reconciling('Progressing', 'Fulfilling prerequisites')
  if (!(await run.patcher.patch()).ok) return failing
  const closed = await checkEdges(run)
  if (closed?.terminal) return terminal(subject, closed.message)
  const ms = c.x.settings.requeueDependencyMs
  if (closed) {
    subject.mark('Ready', 'False', 'DependencyNotReady', closed.message)
    return { after: { ms }, observed: false }
  }
  settle(subject, 'DependencyNotReady')
  const source = sourceOf(run)
  if (typeof source === 'string') {
    subject.mark('Ready', 'False', 'ArtifactFailed', `could not get Source object: ${source}`)
    return failing
  }
  settle(subject, 'ArtifactFailed')
  const stale = sourceProblem(source)
  if (stale !== undefined) {
    subject.mark('Ready', 'False', 'SourceNotReady', stale)
    return { after: { ms: jittered(c.x, ms) }, observed: false }
  }
  settle(subject, 'SourceNotReady')
  return release(run, source, ms)
}

async function release(run: HelmRun, source: KubeObject, retryMs: number): Promise<HelmEnd> {
  const { c, subject, spec } = run
  await request(c.x, c.x.settings.delays.build)
  const loaded = loadRelease(run, source)
  if ('missing' in loaded) {
    const text = `Source not ready: artifact not found. Retrying in ${goDuration(retryMs)}`
    subject.mark('Ready', 'False', 'ArtifactFailed', text)
    return { after: { ms: retryMs }, observed: false }
  }
  if ('reason' in loaded) {
    subject.mark('Ready', 'False', loaded.reason, loaded.message)
    return failing
  }
  settle(subject, 'ValuesError')
  if (targetChanged(run, loaded)) {
    if (!(await uninstallRelease(run))) return failing
    clearHistory(subject)
    return again
  }
  const end = await reconcileRelease(run, loaded)
  return end ?? { after: { ms: jittered(c.x, durationMs(spec.interval)) }, observed: true }
}

function terminal(subject: FluxSubject, message: string): HelmEnd {
  subject.invalid(message)
  return stalled
}

/** What was not ready for a reason that is over is not known to be ready yet. */
function settle(subject: FluxSubject, reason: string): void {
  if (subject.get('Ready')?.reason === reason)
    subject.mark('Ready', 'Unknown', 'Progressing', 'reconciliation in progress')
}

async function checkEdges({ c, subject, spec }: HelmRun): Promise<ExprProblem | undefined> {
  for (const edge of spec.dependsOn ?? []) {
    const { namespace, name } = targetOf(subject.object, edge)
    await request(c.x)
    const dependency = live(c.x, 'HelmRelease', namespace, name) ?? { error: notFound('HelmRelease', name) }
    const additive = c.x.settings.gates.AdditiveCELDependencyCheck
    const problem = dependencyProblem({
      kind: 'HelmRelease',
      self: subject.object,
      edge,
      dependency,
      additive,
    })
    if (problem) return problem
  }
  return undefined
}

/** The source that holds the chart, or why there is none. */
function sourceOf({ c, subject, spec }: HelmRun): KubeObject | string {
  const own = subject.object.metadata.namespace ?? ''
  const { chart, chartRef } = spec
  const kind = (chartRef?.kind ?? 'HelmChart') as SimulatedSourceKind
  const namespace = chartRef ? (chartRef.namespace ?? own) : (chart?.spec.sourceRef.namespace ?? own)
  const name = chartRef ? chartRef.name : chartNameOf(subject.object)
  const isDirect = c.x.settings.gates.DirectSourceFetch
  const found = isDirect ? live(c.x, kind, namespace, name) : c.caches[kind]?.get(namespace, name)
  return found ?? (isDirect ? notFound : notCached)(kind, name)
}

/** Unlike the kustomize-controller this one wants the newest generation of the source to be reconciled. */
function sourceProblem(source: KubeObject): string | undefined {
  const { namespace, name = '', generation } = source.metadata
  const message = (type: string): string => conditionsOf(source).find((x) => x.type === type)?.message ?? ''
  const problem = (why: string): string => `${source.kind} '${keyIn(namespace, name)}' is not ready: ${why}`
  const observed = (source.status as { readonly observedGeneration?: number } | undefined)?.observedGeneration
  if (generation !== observed)
    return problem(
      isCondition(source, 'Ready', 'False')
        ? message('Ready')
        : 'latest generation of object has not been reconciled',
    )
  if (isCondition(source, 'Stalled', 'True')) return problem(message('Stalled'))
  return artifactOf(source) ? undefined : problem('does not have an artifact')
}

/** Another release, namespace or chart of that name cannot be upgraded to: the old one goes first. */
function targetChanged({ subject, spec }: HelmRun, loaded: LoadedRelease): boolean {
  const last = latestOf(subject)
  const { name, namespace, storageNamespace } = storageOf(subject.object, spec)
  if (!last || !subject.field('storageNamespace')) return false
  return (
    storageNamespace !== subject.field('storageNamespace') ||
    namespace !== last.namespace ||
    name !== last.name ||
    loaded.chart.name !== last.chartName
  )
}

/** The end of a HelmRelease: suspended, it leaves everything as it is. */
async function remove(run: HelmRun): Promise<HelmEnd> {
  const { subject, spec } = run
  if (!spec.suspend) {
    if (subject.field('storageNamespace') && latestOf(subject) && !(await uninstallRelease(run)))
      return failing
    clearHistory(subject)
    await removeChart(run)
  }
  const { finalizers = [] } = subject.object.metadata
  subject.finalizers = finalizers.filter((f) => f !== HELM_FINALIZER)
  return { after: 'done', observed: false }
}
