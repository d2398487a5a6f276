import { describe, expect, it } from 'vitest'
import { parseYamlStream } from '../../../../kube/src/object/index.ts'
import type { ModuleSpec } from '../../api/kinds/index.ts'
import { resolveSource } from '../registry.ts'
import { accepted, dataFields, dataManifest, refusals } from './canonicaldata.cases.ts'
import { normalize } from './normalize.ts'
import { renderPlain, type SourceManifest } from './renderplain.ts'
import { faultLines } from './sourcefailure.ts'

const plain = (text: string, secret?: true): SourceManifest[] => {
  const rendered = renderPlain([{ origin: 'a.yaml', text, ...(secret ? { secret } : {}) }])
  if (!rendered.ok) throw new Error(rendered.error.message)
  return rendered.value
}

const linesOf = (manifests: readonly SourceManifest[]): string[] => {
  const found = normalize(manifests)
  return found.ok ? [] : faultLines(found.error).split('\n')
}

describe('values of ConfigMaps and Secrets that are not texts', () => {
  for (const [kind, field] of dataFields) {
    it.each(refusals)(`${kind} ${field} {%s} is refused`, (text, key, problem) => {
      expect(linesOf(plain(dataManifest(kind, `${field}: {ok: "MQ==", ${text}}`)))).toEqual([
        `a.yaml doc 1: ${kind} login: ${field}${key}: ${problem}`,
      ])
    })

    it.each([
      ['[a]', 'list'],
      ['text', 'text'],
      ['7', 'number'],
      ['true', 'boolean'],
    ])(`${kind} ${field}: %s is refused`, (text, type) => {
      expect(linesOf(plain(dataManifest(kind, `${field}: ${text}`)))).toEqual([
        `a.yaml doc 1: ${kind} login: ${field}: is a ${type}; write a map of keys to texts`,
      ])
    })
  }

  it('are all named, of all objects, in one failure', () => {
    const text = `${dataManifest('Secret', 'stringData: {user: app, port: 8080, tls: true}')}---\n${dataManifest('ConfigMap', 'data: {a: 1}')}`
    expect(linesOf(plain(text))).toEqual([
      'a.yaml doc 1: Secret login: stringData.port: is a number; put it into quotes',
      'a.yaml doc 1: Secret login: stringData.tls: is a boolean; put it into quotes',
      'a.yaml doc 2: ConfigMap login: data.a: is a number; put it into quotes',
    ])
  })

  it('are refused in lists, in hooks with a generated name, and without their value', () => {
    const list = 'apiVersion: v1\nkind: SecretList\nitems: [{metadata: {name: a}, stringData: {pin: 4711}}]\n'
    const hook =
      'apiVersion: v1\nkind: Secret\nmetadata: {generateName: h-, annotations: {argocd.argoproj.io/hook: PreSync}}\nstringData: {pin: 4711}\n'
    for (const text of [list, hook])
      for (const lines of [linesOf(plain(text)), linesOf(plain(text, true))]) {
        expect(lines).toEqual([expect.stringContaining('stringData.pin: is a number; put it into quotes')])
        expect(lines[0]).not.toContain('4711')
      }
  })

  it('are refused in inline objects', () => {
    const source = {
      inline: { objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { n: 3 } }] },
    } as unknown as ModuleSpec['source']
    const resolved = resolveSource({ source }, {} as never, {} as never)
    const manifests = resolved.ok ? resolved.value.manifests() : resolved
    expect(manifests.ok && linesOf(manifests.value)).toEqual([
      'spec.source.inline.objects[0]: ConfigMap a: data.n: is a number; put it into quotes',
    ])
  })

  it('belong to a custom resource if the kind only has the same name', () => {
    const text =
      'apiVersion: example.com/v1\nkind: Secret\nmetadata: {name: a}\nstringData: {port: 8080, none: null}\n'
    expect(normalize(plain(text))).toMatchObject({ value: [{ stringData: { port: 8080, none: null } }] })
  })
})

describe('data as a server stores it', () => {
  it.each(accepted)('%s', (_, kind, text, stored) => {
    const [object] = parseYamlStream(dataManifest(kind, text))
    const found = normalize([{ object: object as never, origin: 'a' }])
    const { apiVersion: _a, kind: _k, metadata: _m, ...rest } = found.ok ? found.value[0]! : ({} as never)
    expect(rest).toEqual(stored)
  })
})
