import { describe, expect, it } from 'vitest'
import { moduleSpec } from '../../../api/kinds/module/spec.ts'
import { applicationModuleName, applicationModules } from './applicationmodules.ts'

const CONTENT = { source: { git: { url: 'https://git/p', ref: { branch: 'main' } } } }
const app = (name: string, wave?: number) => ({
  name,
  wave: wave ?? 0,
  isPlaced: wave !== undefined,
  spec: CONTENT,
})
const parent = moduleSpec.parse({
  source: { none: {} },
  release: '2026.11',
  targets: { clusterSelector: { matchLabels: { hub: 'yes' } } },
  rollout: { maxUnavailable: '10%', stages: [{ name: 'canary', size: 1 }], strategy: 'Staged' },
})

describe('Modules of applications', () => {
  const all = [app('vault', 5), app('eso', -2), app('ui', 5), app('db', 0), app('late', 10), app('loose')]
  const made = applicationModules('edge', parent, all)
  const needsOf = (modules: typeof made) =>
    Object.fromEntries(
      modules.map((m) => [m.name, m.spec.dependsOn?.map((e) => `${e.id} ${e.beforeWave ?? 'all'}`)]),
    )

  it('wait for the waves of the group before their own, and for all applications of the one before', () =>
    expect(needsOf(made)).toMatchObject({
      'edge-eso': ['edge -2'],
      'edge-db': ['edge 0', 'edge-eso all'],
      'edge-vault': ['edge 5', 'edge-db all'],
      'edge-ui': ['edge 5', 'edge-db all'],
      'edge-late': ['edge 10', 'edge-vault all', 'edge-ui all'],
    }))
  it('in no wave wait for all of the group, and for those of waves before 0; nobody waits for them', () => {
    expect(needsOf(made)['edge-loose']).toEqual(['edge all', 'edge-eso all'])
    expect(Object.values(needsOf(made)).flat()).not.toContain('edge-loose all')
    const alone = applicationModules('edge', parent, [app('loose'), app('vault', 5)])
    expect(needsOf(alone)).toEqual({ 'edge-loose': ['edge all'], 'edge-vault': ['edge 5'] })
  })
  it('of a revision that does not tell who was put into a wave wait for all of the group', () => {
    const old = [app('vault', 5), app('db')].map(({ isPlaced: _, ...rest }) => rest)
    expect(needsOf(applicationModules('edge', parent, old))).toEqual({
      'edge-vault': ['edge all', 'edge-db all'],
      'edge-db': ['edge all'],
    })
  })
  it('go where it goes, at its release, within its limits; stages are its own', () => {
    for (const { spec } of made) {
      expect(spec).toMatchObject({ release: '2026.11', targets: parent.targets, ...CONTENT })
      expect(spec.rollout).toEqual({ maxUnavailable: '10%', maxUnreachable: parent.rollout.maxUnreachable })
      expect(moduleSpec.safeParse(spec).success).toBe(true)
    }
  })
  it('compare releases where the group has one', () => {
    const releases = (p: typeof parent) =>
      applicationModules('edge', p, [app('vault', 0)]).map((m) => m.spec.dependsOn?.map((e) => e.release))
    expect(releases(parent)).toEqual([['Same']])
    expect(releases({ ...parent, release: undefined })).toEqual([['Any']])
  })
  it('have names that Modules can have', () => {
    expect(applicationModuleName('hub', 'vault')).toBe('hub-vault')
    for (const name of [`a${'b'.repeat(80)}`, 'My_App', 'a.b'])
      expect(applicationModuleName('hub', name)).toMatch(/^[a-z0-9][-a-z0-9]{0,61}[a-z0-9]$/)
    expect(applicationModuleName('hub', 'a.b')).not.toBe(applicationModuleName('hub', 'a-b'))
  })
})
