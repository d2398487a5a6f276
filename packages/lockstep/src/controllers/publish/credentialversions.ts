/** Secrets with which a source is reached. */
import type { Stored } from '@lockstep/kube/object'
import { accountOf } from '../../api/account.ts'
import type { Module, ModuleSpec } from '../../api/kinds/index.ts'
import type { NamedInput } from '../../sources/intake/index.ts'
import { type HubInformers, inputVersion, observeInput } from '../cache/index.ts'

export const credentialInputs = ({ source: { git, helm, refs = [] } }: Pick<ModuleSpec, 'source'>) =>
  [git?.secretRef, helm?.secretRef, helm?.certSecretRef, ...refs.map((r) => r.git.secretRef)].flatMap(
    (ref): NamedInput[] => (ref ? [{ kind: 'Secret', name: ref.name }] : []),
  )

/** Watches them: a source that failed is fetched again when one of them changes. Undefined: not all are known. */
export function credentialVersions(hub: HubInformers, module: Stored<Module>): string | undefined {
  const seen = credentialInputs(module.spec).map((i) => observeInput(hub, accountOf(module), i))
  const versions = seen.flatMap((s) => (s.state === 'Read' ? [inputVersion(s.object)] : []))
  return versions.length > 0 && versions.length === seen.length ? versions.join(' ') : undefined
}
