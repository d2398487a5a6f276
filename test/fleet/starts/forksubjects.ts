/** State that a fork must share with a delivery: all stored objects but for identities and times. */

import { deploymentKind } from '../../../packages/kube/src/client/client.cases.ts'
import { configMapKind, secretKind } from '../../../packages/kube/src/kinds/types.ts'
import { at, canonicalJson, type KubeObject } from '../../../packages/kube/src/object/index.ts'
import { must, NAMESPACE } from '../simfleet.ts'
import { configManifest, deploymentManifest, type Story } from '../steps.ts'
import { chain } from './chain.ts'
import { edge } from './edge.ts'
import { pairOn } from './pair.ts'
import { stages } from './stages.ts'
import type { StartState } from './start.ts'

const USER = { purpose: 'user', manager: 'user', precondition: 'any' } as const

/** A start state, and one of its modules with the object that it delivers. */
export interface Subject {
  readonly name: string
  readonly state: StartState
  readonly module: string
  /** The ConfigMap with its manifests. */
  readonly source: string
  readonly object: string
  readonly kind: 'ConfigMap' | 'Deployment'
  /** Its delivery is too slow for the short tier. */
  readonly isLarge: boolean
}

export const SUBJECTS: readonly Subject[] = [
  subject('edge', edge, 'x', 'x', 'x'),
  subject('chain', chain, 'c', 'c-1', 'c'),
  subject('stages', stages, 'web', 'v1', 'a'),
  { ...subject('pairOnThree', pairOn(3), 'web', 'web-1', 'web'), kind: 'Deployment', isLarge: true },
  { ...subject('pairOnTen', pairOn(10), 'db', 'db-1', 'db'), kind: 'Deployment', isLarge: true },
]

function subject(name: string, state: StartState, module: string, source: string, object: string): Subject {
  return { name, state, module, source, object, kind: 'ConfigMap', isLarge: false }
}

const clusterOf = (story: Story) => [...story.fleet.clusters.values()][0]!
const kindOf = ({ kind }: Subject) => (kind === 'ConfigMap' ? configMapKind : deploymentKind)
const keyOf = ({ object }: Subject) => ({ namespace: 'default', name: object })

export const CHANGES: readonly (readonly [string, (story: Story, s: Subject) => Promise<void>])[] = [
  [
    'another content is published',
    (story, { source, object, kind }) =>
      story.config(
        source,
        kind === 'ConfigMap' ? configManifest(object, 'new') : deploymentManifest(object, 'new:1'),
      ),
  ],
  [
    'a user edits an object',
    async (story, s) => {
      const patch = s.kind === 'ConfigMap' ? { data: { value: 'theirs' } } : { spec: { replicas: 3 } }
      must(await story.during(clusterOf(story).client.patch(kindOf(s), keyOf(s), patch, USER)))
    },
  ],
  [
    'a user deletes an object',
    async (story, s) =>
      void must(await story.during(clusterOf(story).client.delete(kindOf(s), keyOf(s), USER))),
  ],
  ['a module is deleted', (story, { module }) => story.deleteModule(module)],
  [
    'a module is created that needs another one',
    async (story, { module }) => {
      await story.config('more', configManifest('more', '1'))
      await story.module('more', 'more', { dependsOn: [module] })
    },
  ],
  [
    'a cluster is removed from the inventory',
    async (story) => {
      const name = [...story.fleet.clusters.keys()].at(-1)!
      must(await story.during(story.fleet.hub.delete(secretKind, { namespace: NAMESPACE, name }, USER)))
    },
  ],
]

/** Requests of all clients, by verb. */
export function requestsOf(story: Story): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const { name, labels, value } of story.fleet.env.meters.read()) {
    if (name !== 'lockstep_client_requests_total') continue
    const what = labels.why === 'event' ? 'event' : labels.verb!
    found.set(what, (found.get(what) ?? 0) + value)
  }
  return found
}

/** All objects of all servers, one text each; the order of members depends on whether a bundle was rendered or read. */
export function objectsOf({ fleet }: Story): string[] {
  const servers = [
    ['hub', fleet.hubApi] as const,
    ...[...fleet.clusters].map(([n, { api }]) => [n, api] as const),
  ]
  const all = servers.flatMap(([name, api]) =>
    api
      .snapshot()
      .tables.flatMap(({ id, objects }) =>
        objects.map(({ object }) => ({ where: `${name} ${id} ${nameOf(object)}`, object })),
      ),
  )
  const names = new Map(all.map(({ where, object }) => [object.metadata.uid ?? '', where]))
  const texts = all.map(({ where, object }) =>
    object.kind === 'Event'
      ? eventText(object)
      : `${where} ${withoutIdentity(object, names)}`.replace(POD, '$1-<random>'),
  )
  return [...new Set(texts)].sort()
}

/** One process counts Events of one reason in one object, with the message of the first; a new process begins another one. */
const eventText = (event: KubeObject): string =>
  `event ${String(event.reason)} of ${String(at(event, 'involvedObject', 'name'))}`

const nameOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g
/** A Pod of a ReplicaSet; the end of its name is random. */
const POD = /([a-z0-9]-[0-9a-f]{10})-[a-z0-9]{5}(?![a-z0-9])/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g

function withoutIdentity(object: KubeObject, names: ReadonlyMap<string, string>): string {
  const { resourceVersion: _, ...metadata } = object.metadata
  return canonicalJson({ ...object, metadata } as never)
    .replace(UID, (uid) => `<${names.get(uid) ?? 'gone'}>`)
    .replace(TIME, '<time>')
}
