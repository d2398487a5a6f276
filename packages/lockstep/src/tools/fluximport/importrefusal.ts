/** What does not become a Module at all, and why. */

import { type FluxManifest, positionOf } from '../flux/fluxmanifest.ts'
import type { FluxSet } from '../flux/fluxset.ts'
import { type FluxUnit, isOtherVersion, unitText } from '../flux/fluxunit.ts'
import { type FluxFiles, unitContent } from '../flux/unitcontent.ts'

export interface ImportRefusal {
  readonly why: string
  readonly todo: string
}

/** A name that Modules and their edges take: dots are none there. */
export const moduleName = (name: string): string => name.replaceAll('.', '-')

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
/** What a name of a Module, or of a namespace, has to be. */
export const isLabel = (text: string): boolean => LABEL.test(text)

/** `taken`: units that have their name already. */
export function refusalOf(
  set: FluxSet,
  files: FluxFiles,
  taken: readonly FluxUnit[],
  u: FluxUnit,
): ImportRefusal | undefined {
  if (u.kind === 'HelmRelease')
    return {
      why: 'charts are not rendered in this version',
      todo: 'Leave it to Flux, or put what helm template prints into a repository.',
    }
  const name = moduleName(u.name)
  if (!isLabel(name) || (u.namespace !== '' && !isLabel(u.namespace)))
    return {
      why: `${u.namespace ? `${u.namespace}/` : ''}${u.name} is not a valid Module name`,
      todo: 'Give it lower-case letters, digits and dashes, at most 63.',
    }
  const same = taken.find((t) => moduleName(t.name) === name && t.namespace === u.namespace)
  if (same)
    return {
      why: `${unitText(same)} in ${whereText(same.manifest)} becomes the Module of this name`,
      todo: 'Import the folder of each cluster by itself, with another --out.',
    }
  return wrapper(set, files, u) ?? sourceless(set, u)
}

/** What applies units would bring them back beside the Modules that they became. */
function wrapper(set: FluxSet, files: FluxFiles, u: FluxUnit): ImportRefusal | undefined {
  const content = new Set(unitContent(files, u))
  const inside = set.units.find((other) => other.kind === 'Kustomization' && content.has(other.manifest))
  return (
    inside && {
      why: `it applies Kustomizations, such as ${unitText(inside)} in ${whereText(inside.manifest)}: Flux would deploy in addition to the Modules`,
      todo: 'Keep the Modules where these are now; take this one away last, with prune: false.',
    }
  )
}

function sourceless(set: FluxSet, u: FluxUnit): ImportRefusal | undefined {
  if (!u.source) return { why: 'it has no sourceRef', todo: 'Name a GitRepository in spec.sourceRef.' }
  if (u.source.kind !== 'GitRepository')
    return {
      why: `its source is ${unitText(u.source)}, and a Module reads Git in this version`,
      todo: 'Leave it to Flux, or put its manifests into a Git repository.',
    }
  if (set.source(u.manifest, u.source)) return undefined
  return {
    why: `its source ${unitText(u.source)} is not in the files`,
    todo: 'Name the file that has it, too.',
  }
}

const OF_FLUX = /(^|\.)fluxcd\.io$/

export interface LeftoverObject extends ImportRefusal {
  readonly m: FluxManifest
  /** False: whatever it is for, the Modules have it or need it not. */
  readonly isLost: boolean
}

/** Objects of Flux that are neither units nor sources that a Module has taken in. */
export function restOf(set: FluxSet, read: ReadonlySet<FluxManifest>): readonly LeftoverObject[] {
  const units = new Set(set.units.map((u) => u.manifest))
  const sources = new Set(set.sources.map((s) => s.manifest))
  const rest = set.manifests.filter((m) => OF_FLUX.test(m.group) && !units.has(m) && !read.has(m))
  return rest.map((m) => {
    if (sources.has(m))
      return {
        m,
        isLost: false,
        why: 'no Module reads it',
        todo: 'Leave it as long as something of Flux does.',
      }
    if (isOtherVersion(m))
      return {
        m,
        isLost: true,
        why: `version ${m.version} is not read`,
        todo: 'Write it in the current version.',
      }
    return {
      m,
      isLost: true,
      why: 'no kind of Lockstep is like it',
      todo: 'Leave it to Flux, or do without.',
    }
  })
}

function whereText(m: FluxManifest): string {
  const { file, line } = positionOf(m, ['metadata', 'name'])
  return `${file}:${line}`
}
