/** Field managers of other tools, as in `managedFields`. */

/** The server's name for who wrote an object before anybody applied it (apimachinery `managedfields`). */
export const BEFORE_FIRST_APPLY = 'before-first-apply'

/** Managers of tools whose labels on objects are known. */
export const TOOL_MANAGERS = [
  'helm',
  'argocd-controller',
  'kustomize-controller',
  'helm-controller',
  'kapp',
] as const

/** Default managers for adoptions. */
export const ADOPT_FROM = ['kubectl-client-side-apply', 'kubectl', BEFORE_FIRST_APPLY, ...TOOL_MANAGERS]

/**
 * Names that many programs write under, since it is that of their binary: Cluster API's controllers, and most operators
 * that were made by the same scaffold. Which of their fields are whose, only a manifest says.
 */
export const SHARED_MANAGERS: readonly string[] = ['manager']
