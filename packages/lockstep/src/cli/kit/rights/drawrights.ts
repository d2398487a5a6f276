/** Rights of a Module for people. */
import { keyText } from '@lockstep/kube/object'
import { accountKey } from '../../../api/account.ts'
import type { ResourceRights } from '../../../deliver/rights/index.ts'
import { fit, plural, type Terminal, textTable } from '../terminal/index.ts'
import type { ClusterRights } from './clusterrights.ts'
import type { ReviewedRights } from './grantmanifests.ts'

const SHORT: readonly (readonly [word: string, verbs: readonly string[]])[] = [
  ['read', ['get', 'list', 'watch']],
  ['write', ['create', 'patch', 'delete']],
]
/** Columns from which on the table says what uses a right. */
const WIDE = 80
const VERBS_LEGEND = 'read: get, list, watch. write: create, patch, delete.'

/** `read write`, `read patch delete`. */
function verbsText(verbs: readonly string[]): string {
  let rest = verbs
  const words: string[] = []
  for (const [word, all] of SHORT) {
    if (!all.every((v) => rest.includes(v))) continue
    words.push(word)
    rest = rest.filter((v) => !all.includes(v))
  }
  return [...words, ...rest].join(' ')
}

/** `deployments.apps`, `secrets/db`. */
const resourceText = ({ group, resource, name }: ResourceRights): string =>
  `${resource}${group === '' ? '' : `.${group}`}${name === undefined ? '' : `/${name}`}`

/** The rights of one Module. */
export function drawRights(t: Terminal, r: ReviewedRights): string[] {
  const { module, account, rights, unknown, held } = r
  const user = `ServiceAccount ${keyText(accountKey(account))}`
  const { namespace, name } = module.metadata
  const head = `${module.kind} ${namespace}/${name} acts on the hub as ${user}.`
  if (rights.length === 0 && unknown.length === 0)
    return [fit(t.look, head), `${t.paint('green', '✔')} It needs no rights there.`]
  const state = (of: ResourceRights): string[] => {
    if (!held) return []
    if (!held.lacking) return [t.paint('yellow', '?')]
    const lacks = held.lacking.get(of)
    return [lacks ? t.paint('red', `✗ ${verbsText(lacks)}`) : t.paint('green', '✔')]
  }
  return [
    fit(t.look, head),
    ...rightsTable(t, rights, held && state, (x) => [x.namespace ?? '(hub)']),
    ...unknownLines(t, unknown),
    ...(held?.exists === false ? [fit(t.look, `${t.paint('red', '✗')} ${user} does not exist.`)] : []),
    fit(t.look, verdict(t, r)),
  ]
}

/** Held, lacking, or not known. */
type RightState = (of: ResourceRights) => readonly string[]

/** `place`: the first column, if rights are of several places. */
function rightsTable(
  t: Terminal,
  rights: readonly ResourceRights[],
  state: RightState | undefined,
  place?: RightState,
): string[] {
  if (rights.length === 0) return []
  const isWide = t.look.width >= WIDE
  const rows = rights.map((x) => [
    ...(place?.(x) ?? []),
    resourceText(x),
    verbsText(x.verbs),
    ...(isWide ? [x.usedBy.join(', ')] : []),
    ...(state?.(x) ?? []),
  ])
  const title = [
    ...(place ? ['NAMESPACE'] : []),
    ...['RESOURCE', 'VERBS', ...(isWide ? ['USED BY'] : []), ...(state ? ['HELD'] : [])],
  ]
  return [
    '',
    ...textTable([title, ...rows], { width: t.look.width }),
    '',
    t.paint('dim', fit(t.look, VERBS_LEGEND)),
  ]
}

const unknownLines = (t: Terminal, unknown: readonly string[]): string[] =>
  unknown.map((u) => fit(t.look, `${t.paint('yellow', '?')} rights are unknown: ${u}`))

/** The rights of the credential of a cluster. `lacking` undefined: it could not be asked. */
export function drawClusterRights(
  t: Terminal,
  cluster: string,
  { rights, unknown }: ClusterRights,
  lacking: ReadonlyMap<ResourceRights, readonly string[]> | undefined,
): string[] {
  const state: RightState = (of) => {
    const lacks = lacking?.get(of)
    return [lacks ? t.paint('red', `✗ ${verbsText(lacks)}`) : t.paint('green', '✔')]
  }
  const total = plural(rights.length, 'resource')
  const verdict =
    lacking === undefined
      ? `${t.paint('yellow', '?')} The cluster cannot be asked with the credential in its Secret.`
      : lacking.size === 0
        ? `${t.paint('green', '✔')} The credential holds all ${unknown.length > 0 ? 'known ' : ''}rights.`
        : `${t.paint('red', '✗')} The credential lacks rights on ${lacking.size} of ${total}. To grant them: lockstep rights --cluster ${cluster} --cluster-context CONTEXT --apply`
  return [
    fit(t.look, `Rights of the credential of cluster ${cluster}, for the whole cluster:`),
    ...rightsTable(t, rights, lacking && state),
    ...unknownLines(t, unknown),
    fit(t.look, verdict),
  ]
}

function verdict(t: Terminal, { rights, unknown, held }: ReviewedRights): string {
  if (!held) return 'Not reviewed: no kubeconfig names a hub.'
  if (!held.lacking)
    return `${t.paint('yellow', '?')} You may not act as the account: a role must allow the verb impersonate on it.`
  const lacks = held.lacking.size
  return lacks === 0
    ? unknown.length > 0
      ? `${t.paint('green', '✔')} The account holds all known rights.`
      : `${t.paint('green', '✔')} The account holds all rights.`
    : `${t.paint('red', '✗')} The account lacks rights on ${lacks} of ${plural(rights.length, 'resource')}. To print a Role, add -o yaml.`
}
