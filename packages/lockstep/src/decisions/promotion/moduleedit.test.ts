import { describe, expect, it } from 'vitest'
import type { PromotionStatus } from '../../api/kinds/promotion/status.ts'
import {
  afterModules,
  type ModuleFound,
  type ModuleObservation,
  type ModuleSource,
  moduleEdit,
} from './moduleedit.ts'
import { HELD, newer, promotion } from './promotion.cases.ts'

const [ONE, TWO] = ['1'.repeat(40), '2'.repeat(40)]
const TO = { revision: `v2.0.0@sha1:${TWO}`, release: undefined }

const module = (source: object, o: Partial<ModuleObservation> = {}): ModuleObservation => ({
  namespace: 'prod',
  name: 'podinfo',
  uid: 'u1',
  release: undefined,
  promotion: undefined,
  source: source as ModuleSource,
  ...o,
})
const git = (ref: object) => ({ git: { ref } })

describe('the version field of a Module', () => {
  const edit = (source: object, to: { revision: string; release?: string } = TO, release?: string) =>
    moduleEdit(module(source, { release }), { release: undefined, ...to })
  const spec = (...args: Parameters<typeof edit>) => {
    const done = edit(...args)
    return done.ok ? done.value.spec : done.error.message
  }
  const ref = (to: object) => ({ source: { git: { ref: to } } })

  it.each<[string, object, string, object]>([
    ['a tag is what stands before the @', { tag: 'v1.0.0' }, TO.revision, { tag: 'v2.0.0' }],
    ['or what people ask for', { tag: 'v1.0.0' }, 'v2.0.0', { tag: 'v2.0.0' }],
    ['with @ in it', { tag: 'a@1' }, `a@2@sha1:${TWO}`, { tag: 'a@2' }],
    ['a pin moves with its tag', { tag: 'v1.0.0', commit: ONE }, TO.revision, { tag: 'v2.0.0', commit: TWO }],
    ['a commit', { commit: ONE }, TO.revision, { commit: TWO }],
    ['a commit without any name', { commit: ONE }, `sha1:${TWO}`, { commit: TWO }],
  ])('%s', (_, from, revision, to) => {
    expect(spec(git(from), { revision })).toEqual(ref(to))
  })

  it.each<[object, string, string]>([
    [
      { semver: '^1.2' },
      TO.revision,
      'source.git.ref.semver follows ^1.2; set one version in source.git.ref.tag',
    ],
    [
      { branch: 'main' },
      TO.revision,
      'source.git.ref.branch follows main; set one version in source.git.ref.tag',
    ],
    [
      { branch: 'main', commit: ONE },
      TO.revision,
      'source.git.ref.branch follows main; set one version in source.git.ref.tag',
    ],
    [
      { name: 'refs/pull/7/head' },
      TO.revision,
      'source.git.ref.name follows refs/pull/7/head; set one version in source.git.ref.tag',
    ],
    [{ commit: ONE }, 'v2.0.0', 'source.git.ref.commit needs a value that v2.0.0 does not have'],
    [{ tag: 'v1' }, `sha1:${TWO}`, `source.git.ref.tag needs a value that sha1:${TWO} does not have`],
    [
      { tag: 'v1', commit: ONE },
      'v2.0.0',
      'source.git.ref.commit pins the version, and v2.0.0 has no digest; remove source.git.ref.commit, or promote the whole revision',
    ],
  ])('%j has none for %s', (from, revision, why) => {
    expect(spec(git(from), { revision })).toBe(`Module prod/podinfo: ${why}`)
  })

  const hex = (digit: string) => `sha256:${digit.repeat(64)}`

  it.each<[string, object, string, object]>([
    ['a version of a chart', { version: '1.2.3' }, `1.3.0@${hex('b')}`, { version: '1.3.0' }],
    ['as people ask for it', { version: 'v1.2.3+b.1' }, '1.3.0-rc.1', { version: '1.3.0-rc.1' }],
    [
      'its digest moves with it',
      { version: '1.2.3', digest: hex('a') },
      `1.3.0@${hex('b')}`,
      { version: '1.3.0', digest: hex('b') },
    ],
  ])('%s', (_, from, revision, to) => {
    expect(spec({ helm: from }, { revision })).toEqual({ source: { helm: to } })
  })

  it.each<[object, string, string]>([
    [
      { version: '^1.2' },
      '1.3.0',
      'source.helm.version follows ^1.2; set one version in source.helm.version',
    ],
    [{ version: '1.2.3' }, hex('b'), `source.helm.version needs a value that ${hex('b')} does not have`],
    [
      { version: '1.2.3', digest: hex('a') },
      '1.3.0',
      'source.helm.digest pins the version, and 1.3.0 has no digest; remove source.helm.digest, or promote the whole revision',
    ],
  ])('%j of a chart has none for %s', (from, revision, why) => {
    expect(spec({ helm: from }, { revision })).toBe(`Module prod/podinfo: ${why}`)
  })

  it('the release follows where both sides have one', () => {
    const to = { ...TO, release: '2026.11' }
    expect(spec(git({ tag: 'v1.0.0' }), to, '2026.10')).toEqual({
      ...ref({ tag: 'v2.0.0' }),
      release: '2026.11',
    })
    expect(spec(git({ tag: 'v1.0.0' }), to)).toEqual(ref({ tag: 'v2.0.0' }))
    expect(spec(git({ tag: 'v1.0.0' }), TO, '2026.10')).toEqual(ref({ tag: 'v2.0.0' }))
    expect(edit(git({ tag: 'v1.0.0' }), to, '2026.10')).toMatchObject({
      value: { from: 'v1.0.0, release 2026.10', to: 'v2.0.0, release 2026.11', isThere: false },
    })
    expect(edit(git({ tag: 'v2.0.0' }), to, '2026.11')).toMatchObject({ value: { isThere: true } })
  })

  it('manifests of the hub have only the release', () => {
    const to = { revision: 'configMaps@sha256:ab', release: '2026.11' }
    expect(spec({ configMaps: [{ name: 'a' }] }, to, '2026.10')).toEqual({ release: '2026.11' })
    expect(spec({ inline: { objects: [] } }, to)).toBe(
      'Module prod/podinfo: its source has no version, and no release to follow; set spec.release, or use pull-request',
    )
  })
})

describe('Modules as they are found', () => {
  const seen = (namespace: string, tag: string, o: Partial<ModuleObservation> = {}): ModuleFound => ({
    namespace,
    name: 'podinfo',
    module: module(git({ tag }), { namespace, uid: `uid-${namespace}`, ...o }),
  })
  const intent = {
    modules: ['a', 'b'].map((namespace) => ({
      namespace,
      name: 'podinfo',
      uid: `uid-${namespace}`,
      from: 'v1.0.0',
      to: 'v2.0.0',
    })),
  }
  const settings = { strategy: 'module' }
  const view = (phase: 'Prepared' | 'Applying', status: PromotionStatus = {}) =>
    promotion(phase, { intent, ...status }, settings, { id: { revision: TO.revision } })
  const { key } = view('Prepared')
  const after = (found: readonly ModuleFound[], o: object = {}) =>
    afterModules({
      promotion: view('Applying'),
      newer: undefined,
      wanted: TO,
      found,
      held: undefined,
      nowMs: 0,
      ...o,
    })

  it('nothing is written before the phase for it is stored', () => {
    const found = [seen('a', 'v1.0.0'), seen('b', 'v1.0.0')]
    expect(after(found, { promotion: view('Prepared') })).toEqual({ type: 'Phase', to: 'Applying' })
    expect(after(found)).toEqual({ type: 'Effect', effect: { type: 'ApplyModules' } })
  })

  it('X5: one of two is written: the other one follows, also when there is a newer revision', () => {
    const found = [seen('a', 'v2.0.0', { promotion: key }), seen('b', 'v1.0.0')]
    expect(after(found)).toMatchObject({ type: 'Effect' })
    expect(after(found, { newer })).toMatchObject({ type: 'Effect' })
    const both = [seen('a', 'v2.0.0', { promotion: key }), seen('b', 'v2.0.0', { promotion: key })]
    expect(after(both)).toEqual({ type: 'Phase', to: 'Converging', result: { modules: 2 } })
  })

  it('what somebody else has written counts as done, and is not ours', () => {
    const found = [seen('a', 'v2.0.0'), seen('b', 'v2.0.0')]
    expect(after(found)).toMatchObject({ to: 'Converging', result: { alreadyAtRevision: true } })
  })

  it('before anything is written a newer revision takes its place', () => {
    const found = [seen('a', 'v1.0.0'), seen('b', 'v1.0.0')]
    expect(after(found, { newer })).toMatchObject({ to: 'Superseded', reason: 'NewerRevision' })
  })

  it('before anything is written a Hold or a window keeps it from that; what has begun is brought to its end', () => {
    const found = [seen('a', 'v1.0.0'), seen('b', 'v1.0.0')]
    expect(after(found, { held: HELD })).toEqual({
      type: 'Wait',
      blockers: [HELD.blocker],
      untilMs: 60_000,
    })
    const begun = [seen('a', 'v2.0.0', { promotion: key }), seen('b', 'v1.0.0')]
    expect(after(begun, { held: HELD })).toMatchObject({ type: 'Effect' })
  })

  it('X6: written, and then taken back: it is not done again', () => {
    const found = [seen('a', 'v1.0.0', { promotion: key }), seen('b', 'v1.0.0')]
    expect(after(found)).toMatchObject({
      to: 'Failed',
      reason: 'RevertedInGit',
      message:
        'v2.0.0@sha1:2222222222222222222222222222222222222222 was reverted in Module a/podinfo; it is not promoted again',
    })
  })

  it('a Module that was made anew, or is gone, is no part of what was stored', () => {
    const anew = [seen('a', 'v1.0.0', { uid: 'other' }), seen('b', 'v1.0.0')]
    expect(after(anew)).toEqual({ type: 'Rebuild', previous: undefined, isBegun: false })
    const gone = [{ namespace: 'a', name: 'podinfo', module: undefined }, seen('b', 'v1.0.0')]
    expect(after(gone)).toEqual({ type: 'Rebuild', previous: undefined, isBegun: false })
    const begun = [seen('a', 'v2.0.0', { promotion: key }), seen('b', 'v1.0.0', { uid: 'other' })]
    expect(after(begun, { held: HELD })).toMatchObject({ type: 'Rebuild', isBegun: true })
    expect(after(anew, { held: HELD })).toMatchObject({ type: 'Wait' })
  })
})
