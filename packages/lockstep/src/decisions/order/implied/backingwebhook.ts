/** Admission webhooks: who answers them, and whose writes they are asked about (admissionregistration.k8s.io). */
import { at, type JsonValue, type KubeObject, matchesSelector, parseApiVersion } from '@lockstep/kube/object'
import { definedKind } from '../definedkind.ts'
import { manifestName, manifestValues } from '../manifestvalues.ts'
import type { BundleIndex } from './bundleindex.ts'
import { edgesBefore, type ImpliedRule, NO_EDGES } from './impliedrule.ts'
import { labelsOf, parseSelector } from './parseselector.ts'
import { resourceOfKind } from './resourceofkind.ts'

export const WEBHOOK_KINDS = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'] as const

const isWebhook = (o: KubeObject): boolean =>
  WEBHOOK_KINDS.some((kind) => kind === o.kind) && o.apiVersion.startsWith('admissionregistration.k8s.io/')

const webhooksOf = (o: KubeObject): readonly JsonValue[] => manifestValues(at(o, 'webhooks'))

/** With nobody to answer, a webhook that must not fail refuses every write. */
export const backingWebhook: ImpliedRule = (to, index) => {
  if (!isWebhook(to)) return NO_EDGES
  const services = webhooksOf(to).flatMap((w) => index.serviceAt(at(w, 'clientConfig', 'service')) ?? [])
  const once = [...new Set(services)]
  const backing = new Set(once.flatMap((s) => index.backing(s)))
  return [
    ...edgesBefore(once, to, 'service of the webhook'),
    ...edgesBefore([...backing], to, 'backend of the webhook', 'Healthy'),
  ]
}

/** True once whoever injects the certificates has done so. A URL may have one that everybody trusts. */
const INJECTED =
  'object.webhooks.all(w, !has(w.clientConfig.service) || has(w.clientConfig.caBundle) && size(w.clientConfig.caBundle) > 0)'

/** What a webhook changes or refuses is written when it can answer: the configuration comes behind its backend. */
export const admittedObjects: ImpliedRule = (o, index) => {
  if (!isWebhook(o)) return NO_EDGES
  const webhooks = webhooksOf(o)
  const to = index.objects.filter((x) => !isWebhook(x) && webhooks.some((w) => isAsked(w, x, index)))
  if (to.length === 0) return NO_EDGES
  const base = { from: [o], to, strength: 'Preferred' } as const
  return isInjected(webhooks)
    ? [{ ...base, ask: 'Expr', expression: INJECTED, why: 'webhook rules, once caBundle is injected' }]
    : [{ ...base, ask: 'Applied', why: 'webhook rules' }]
}

/** Without a bundle, a Service has no certificate that anybody trusts: somebody will write one in. */
const isInjected = (webhooks: readonly JsonValue[]): boolean =>
  webhooks.some(
    (w) => at(w, 'clientConfig', 'service') !== undefined && !manifestName(at(w, 'clientConfig', 'caBundle')),
  )

function isAsked(webhook: JsonValue, o: KubeObject, index: BundleIndex): boolean {
  return (
    manifestValues(at(webhook, 'rules')).some((r) => isRuled(r, o, index)) &&
    isSelected(at(webhook, 'objectSelector'), o.metadata.labels) &&
    isSelected(at(webhook, 'namespaceSelector'), namespaceLabels(o, index))
  )
}

/** What cannot be known is as if it were selected. */
function isSelected(selector: JsonValue | undefined, labels: KubeObject['metadata']['labels'] | 'unknown') {
  const found = parseSelector(selector)
  return found === undefined || labels === 'unknown' || matchesSelector(found, labels)
}

/** Of the Namespace itself, or of the one that it is in; an object of neither kind is never left out by them. */
function namespaceLabels(o: KubeObject, index: BundleIndex): KubeObject['metadata']['labels'] | 'unknown' {
  const name = o.kind === 'Namespace' ? o.metadata.name : o.metadata.namespace
  const namespace = name ? index.find('', 'Namespace', undefined, name) : undefined
  const labels = namespace && labelsOf(at(namespace, 'metadata', 'labels'))
  return namespace ? { ...labels, 'kubernetes.io/metadata.name': name! } : 'unknown'
}

/** As the API server matches (apiserver `admission/plugin/webhook/predicates/rules`). */
function isRuled(rule: JsonValue, o: KubeObject, index: BundleIndex): boolean {
  const { group, version } = parseApiVersion(o.apiVersion)
  const has = (member: string, value: string): boolean =>
    manifestValues(at(rule, member)).some((x) => x === '*' || x === value)
  if (!has('apiGroups', group) || !has('apiVersions', version)) return false
  if (!has('operations', 'CREATE') && !has('operations', 'UPDATE')) return false
  const scope = at(rule, 'scope')
  const { resource, namespaced } = resourceOf(o, group, index)
  if (scope === 'Namespaced' && !namespaced) return false
  if (scope === 'Cluster' && namespaced) return false
  return manifestValues(at(rule, 'resources')).some(
    (x) => x === '*' || x === '*/*' || x === resource || x === `${resource}/*`,
  )
}

/** By the bundle's definitions, else as Kubernetes guesses: so that a bundle has one order on all clusters. */
function resourceOf(
  o: KubeObject,
  group: string,
  index: BundleIndex,
): { resource: string; namespaced: boolean } {
  const definition = index.crdOf(group, o.kind)
  const plural = manifestName(at(definition, 'spec', 'names', 'plural'))
  if (definition && definedKind(definition) && plural)
    return { resource: plural, namespaced: at(definition, 'spec', 'scope') === 'Namespaced' }
  return { resource: resourceOfKind(o.kind), namespaced: o.metadata.namespace !== undefined }
}
