import { encodeJson } from '@lockstep/kube/object'
import type { ListAnswer } from '../request/listanswer.ts'
import type { Media } from '../request/negotiate.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import type { StoredObject } from '../store/storedobject.ts'
import type { WatchFormat } from '../watch/watchlines.ts'
import { versionOf } from '../write/decodebody.ts'
import { partialOf } from './partial.ts'
import type { IncludeObject } from './rendertable.ts'
import { renderTable } from './rendertable.ts'

/** The three forms in which objects are shown: themselves, their metadata, rows of a table. */
export interface ObjectView {
  one(s: StoredObject): string
  list(answer: ListAnswer): string
  readonly watch: WatchFormat
}

export function viewOf(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  media: Media,
  include: IncludeObject,
): ObjectView {
  if (media.as === 'Table') return tableView(cluster, kind, media, include)
  if (media.as === 'PartialObjectMetadata') return partialView(media)
  return objectView(kind)
}

function objectView(kind: ServedKind): ObjectView {
  const head = `"apiVersion":${JSON.stringify(versionOf(kind))},"kind":${JSON.stringify(kind.info.kind)}`
  return {
    one: (s) => s.text,
    list(a) {
      const items = a.items.map((s) => s.itemText).join(',')
      const meta = encodeJson({
        continue: a.resume !== '' || kind.custom ? a.resume : undefined,
        remainingItemCount: a.remaining,
        resourceVersion: String(a.version),
      })
      const list = JSON.stringify(`${kind.info.kind}List`)
      const version = JSON.stringify(versionOf(kind))
      return kind.custom
        ? `{"apiVersion":${version},"items":[${items}],"kind":${list},"metadata":${meta}}\n`
        : `{"kind":${list},"apiVersion":${version},"metadata":${meta},"items":[${items}]}\n`
    },
    watch: watchFormat(
      (s) => s.text,
      (meta) => `{${head},"metadata":${meta}}`,
    ),
  }
}

function partialView(media: Media): ObjectView {
  const apiVersion = `meta.k8s.io/${media.version}`
  const one = (s: StoredObject): string => encodeJson(partialOf(s.object, apiVersion))
  return {
    one,
    list: (a) =>
      encodeJson({
        kind: 'PartialObjectMetadataList',
        apiVersion,
        metadata: listMeta(a),
        items: a.items.map((s) => partialOf(s.object, apiVersion)),
      }),
    watch: watchFormat(
      one,
      (meta) => `{"kind":"PartialObjectMetadata","apiVersion":"${apiVersion}","metadata":${meta}}`,
    ),
  }
}

function tableView(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  media: Media,
  include: IncludeObject,
): ObjectView {
  const apiVersion = `meta.k8s.io/${media.version}`
  let told = false
  const row = (s: StoredObject): string => {
    const table = renderTable(cluster, kind, [s], {
      include,
      apiVersion,
      meta: { resourceVersion: s.object.metadata.resourceVersion },
    })
    // Columns are described once in a stream.
    const text = encodeJson(told ? { ...table, columnDefinitions: null } : table)
    told = true
    return text
  }
  return {
    one: (s) =>
      encodeJson(
        renderTable(cluster, kind, [s], {
          include,
          apiVersion,
          meta: { resourceVersion: s.object.metadata.resourceVersion },
        }),
      ),
    list: (a) => encodeJson(renderTable(cluster, kind, a.items, { include, apiVersion, meta: listMeta(a) })),
    watch: watchFormat(row, (meta) => {
      const bookmark = {
        kind: kind.info.kind,
        apiVersion: versionOf(kind),
        metadata: JSON.parse(meta) as object,
      }
      return encodeJson({
        kind: 'Table',
        apiVersion,
        metadata: { resourceVersion: (JSON.parse(meta) as { resourceVersion: string }).resourceVersion },
        columnDefinitions: null,
        rows: [{ cells: null, object: bookmark }],
      })
    }),
  }
}

const listMeta = (a: ListAnswer): object => ({
  resourceVersion: String(a.version),
  continue: a.resume || undefined,
  remainingItemCount: a.remaining,
})

const INITIAL_END = { 'k8s.io/initial-events-end': 'true' }

function watchFormat(one: (s: StoredObject) => string, bookmark: (meta: string) => string): WatchFormat {
  return {
    event: (e) => `{"type":"${e.type}","object":${one(e.stored)}}\n`,
    bookmark(version, initialEnd) {
      const meta = encodeJson({
        annotations: initialEnd ? INITIAL_END : undefined,
        resourceVersion: String(version),
      })
      return `{"type":"BOOKMARK","object":${bookmark(meta)}}\n`
    },
  }
}
