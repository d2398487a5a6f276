import { type JsonValue, jsonEqual, jsonPath, type KubeObject } from '@lockstep/kube/object'
import type { SubresourceInfo } from '../resources/resourceinfo.ts'
import type { ServedKind, ServedKindRules } from '../resources/servedkind.ts'
import { compileSchema } from '../schema/compileschema.ts'
import type { Schema } from '../schema/schematypes.ts'
import type { ResourceStore } from '../store/resourcestore.ts'
import { subdomainName } from '../write/validatemeta.ts'
import type { CrdDefinition, DefinedVersion } from './crddefinition.ts'
import { scaleFindings } from './scalefindings.ts'

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
const READ_WRITE = ['get', 'patch', 'update']

/**
 * The kinds that an established definition serves, one a version. Where a webhook would convert, only the stored version
 * is served: nothing is shown in a version that it was not made for.
 */
export function crdKinds(store: ResourceStore, d: CrdDefinition, terminating: boolean): ServedKind[] {
  const table = store.table(`${d.names.plural}.${d.group}`, 'sorted')
  return d.versions
    .filter((v) => v.served && (v.storage || !d.needsWebhook))
    .map((v) => ({
      info: {
        group: d.group,
        version: v.name,
        kind: d.names.kind,
        plural: d.names.plural,
        singular: d.names.singular,
        namespaced: d.namespaced,
        verbs: VERBS,
        shortNames: d.names.shortNames,
        categories: d.names.categories,
        subresources: subresourcesOf(v),
      },
      table,
      schema: compileSchema(v.schema as Schema | undefined),
      rules: rulesOf(v),
      custom: true,
      storageVersion: d.storageVersion,
      hasStatus: v.hasStatus,
      scale: v.scale,
      columns: v.columns,
      terminating,
    }))
}

function subresourcesOf(v: DefinedVersion): Record<string, SubresourceInfo> {
  return {
    ...(v.hasStatus ? { status: { verbs: READ_WRITE } } : {}),
    ...(v.scale ? { scale: { verbs: READ_WRITE, group: 'autoscaling', version: 'v1', kind: 'Scale' } } : {}),
  }
}

function rulesOf(v: DefinedVersion): ServedKindRules {
  const fields = v.selectable.map((path): [string, (o: KubeObject) => string] => [
    path.replace(/^\./, ''),
    (o) => {
      const found = jsonPath(o as unknown as JsonValue, path)[0]
      return found === undefined || found === null ? '' : String(found)
    },
  ])
  return {
    generation: (next, old) => !sameContent(next, old, v.hasStatus),
    unconditional: false,
    name: subdomainName,
    fields: Object.fromEntries(fields),
    afterSchema: v.scale ? (o) => scaleFindings(o, v.scale!) : undefined,
    warnings: v.deprecation === undefined ? undefined : () => [v.deprecation!],
  }
}

/** Everything but metadata counts, and the status only where it is no subresource. */
function sameContent(a: KubeObject, b: KubeObject, hasStatus: boolean): boolean {
  const content = ({ metadata: _m, status, ...rest }: KubeObject) => (hasStatus ? rest : { ...rest, status })
  return jsonEqual(content(a), content(b))
}
