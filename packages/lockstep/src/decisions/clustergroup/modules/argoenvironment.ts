/**
 * What Argo CD tells the build of an application: `$ARGOCD_APP_NAME` and so on in parameters and names of values files
 * (argo-cd `docs/user-guide/build-environment.md`; `util/env`, `Envsubst`). Here they are known before anything is fetched, but for
 * the revision. Pure.
 */
import { err, ok, type Result } from '@lockstep/kube/env'

export interface ArgoEnvironment {
  readonly name: string
  readonly namespace: string
  readonly project: string
  readonly repoURL: string
  readonly path: string
  readonly targetRevision: string
}

/** An error: a variable that is not known. `$$` is a dollar. */
export function substituteEnvironment(text: string, e: ArgoEnvironment): Result<string, string> {
  const known: Readonly<Record<string, string>> = {
    ARGOCD_APP_NAME: e.name,
    ARGOCD_APP_NAMESPACE: e.namespace,
    ARGOCD_APP_PROJECT_NAME: e.project,
    ARGOCD_APP_SOURCE_REPO_URL: e.repoURL,
    ARGOCD_APP_SOURCE_PATH: e.path,
    ARGOCD_APP_SOURCE_TARGET_REVISION: e.targetRevision,
  }
  let unknown: string | undefined
  const out = text.replace(/\$(?:(\$)|\{([^}]*)\}|([A-Za-z_]\w*))/g, (_, dollar, braced, plain) => {
    if (dollar !== undefined) return '$'
    const name: string = braced ?? plain
    const value = Object.hasOwn(known, name) ? known[name] : undefined
    if (value === undefined) unknown ??= name
    return value ?? ''
  })
  if (unknown === undefined) return ok(out)
  const names = Object.keys(known).join(', ')
  return err(`$${unknown} is not known to a Module; there are ${names}; write $$ for a dollar`)
}
