import { compileSchema } from '../schema/compile.ts'
import { subdomainName } from '../write/metadata.ts'
import { definitionRules } from '../crd/rules.ts'
import type { Kind } from './kind.ts'
import type { Store } from '../store/store.ts'

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
const row = (
  group: string,
  version: string,
  kind: string,
  plural: string,
  namespaced: boolean,
  status: boolean,
  short: string[] = [],
) => ({ group, version, kind, plural, namespaced, status, short })
const ROWS = [
  row('', 'v1', 'Namespace', 'namespaces', false, true, ['ns']),
  row('', 'v1', 'ConfigMap', 'configmaps', true, false, ['cm']),
  row('', 'v1', 'Secret', 'secrets', true, false),
  row('', 'v1', 'Service', 'services', true, true, ['svc']),
  row('', 'v1', 'ServiceAccount', 'serviceaccounts', true, false, ['sa']),
  row('', 'v1', 'Pod', 'pods', true, true, ['po']),
  row('apps', 'v1', 'Deployment', 'deployments', true, true, ['deploy']),
  row('apps', 'v1', 'StatefulSet', 'statefulsets', true, true, ['sts']),
  row('apps', 'v1', 'DaemonSet', 'daemonsets', true, true, ['ds']),
  row('apps', 'v1', 'ReplicaSet', 'replicasets', true, true, ['rs']),
  row('batch', 'v1', 'Job', 'jobs', true, true),
  row('coordination.k8s.io', 'v1', 'Lease', 'leases', true, false),
  row('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', 'customresourcedefinitions', false, true, [
    'crd',
    'crds',
  ]),
]

export function temporaryKinds(store: Store): Kind[] {
  return ROWS.map((r) => ({
    info: {
      group: r.group,
      version: r.version,
      kind: r.kind,
      plural: r.plural,
      singular: r.kind.toLowerCase(),
      namespaced: r.namespaced,
      verbs: VERBS,
      shortNames: r.short,
      categories: r.kind === 'CustomResourceDefinition' ? ['api-extensions'] : [],
      subresources: r.status ? { status: { verbs: ['get', 'patch', 'update'] } } : undefined,
    },
    table: store.table(r.group === '' ? r.plural : `${r.plural}.${r.group}`, 'ordered'),
    schema: compileSchema(undefined),
    rules:
      r.kind === 'CustomResourceDefinition'
        ? definitionRules
        : { generation: 'none', unconditional: true, name: subdomainName },
    custom: false,
    storageVersion: r.version,
    hasStatus: r.status,
  }))
}
