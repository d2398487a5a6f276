/**
 * Applications that are read from the very reference of their group: at the commit that the group is published at, so that one commit
 * is one change of all of them, and comes with its group or not at all (ADR 0091). Pure.
 */
import type { GitSource } from '../../api/kinds/index.ts'
import type { Application } from '../../decisions/clustergroup/index.ts'
import { fullName, type GitRef, type ResolvedRef } from '../git/gitref.ts'
import type { SourceManifest } from '../intake/renderplain.ts'

/** Where a group is read, and which commit that was. */
export interface GroupCommit {
  readonly git: GitSource
  readonly picked: ResolvedRef
}

/** The same Module with pins. What is read from elsewhere goes its own way. */
export function atGroupCommit(manifest: SourceManifest, at: GroupCommit): SourceManifest {
  const { object } = manifest
  const { spec } = object as unknown as Pick<Application, 'spec'>
  const { git, refs } = spec.source
  const source = {
    ...spec.source,
    ...(git ? { git: atCommit(git, at) } : {}),
    ...(refs ? { refs: refs.map((r) => ({ ...r, git: atCommit(r.git, at) })) } : {}),
  }
  return { ...manifest, object: { ...object, spec: { ...spec, source } } as typeof object }
}

/** URLs of the group's own repository are written as the group writes them. */
function atCommit<Git extends { readonly url: string; readonly ref: GitRef }>(
  git: Git,
  at: GroupCommit,
): Git {
  if (git.url !== at.git.url || !isSameRef(git.ref, at.git.ref)) return git
  const { commit, label } = at.picked
  // A range takes no commit beside it: the tag that it gave does.
  return { ...git, ref: git.ref.semver === undefined ? { ...git.ref, commit } : { tag: label, commit } }
}

/** A lone commit is one already. */
function isSameRef(one: GitRef, other: GitRef): boolean {
  if (one.semver !== undefined) return one.semver === other.semver && one.tagPrefix === other.tagPrefix
  const name = fullName(one)
  return name !== undefined && name === fullName(other)
}
