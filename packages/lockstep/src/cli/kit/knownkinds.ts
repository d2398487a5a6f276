/** Which kinds commands know, and by which names. */

import type { Result } from '@lockstep/kube/env'
import { configMapKind, namespaceKind, secretKind } from '@lockstep/kube/kinds'
import { apiVersionOf, type Kind } from '@lockstep/kube/object'
import type { OwnKind } from '../../api/kinds/index.ts'
import { ownKinds, sharedKinds } from '../../api/registry.ts'
import { type CliFailure, failed } from './clifailure.ts'
import { nearest } from './terminal/index.ts'

/** `clusters` is no kind of the API: a view over the Secrets that are clusters. */
export const CLUSTERS = 'clusters'
const CLUSTER_WORDS = ['clusters', 'cluster']

/** Ours, and those of Cluster API that we serve: of these `findServedKind` knows the version of the hub. */
export const knownKinds: readonly OwnKind[] = [...ownKinds, ...sharedKinds]

const wordsOf = (k: OwnKind): string[] => [
  k.plural,
  k.singular,
  ...k.shortNames,
  k.kind.toLowerCase(),
  `${k.plural}.${k.group}`,
  // As `-o name` prints it.
  `${k.singular}.${k.group}`,
]

/** A kind that we know by plural, singular, short name or Kind; or the word `clusters`. */
export function kindOfWord(word: string) {
  const w = word.toLowerCase()
  if (CLUSTER_WORDS.includes(w)) return { ok: true, value: CLUSTERS } as const
  const found = knownKinds.find((k) => wordsOf(k).includes(w))
  if (found) return { ok: true, value: found } as const
  const known = [...CLUSTER_WORDS, ...knownKinds.flatMap(wordsOf)]
  const meant = nearest(w, known)
  const plurals = [...knownKinds.map((k) => k.plural), CLUSTERS].join(', ')
  return failed('E_USAGE', {
    problem: `no kind "${word}"`,
    suggestion: meant ? `did you mean ${meant}?` : `kinds: ${plurals}`,
  })
}

/** `module/web`, as an argument. */
export function targetOf(text: string): Result<{ kind: OwnKind; name: string }, CliFailure> {
  const [word, name, ...more] = text.split('/')
  if (!word || !name || more.length > 0)
    return failed('E_USAGE', {
      problem: `"${text}" is not KIND/NAME`,
      suggestion: `for example: module/${name || word || 'web'}`,
    })
  const kind = kindOfWord(word)
  if (!kind.ok) return kind
  if (kind.value === CLUSTERS)
    return failed('E_USAGE', {
      problem: `cluster/${name}: a cluster is a Secret of the platform, which has no status`,
      suggestion: `its Modules are in remoteassemblage/${name}`,
    })
  return { ok: true, value: { kind: kind.value, name } }
}

/** Kinds that `apply` takes: ours, and what Modules refer to. */
export const applicableKinds: readonly Kind[] = [...ownKinds, configMapKind, secretKind, namespaceKind]

export const kindOfObject = (apiVersion: string, kind: string): Kind | undefined =>
  applicableKinds.find((k) => apiVersionOf(k) === apiVersion && k.kind === kind)

/** `module.lockstep.dev/web`, `configmap/settings`: as kubectl names objects. */
export function nameOf(kind: Pick<Kind, 'group' | 'kind'>, name: string): string {
  const word = kind.kind.toLowerCase()
  return kind.group === '' ? `${word}/${name}` : `${word}.${kind.group}/${name}`
}
