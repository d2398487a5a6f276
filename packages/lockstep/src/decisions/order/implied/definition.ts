/** Namespaces and definitions: without them the API refuses what is in them or of them. */
import { at, type KubeObject } from '@lockstep/kube/object'
import { definedKind } from '../definedkind.ts'
import { manifestName } from '../manifestvalues.ts'
import { edgesBefore, type ImpliedEdge, type ImpliedRule, NO_EDGES } from './impliedrule.ts'

export const contentOfNamespace: ImpliedRule = (o, index) => {
  const to = o.apiVersion === 'v1' ? index.within(o.metadata.name ?? '') : []
  return to.length === 0
    ? NO_EDGES
    : [{ from: [o], to, ask: 'Applied', strength: 'Required', why: 'namespace' }]
}

/** Of two definitions of a kind the last one counts, as everywhere. */
export const ofDefinition: ImpliedRule = (o, index) => {
  const defined = definedKind(o)
  const to = defined === undefined ? [] : index.all(...splitKind(defined)).filter((x) => x !== o)
  if (defined === undefined || to.length === 0 || index.crdOf(...splitKind(defined)) !== o) return NO_EDGES
  return [{ from: [o], to, ask: 'Served', strength: 'Required', why: 'CustomResourceDefinition' }]
}

/** Other versions of a kind are made by whoever answers its conversion webhook. */
export const converted: ImpliedRule = (definition, index) => {
  const defined = definedKind(definition)
  const service = index.serviceAt(at(definition, 'spec', 'conversion', 'webhook', 'clientConfig', 'service'))
  const from = index.backing(service)
  if (defined === undefined || from.length === 0) return NO_EDGES
  const to = index.all(...splitKind(defined))
  return to.length === 0
    ? NO_EDGES
    : [{ from, to, ask: 'Healthy', strength: 'Preferred', why: 'conversion webhook' }]
}

/** A group/version that another API server answers for. */
export const ofApiService: ImpliedRule = (o, index) => {
  if (!isApiService(o)) return NO_EDGES
  const apiVersion = `${manifestName(at(o, 'spec', 'group')) ?? ''}/${manifestName(at(o, 'spec', 'version')) ?? ''}`
  const to = index.objects.filter((x) => x.apiVersion === apiVersion && x !== o)
  const found: ImpliedEdge = { from: [o], to, ask: 'Served', strength: 'Preferred', why: 'APIService' }
  return to.length === 0 ? NO_EDGES : [found]
}

export const backingApiService: ImpliedRule = (o, index) => {
  if (!isApiService(o)) return NO_EDGES
  const service = index.serviceAt(at(o, 'spec', 'service'))
  return [
    ...edgesBefore([service], o, 'service of APIService'),
    ...edgesBefore(index.backing(service), o, 'backend of APIService', 'Healthy'),
  ]
}

const isApiService = (o: KubeObject): boolean =>
  o.kind === 'APIService' && o.apiVersion.startsWith('apiregistration.k8s.io/')

function splitKind(defined: string): [group: string, kind: string] {
  const slash = defined.lastIndexOf('/')
  return [defined.slice(0, slash), defined.slice(slash + 1)]
}
