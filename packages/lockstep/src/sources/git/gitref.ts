/** Which commit a reference means: from what the server lists. Pure. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { compareVersions, parseSemverRange, parseVersion, type SemverVersion } from '../intake/semverrange.ts'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'

/** `spec.source.git.ref`: exactly one of branch, tag, semver, name and a lone commit; a commit beside one is a pin. */
export interface GitRef {
  readonly branch?: string | undefined
  readonly tag?: string | undefined
  readonly semver?: string | undefined
  readonly tagPrefix?: string | undefined
  readonly name?: string | undefined
  readonly commit?: string | undefined
}

/** A line of `git ls-remote`. */
export interface RemoteRef {
  readonly name: string
  readonly id: string
}

export interface ResolvedRef {
  /** Object id of the commit: 40 or 64 hex digits. */
  readonly commit: string
  /** What people call it: `v2.0.0`, `main`; absent for a lone commit. */
  readonly label?: string
  /** The full reference that gave it. */
  readonly refName?: string
  /** The commit is in the history of the reference, not what it is now. */
  readonly behind?: true
  /** The version that a range gave. */
  readonly version?: string
}

const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})$/
const PEELED = '^{}'
/** Whichever that is. */
const DEFAULT_BRANCH = 'HEAD'

/** What is wrong with the reference by itself: found before anything is asked of a server. */
export function refProblem(ref: GitRef): string | undefined {
  const kinds = (['branch', 'tag', 'semver', 'name'] as const).filter((k) => ref[k] !== undefined)
  if (kinds.length > 1) return `at most one of branch, tag, semver and name; found ${kinds.join(', ')}`
  if (kinds.length === 0 && ref.commit === undefined)
    return 'must set one of branch, tag, semver, name and commit'
  if (ref.commit !== undefined && !COMMIT.test(ref.commit))
    return `commit: "${ref.commit}" has ${ref.commit.length} characters; write all 40 or 64 hex digits`
  if (ref.semver !== undefined && ref.commit !== undefined) return 'commit must not be set with semver'
  if (ref.tagPrefix !== undefined && ref.semver === undefined) return 'tagPrefix requires semver'
  if (ref.semver !== undefined && !parseSemverRange(ref.semver))
    return `semver: "${ref.semver}" is not a range; write ^1.2, ~1.2.3, >=1.2 <2 or 1.x`
  if (ref.name !== undefined && ref.name !== DEFAULT_BRANCH && !ref.name.startsWith('refs/'))
    return `name: "${ref.name}" is not whole; write refs/heads/…, refs/tags/… or refs/pull/…, or HEAD`
  for (const k of ['branch', 'tag', 'name'] as const) {
    const value = ref[k]
    if (value !== undefined && !isRefName(value)) return `${k}: "${value}" is not a reference name`
  }
  return undefined
}

/** The rules of `git check-ref-format`, as far as a name can hurt. */
function isRefName(name: string): boolean {
  const hasBad = /[\s~^:?*[\\]|\.\.|@\{|\/\/|\.lock(\/|$)|^[-/]|[./]$|(^|\/)\./.test(name)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is refused
  return name !== '' && !hasBad && !/[\u0000-\u001f\u007f]/.test(name)
}

/** What to ask the server for. Empty: nothing; the commit is named. */
export function patternsOf(ref: GitRef): string[] {
  const full = fullName(ref)
  if (full !== undefined) return [full, `${full}${PEELED}`]
  return ref.semver === undefined ? [] : ['refs/tags/*']
}

/** It moves on by itself: a commit beside it has to be in its history. A tag, and all else, has to be that commit. */
export function isBranch(refName: string | undefined): boolean {
  return refName === DEFAULT_BRANCH || refName?.startsWith('refs/heads/') === true
}

/** The one full reference that is meant, where it is one. */
export function fullName(ref: GitRef): string | undefined {
  if (ref.branch !== undefined) return `refs/heads/${ref.branch}`
  if (ref.tag !== undefined) return `refs/tags/${ref.tag}`
  return ref.name
}

/** `<id>\t<name>` lines; others (`ref: …` of --symref) are left out. */
export function parseRemoteRefs(text: string): RemoteRef[] {
  const out: RemoteRef[] = []
  for (const line of text.split('\n')) {
    const [id, name] = line.split('\t')
    if (id !== undefined && name !== undefined && COMMIT.test(id)) out.push({ id, name })
  }
  return out
}

/** `place` is for messages. A branch's pin that it is `behind` is checked by whoever has its history. */
export function resolveRef(
  ref: GitRef,
  refs: readonly RemoteRef[],
  place: string,
): Result<ResolvedRef, SourceFailure> {
  if (ref.semver !== undefined) return pickVersion(ref, refs, place)
  const full = fullName(ref)
  if (full === undefined) return ok({ commit: ref.commit! })
  const found = refs.find((r) => r.name === `${full}${PEELED}`) ?? refs.find((r) => r.name === full)
  const kind = ref.branch !== undefined ? 'branch' : ref.tag !== undefined ? 'tag' : 'reference'
  const label = ref.branch ?? ref.tag ?? full
  if (!found) return err(fault('RefNotFound', { place, because: 'NoRef', kind, name: label }))
  if (ref.commit !== undefined && !isBranch(full) && ref.commit !== found.id)
    return err(fault('RefMoved', { place, kind, name: label, found: found.id, pinned: ref.commit }))
  const pin = ref.commit === found.id ? undefined : ref.commit
  const at = pin === undefined ? { commit: found.id } : ({ commit: pin, behind: true } as const)
  return ok({ ...at, label, refName: full })
}

/** Tags that are no versions are passed over: one odd tag must not break the rest (source-controller #1066). */
function pickVersion(
  ref: GitRef,
  refs: readonly RemoteRef[],
  place: string,
): Result<ResolvedRef, SourceFailure> {
  const range = parseSemverRange(ref.semver!)!
  const prefix = `refs/tags/${ref.tagPrefix ?? ''}`
  const commits = new Map<string, string>()
  for (const r of refs) {
    const isPeeled = r.name.endsWith(PEELED)
    const name = isPeeled ? r.name.slice(0, -PEELED.length) : r.name
    if (name.startsWith(prefix) && (isPeeled || !commits.has(name))) commits.set(name, r.id)
  }
  let best: { name: string; version: SemverVersion } | undefined
  for (const name of commits.keys()) {
    const version = parseVersion(name.slice(prefix.length))
    if (!version || !range.includes(version)) continue
    const order = best ? compareVersions(version, best.version) : 1
    // Versions of equal precedence (build metadata): by bytes, so that it does not depend on when somebody pushed.
    if (order > 0 || (order === 0 && name > best!.name)) best = { name, version }
  }
  if (!best) {
    const range = { range: ref.semver!, prefix: ref.tagPrefix || undefined, count: commits.size }
    return err(fault('RefNotFound', { place, because: 'NoTag', ...range }))
  }
  return ok({
    commit: commits.get(best.name)!,
    label: best.name.slice('refs/tags/'.length),
    refName: best.name,
    version: best.version.text,
  })
}

/** `v2.0.0@sha1:9b1c…`, `sha1:9b1c…`: what a status shows. */
export function revisionText(p: ResolvedRef): string {
  const id = `${p.commit.length === 64 ? 'sha256' : 'sha1'}:${p.commit}`
  return p.label === undefined ? id : `${p.label}@${id}`
}
