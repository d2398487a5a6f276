/** References of facts to units, Modules and objects. */
import { API_VERSION } from '../../api/apiversion.ts'
import type { WaitRefOf } from '../../api/reasons/index.ts'
import type { DependencyObjectRef, ModuleEdge } from './moduleref.ts'

/** API version by which facts refer to a ClusterResourceSet. */
export const SET_API_VERSION = 'addons.cluster.x-k8s.io/v1beta2'

/** The unit of an edge, as facts refer to it. */
export const unitRef = (edge: Pick<ModuleEdge, 'to' | 'set'>, cluster: string): WaitRefOf<'Unit'> => ({
  kind: 'Unit',
  ...moduleAddress(edge),
  cluster,
})

/** The Module of an edge, as facts refer to it. */
export const moduleWaitRef = (edge: Pick<ModuleEdge, 'to' | 'set'>): WaitRefOf<'Module'> => ({
  kind: 'Module',
  ...moduleAddress(edge),
})

/** An object on a cluster, as facts refer to it. */
export const objectRef = (
  { apiVersion, kind, namespace, name }: DependencyObjectRef,
  cluster: string | undefined,
): WaitRefOf<'Object'> => ({
  kind: 'Object',
  name,
  ...(namespace === undefined ? {} : { namespace }),
  ...(cluster === undefined ? {} : { cluster }),
  object: { apiVersion, kind },
})

/** A Module of the own namespace, by `Module/web`. */
export function namedModule(module: string): WaitRefOf<'Module'> {
  const [kind = '', name = ''] = module.split('/')
  return { kind: 'Module', name, ...(kind === 'Module' ? {} : { object: { apiVersion: API_VERSION, kind } }) }
}

/** The unit of such a Module on a cluster. */
export const namedUnit = (module: string, cluster: string): WaitRefOf<'Unit'> => {
  const { name, object } = namedModule(module)
  return { kind: 'Unit', name, cluster, ...(object ? { object } : {}) }
}

/** A ClusterResourceSet goes by its own name; its Module's name is derived from it. */
function moduleAddress({ to, set }: Pick<ModuleEdge, 'to' | 'set'>) {
  const kind = set === undefined ? to.kind : 'ClusterResourceSet'
  const apiVersion = set === undefined ? API_VERSION : SET_API_VERSION
  return {
    name: set ?? to.name,
    namespace: to.namespace,
    ...(to.owner === undefined ? {} : { group: to.owner }),
    ...(kind === 'Module' ? {} : { object: { apiVersion, kind } }),
  }
}
