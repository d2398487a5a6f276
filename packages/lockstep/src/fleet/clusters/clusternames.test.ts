/** Names of clusters, and who counts: tables. */
import { describe, expect, it } from 'vitest'
import type { InventoryKind } from './cluster.ts'
import { assignClusterNames, type ClusterRecord } from './clusternames.ts'

/** `kind/name@uid`; without uid: nobody has answered there yet. */
const candidate = (text: string) => {
  const [object, uid] = text.split('@') as [string, string | undefined]
  const [kind, objectName] = object.split('/') as [InventoryKind, string]
  return { kind, objectName, objectUid: object, uid }
}
/** `name=kind@uid<object`. */
const record = (text: string): ClusterRecord => {
  const [rest, objectUid] = text.split('<') as [string, string | undefined]
  const [head, uid] = rest.split('@') as [string, string | undefined]
  const [name, kind] = head.split('=') as [string, string]
  return { name, kind, uid, objectUid }
}
const textOf = (c: { kind: string; objectName: string }): string => `${c.kind}/${c.objectName}`
const seats = (candidates: string, records = '') =>
  assignClusterNames(
    candidates.split(' ').map(candidate),
    records.split(' ').filter(Boolean).map(record),
  ).map(
    (s) =>
      `${textOf(s.candidate)}: ${s.name}${s.duplicateOf ? ` = ${textOf(s.duplicateOf)}` : ''}${s.standsIn ? ' (stands in)' : ''}`,
  )

const HASHED = /^[a-z0-9-]+-[0-9a-f]{6}$/

describe('names', () => {
  it.each([
    ['its own', 'Secret/a', '', ['Secret/a: a']],
    ['its own, as before', 'Secret/a@1', 'a=Secret@1', ['Secret/a: a']],
    ['kept while another answers there', 'Secret/a@2', 'a=Secret@1', ['Secret/a: a']],
    [
      'of a cluster that another object knew: with what is delivered there',
      'ArgoCD/b@1',
      'a=ClusterAPI@1',
      ['ArgoCD/b: a (stands in)'],
    ],
    ['not of one that nobody has answered for', 'ArgoCD/b', 'a=ClusterAPI@1', ['ArgoCD/b: b']],
    [
      'taken over once, kept while nobody answers, and while another one does',
      'ArgoCD/b ArgoCD/c@2',
      'a=ClusterAPI@1<ArgoCD/b d=ClusterAPI@9<ArgoCD/c',
      ['ArgoCD/b: a (stands in)', 'ArgoCD/c: d (stands in)'],
    ],
  ])('%s', (_, candidates, records, expected) => {
    expect(seats(candidates, records)).toEqual(expected)
  })

  it('of two with one name, the later in precedence gets a hash of its kind', () => {
    const [first, second] = assignClusterNames([candidate('ArgoCD/a@2'), candidate('ClusterAPI/a@1')], [])
    expect(first).toMatchObject({ name: 'a', candidate: { kind: 'ClusterAPI' }, duplicateOf: undefined })
    expect(second).toMatchObject({ candidate: { kind: 'ArgoCD' }, duplicateOf: undefined })
    expect(second?.name).toMatch(HASHED)
  })

  it('what is delivered under a name keeps it, though one with precedence has come', () => {
    const [first, second] = assignClusterNames(
      [candidate('ArgoCD/a@2'), candidate('ClusterAPI/a@1')],
      [record('a=ArgoCD@2')],
    )
    expect(first).toMatchObject({ candidate: { kind: 'ClusterAPI' } })
    expect(first?.name).toMatch(HASHED)
    expect(second).toMatchObject({ candidate: { kind: 'ArgoCD' }, name: 'a' })
  })

  it('a name with a hash is kept when the other one is gone', () => {
    const name = assignClusterNames([candidate('ArgoCD/a@2'), candidate('ClusterAPI/a@1')], [])[1]!.name
    const records = [record('a=ClusterAPI@1'), { name, kind: 'ArgoCD', uid: '2', objectUid: undefined }]
    expect(assignClusterNames([candidate('ArgoCD/a@2')], records)[0]).toMatchObject({ name, standsIn: false })
  })

  it('what is left of a cluster that is gone is not taken over by another cluster of its name', () => {
    const [seat] = assignClusterNames([candidate('ArgoCD/a@2')], [record('a=ClusterAPI@1')])
    expect(seat?.name).toMatch(HASHED)
    expect(seat?.standsIn).toBe(false)
  })
})

describe('one cluster that several know', () => {
  it.each([
    [
      'precedence of inventories',
      'Secret/a@1 ArgoCD/b@1 ClusterProfile/c@1 ClusterAPI/d@1',
      '',
      [
        'ClusterAPI/d: d',
        'ClusterProfile/c: c = ClusterAPI/d',
        'ArgoCD/b: b = ClusterAPI/d',
        'Secret/a: a = ClusterAPI/d',
      ],
    ],
    ['within one, the first name', 'Secret/b@1 Secret/a@1', '', ['Secret/a: a', 'Secret/b: b = Secret/a']],
    [
      'who has precedence takes over what the other has delivered',
      'ClusterAPI/x@1',
      'b=Secret@1',
      ['ClusterAPI/x: b (stands in)'],
    ],
    [
      'one that is not reached now, and was: what is written down of it counts',
      'ClusterAPI/a ArgoCD/b@1',
      'a=ClusterAPI@1',
      ['ClusterAPI/a: a', 'ArgoCD/b: b = ClusterAPI/a'],
    ],
    [
      'one that leads elsewhere now is still who was written down',
      'Secret/a@2 Secret/b@2',
      'a=Secret@1 b=Secret@2',
      ['Secret/a: a', 'Secret/b: b'],
    ],
  ])('%s', (_, candidates, records, expected) => {
    expect(seats(candidates, records)).toEqual(expected)
  })

  it('gone, it hands over to the next', () => {
    expect(seats('ClusterAPI/a@1 ArgoCD/b@1', 'a=ClusterAPI@1')).toEqual([
      'ClusterAPI/a: a',
      'ArgoCD/b: b = ClusterAPI/a',
    ])
    expect(seats('ArgoCD/b@1', 'a=ClusterAPI@1')).toEqual(['ArgoCD/b: a (stands in)'])
  })
})
