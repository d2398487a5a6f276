/** Strategy module: what a promotion writes into the spec of a Module, and what follows from how its Modules are. */

import { err, ok, type Result } from '@lockstep/kube/env'
import type { JsonObject } from '@lockstep/kube/object'
import { API_VERSION } from '../../api/apiversion.ts'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { GitSource, HelmSource } from '../../api/kinds/index.ts'
import type { FactsOf, WaitRefOf } from '../../api/reasons/index.ts'
import type { PromotionObject } from './promotionref.ts'
import {
  failedStep,
  type NewerPromotion,
  type PromotionHold,
  type PromotionState,
  type PromotionStep,
  revertedFacts,
  whileHeld,
} from './promotionstate.ts'

/** Of the Modules that a promotion has written: its key. */
export const PROMOTION_ANNOTATION = 'lockstep.dev/promotion'

export interface ModuleSource {
  readonly git?: { readonly ref: GitSource['ref'] } | undefined
  readonly helm?: Pick<HelmSource, 'version' | 'digest'> | undefined
  readonly [other: string]: unknown
}

export interface ModuleObservation {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly source: ModuleSource
  /** Of its spec. */
  readonly release: string | undefined
  /** The key in its annotation. */
  readonly promotion: string | undefined
}

export interface ModuleVersion {
  readonly revision: string
  /** Undefined: releases are left alone, or the source has none. */
  readonly release: string | undefined
}

export interface ModuleEdit {
  /** Of the spec, and nothing else of it. */
  readonly spec: JsonObject
  /** For people. */
  readonly from: string
  readonly to: string
  /** The spec says it already. */
  readonly isThere: boolean
}

export const moduleVersionOf = (
  { id, settings }: Pick<PromotionState, 'id' | 'settings'>,
  release: string | undefined,
): ModuleVersion => ({
  revision: id.revision,
  release: (settings.module?.release ?? 'Follow') === 'Follow' ? release : undefined,
})

interface ModuleField {
  readonly spec: JsonObject
  readonly from: string
  readonly to: string
}

/**
 * The version field of a Module by its source, and `spec.release` where both sides have one. A source without a version of its
 * own has only the release. The error names what a range, a branch or a name has to become.
 */
export function moduleEdit(module: ModuleObservation, wanted: ModuleVersion): Result<ModuleEdit, NewBlocker> {
  const { source, release } = module
  const version = versionField(source, wanted.revision)
  if (!version.ok) return err(noEdit(module, version.error))
  const follows = wanted.release !== undefined && release !== undefined
  if (!version.value && !follows)
    return err(noEdit(module, { because: 'NoVersion', revision: wanted.revision }))
  const releases: readonly ModuleField[] = follows
    ? [{ spec: { release: wanted.release }, from: release, to: wanted.release }]
    : []
  const fields = [...(version.value ? [version.value] : []), ...releases]
  return ok({
    spec: Object.assign({}, ...fields.map((f) => f.spec)),
    from: fields.map((f) => f.from).join(', release '),
    to: fields.map((f) => f.to).join(', release '),
    isThere: fields.every((f) => f.from === f.to),
  })
}

/** Why a promotion cannot write a Module. */
export const noEdit = (module: PromotionObject, facts: FactsOf<'NothingToEdit'>): NewBlocker =>
  blocked('NothingToEdit', [moduleRef(module)], facts)

/** `Module prod/podinfo`. Which of the two kinds it is, its pipeline says. */
export const promotedModuleText = ({ namespace, name }: PromotionObject): string =>
  `Module ${namespace}/${name}`

/** A Module of the hub; its kind may be BootstrapModule, which goes by the same name. */
export const moduleRef = ({ namespace = '', name }: PromotionObject): WaitRefOf<'Object'> => ({
  kind: 'Object',
  name,
  namespace,
  object: { apiVersion: API_VERSION, kind: 'Module' },
})

function versionField(
  { git, helm }: ModuleSource,
  revision: string,
): Result<ModuleField | undefined, VersionProblem> {
  if (git) return gitField(git.ref, revision)
  return helm ? chartField(helm, revision) : ok(undefined)
}

type VersionProblem = FactsOf<'NothingToEdit'>

/** Its revisions are `1.18.2@sha256:9b1c…`. Where the version has a digest beside it, both move. */
function chartField(
  { version, digest }: NonNullable<ModuleSource['helm']>,
  revision: string,
): Result<ModuleField, VersionProblem> {
  if (!/^v?\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]*)?$/.test(version))
    return err({ because: 'VersionRange', field: 'source.helm.version', value: version })
  const { name, hex } = partsOf(revision)
  if (name === '') return err({ because: 'NoPart', field: 'source.helm.version', revision })
  const helm = (to: JsonObject) => ({ source: { helm: to } })
  if (digest === undefined) return ok({ spec: helm({ version: name }), from: version, to: name })
  if (hex === '') return err({ because: 'NoDigest', field: 'source.helm.digest', revision })
  const to = `sha256:${hex}`
  return ok({
    spec: helm({ version: name, digest: to }),
    from: `${version}@${digest}`,
    to: `${name}@${to}`,
  })
}

/** Its revisions are `v2.0.0@sha1:9b1c…` of a tag, and `sha1:9b1c…` of a commit; people ask for `v2.0.0`. */
function gitField(ref: GitSource['ref'], revision: string): Result<ModuleField, VersionProblem> {
  const { tag, commit } = ref
  const moving = (['semver', 'branch', 'name'] as const).find((k) => ref[k] !== undefined)
  if (moving !== undefined)
    return err({
      because: 'VersionRange',
      field: `source.git.ref.${moving}`,
      value: String(ref[moving]),
      path: 'source.git.ref.tag',
    })
  const { name, hex } = partsOf(revision)
  const git = (to: JsonObject) => ({ source: { git: { ref: to } } })
  if (tag === undefined) {
    if (hex === '') return err({ because: 'NoPart', field: 'source.git.ref.commit', revision })
    return ok({ spec: git({ commit: hex }), from: commit ?? '', to: hex })
  }
  if (name === '') return err({ because: 'NoPart', field: 'source.git.ref.tag', revision })
  if (commit === undefined) return ok({ spec: git({ tag: name }), from: tag, to: name })
  if (hex === '') return err({ because: 'NoDigest', field: 'source.git.ref.commit', revision })
  return ok({
    spec: git({ tag: name, commit: hex }),
    from: `${tag}@sha1:${commit}`,
    to: `${name}@sha1:${hex}`,
  })
}

/** Empty: it does not say. */
function partsOf(revision: string): { readonly name: string; readonly hex: string } {
  const end = revision.lastIndexOf('@')
  const [, hex] = /^sha(?:1|256):([0-9a-f]{40}|[0-9a-f]{64})$/.exec(revision.slice(end + 1)) ?? []
  return hex === undefined ? { name: revision, hex: '' } : { name: revision.slice(0, Math.max(0, end)), hex }
}

export interface ModuleFound {
  readonly namespace: string
  readonly name: string
  /** Undefined: it is not there. */
  readonly module: ModuleObservation | undefined
}

export interface ModulesInput {
  readonly promotion: PromotionState
  readonly newer: NewerPromotion | undefined
  readonly wanted: ModuleVersion
  /** All of its targets, as they are now. */
  readonly found: readonly ModuleFound[]
  readonly held: PromotionHold | undefined
  readonly nowMs: number
}

/** Modules whose spec does not say it yet. */
export const pendingModules = ({
  found,
  wanted,
}: Pick<ModulesInput, 'found' | 'wanted'>): ModuleObservation[] =>
  found.flatMap(({ module }) => {
    if (!module) return []
    const edit = moduleEdit(module, wanted)
    return edit.ok && edit.value.isThere ? [] : [module]
  })

/** What is written is found again by its key and its fields: the same first try and after any crash. */
export function afterModules({ promotion, newer, wanted, found, held, nowMs }: ModulesInput): PromotionStep {
  const intended = promotion.status.intent?.modules ?? []
  const isOther = (f: ModuleFound): boolean =>
    !intended.some((m) => m.namespace === f.namespace && m.name === f.name && m.uid === f.module?.uid)
  const pending = pendingModules({ found, wanted })
  const isOurs = ({ promotion: key }: ModuleObservation): boolean => key === promotion.key
  const written = found.filter(({ module }) => module && isOurs(module)).length
  // One was made anew, or the targets are others by now: nothing is written that was not stored before.
  if (found.some(isOther)) {
    const isHeld = held && !newer && written === 0 && promotion.phase === 'Applying'
    return isHeld ? whileHeld(held, nowMs) : { type: 'Rebuild', previous: undefined, isBegun: written > 0 }
  }
  const back = pending.find(isOurs)
  if (back)
    return failedStep(
      blocked('RevertedInGit', [moduleRef(back)], { because: 'Module', ...revertedFacts(promotion) }),
    )
  if (pending.length === 0)
    return {
      type: 'Phase',
      to: 'Converging',
      result: written === 0 ? { alreadyAtRevision: true } : { modules: written },
    }
  // What has begun is brought to its end: half of the Modules would be at each revision.
  if (newer && written === 0)
    return {
      type: 'Phase',
      to: 'Superseded',
      reason: 'NewerRevision',
      message: `no Module was written: superseded by ${newer.revision}, Promotion ${newer.name}`,
    }
  if (promotion.phase !== 'Applying') return { type: 'Phase', to: 'Applying' }
  if (held && written === 0) return whileHeld(held, nowMs)
  return { type: 'Effect', effect: { type: 'ApplyModules' } }
}
