/** Where an Application finds its content, as a source of a Module has it. Pure. */
import type { ModuleSpecGiven } from '../../../api/kinds/index.ts'

type GivenSource = ModuleSpecGiven['source']
export type GitGiven = NonNullable<GivenSource['git']>
type GivenRef = GitGiven['ref']

export interface GitReference {
  readonly ref: GivenRef
  /** It may be meant otherwise: what to write then. */
  readonly doubt?: string
}

const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})$/
const RANGE = /[\^~<>=|*]|\s-\s|^v?\d+(\.\d+)?\.x$/i
const VERSION = /^v?\d+\.\d+\.\d+([-+].*)?$/

/**
 * As Argo CD reads `targetRevision`, which asks the server what it is: here a name with three numbers is a tag, and any other one a
 * branch.
 */
export function gitReferenceOf(targetRevision: string, like: GitGiven | undefined): GitReference {
  if (targetRevision === '' || targetRevision === 'HEAD') return { ref: { name: 'HEAD' } }
  if (COMMIT.test(targetRevision)) return { ref: { commit: targetRevision } }
  if (targetRevision.startsWith('refs/')) return { ref: { name: targetRevision } }
  if (RANGE.test(targetRevision)) return { ref: { semver: targetRevision } }
  // What the cluster group itself is read from says which of them it is.
  for (const kind of ['branch', 'tag'] as const)
    if (like?.ref[kind] === targetRevision) return { ref: { [kind]: targetRevision } }
  return VERSION.test(targetRevision)
    ? { ref: { tag: targetRevision }, doubt: `a tag; write refs/heads/${targetRevision} if it is a branch` }
    : { ref: { branch: targetRevision }, doubt: `a branch; write refs/tags/${targetRevision} if it is a tag` }
}

/** `git@host:path` has a scheme of its own in a Module. */
export function gitUrl(repoURL: string): string {
  const short = /^([\w.-]+@[\w.-]+):(?!\/\/)(.+)$/.exec(repoURL)
  return short ? `ssh://${short[1]}/${short[2]!.replace(/^\/+/, '')}` : repoURL
}

const plainUrl = (url: string): string => gitUrl(url).replace(/\.git$|\/+$/g, '')

/** The same repository, with or without `.git`: then with the same credentials. */
export const isSameRepository = (a: string, b: string): boolean => plainUrl(a) === plainUrl(b)

/** Of a chart: without a scheme it is a registry (argo-cd `docs/user-guide/helm.md`). */
export const chartRepository = (repoURL: string): string =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(repoURL) ? repoURL : `oci://${repoURL}`
