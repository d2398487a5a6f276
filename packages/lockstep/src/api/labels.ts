/** Labels, annotations, finalizers, managers: every name that Lockstep puts on an object. */
export const PREFIX = 'lockstep.dev'

/** On every applied object: the unit that owns it. */
export const UNIT_LABEL = `${PREFIX}/unit`
/** On every applied object: uid of its Inventory. */
export const INVENTORY_ANNOTATION = `${PREFIX}/inventory`
/** On an object that an intent announced: the intent's nonce. */
export const NONCE_ANNOTATION = `${PREFIX}/nonce`
/** On a RemoteAssemblage and its Inventories: who else keeps it. Modules never write there. */
export const MANAGED_BY_LABEL = `${PREFIX}/managed-by`
/** On a kubeconfig Secret: it is a cluster. */
export const CLUSTER_LABEL = `${PREFIX}/cluster`
/** On a cluster object: Lockstep writes nothing there while it is "true". */
export const PAUSED_ANNOTATION = `${PREFIX}/paused`
/** On an Inventory or RemoteAssemblage whose cluster is gone: since when. */
export const ORPHANED_ANNOTATION = `${PREFIX}/orphaned-since`
/** On a module that is deleted: names of clusters that it leaves as they are, since they cannot be worked on; with commas. */
export const ORPHAN_ANNOTATION = `${PREFIX}/orphan`
/** On a RemoteAssemblage: the `kube-system` uid of the cluster that a person has accepted under its name. */
export const ACCEPT_ANNOTATION = `${PREFIX}/accept`
export const BUNDLE_LABEL = `${PREFIX}/bundle`
export const BUNDLE_DIGEST_ANNOTATION = `${PREFIX}/bundle-digest`
export const BUNDLE_SECRET_TYPE = `${PREFIX}/bundle`

/** On a module: another value, such as the time, has its source asked at once. */
export const RECONCILE_ANNOTATION = `${PREFIX}/reconcile`

/** On a module: another value, such as the time, gives up the keys that are lost and its digests name. */
export const REHASH_ANNOTATION = `${PREFIX}/rehash`

/** On the Secret with the keys of digests: another value has a new key made. */
export const ROTATE_ANNOTATION = `${PREFIX}/rotate`
/** On it: the request that has been answered. */
export const ROTATED_ANNOTATION = `${PREFIX}/rotated`
/** On what nothing refers to any more: since when. Removed an hour later, unless something refers to it again. */
export const UNREFERENCED_ANNOTATION = `${PREFIX}/unreferenced-since`

/**
 * On a module: another value, such as the time, has what failed tried again, so that a rollout that was halted goes on. With
 * names of clusters behind it, what failed there.
 */
export const RETRY_ANNOTATION = `${PREFIX}/retry`

/** On a module: the `metadata.generation` for which more clusters may leave at once than is allowed otherwise. */
export const ALLOW_REMOVAL_ANNOTATION = `${PREFIX}/allow-removal`

/** On an Inventory: `Failed` or `All` hooks of its content run again. Taken off once that is written down. */
export const RETRY_HOOKS_ANNOTATION = `${PREFIX}/retry-hooks`

/** On an Inventory: what it relies on has gone back; whoever decided about it before that decides again. */
export const PASSED_ANNOTATION = `${PREFIX}/dependency-goes-back`

/** On an Inventory: an assignment was taken back; an admission by it that is still under way loses its swap. */
export const WITHDRAWN_ANNOTATION = `${PREFIX}/assignment-withdrawn`

/** On the ConfigMap of a cluster that says what was last admitted there for a unit. */
export const STAMP_LABEL = `${PREFIX}/stamp`

/** On what got another name for a release: what its author calls it. */
export const BASE_NAME_ANNOTATION = `${PREFIX}/base-name`
/** On a unit of Flux that only checks: it owns nothing that would suffer from another name. */
export const CHECKPOINT_LABEL = `${PREFIX}/checkpoint`

export const MODULE_FINALIZER = `${PREFIX}/module`
export const ASSEMBLAGE_FINALIZER = `${PREFIX}/assemblage`
/** On Pipelines and Promotions whose pull requests are to be closed when they go. */
export const PULL_REQUESTS_FINALIZER = `${PREFIX}/pull-requests`
export const INVENTORY_FINALIZER = `${PREFIX}/inventory`
/** On what a hook runs as: it stays until its result is written down, whoever deletes it. */
export const HOOK_FINALIZER = `${PREFIX}/hook`

/** Field manager of controllers and executor. */
export const MANAGER = 'lockstep'
/** Field manager of one Module's record in assemblages. */
export const recordManager = (moduleUid: string): string => `lockstep-module-${moduleUid}`
export const CLI_MANAGER = 'lockstep-cli'

export const SYSTEM_NAMESPACE = 'lockstep-system'

/** On a ControllerRevision: when it was published, in microseconds. Releases are ordered by it. */
export const PUBLISHED_ANNOTATION = `${PREFIX}/published-at`
/** On it: the field manager that changed the spec; absent: what it is made of has changed, or nobody knows. */
export const PUBLISHED_BY_ANNOTATION = `${PREFIX}/published-by`

/** On a ControllerRevision: what its last rollout came to, and when it was complete. */
export const OUTCOME_ANNOTATION = `${PREFIX}/outcome`
export const OUTCOME_CLUSTERS_ANNOTATION = `${PREFIX}/outcome-clusters`
export const COMPLETED_ANNOTATION = `${PREFIX}/completed-at`

/** On a ControllerRevision: `<m or b>.<name>` of its module. */
export const MODULE_LABEL = `${PREFIX}/module`

/** On RemoteAssemblages and Inventories: `0` to `255`, the share of the fleet that their cluster is in. */
export const BUCKET_LABEL = `${PREFIX}/bucket`

/** Of a Hold that nobody has asked for: a request for a promotion takes it away. */
export const AUTOMATIC_LABEL = 'lockstep.dev/automatic'
