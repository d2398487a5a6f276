import type { SubresourceInfo } from '../resources/resourceinfo.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import { sha256Bytes } from './sha512hex.ts'

/** Groups and their versions in the order in which discovery tells them. */
export interface GroupVersions {
  readonly group: string
  readonly versions: readonly string[]
}

/** The groups of a cluster: newest stable version first, `apiregistration` order left aside, sorted by name. */
export function groupsOf(kinds: readonly ServedKind[]): GroupVersions[] {
  const found = new Map<string, Set<string>>()
  for (const k of kinds) {
    const versions = found.get(k.info.group) ?? new Set()
    found.set(k.info.group, versions.add(k.info.version))
  }
  return [...found]
    .map(([group, versions]) => ({ group, versions: [...versions].sort(byPriority) }))
    .sort((a, b) => (a.group < b.group ? -1 : 1))
}

/** v2 before v1 before v1beta1 before v1alpha1 before anything else (apimachinery pkg/version). */
export function byPriority(a: string, b: string): number {
  const [x, y] = [rank(a), rank(b)]
  if (!x || !y) return x ? -1 : y ? 1 : a < b ? -1 : 1
  return y.stage - x.stage || y.major - x.major || y.minor - x.minor
}

function rank(v: string): { stage: number; major: number; minor: number } | undefined {
  const m = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(v)
  if (!m) return undefined
  return {
    stage: m[2] === undefined ? 3 : m[2] === 'beta' ? 2 : 1,
    major: Number(m[1]),
    minor: Number(m[3] ?? 0),
  }
}

const groupVersion = (group: string, version: string): string =>
  group === '' ? version : `${group}/${version}`

export const apiVersions = (): object => ({
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '' }],
})

export function apiGroup(g: GroupVersions, asItem: boolean): object {
  const versions = g.versions.map((version) => ({ groupVersion: groupVersion(g.group, version), version }))
  const body = { name: g.group, versions, preferredVersion: versions[0] }
  return asItem ? body : { kind: 'APIGroup', apiVersion: 'v1', ...body }
}

export const apiGroupList = (groups: readonly GroupVersions[]): object => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: groups.filter((g) => g.group !== '').map((g) => apiGroup(g, true)),
})

/** A terminating definition offers only what ends it. */
const ENDING: ReadonlySet<string> = new Set(['delete', 'deletecollection', 'get', 'list', 'watch'])
export const verbsOf = (k: ServedKind): readonly string[] =>
  k.terminating ? k.info.verbs.filter((v) => ENDING.has(v)) : k.info.verbs

export function apiResourceList(kinds: readonly ServedKind[], group: string, version: string): object {
  const resources = kinds
    .filter((k) => k.info.group === group && k.info.version === version)
    .sort((a, b) => (a.info.plural < b.info.plural ? -1 : 1))
    .flatMap((k) => [resourceEntry(k), ...subresourceEntries(k)])
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: groupVersion(group, version), resources }
}

function resourceEntry(k: ServedKind): object {
  const { info } = k
  return {
    name: info.plural,
    singularName: info.singular,
    namespaced: info.namespaced,
    kind: info.kind,
    verbs: verbsOf(k),
    shortNames: info.shortNames?.length ? info.shortNames : undefined,
    categories: info.categories?.length ? info.categories : undefined,
    storageVersionHash: storageVersionHash(info.group, k.storageVersion, info.kind),
  }
}

function subresourceEntries(k: ServedKind): object[] {
  return Object.entries(k.info.subresources ?? {}).map(([name, s]: [string, SubresourceInfo]) => ({
    name: `${k.info.plural}/${name}`,
    singularName: '',
    namespaced: k.info.namespaced,
    group: s.group,
    version: s.version,
    kind: s.kind ?? k.info.kind,
    verbs: s.verbs,
  }))
}

/** The first 8 bytes of SHA-256 of `group/version/kind`, in base64 (apiserver pkg/endpoints/discovery). */
export const storageVersionHash = (group: string, version: string, kind: string): string =>
  Buffer.from(sha256Bytes(`${group}/${version}/${kind}`).slice(0, 8)).toString('base64')
