/** Projects of Argo CD: `templates/plumbing/argoProjects.yaml`. */
import { isArray, type JsonObject, type JsonValue } from '@lockstep/kube/object'
import type { ValuesField } from '../values/field.ts'
import type { Group } from '../values/group.ts'

export function argoProjects(g: Group): JsonObject[] {
  const all = g.own.get('projects').or(g.own.get('argoProjects'))
  if (!all.isTruthy) return []
  if (isArray(all.value)) {
    const namespace = g.argoNamespace.raw()
    return all.items().map((item) => project(item, item, namespace))
  }
  const namespace = (g.isPlumbing ? g.global.get('vpArgoNamespace') : g.argoNamespace).raw()
  return (all.members() ?? []).map(({ key, field }) => project(field.as(key), field, namespace))
}

/** Of a map the description has what stands behind the name, as Go prints it. */
function project(name: ValuesField, described: ValuesField, namespace: JsonValue): JsonObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: name.raw(), namespace },
    spec: {
      description: `Pattern ${described.text}`,
      destinations: [{ namespace: '*', server: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      namespaceResourceWhitelist: [{ group: '*', kind: '*' }],
      sourceRepos: ['*'],
    },
    status: {},
  }
}
