import type { ServedResource } from '@lockstep/kube/client'

/** What a cluster serves: `version` undefined is the group's preferred one. */
export interface ServedKinds {
  served(group: string, kind: string, version?: string): ServedResource | undefined
}

/** Through which resource an object is found that was delivered in some version: in that one, or in the preferred. */
export const servedAs = (
  cluster: ServedKinds,
  o: { readonly group: string; readonly kind: string; readonly version?: string | undefined },
): ServedResource | undefined => cluster.served(o.group, o.kind, o.version) ?? cluster.served(o.group, o.kind)

/** Kinds of a list of resources. */
export const servedKindsOf = (resources: readonly ServedResource[]): ServedKinds => ({
  served: (group, kind, version) =>
    resources.find(
      (r) =>
        r.group === group && r.kind === kind && (version === undefined ? r.preferred : r.version === version),
    ),
})
