/** A GitRepository becomes a part of each Module that reads it. */
import { isString, type JsonValue } from '@lockstep/kube/object'
import type { FluxSource } from '../flux/fluxsource.ts'
import { unitText } from '../flux/fluxunit.ts'
import { folderOf } from '../flux/unitcontent.ts'
import { FieldReader } from './fieldreader.ts'
import type { ModuleDraft } from './moduledraft.ts'
import { duration, type FieldPosition, type FieldRow, never, only, readFields, text } from './readfields.ts'

const INCOMPLETE = 'Put its files into one repository, then add spec.targets.'

const GIT: readonly FieldRow[] = [
  text('url', 'source.git.url'),
  { field: 'secretRef.name', become: secret },
  duration('interval', 'source.interval', '30s', '24h'),
  duration('timeout', 'source.timeout', '10s', '10m'),
  text('ignore', 'source.ignore'),
  only('provider', 'generic', {
    why: 'credentials of clouds and of GitHub Apps are not known here',
    todo: 'Write a token or key into a Secret, and name it in spec.source.git.secretRef.',
  }),
  never('serviceAccountName', {
    why: 'credentials of clouds are not known here',
    todo: 'Write a token or key into a Secret, and name it in spec.source.git.secretRef.',
  }),
  never('proxySecretRef', {
    why: 'a source cannot have a proxy',
    todo: 'Let the controller reach the host.',
  }),
  never('verify', {
    why: 'signatures of commits and tags are not verified',
    todo: 'Name a commit in spec.source.git.ref, then add spec.targets.',
    holds: true,
  }),
  never('include', { why: 'other repositories are not included', todo: INCOMPLETE, holds: true }),
  only('recurseSubmodules', false, { why: 'submodules are not read', todo: INCOMPLETE, holds: true }),
  { field: 'sparseCheckout', become: sparse },
  only('suspend', false, {
    why: 'a source cannot be suspended: new commits would be deployed',
    todo: 'Name a commit in spec.source.git.ref, then add spec.targets.',
    holds: true,
  }),
]

/** Reads the source into the draft; what it lists is about the source. */
export function readGitSource(draft: ModuleDraft, source: FluxSource): FieldReader {
  const reading = new FieldReader(source.manifest, unitText(source))
  readFields(GIT, draft, reading)
  readRef(draft, reading)
  draft.imply(['source', 'git', 'path'], folderOf(draft.unit) || '.')
  draft.reading.settle(['spec', 'path'])
  for (const field of ['labels', 'annotations'])
    if (reading.value(['metadata', field]) !== undefined)
      reading.note(
        ['metadata', field],
        'a source is not an object, but a part of the Modules that read it',
        'Nothing.',
      )
  reading.close()
  return reading
}

/** Which fields Flux reads, first to last; the others beside them say nothing. A branch with a commit is where that is looked for. */
const ORDER = ['commit', 'name', 'semver', 'tag', 'branch'] as const

function readRef(draft: ModuleDraft, reading: FieldReader): void {
  const path = ['spec', 'ref']
  const given = ORDER.filter((f) => isGiven(reading.value([...path, f])))
  const [first] = given
  if (first === undefined) draft.imply(['source', 'git', 'ref'], { branch: 'master' })
  const taken = first === 'commit' && given.includes('branch') ? ['branch', 'commit'] : [first]
  for (const f of given) {
    const from = [...path, f]
    if (taken.includes(f)) draft.set(['source', 'git', 'ref', f], reading.value(from)!, from, reading)
    else reading.note(from, `Flux ignores it beside ${first}`, 'Nothing.')
  }
}

const isGiven = (v: JsonValue | undefined): boolean => isString(v) && v !== ''

function secret(value: JsonValue, { draft, reading, path }: FieldPosition): void {
  if (!isString(value)) return
  const { namespace } = draft.unit
  const home = reading.manifest.namespace || namespace
  draft.set(['source', 'git', 'secretRef', 'name'], value, path, reading)
  if (home !== namespace)
    reading.note(
      path,
      `${unitText(draft.unit)} reads it from its own namespace, and the Secret is in ${home}`,
      `Copy it into namespace ${namespace}.`,
    )
}

function sparse(_: JsonValue, { draft, reading, path }: FieldPosition): void {
  const why = 'all of the repository is read where spec.path names no folder'
  if (folderOf(draft.unit) !== '') reading.settle(path)
  else reading.lose(path, why, 'Name the folder in spec.source.git.path, then add spec.targets.', true)
}
