/** Which real cluster a name stands for: written down at first contact, and moved on only for a reason. Pure. */

export interface ClusterIdentity {
  /** uid of the `kube-system` namespace. */
  readonly uid: string
  /** uid of the object in the inventory; undefined: written down by a version that did not keep it. */
  readonly objectUid: string | undefined
}

/**
 * What is to be written down. `accepted`: a person has said that the cluster with this uid is the one that is meant. An
 * object that was deleted and made again stands for a new cluster; one that is still the same, and leads elsewhere, is a
 * mistake until somebody accepts it.
 */
export function nextClusterIdentity(
  known: ClusterIdentity | undefined,
  seen: { readonly uid: string; readonly objectUid: string },
  accepted: string | undefined,
): ClusterIdentity {
  if (!known || known.uid === seen.uid || accepted === seen.uid) return seen
  const isNew = known.objectUid !== undefined && known.objectUid !== seen.objectUid
  return isNew ? seen : known
}
