/** Operators: Subscriptions of OLM, ClusterExtensions of OLM v1, and the Jobs that wait: `templates/core/subscriptions.yaml`. */
import { isArray, isObject, type JsonObject } from '@lockstep/kube/object'
import type { ValuesField } from '../values/field.ts'
import type { Group } from '../values/group.ts'
import { sequenceJob } from './sequencejob.ts'

const NAMESPACE = 'openshift-operators'
/** One of them makes it an operator of OLM v1. */
const V1_KEYS = ['channels', 'version', 'upgradeConstraintPolicy', 'serviceAccountName']

/** A map by its keys, which name nothing; a list in its order. What is null or has no name is nothing, not even a Job. */
export function subscriptions(g: Group): JsonObject[] {
  return entriesOf(g.own.get('subscriptions')).flatMap((entry) => {
    if (!entry.get('name').isTruthy) return []
    const isDisabled = entry.isDisabled
    return [...(isDisabled ? [] : operators(g, entry)), ...sequenceJob(g, entry, isDisabled)]
  })
}

function entriesOf(all: ValuesField): ValuesField[] {
  const entries = isArray(all.value) ? all.items() : (all.members() ?? []).map(({ field }) => field)
  return entries.filter((e) => e.value !== null && (isObject(e.value) || e.isMap('a map, or nothing')))
}

function operators(g: Group, entry: ValuesField): JsonObject[] {
  if (entry.get('namespaces').isTruthy)
    return entry
      .get('namespaces')
      .items()
      .map((namespace) => subscription(g, entry, namespace))
  if (V1_KEYS.some((key) => entry.get(key).isTruthy)) return [clusterExtension(entry)]
  return [subscription(g, entry, entry.get('namespace').or(NAMESPACE))]
}

function subscription(g: Group, entry: ValuesField, namespace: ValuesField): JsonObject {
  const [channel, config, csv] = [entry.get('channel'), entry.get('config'), entry.get('csv')]
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'Subscription',
    metadata: { name: entry.get('name').raw(), namespace: namespace.raw(), ...annotationsOf(entry) },
    spec: {
      name: entry.get('name').raw(),
      source: entry.get('source').or('redhat-operators').raw(),
      sourceNamespace: entry.get('sourceNamespace').or('openshift-marketplace').raw(),
      ...(channel.isTruthy ? { channel: channel.raw() } : {}),
      installPlanApproval: entry.get('installPlanApproval').or(g.options.get('installPlanApproval')).raw(),
      ...(config.isTruthy ? { config: config.data } : {}),
      ...(g.options.get('useCSV').isTruthy || csv.isTruthy ? { startingCSV: csv.raw() } : {}),
    },
  }
}

function clusterExtension(entry: ValuesField): JsonObject {
  const [account, channels, version] = ['serviceAccountName', 'channels', 'version'].map((k) => entry.get(k))
  return {
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterExtension',
    metadata: { name: entry.get('name').raw(), ...annotationsOf(entry) },
    spec: {
      namespace: entry.get('namespace').or(NAMESPACE).raw(),
      ...(account!.isTruthy ? { serviceAccount: { name: account!.raw() } } : {}),
      source: {
        sourceType: 'Catalog',
        catalog: {
          packageName: entry.get('name').raw(),
          ...(channels!.isTruthy ? { channels: channels!.data } : {}),
          ...(version!.isTruthy ? { version: version!.quoted() } : {}),
          upgradeConstraintPolicy: entry.get('upgradeConstraintPolicy').or('CatalogProvided').raw(),
        },
      },
    },
  }
}

export function annotationsOf(entry: ValuesField): JsonObject {
  const annotations = entry.get('annotations')
  return annotations.isTruthy ? { annotations: annotations.texts() } : {}
}
