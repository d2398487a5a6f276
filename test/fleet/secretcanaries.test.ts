/** Values of Secrets that servers quote when they refuse an object: no notation of them is in any object but Secrets. */
import { describe, expect, it } from 'vitest'
import { crdKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { bytesToBase64 } from '../../packages/kube/src/object/index.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { Story } from './steps.ts'

const CANARIES: readonly (readonly [string, string])[] = [
  ['a quote', 'hun"ter22'],
  ['a backslash', 'hun\\ter22'],
  ['a tab', 'hun\tter22'],
  ['a newline', 'hun\nter22'],
  ['a letter outside ASCII', 'hunté r22'],
  ['three characters', 'q7Z'],
]

/** Its type is one of a few: servers quote all others. */
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'valves.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'valves', singular: 'valve', kind: 'Valve' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { type: { type: 'string', enum: ['Open', 'Shut'] } } },
            },
          },
        },
      },
    ],
  },
}
const manifest = `apiVersion: example.com/v1
kind: Valve
metadata: {name: q, namespace: default}
spec: {type: $(X)}
`
const bindings = [{ name: 'X', secretKeyRef: { name: 'db', key: 'p' } }]

function notationsOf(value: string): string[] {
  const bytes = new TextEncoder().encode(value)
  const quoted = JSON.stringify(value).slice(1, -1)
  const hex = [...bytes].map((b) => b.toString(16).padStart(2, '0')).join('')
  const all = [
    value,
    quoted,
    JSON.stringify(quoted).slice(1, -1),
    bytesToBase64(bytes),
    hex,
    encodeURIComponent(value),
  ]
  return [...new Set(all)]
}

/** All that the hub stores but Secrets, as it is served. */
function storedText(story: Story): string {
  const kinds = ['modules', 'inventories', 'remoteassemblages'].map((k) => `${k}.lockstep.dev`)
  const of = (kind: string) => story.fleet.objects(kind)
  return JSON.stringify(
    [...kinds, 'events.events.k8s.io', 'controllerrevisions.apps', 'configmaps'].flatMap(of),
  )
}

describe('a Secret whose value a server refuses', () => {
  it.each(CANARIES)('with %s', async (name, value) => {
    const story = await Story.begin(`canary ${name}`, ['c0'])
    const data = { p: bytesToBase64(new TextEncoder().encode(value)) }
    const metadata = { name: 'db', namespace: NAMESPACE }
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, data }
    must(await story.during(story.fleet.hub.apply(secretKind, secret, { ...USER, force: true })))
    const edge = story.fleet.clusters.get('c0')!.client
    must(await story.during(edge.create(crdKind, definition as never, { purpose: 'user', manager: 'user' })))
    await story.pass(5)
    await story.config('m', manifest)
    await story.module('m', 'm', { bindings })
    const isRefused = () => story.blockers('m').some((b) => b.includes('spec.type'))
    expect(await story.until(isRefused, 120), story.blockers('m').join('\n')).toBe(true)
    await story.pass(30)
    expect(story.blockers('m').join()).toContain(
      'Invalid at spec.type (the text of the server is withheld: the object holds values of a Secret)',
    )
    const stored = storedText(story)
    expect(notationsOf(value).filter((n) => stored.includes(n))).toEqual([])
  })
})
