/** Extra objects, nodes, the scheduler and catalogs: `templates/core/extraObjects.yaml` and its neighbours. */
import { isArray, isObject, type JsonObject, type JsonValue, setMember } from '@lockstep/kube/object'
import type { ValuesField } from '../values/field.ts'
import type { Group } from '../values/group.ts'
import { shownValue } from '../values/notes.ts'
import { nativeWaitOfObject } from './nativewait.ts'
import { annotationsOf } from './subscriptions.ts'

/** As data: no template looks into them. Only `disabled` is taken out. */
export function extraObjects(g: Group): JsonObject[] {
  const hasWaits = g.sequencing.mode === 'Native' && g.sequencing.extraObjectWaits
  return (g.own.get('extraObjects').members() ?? []).flatMap(({ key: name, field }) => {
    if (!field.isMap('an object with apiVersion and kind') || field.isDisabled) return []
    const out: { [key: string]: JsonValue | undefined } = {}
    for (const [key, value] of Object.entries(field.value as JsonObject))
      if (key !== 'disabled') setMember(out, key, value)
    return [(hasWaits && nativeWaitOfObject(out as JsonObject, name)) || (out as JsonObject)]
  })
}

/** Labels and annotations of nodes that are there. */
export function nodes(g: Group): JsonObject[] {
  const all = g.own.get('nodes')
  if (g.isPlumbing || !all.isTruthy) return []
  if (!isArray(all.value)) {
    all.refuse(': the chart takes the members of a map for nodes of these names', {
      todo: 'write a list of maps of one name each',
    })
    return []
  }
  return all.items().flatMap((item) => {
    const [key, ...more] = isObject(item.value) ? Object.keys(item.value) : []
    if (key === undefined && isObject(item.value)) return []
    if (key === undefined || more.length > 0 || !isObject(item.get(key).value)) {
      item.refuse(': one key with a map expected')
      return []
    }
    return [node(g, item.get(key), key)]
  })
}

function node(g: Group, said: ValuesField, name: string): JsonObject {
  const labels = said.get('labels')
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: said.as(name).raw(),
      labels: {
        'argocd.argoproj.io/managed-by': g.argoNamespace.quoted(),
        ...(labels.isTruthy ? labels.texts() : {}),
      },
      ...annotationsOf(said),
    },
  }
}

export function scheduler(g: Group): JsonObject[] {
  const spec = g.own.get('scheduler')
  if (g.isPlumbing || !g.own.has('scheduler')) return []
  return [
    {
      apiVersion: 'config.openshift.io/v1',
      kind: 'Scheduler',
      metadata: {
        name: 'cluster',
        annotations: { 'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false' },
      },
      spec: spec.data,
    },
  ]
}

export function catalogSources(g: Group): JsonObject[] {
  return g.own
    .get('indexImages')
    .items()
    .flatMap((item) => {
      if (!item.isMap('a map with image')) return []
      const [name, image] = [item.get('name'), item.get('image')]
      if (!image.isTruthy) {
        item.refuse(`: ${shownValue(item.value)} has no image`, { todo: 'give it one' })
        return []
      }
      return [
        {
          apiVersion: 'operators.coreos.com/v1alpha1',
          kind: 'CatalogSource',
          metadata: {
            name: name.or(image.as(nameOf(image.text))).raw(),
            namespace: 'openshift-marketplace',
          },
          spec: { sourceType: 'grpc', image: image.raw() },
        },
      ]
    })
}

/** `quay.io/team/catalog:v1`: `team-catalog`. */
const nameOf = (image: string): string => image.replace(/^[^/]*\/(.*):.*/, '$1').replaceAll('/', '-')
