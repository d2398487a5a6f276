/** Labels, annotations, finalizers, managers: every name that Lockstep puts on an object. */
export const LABELS_PREFIX = 'lockstep.dev'

/** On every applied object: the unit that owns it. */
export const UNIT_LABEL = `${LABELS_PREFIX}/unit`
/** On every applied object: uid of its Inventory. */
export const INVENTORY_ANNOTATION = `${LABELS_PREFIX}/inventory`
/** On an object that an intent announced: the intent's nonce. */
export const NONCE_ANNOTATION = `${LABELS_PREFIX}/nonce`
/** On a RemoteAssemblage and its Inventories: who else keeps it. Modules never write there. */
export const MANAGED_BY_LABEL = `${LABELS_PREFIX}/managed-by`
/** On a kubeconfig Secret: it is a cluster. */
export const CLUSTER_LABEL = `${LABELS_PREFIX}/cluster`
/** On a cluster Secret: the controller renews its token, and asks for a life of this duration. */
export const RENEW_ANNOTATION = `${LABELS_PREFIX}/renew`
/** On a cluster object: Lockstep writes nothing there while it is "true". */
export const PAUSED_ANNOTATION = `${LABELS_PREFIX}/paused`
/** On an Inventory or RemoteAssemblage whose cluster is gone: since when. */
export const ORPHANED_ANNOTATION = `${LABELS_PREFIX}/orphaned-since`
/** On a terminating Module: unreachable clusters whose objects are orphaned; separated by commas. */
export const ORPHAN_ANNOTATION = `${LABELS_PREFIX}/orphan`
/** On a RemoteAssemblage: the `kube-system` uid of the cluster that a person has accepted under its name. */
export const ACCEPT_ANNOTATION = `${LABELS_PREFIX}/accept`
export const BUNDLE_LABEL = `${LABELS_PREFIX}/bundle`
export const BUNDLE_DIGEST_ANNOTATION = `${LABELS_PREFIX}/bundle-digest`
export const BUNDLE_SECRET_TYPE = `${LABELS_PREFIX}/bundle`

/** On a module: another value, such as the time, has its source asked at once. */
export const RECONCILE_ANNOTATION = `${LABELS_PREFIX}/reconcile`

/** On a Module: another value, such as the time, requests new digests after the loss of their keys. */
export const REHASH_ANNOTATION = `${LABELS_PREFIX}/rehash`

/** On the Secret with the keys of digests: another value has a new key made. */
export const ROTATE_ANNOTATION = `${LABELS_PREFIX}/rotate`
/** On it: the request that has been answered. */
export const ROTATED_ANNOTATION = `${LABELS_PREFIX}/rotated`
/** On what nothing refers to any more: since when. Removed an hour later, unless something refers to it again. */
export const UNREFERENCED_ANNOTATION = `${LABELS_PREFIX}/unreferenced-since`

/**
 * On a Module: another value, such as the time, retries failures, so that a halted rollout resumes. With
 * names of clusters behind it, what failed there.
 */
export const RETRY_ANNOTATION = `${LABELS_PREFIX}/retry`

/** On a Module: the `metadata.generation` for which more units may be removed at once than is allowed otherwise. */
export const ALLOW_REMOVAL_ANNOTATION = `${LABELS_PREFIX}/allow-removal`

/** On an Inventory: `Failed` or `All` hooks of its content run again. Taken off once that is written down. */
export const RETRY_HOOKS_ANNOTATION = `${LABELS_PREFIX}/retry-hooks`

/** On an Inventory: a dependency was rolled back, so earlier decisions must be repeated. */
export const PASSED_ANNOTATION = `${LABELS_PREFIX}/dependency-goes-back`

/** On the stamp of a cluster: the ConfigMap with the last admission of a unit. */
export const STAMP_LABEL = `${LABELS_PREFIX}/stamp`

/** On what got another name for a release: what its author calls it. */
export const BASE_NAME_ANNOTATION = `${LABELS_PREFIX}/base-name`
/** On a unit of Flux that only checks: it owns nothing that would suffer from another name. */
export const CHECKPOINT_LABEL = `${LABELS_PREFIX}/checkpoint`

export const MODULE_FINALIZER = `${LABELS_PREFIX}/module`
export const ASSEMBLAGE_FINALIZER = `${LABELS_PREFIX}/assemblage`
/** On Pipelines and Promotions whose pull requests are closed before their deletion. */
export const PULL_REQUESTS_FINALIZER = `${LABELS_PREFIX}/pull-requests`
export const INVENTORY_FINALIZER = `${LABELS_PREFIX}/inventory`
/** On the object of a hook: it stays until its result is recorded. */
export const HOOK_FINALIZER = `${LABELS_PREFIX}/hook`

/** Field manager of controllers and executor. */
export const MANAGER = 'lockstep'
export const CLI_MANAGER = 'lockstep-cli'

export const SYSTEM_NAMESPACE = 'lockstep-system'

/** On a ControllerRevision: when it was published, in microseconds. Releases are ordered by it. */
export const PUBLISHED_ANNOTATION = `${LABELS_PREFIX}/published-at`
/** On a ControllerRevision: the field manager that changed the spec; omitted if only sources changed, or if unknown. */
export const PUBLISHED_BY_ANNOTATION = `${LABELS_PREFIX}/published-by`

/** On a ControllerRevision: what its last rollout came to, and when it was complete. */
export const OUTCOME_ANNOTATION = `${LABELS_PREFIX}/outcome`
export const OUTCOME_CLUSTERS_ANNOTATION = `${LABELS_PREFIX}/outcome-clusters`
export const COMPLETED_ANNOTATION = `${LABELS_PREFIX}/completed-at`

/** On a ControllerRevision: `<m or b>.<name>` of its module. */
export const MODULE_LABEL = `${LABELS_PREFIX}/module`

/** On RemoteAssemblages and Inventories: `0` to `255`, the share of the fleet that their cluster is in. */
export const BUCKET_LABEL = `${LABELS_PREFIX}/bucket`

/** On a Hold that Lockstep created: the next request for a promotion deletes it. */
export const AUTOMATIC_LABEL = 'lockstep.dev/automatic'

/** ServiceAccount of a ClusterResourceSet, in its namespace; other kinds have `spec.serviceAccountName`. */
export const SERVICE_ACCOUNT_ANNOTATION = `${LABELS_PREFIX}/service-account`

/** Namespaces that are deleted only with `CONFIRM_DELETION_ANNOTATION`. */
export const PROTECTED_LABEL = `${LABELS_PREFIX}/protected`

/** uid of the object: its deletion, which removes Modules from clusters, is meant. */
export const CONFIRM_DELETION_ANNOTATION = `${LABELS_PREFIX}/confirm-deletion`

/** On a CustomResourceDefinition: the number of its schema. A controller needs at least the number of its own version. */
export const SCHEMA_ANNOTATION = `${LABELS_PREFIX}/schema`

/** Secret in `SYSTEM_NAMESPACE` with the keys of digests over Secrets. */
export const KEY_SECRET = 'lockstep-hmac'
