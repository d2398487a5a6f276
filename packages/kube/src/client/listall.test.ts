/** Lists that have no end, or too much of one. */
import { describe, expect, it } from 'vitest'
import { err, ok } from '../env/result.ts'
import { configMapKind } from '../kinds/types.ts'
import type { KubeClient, ListOptions, Page } from './client.ts'
import { listAll } from './listall.ts'
import { type RequestError, requestErrorText } from './requesterror.ts'

const MIB = 1024 * 1024
const object = (name: string) =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '' },
  }) as const

/** A client whose pages are made by a function of the number of the request. */
function paged(page: (i: number, o: ListOptions) => Partial<Page<ReturnType<typeof object>>> | 'TooLong') {
  const asked: ListOptions[] = []
  const tooLong: RequestError = {
    cluster: 'c1',
    verb: 'list',
    ref: { group: '', kind: 'ConfigMap', name: '' },
    wrote: 'no',
    kind: 'Malformed',
    problem: 'over 32 MiB',
    isTooLong: true,
  }
  const list = async (_: unknown, o: ListOptions) => {
    asked.push(o)
    const made = page(asked.length, o)
    if (made === 'TooLong') {
      o.each?.(object('half'))
      return err(tooLong)
    }
    for (const item of made.items ?? []) o.each?.(item)
    return ok({ resourceVersion: '9', size: 100, ...made, items: [] })
  }
  const client = { cluster: 'c1', list } as unknown as KubeClient
  const ask = async () => {
    const all = await listAll(client, configMapKind, { purpose: 'user', namespace: 'a' })
    return all.ok ? all.value.map((o) => o.metadata.name) : requestErrorText(all.error)
  }
  return { ask, asked }
}

describe('a list', () => {
  it('is taken page by page', async () => {
    const { ask, asked } = paged((i) => ({
      items: [object(`o${i}`)],
      ...(i < 3 ? { continue: `t${i}` } : {}),
    }))
    expect(await ask()).toEqual(['o1', 'o2', 'o3'])
    expect(asked.map((o) => o.continue)).toEqual([undefined, 't1', 't2'])
  })

  it.each<[what: string, page: (i: number) => Partial<Page<never>>, problem: string, requests: number]>([
    ['that repeats its token', (i) => ({ continue: `t${i % 2}` }), 'repeats its continue token', 3],
    ['of pages without an end', (i) => ({ continue: `t${i}` }), 'over 4096 pages', 4096],
    ['of more than 512 MiB', (i) => ({ continue: `t${i}`, size: 30 * MIB }), 'over 512 MiB', 18],
  ])('%s is refused', async (_, page, problem, requests) => {
    const { ask, asked } = paged(page)
    expect(await ask()).toBe(`list ConfigMaps in namespace a: ${problem}`)
    expect(asked.length).toBe(requests)
  })

  it('whose page is too long is taken in smaller ones, from where it was', async () => {
    const { ask, asked } = paged((i, o) => {
      if (i === 1) return { items: [object('first')], continue: 't1' }
      return (o.limit ?? 0) > 1 ? 'TooLong' : { items: [object('rest')] }
    })
    expect(await ask()).toEqual(['first', 'rest'])
    expect(asked.map((o) => [o.limit, o.continue])).toEqual([
      [500, undefined],
      [500, 't1'],
      [10, 't1'],
      [1, 't1'],
    ])
  })

  it('whose every object is too long is refused', async () => {
    const { ask, asked } = paged(() => 'TooLong')
    expect(await ask()).toBe('list ConfigMaps: over 32 MiB')
    expect(asked.at(-1)?.limit).toBe(1)
  })
})
