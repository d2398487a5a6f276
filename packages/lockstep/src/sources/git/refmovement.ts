/** What a reference was when it was published, and what it is now. Pure. */
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { compareVersions, parseVersion } from '../intake/semverrange.ts'
import type { GitRef } from './gitref.ts'

export interface RefMovement {
  /**
   * TagMoved: a name that should stay is another commit. ResolvedOlder: a range gives less than is published. CommitNotOnRef:
   * a commit was asked for by its id alone.
   */
  readonly reason: 'TagMoved' | 'ResolvedOlder' | 'CommitNotOnRef'
  readonly message: string
  /** The warning of ResolvedOlder. */
  readonly warning?: NewBlocker
}

/** `before` and `after` as `revisionText` writes them, both of this reference. */
export function refMovementOf(ref: GitRef, before: string, after: string): RefMovement | undefined {
  const [was, is] = [partsOf(before), partsOf(after)]
  if (ref.tag !== undefined && was.label === ref.tag && is.label === ref.tag && was.id !== is.id)
    return { reason: 'TagMoved', message: `${ref.tag} was ${was.id}, is ${is.id}` }
  if (ref.semver === undefined) return undefined
  const prefix = ref.tagPrefix ?? ''
  const published = parseVersion(was.label.slice(prefix.length))
  const found = parseVersion(is.label.slice(prefix.length))
  if (!published || !found || compareVersions(found, published) >= 0) return undefined
  return resolvedOlder(ref.semver, is.label, was.label, 'spec.source.git.ref.tag')
}

/** A range that resolves to an older version than the published one. */
export function resolvedOlder(range: string, found: string, published: string, setting: string): RefMovement {
  const warning = blocked('ResolvedOlder', [], { range, found, published, setting })
  return { reason: 'ResolvedOlder', message: warning.message, warning }
}

/**
 * Servers keep the commits of forks with those of the repository, and give anybody's by id. Whether a branch has it could
 * only be told from all history of all of them: that is looked at where one is named.
 */
export function unvouched(ref: GitRef): RefMovement | undefined {
  const isAlone = [ref.branch, ref.tag, ref.semver, ref.name].every((name) => name === undefined)
  if (ref.commit === undefined || !isAlone) return undefined
  const message = `no branch or tag contains commit ${ref.commit}, which may be from a fork; to check it, set spec.source.git.ref.branch too`
  return { reason: 'CommitNotOnRef', message }
}

/** `v2.0.0@sha1:9b1c…` */
export function partsOf(text: string): { readonly label: string; readonly id: string } {
  const end = text.lastIndexOf('@')
  const id = text.slice(end + 1)
  return { label: text.slice(0, Math.max(0, end)), id: id.slice(id.indexOf(':') + 1) }
}
