/** Clusters in a message: ten are named, the rest counted, whatever order they came in. */
import { utf8Length } from '@lockstep/kube/object'

const MOST_NAMES = 10
/** Bytes of the detail of one cluster: ten details fit into a message. */
const MOST_DETAIL = 200
const MOST_BYTES = 4096

export interface NamedCluster {
  readonly cluster: string
  readonly detail?: string | undefined
}

export interface ClusterGroup {
  readonly reason: string
  readonly clusters: readonly NamedCluster[]
}

/** `NotApplied 1: c3 (ConfigMap a: …); ClusterNotConnected 2: c7, c19`; the groups share the ten names in their order. */
export function groupsText(groups: readonly ClusterGroup[]): string[] {
  let left = MOST_NAMES
  return groups.map(({ reason, clusters }) => {
    const sorted = [...clusters].sort((a, b) => (a.cluster < b.cluster ? -1 : 1))
    const named = sorted.slice(0, left)
    left -= named.length
    const rest = sorted.length - named.length
    const head = `${reason} ${sorted.length}`
    if (named.length === 0) return head
    return `${head}: ${named.map(nameText).join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`
  })
}

const nameText = ({ cluster, detail }: NamedCluster): string =>
  detail === undefined ? cluster : `${cluster} (${cut(detail, MOST_DETAIL)})`

/** Parts of a message as one, no longer than a condition of ours is. */
export const conditionMessage = (parts: readonly string[]): string => cut(parts.join('; '), MOST_BYTES)

/** At most `most` bytes of UTF-8, at the end of a character. */
function cut(text: string, most: number): string {
  if (utf8Length(text) <= most) return text
  let bytes = utf8Length('…')
  let end = 0
  for (const character of text) {
    bytes += utf8Length(character)
    if (bytes > most) break
    end += character.length
  }
  return `${text.slice(0, end)}…`
}
