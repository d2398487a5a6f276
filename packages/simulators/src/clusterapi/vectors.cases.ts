/**
 * A binding as Cluster API writes it: sources of ours, and the hashes that its managers 1.8.12, 1.9.11 and 1.14.2 recorded for them
 * (`test/real` asks them again). Whoever recognises a binding of upstream's is to recognise this one.
 */
import { expect } from 'vitest'
import { at, isArray, type JsonObject } from '../../../kube/src/object/index.ts'
import { manifest, type Script } from './script.cases.ts'
import { addCluster, addConfigMap, addSecret, addSet, bindingsPath, must } from './stage.cases.ts'

export interface Vector {
  readonly kind: 'ConfigMap' | 'Secret'
  readonly name: string
  /** As text; of a Secret `stringData`. */
  readonly data: Readonly<Record<string, string>>
  readonly hash: string
}

export const vectors: readonly Vector[] = [
  {
    kind: 'ConfigMap',
    name: 'keys',
    // Upper case before lower case, so not as people sort.
    data: { 'a.yaml': manifest({ name: 'vector-a' }), 'B.yaml': manifest({ name: 'vector-b' }) },
    hash: 'sha256:48b1525d8eba22088c29571541335dd892ad09f14d6e7fa872860d286b985a64',
  },
  {
    kind: 'Secret',
    name: 'text',
    data: { 'x.yaml': manifest({ name: 'vector-c', data: { greeting: 'grüß dich — 👋' } }) },
    hash: 'sha256:e89559cfbccc3d5582601998a1d5372640db633fc072d10ee320303bc9126157',
  },
  {
    kind: 'ConfigMap',
    name: 'lines',
    data: {
      x: `---\r\n# first\r\n${manifest({ name: 'vector-d' }).replaceAll('\n', '\r\n')}---\r\n---\r\n${manifest({ name: 'vector-e' })}`,
    },
    hash: 'sha256:fe785e6d67f1d2db2fb48b98cc6c321540fb550320650254ebe5e67290400b54',
  },
  {
    kind: 'Secret',
    name: 'array',
    data: {
      'x.json': ` [${['f', 'g'].map((n) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"vector-${n}","namespace":"default"}}`).join(', ')}]\n`,
    },
    hash: 'sha256:43195b5791ddc472b891862d681d57ee7893e2609d5d96591ccdbc611863725f',
  },
]

/** The spec of the binding of Cluster `c1` with the set `crs1` of these sources; times left out. */
export const vectorBinding: JsonObject = {
  clusterName: 'c1',
  bindings: [
    {
      clusterResourceSetName: 'crs1',
      resources: vectors.map(({ kind, name, hash }) => ({ kind, name, hash, applied: true })),
    },
  ],
}

export const recorded: Script = {
  name: 'The binding that others recognise',
  clusters: ['c1'],
  steps: [
    {
      name: 'four sources',
      async act(s) {
        for (const { kind, name, data } of vectors)
          await (kind === 'Secret' ? addSecret(s, name, data) : addConfigMap(s, name, data))
        await addCluster(s, 'c1')
        await addSet(s, 'crs1', { resources: vectors.map((v) => `${v.kind}/${v.name}`) })
      },
      async sees(_, s) {
        const spec = at(await must(s, '', 'GET', `${bindingsPath(s)}/c1`), 'spec')
        const times: unknown[] = []
        const timeless = JSON.parse(JSON.stringify(spec), (key, value: unknown) => {
          if (key !== 'lastAppliedTime') return value
          times.push(value)
          return undefined
        })
        expect(timeless).toEqual(vectorBinding)
        expect(isArray(at(spec, 'bindings')) && times).toHaveLength(vectors.length)
        for (const t of times) expect(t).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
        for (const n of 'abcdefg')
          expect(
            (await s.send('c1', 'GET', `/api/v1/namespaces/default/configmaps/vector-${n}`)).status,
          ).toBe(200)
      },
    },
  ],
}
