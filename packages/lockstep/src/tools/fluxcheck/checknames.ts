/** W6b, W6c: who owns what, by names. */
import { at, type JsonValue, jsonEqual } from '@lockstep/kube/object'
import { positionOf, textAt } from '../flux/fluxmanifest.ts'
import { type FluxUnit, unitText } from '../flux/fluxunit.ts'
import { folderOf } from '../flux/unitcontent.ts'
import {
  type CheckedFlux,
  type FluxCheckRule,
  type FluxFinding,
  relatedTo,
  shortUnitText,
} from './fluxcheckrule.ts'

export const checkNames: FluxCheckRule = (c) => [...owners(c), ...counters(c)]

/** What tells where a unit puts things: equal for two units, they put the same things to the same place. */
export function targetOf(u: FluxUnit): JsonValue[] {
  if (u.kind === 'HelmRelease')
    return [u.kind, storageOf(u), releaseNameOf(u), at(u.spec, 'kubeConfig') ?? null]
  const source = u.source ? [u.source.kind, u.source.namespace, u.source.name] : null
  const fields = ['targetNamespace', 'namePrefix', 'nameSuffix', 'kubeConfig']
  return [u.kind, source, folderOf(u), ...fields.map((f) => at(u.spec, f) ?? null)]
}

/** As helm-controller names a release. */
export function releaseNameOf(u: FluxUnit): string {
  const target = textAt(u.spec, 'targetNamespace')
  return textAt(u.spec, 'releaseName') ?? (target === undefined ? u.name : `${target}-${u.name}`)
}

export const storageOf = (u: FluxUnit): string => textAt(u.spec, 'storageNamespace') ?? u.namespace

/** What makes other objects of the same files. */
const VARIED = ['postBuild', 'patches', 'components', 'images', 'commonMetadata']

function owners({ set }: CheckedFlux): FluxFinding[] {
  const byTarget = new Map<string, FluxUnit[]>()
  for (const u of set.units) {
    if (u.kind === 'Kustomization' && !u.source) continue
    const key = JSON.stringify(targetOf(u))
    byTarget.set(key, [...(byTarget.get(key) ?? []), u])
  }
  return [...byTarget.values()].flatMap((same) =>
    same.flatMap((second, i) => {
      const first = same.slice(0, i).find((u) => isOther(u, second))
      return first ? [twoOwners(first, second)] : []
    }),
  )
}

/** Units of one name are one unit, in the files of two clusters; and folders beside each other are clusters, too. */
function isOther(a: FluxUnit, b: FluxUnit): boolean {
  if (a.name === b.name && a.namespace === b.namespace) return false
  if (a.kind === 'Kustomization' && !VARIED.every((f) => jsonEqual(at(a.spec, f), at(b.spec, f))))
    return false
  const [x, y] = [folder(a), folder(b)]
  return `${x}/`.startsWith(`${y}/`) || `${y}/`.startsWith(`${x}/`) || x === '' || y === ''
}

const folder = (u: FluxUnit): string => u.manifest.document.file.split('/').slice(0, -1).join('/')

function twoOwners(first: FluxUnit, second: FluxUnit): FluxFinding {
  const [a, b] = [unitText(first), unitText(second)]
  const isRelease = first.kind === 'HelmRelease'
  const what = isRelease
    ? `release ${releaseNameOf(first)} in ${storageOf(first) || 'one namespace'}`
    : `${first.source?.kind} ${first.source?.name}, ${folderOf(first) || 'all of it'}`
  return {
    rule: 'W6b',
    level: 'error',
    place: positionOf(second.manifest, ['metadata', 'name']),
    message: `${a} and ${b} own the same: ${what}`,
    race: isRelease
      ? [
          `${shortUnitText(a)} installs its values`,
          `${shortUnitText(b)} upgrades the release to its own`,
          `${shortUnitText(a)} finds a drift and upgrades it back`,
          'the unit that is deleted first uninstalls it for both',
        ]
      : [
          `${shortUnitText(a)} applies and labels the objects as its own`,
          `${shortUnitText(b)} applies and labels them as its own`,
          'each run is a change for the other; dependents of both see Ready by turns',
          'the unit that is deleted first prunes the objects that have its label then',
        ],
    fix: isRelease
      ? 'Give one of them another releaseName.'
      : 'Remove one of them, or give one another targetNamespace, namePrefix or nameSuffix.',
    related: [relatedTo(first.manifest, ['metadata', 'name'], `the same as ${b}`)],
  }
}

/** The trick with which a dependency is versioned by name. */
function counters({ set }: CheckedFlux): FluxFinding[] {
  return set.units.flatMap((u): FluxFinding[] => {
    const isCounted = u.kind === 'Kustomization' && /-\d+$/.test(u.name) && set.dependants(u).length > 0
    if (!isCounted || u.spec.prune !== true || textAt(u.spec, 'nameSuffix') !== undefined) return []
    const text = unitText(u)
    return [
      {
        rule: 'W6c',
        level: 'warning',
        place: positionOf(u.manifest, ['metadata', 'name']),
        message: `${text} has a number at the end of its name, prunes, and its objects have no suffix: the unit of the next number owns the same objects`,
        race: [
          'the next release makes a unit with the next number, and removes this one',
          'the new one applies the objects and labels them',
          'this one is deleted, and prunes those that it still owns',
          'the objects that were just applied are missing until the next run',
        ],
        fix: 'Keep the name and use lockstep post-render; or set nameSuffix to the number; or prune: false.',
        related: [relatedTo(u.manifest, ['spec', 'prune'], 'it prunes')],
      },
    ]
  })
}
