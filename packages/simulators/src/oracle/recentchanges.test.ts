import { describe, expect, it } from 'vitest'
import type { CommitRecord } from '../../../apiserver/src/server/tracewrites.ts'
import type { KubeObject } from '../../../kube/src/object/index.ts'
import { RecentChanges } from './recentchanges.ts'

const configMap = (value: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'default', labels: { 'lockstep.dev/unit': 'm.web' } },
  data: { value },
})

const commit = (actor: string, old?: KubeObject, next?: KubeObject): CommitRecord => ({
  cluster: 'c1',
  seq: 1,
  verb: 'update',
  resource: 'configmaps',
  key: 'default/a',
  uid: 'u',
  resourceVersion: '1',
  old,
  next,
  actor,
})

describe('what others have just undone', () => {
  const setup = () => {
    let now = 0
    const lately = new RecentChanges(() => now)
    return {
      lately,
      wait: (ms: number) => {
        now += ms
      },
      seen: () => lately.versions('c1', 'configmaps', 'default/a').map((o) => (o as { data?: unknown }).data),
    }
  }

  it('is remembered for as long as news take', () => {
    const { lately, wait, seen } = setup()
    lately.add(commit('somebody', configMap('1')))
    wait(2000)
    expect(seen()).toEqual([{ value: '1' }])
    wait(1)
    expect(seen()).toEqual([])
  })

  it('is not what the executor itself replaced', () => {
    const { lately, seen } = setup()
    lately.add(commit('somebody', configMap('1'), configMap('2')))
    lately.add(commit('lockstep', configMap('2'), configMap('3')))
    expect(seen()).toEqual([])
  })
})
