import { describe, expect, it } from 'vitest'
import type { GitRef } from '../git/gitref.ts'
import type { SourceManifest } from '../intake/renderplain.ts'
import { atGroupCommit } from './groupcommit.ts'

const URL = 'https://git/p.git'
const COMMIT = '1'.repeat(40)

const application = (source: object): SourceManifest => ({
  origin: 'object 1',
  object: { apiVersion: 'lockstep.dev/v1alpha1', kind: 'Module', spec: { source } } as never,
  companion: true,
})
const sourceOf = ({ object }: SourceManifest): unknown =>
  (object as unknown as { spec: { source: object } }).spec.source
/** What is read at `ref` beside a group that is read at `group`. */
const read = (ref: GitRef, group: GitRef, picked: object = {}, url = URL): unknown => {
  const at = { git: { url: URL, ref: group, path: '.' }, picked: { commit: COMMIT, ...picked } }
  const found = atGroupCommit(application({ git: { url, ref, path: 'a' } }), at)
  return (sourceOf(found) as { git: { ref: object } }).git.ref
}

describe('an application of the reference of its group', () => {
  it.each<[GitRef, GitRef]>([
    [{ branch: 'main' }, { branch: 'main' }],
    [{ tag: 'v1' }, { tag: 'v1' }],
    [{ name: 'HEAD' }, { name: 'HEAD' }],
    // Two ways to write it.
    [{ name: 'refs/heads/main' }, { branch: 'main' }],
    // The group has a pin itself.
    [{ branch: 'main' }, { branch: 'main', commit: COMMIT }],
  ])('%j beside %j is at its commit', (ref, group) =>
    expect(read(ref, group)).toEqual({ ...ref, commit: COMMIT }),
  )
  it('that is a range is at the tag that it gave', () =>
    expect(read({ semver: '^1' }, { semver: '^1' }, { label: 'v1.2.0' })).toEqual({
      tag: 'v1.2.0',
      commit: COMMIT,
    }))
  it('has values files of that commit, too', () => {
    const git = { url: URL, ref: { branch: 'main' } }
    const chart = { repository: 'https://charts', chart: 'a', version: '1' }
    const found = atGroupCommit(application({ helm: chart, refs: [{ name: 'values', git }] }), {
      git: { ...git, path: '.' },
      picked: { commit: COMMIT },
    })
    const ref = { branch: 'main', commit: COMMIT }
    expect(sourceOf(found)).toEqual({ helm: chart, refs: [{ name: 'values', git: { url: URL, ref } }] })
  })
})

describe('an application of another place goes its own way', () => {
  it.each<[GitRef, GitRef, string?]>([
    [{ branch: 'main' }, { branch: 'stable' }],
    [{ tag: 'v1' }, { branch: 'v1' }],
    [{ semver: '^1' }, { semver: '^2' }],
    // Its tags have another name.
    [{ semver: '^1' }, { semver: '^1', tagPrefix: 'app-' }],
    [{ commit: '2'.repeat(40) }, { branch: 'main' }],
    [{ commit: COMMIT }, { commit: COMMIT }],
    [{ branch: 'main' }, { branch: 'main' }, 'https://git/q.git'],
  ])('%j beside %j', (ref, group, url) => expect(read(ref, group, {}, url)).toEqual(ref))
})
