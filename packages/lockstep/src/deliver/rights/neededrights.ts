/** All rights that a Module needs: on the hub those of its account, on a cluster those of the credential. Pure. */
import type { ServedResource } from '@lockstep/kube/client'
import { parseApiVersion } from '@lockstep/kube/object'
import type { AccessRight } from '../../api/account.ts'
import { GROUP } from '../../api/apiversion.ts'
import { type InventoryObject, type Module, moduleKind } from '../../api/kinds/index.ts'
import { namedInputs } from '../../sources/configmap/index.ts'
import type { DesiredObject, FindResource, UnitDesiredState } from '../plan/index.ts'
import { type DeliveredRef, deliveryRights, READ_VERBS, resourceRights } from './deliveryrights.ts'
import { heldRights } from './heldrights.ts'

export interface NeededRight extends AccessRight {
  /** Part of the Module: `objects`, `source`, `bindings`. */
  readonly usedBy: string
}

export interface RightsInput {
  readonly module: Pick<Module, 'metadata' | 'spec'>
  /** Resources of the hub, or of the cluster. */
  readonly find: FindResource
  /** A resource by the name that people use. */
  readonly named: (type: string) => ServedResource | undefined
  /** Undefined: the Module is not deployed to the hub. */
  readonly desired: UnitDesiredState | undefined
  /** Objects of earlier revisions on the hub. */
  readonly delivered?: readonly Pick<InventoryObject, 'group' | 'kind' | 'version' | 'namespace'>[]
}

export interface RightsNeed {
  readonly rights: readonly NeededRight[]
  /** Kinds that the hub does not serve: `example.com/v1 Widget`. Their rights are not known. */
  readonly unserved: readonly string[]
}

export const neededRights = (input: RightsInput): RightsNeed =>
  needOf(input, (find) => [
    ...inputRights(input),
    ...bindingRights(input, find),
    ...gateRights(input, find),
    ...(input.desired ? placeRights(input, input.desired, find) : []),
    ...applicationRights(input),
  ])

/**
 * Rights that the credential of a cluster needs to deliver a Module there: all of them for the whole cluster, since its objects are
 * watched in all namespaces at once.
 */
export const clusterRights = (input: RightsInput): RightsNeed =>
  needOf(input, (find) =>
    input.desired
      ? [
          ...placeRights(input, input.desired, find),
          ...by('bindings', workloadRights(input, find)),
          ...outputRights(input.desired),
        ].map((r) => ({ ...r, namespace: undefined }))
      : [],
  )

function needOf(input: RightsInput, rightsOf: (find: FindKind) => readonly NeededRight[]): RightsNeed {
  const unserved = new Set<string>()
  const rights = rightsOf((apiVersion, kind) => {
    const { group, version } = parseApiVersion(apiVersion)
    const found = input.find(group, kind, version)
    if (!found) unserved.add(`${apiVersion} ${kind}`)
    return found
  })
  return { rights, unserved: [...unserved] }
}

type FindKind = (apiVersion: string, kind: string) => ServedResource | undefined

const by = (usedBy: string, rights: readonly AccessRight[]): NeededRight[] =>
  rights.map((r) => ({ ...r, usedBy }))

const SECRETS = { group: '', plural: 'secrets' }
const CONFIG_MAPS = { group: '', plural: 'configmaps' }

const namespaceOf = ({ module }: RightsInput): string => module.metadata.namespace ?? ''

/** Objects with this name; all if it is made of bindings. */
const namedRead = (
  resource: DeliveredRef['resource'],
  namespace: string | undefined,
  name: string | undefined,
): AccessRight[] => {
  const only = name === undefined || name.includes('$(') ? {} : { name }
  return resourceRights({ resource, ref: { namespace } }, READ_VERBS).map((r) => ({ ...r, ...only }))
}

/** ConfigMaps are watched by namespace, Secrets one by one. */
const inputRead = (kind: 'ConfigMap' | 'Secret', namespace: string, name: string): AccessRight[] =>
  kind === 'Secret'
    ? namedRead(SECRETS, namespace, name)
    : resourceRights({ resource: CONFIG_MAPS, ref: { namespace } }, READ_VERBS)

function inputRights(input: RightsInput): NeededRight[] {
  const { source, render } = input.module.spec
  const namespace = namespaceOf(input)
  const read = namedInputs({ source, render }).flatMap((i) => inputRead(i.kind, namespace, i.name))
  const { git, helm, refs = [] } = source
  const credentials = [
    git?.secretRef,
    helm?.secretRef,
    helm?.certSecretRef,
    ...refs.map((r) => r.git.secretRef),
  ]
  const secrets = credentials.flatMap((s) => (s ? namedRead(SECRETS, namespace, s.name) : []))
  return [...by('source', read), ...by('credentials', secrets)]
}

function bindingRights(input: RightsInput, find: FindKind): NeededRight[] {
  const namespace = namespaceOf(input)
  const rights = (input.module.spec.bindings ?? []).flatMap((b) => {
    if (b.configMapKeyRef) return inputRead('ConfigMap', namespace, b.configMapKeyRef.name)
    if (b.secretKeyRef) return namedRead(SECRETS, namespace, b.secretKeyRef.name)
    const field = b.objectFieldRef
    if (field) return namedRead(find(field.apiVersion, field.kind), namespace, field.name)
    return []
  })
  return by('bindings', [...rights, ...workloadRights(input, find)])
}

/** Workloads are read where the Module is delivered. */
const workloadRights = ({ module, desired }: RightsInput, find: FindKind): AccessRight[] =>
  (module.spec.bindings ?? []).flatMap(({ workloadFieldRef: ref }) =>
    ref && desired ? namedRead(find(ref.apiVersion, ref.kind), ref.namespace, ref.name) : [],
  )

/** Pods of hooks whose output is recorded. */
const outputRights = ({ hooks }: UnitDesiredState): NeededRight[] =>
  hooks.some((h) => h && h.node.outputs.length > 0)
    ? by('output of hooks', [
        { verb: 'get', group: '', resource: 'pods', namespace: undefined },
        { verb: 'list', group: '', resource: 'pods', namespace: undefined },
        { verb: 'get', group: '', resource: 'pods/log', namespace: undefined },
      ])
    : []

/** Gates of stages read the hub wherever the Module is deployed. */
function gateRights(input: RightsInput, find: FindKind): NeededRight[] {
  const gates = (input.module.spec.rollout.stages ?? []).flatMap((s) => s.gates ?? [])
  return by(
    'gates',
    gates.flatMap((g) => namedRead(find(g.apiVersion, g.kind), namespaceOf(input), g.name)),
  )
}

/** Rights of the place where the Module is delivered. */
function placeRights(input: RightsInput, desired: UnitDesiredState, find: FindKind): NeededRight[] {
  const { spec } = input.module
  const later = [desired.syncFail, desired.preDelete, desired.postDelete].flat(2)
  // Without its namespace nothing is written.
  const objects = desired.objects.flatMap((d) => (d && d.problem === undefined ? [d] : []))
  const hooks = [...desired.hooks.flatMap((d) => (d ? [d] : [])), ...later]
  for (const d of [...objects, ...hooks]) if (!d.resource) find(d.object.apiVersion, d.ref.kind)
  const bundle = [...objects, ...hooks].map((d) => d.object)
  const edges = (spec.dependsOn ?? []).flatMap(({ object: o }) =>
    o ? namedRead(find(o.apiVersion, o.kind), o.namespace, o.name) : [],
  )
  const checks = (spec.source.none ? (spec.health.expressions ?? []) : []).flatMap((e) =>
    e.kind === undefined ? [] : namedRead(find(e.apiVersion, e.kind), e.namespace, e.name),
  )
  return [
    ...by('objects', rightsOf(objects)),
    ...by('hooks', rightsOf(hooks)),
    ...by(
      'grants',
      bundle.flatMap((o) => heldRights(o, bundle)),
    ),
    ...by('pruned objects', prunedRights(input)),
    ...by('dependencies', edges),
    ...by('checkpoint', checks),
    ...by('waits', waitRights(input, desired)),
  ]
}

const rightsOf = (desired: readonly DesiredObject[]): AccessRight[] => deliveryRights(desired)

const PRUNE_VERBS = ['patch', 'delete', ...READ_VERBS]

const prunedRights = ({ delivered = [], find }: RightsInput): AccessRight[] =>
  delivered.flatMap(({ group, kind, version, namespace }) =>
    resourceRights({ resource: find(group, kind, version), ref: { namespace } }, PRUNE_VERBS),
  )

/** A kind that is waited for may come later. */
function waitRights({ find, named }: RightsInput, { graph }: UnitDesiredState): AccessRight[] {
  return graph.nodes.flatMap((n) => {
    if (n.type !== 'wait' || n.application !== undefined) return []
    const { group, kind, version, namespace = n.home, name } = n.target
    const resource = n.called === undefined ? find(group, kind, version) : named(n.called)
    const place = resource?.namespaced ? namespace : undefined
    return namedRead(resource, place, name === '' ? undefined : name)
  })
}

function applicationRights(input: RightsInput): NeededRight[] {
  if (input.module.spec.render?.clusterGroup?.applications !== 'Modules') return []
  const resource = { group: GROUP, plural: moduleKind.plural }
  const ref = { namespace: namespaceOf(input) }
  return by('applications', resourceRights({ resource, ref }, ['create', 'patch', 'delete']))
}
