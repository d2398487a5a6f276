/** Applications of Argo CD: `templates/plumbing/applications.yaml`. */
import { isArray, isObject, isString, type JsonObject, type JsonValue } from '@lockstep/kube/object'
import type { ValuesField } from '../values/field.ts'
import type { Group } from '../values/group.ts'
import { helmParameters } from './helmparameters.ts'
import { annotationsOf } from './subscriptions.ts'

export const applications = (g: Group): JsonObject[] => renderedApplications(g).map(({ object }) => object)

/** With what of the values each is made of. None while the pattern is being deleted: they are to go before what they need. */
export function renderedApplications(
  g: Group,
): { readonly field: ValuesField; readonly object: JsonObject }[] {
  if (g.global.get('deletePattern').value === 'DeleteChildApps') return []
  const all = g.own.get('applications')
  const entries = isArray(all.value) ? all.items() : (all.members() ?? []).map(({ field }) => field)
  return entries
    .filter((app) => app.isTruthy && (isObject(app.value) || app.isMap('a map, or nothing')))
    .filter((app) => !app.isDisabled)
    .map((app) => ({ field: app, object: application(g, app) }))
}

function application(g: Group, app: ValuesField): JsonObject {
  const ignored = app.get('ignoreDifferences')
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name: app.get('name').raw(),
      namespace: g.argoNamespace.raw(),
      labels: { 'validatedpatterns.io/pattern': g.global.get('pattern').raw() },
      ...annotationsOf(app),
      finalizers: ['resources-finalizer.argocd.argoproj.io/foreground'],
    },
    spec: {
      destination: {
        name: g.own.get('targetCluster').raw(),
        namespace: app.get('namespace').or(g.argoNamespace).raw(),
      },
      project: app.get('argoProject').or(app.get('project')).or('default').raw(),
      ...sourceOf(g, app),
      ...(ignored.isTruthy ? { ignoreDifferences: ignored.data } : {}),
      syncPolicy: syncPolicyOf(g, app),
    },
  }
}

/** A chart of a repository takes its values files of Git: two sources. */
function sourceOf(g: Group, app: ValuesField): JsonObject {
  const { global } = g
  const version = app.get('chartVersion')
  const repository = app.get('repoURL')
  if (!version.isTruthy) {
    const source = {
      repoURL: repository.or(global.get('repoURL')).raw(),
      targetRevision: app.get('targetRevision').or(global.get('targetRevision')).raw(),
    }
    return { source: { ...source, ...contentOf(g, app, 'single') } }
  }
  const values = {
    repoURL: global.get('repoURL').raw(),
    targetRevision: global.get('targetRevision').raw(),
    ref: 'patternref',
  }
  const chart = {
    repoURL: repository.or(global.get('multiSourceRepoUrl')).raw(),
    targetRevision: version.raw(),
  }
  return { sources: [values, { ...chart, ...contentOf(g, app, 'multi') }] }
}

function contentOf(g: Group, app: ValuesField, form: 'single' | 'multi'): JsonObject {
  const [chart, plugin] = [app.get('chart'), app.get('plugin')]
  const what: JsonObject = chart.isTruthy ? { chart: chart.raw() } : { path: app.get('path').raw() }
  if (plugin.isTruthy) return { ...what, plugin: plugin.data }
  if (form === 'single' && app.get('kustomize').isTruthy) return what
  return { ...what, helm: helmParameters(g, app, form) }
}

const RETRIES = 20

/** A word of either case, or the policy itself: only the application's own is written down. */
function syncPolicyOf(g: Group, app: ValuesField): JsonValue {
  const policy = app.get('syncPolicy').or(g.options.get('syncPolicy'))
  const word = isString(policy.value) ? policy.value.toLowerCase() : policy.value
  if (word === 'manual') return null
  if (policy.isTruthy && word !== 'automatic') return app.get('syncPolicy').data
  const limit = g.options.get('applicationRetryLimit').or(RETRIES).raw()
  return { automated: {}, retry: { limit } }
}
