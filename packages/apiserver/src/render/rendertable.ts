import {
  humanDuration,
  type JsonValue,
  jsonPath,
  type KubeObject,
  parseTimestampMs,
} from '@lockstep/kube/object'
import type { ColumnSpec, ServedKind } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import type { StoredObject } from '../store/storedobject.ts'
import { builtinColumns } from './builtincolumns.ts'
import { partialOf } from './partial.ts'
import type { PrintedColumn, TableCell } from './printedcolumn.ts'

export type IncludeObject = 'Metadata' | 'Object' | 'None'

interface RenderTableOptions {
  readonly include: IncludeObject
  readonly apiVersion: string
  readonly meta: object
}

const NAME_HELP =
  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names'
const AGE_HELP =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata'

const NAME: PrintedColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: NAME_HELP,
  cell: (o) => o.metadata.name ?? '',
}
const AGE: PrintedColumn = {
  name: 'Age',
  type: 'string',
  description: AGE_HELP,
  cell: (o, now) => ageOf(o.metadata.creationTimestamp, now),
}
const CREATED: PrintedColumn = {
  ...AGE,
  name: 'Created At',
  type: 'date',
  cell: (o) => o.metadata.creationTimestamp ?? null,
}

/** Rows for `kubectl get` (apimachinery meta/v1 Table). */
export function renderTable(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  items: readonly StoredObject[],
  options: RenderTableOptions,
): object {
  const columns = columnsOf(kind)
  const now = cluster.env.clock.now()
  return {
    kind: 'Table',
    apiVersion: options.apiVersion,
    metadata: options.meta,
    columnDefinitions: columns.map((c) => ({
      name: c.name,
      type: c.type,
      format: c.format ?? '',
      description: c.description ?? '',
      priority: c.priority ?? 0,
    })),
    rows: items.map((s) => ({
      cells: columns.map((c) => c.cell(s.object, now)),
      object: rowObject(s.object, options),
    })),
  }
}

function rowObject(o: KubeObject, options: RenderTableOptions): object | null {
  if (options.include === 'None') return null
  return options.include === 'Object' ? o : partialOf(o, options.apiVersion)
}

function columnsOf(kind: ServedKind): readonly PrintedColumn[] {
  if (kind.custom) return [NAME, ...(kind.columns ?? [DEFAULT_AGE]).map(customColumn)]
  const own = builtinColumns(kind.info.group, kind.info.kind)
  return own
    ? [NAME, ...own.filter((c) => !c.afterAge), AGE, ...own.filter((c) => c.afterAge)]
    : [NAME, CREATED]
}

const DEFAULT_AGE: ColumnSpec = {
  name: 'Age',
  type: 'date',
  description: AGE_HELP,
  jsonPath: '.metadata.creationTimestamp',
}

/** A column of a definition (apiextensions-apiserver `registry/customresource/tableconvertor`). */
function customColumn(c: ColumnSpec): PrintedColumn {
  return {
    name: c.name,
    type: c.type,
    format: c.format,
    priority: c.priority,
    description: c.description || `Custom resource definition column (in JSONPath format): ${c.jsonPath}`,
    cell: (o, now) => cellFor(c, jsonPath(o as unknown as JsonValue, c.jsonPath), now),
  }
}

function cellFor(c: ColumnSpec, found: readonly JsonValue[], now: number): TableCell {
  const v = found[0]
  if (v === undefined || v === null) return null
  switch (c.type) {
    case 'integer':
      return typeof v === 'bigint' || (typeof v === 'number' && Number.isInteger(v)) ? v : null
    case 'number':
      return typeof v === 'number' || typeof v === 'bigint' ? v : null
    case 'boolean':
      return typeof v === 'boolean' ? v : null
    case 'date':
      return typeof v === 'string' ? ageOf(v, now) : '<unknown>'
    default:
      return found.map((x) => (typeof x === 'object' ? JSON.stringify(x) : String(x))).join(',')
  }
}

export function ageOf(time: string | undefined, now: number): string {
  const then = time === undefined ? undefined : parseTimestampMs(time)
  return then === undefined ? '<unknown>' : humanDuration(now - then)
}
