import { describe, expect, it } from 'vitest'
import { MERGE_CASES } from './mergekubeconfigs.cases.ts'
import { type KubeconfigEntry, mergeKubeconfigs } from './mergekubeconfigs.ts'

const merge = (texts: readonly (string | undefined)[]) =>
  mergeKubeconfigs(texts.flatMap((text, i) => (text === undefined ? [] : [{ path: `/k/${i}`, text }])))

describe('several kubeconfigs are one', () => {
  it.each(MERGE_CASES)('$name', ({ texts, merged }) => {
    const found = merge(texts)
    if (!found.ok) throw new Error(found.error.message)
    const { currentContext, clusters, users, contexts } = found.value
    const by = (all: ReadonlyMap<string, KubeconfigEntry>, text: (v: KubeconfigEntry['value']) => string) =>
      Object.fromEntries([...all].map(([name, e]) => [name, text(e.value)]))
    expect({
      current: currentContext ?? '',
      clusters: by(clusters, (v) => String(v.server)),
      users: by(users, (v) => String(v.token)),
      contexts: by(contexts, (v) => `${v.cluster}/${v.user}/${v.namespace ?? ''}`),
    }).toEqual(merged)
  })
})

describe('an invalid kubeconfig names file and field', () => {
  it.each([
    ['a list', ['[]'], { path: '/k/0', field: '', message: 'is not a kubeconfig' }],
    [
      'no YAML',
      ['clusters: []', 'a: {'],
      { path: '/k/1', field: '', message: expect.stringMatching(/^line 2: /) },
    ],
    [
      'clusters that are no list',
      ['clusters: {}'],
      { path: '/k/0', field: 'clusters', message: 'is not a list' },
    ],
    [
      'a name without a text',
      ['users: [{name: 7}]'],
      { path: '/k/0', field: 'users[0].name', message: 'is not a string' },
    ],
    [
      'a name twice in a file',
      ['contexts: [{name: a}, {name: a}]'],
      { path: '/k/0', field: 'contexts[1].name', message: 'duplicate name "a"' },
    ],
  ])('%s', (_, texts, error) => {
    expect(merge(texts)).toEqual({ ok: false, error })
  })
})
