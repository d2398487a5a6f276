import { at, type JsonObject, type JsonValue, type KubeObject } from '@lockstep/kube/object'
import type { SpecialRules } from './specialrules.ts'

/** Members of an Event that the core group names otherwise (kubernetes pkg/apis/events/v1/conversion.go). */
const NEWER: Readonly<Record<string, string>> = {
  involvedObject: 'regarding',
  message: 'note',
  source: 'deprecatedSource',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
  reportingComponent: 'reportingController',
}
const OLDER = Object.fromEntries(Object.entries(NEWER).map(([core, events]) => [events, core]))

function renamed(o: KubeObject, names: Readonly<Record<string, string>>, apiVersion: string): KubeObject {
  const out: { [k: string]: JsonValue | undefined } = {}
  for (const [k, v] of Object.entries(o as unknown as JsonObject))
    out[Object.hasOwn(names, k) ? names[k]! : k] = v
  return { ...(out as unknown as KubeObject), apiVersion }
}

/** Events have two groups and one store: they are kept as the core group writes them. */
export const eventToCore = (o: KubeObject): KubeObject => renamed(o, OLDER, 'v1')
export const eventFromCore = (o: KubeObject): KubeObject => renamed(o, NEWER, 'events.k8s.io/v1')

const text =
  (...path: string[]) =>
  (o: KubeObject): string =>
    String(at(o, ...path) ?? '')

export const eventRules: SpecialRules = {
  createOnUpdate: true,
  name: () => [],
  fields: {
    'involvedObject.kind': text('involvedObject', 'kind'),
    'involvedObject.namespace': text('involvedObject', 'namespace'),
    'involvedObject.name': text('involvedObject', 'name'),
    'involvedObject.uid': text('involvedObject', 'uid'),
    'involvedObject.apiVersion': text('involvedObject', 'apiVersion'),
    'involvedObject.resourceVersion': text('involvedObject', 'resourceVersion'),
    'involvedObject.fieldPath': text('involvedObject', 'fieldPath'),
    reason: text('reason'),
    reportingComponent: text('reportingComponent'),
    source: text('source', 'component'),
    type: text('type'),
  },
}
