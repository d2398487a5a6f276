/** The graph of units: edges are kept per module and opened per cluster. */

/** A Module or BootstrapModule of one namespace; or, with `owner`, what somebody else has delivered. */
export interface ModuleRef {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** RemoteAssemblage of somebody else in which its record is; its kind means something to them only. */
  readonly owner?: string
}

/** An object on a cluster, as manifests name it. */
export interface DependencyObjectRef {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

/** An edge of `spec.dependsOn` to a module. */
export interface ModuleEdge {
  readonly id: string
  readonly to: ModuleRef
  /** Name of the ClusterResourceSet that the edge names, whose Module `to` is. */
  readonly set?: string
  /** The cluster whose unit is meant, where it is said. */
  readonly cluster?: string
  /** All waves of its bundle before this one have to be done there; absent: all of it. */
  readonly beforeWave?: number
  readonly release: 'Same' | 'Any'
  readonly optional: boolean
}

/** An edge of `spec.dependsOn` to an object on the unit's own cluster. */
export interface ObjectEdge {
  readonly id: string
  readonly object: DependencyObjectRef
  /** CEL; absent: the health of its kind. */
  readonly readyExpr?: string
  readonly optional: boolean
}

export type DependencyEdge = ModuleEdge | ObjectEdge

export const isModuleEdge = (e: DependencyEdge): e is ModuleEdge => 'to' in e

export const moduleEdges = (edges: readonly DependencyEdge[]): ModuleEdge[] => edges.filter(isModuleEdge)

/** Those that ask for no more than the waves before one. */
export const waveEdges = (
  edges: readonly DependencyEdge[],
): (ModuleEdge & { readonly beforeWave: number })[] =>
  moduleEdges(edges).flatMap((e) => {
    const { beforeWave } = e
    return beforeWave === undefined ? [] : [{ ...e, beforeWave }]
  })

export const objectEdges = (edges: readonly DependencyEdge[]): ObjectEdge[] =>
  edges.filter((e): e is ObjectEdge => !isModuleEdge(e))

/** `Module/cert-manager`: as messages name it, within a namespace. */
export const moduleText = (m: ModuleRef): string => `${m.kind}/${m.name}`

/** `cert-manager`, `ClusterResourceSet calico`: as whoever has written the edge knows it. */
export const dependencyName = ({ to, set }: Pick<ModuleEdge, 'to' | 'set'>): string =>
  set === undefined ? to.name : `ClusterResourceSet ${set}`

/** `Module/platform/cert-manager`: unique on the hub. */
export const moduleId = (m: ModuleRef): string =>
  `${m.kind}/${m.namespace}/${m.name}${m.owner === undefined ? '' : `/${m.owner}`}`

/** The other way round. */
export function refOfId(id: string): ModuleRef {
  const [kind, namespace, name, owner] = id.split('/') as [string, string, string, string?]
  return { kind, namespace, name, ...(owner === undefined ? {} : { owner }) }
}

/** `Deployment apps/web`: as messages name it. */
export const objectText = (o: Pick<DependencyObjectRef, 'kind' | 'namespace' | 'name'>): string =>
  `${o.kind} ${o.namespace === undefined ? '' : `${o.namespace}/`}${o.name}`

/** Unique on a cluster. */
export const objectId = (o: DependencyObjectRef): string => `${o.apiVersion}/${objectText(o)}`
