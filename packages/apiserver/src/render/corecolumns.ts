import { at, type JsonValue, type KubeObject } from '@lockstep/kube/object'
import { cellText, keys, list, num, selectorText, since, str, whole } from './celltext.ts'
import type { PrintedColumn } from './printedcolumn.ts'

const statusesOf = (o: KubeObject): readonly JsonValue[] => list(o, 'status', 'containerStatuses')

/** Why a pod is where it is, as `kubectl get pods` says it. */
function podStatus(o: KubeObject): string {
  let reason = str(o, 'status', 'reason') || str(o, 'status', 'phase')
  for (const c of [...statusesOf(o)].reverse()) {
    const waiting = at(c, 'state', 'waiting', 'reason')
    const ended = at(c, 'state', 'terminated', 'reason')
    if (waiting) reason = String(waiting)
    else if (ended) reason = String(ended)
  }
  if (o.metadata.deletionTimestamp)
    return str(o, 'status', 'reason') === 'NodeLost' ? 'Unknown' : 'Terminating'
  return reason
}

const podReady = (o: KubeObject): string =>
  `${statusesOf(o).filter((c) => at(c, 'ready') === true).length}/${list(o, 'spec', 'containers').length}`

const podRestarts = (o: KubeObject): string =>
  String(statusesOf(o).reduce<number>((n, c) => n + Number(at(c, 'restartCount') ?? 0), 0))

const portText = (p: JsonValue): string => {
  const node = at(p, 'nodePort')
  return `${String(at(p, 'port'))}${node ? `:${String(node)}` : ''}/${String(at(p, 'protocol') ?? 'TCP')}`
}

function externalIp(o: KubeObject): string {
  const type = str(o, 'spec', 'type')
  if (type === 'ExternalName') return str(o, 'spec', 'externalName')
  const given = list(o, 'spec', 'externalIPs').join(',')
  if (type !== 'LoadBalancer') return given || '<none>'
  const got = list(o, 'status', 'loadBalancer', 'ingress').map((i) =>
    String(at(i, 'ip') ?? at(i, 'hostname') ?? ''),
  )
  return [...got, ...(given ? [given] : [])].join(',') || '<pending>'
}

function nodeStatus(o: KubeObject): string {
  const ready = list(o, 'status', 'conditions').find((c) => at(c, 'type') === 'Ready')
  const word = ready === undefined ? 'Unknown' : at(ready, 'status') === 'True' ? 'Ready' : 'NotReady'
  return at(o, 'spec', 'unschedulable') === true ? `${word},SchedulingDisabled` : word
}

const storageModes = (o: KubeObject): string =>
  list(o, 'spec', 'accessModes')
    .map((m) => String(m).replaceAll(/[a-z]/g, '').replace('RWOP', 'RWOP'))
    .join(',')

const roleText = (o: KubeObject): string => `${str(o, 'roleRef', 'kind')}/${str(o, 'roleRef', 'name')}`

/** Columns of core kinds and of what lies around them (kubernetes pkg/printers/internalversion/printers.go). */
export const coreColumns: Readonly<Record<string, readonly PrintedColumn[]>> = {
  Pod: [
    cellText('Ready', podReady),
    cellText('Status', podStatus),
    cellText('Restarts', podRestarts),
    cellText('IP', (o) => str(o, 'status', 'podIP') || '<none>', true),
    cellText('Node', (o) => str(o, 'spec', 'nodeName') || '<none>', true),
    cellText('Nominated Node', (o) => str(o, 'status', 'nominatedNodeName') || '<none>', true),
    cellText('Readiness Gates', () => '<none>', true),
  ],
  ConfigMap: [cellText('Data', (o) => keys(o, 'data') + keys(o, 'binaryData'))],
  Secret: [cellText('Type', (o) => str(o, 'type')), whole('Data', (o) => keys(o, 'data'))],
  Namespace: [cellText('Status', (o) => str(o, 'status', 'phase'))],
  Node: [
    cellText('Status', nodeStatus),
    cellText('Roles', nodeRoles),
    cellText('Version', (o) => str(o, 'status', 'nodeInfo', 'kubeletVersion')),
  ],
  Service: [
    cellText('Type', (o) => str(o, 'spec', 'type')),
    cellText('Cluster-IP', (o) => str(o, 'spec', 'clusterIP') || '<none>'),
    cellText('External-IP', externalIp),
    cellText('Port(s)', (o) => list(o, 'spec', 'ports').map(portText).join(',') || '<none>'),
    cellText('Selector', (o) => selectorText(at(o, 'spec', 'selector')), true),
  ],
  ServiceAccount: [],
  Event: [
    cellText('Last Seen', (o, now) =>
      since(str(o, 'lastTimestamp') || str(o, 'eventTime') || str(o, 'metadata', 'creationTimestamp'), now),
    ),
    cellText('Type', (o) => str(o, 'type')),
    cellText('Reason', (o) => str(o, 'reason')),
    cellText(
      'Object',
      (o) => `${str(o, 'involvedObject', 'kind').toLowerCase()}/${str(o, 'involvedObject', 'name')}`,
    ),
    cellText('Message', (o) => str(o, 'message').trim()),
  ],
  PersistentVolumeClaim: [
    cellText('Status', (o) => str(o, 'status', 'phase')),
    cellText('Volume', (o) => str(o, 'spec', 'volumeName')),
    cellText('Capacity', (o) => str(o, 'status', 'capacity', 'storage')),
    cellText('Access Modes', storageModes),
    cellText('StorageClass', (o) => str(o, 'spec', 'storageClassName')),
  ],
  'Lease.coordination.k8s.io': [cellText('Holder', (o) => str(o, 'spec', 'holderIdentity'))],
  'Ingress.networking.k8s.io': [
    cellText('Class', (o) => str(o, 'spec', 'ingressClassName') || '<none>'),
    cellText(
      'Hosts',
      (o) =>
        list(o, 'spec', 'rules')
          .map((r) => String(at(r, 'host') ?? '*'))
          .join(',') || '*',
    ),
    cellText('Address', (o) =>
      list(o, 'status', 'loadBalancer', 'ingress')
        .map((i) => String(at(i, 'ip') ?? at(i, 'hostname') ?? ''))
        .join(','),
    ),
    cellText('Ports', (o) => (list(o, 'spec', 'tls').length > 0 ? '80, 443' : '80')),
  ],
  'NetworkPolicy.networking.k8s.io': [
    cellText('Pod-Selector', (o) => selectorText(at(o, 'spec', 'podSelector'))),
  ],
  'RoleBinding.rbac.authorization.k8s.io': [cellText('Role', roleText)],
  'ClusterRoleBinding.rbac.authorization.k8s.io': [cellText('Role', roleText)],
  'StorageClass.storage.k8s.io': [
    cellText('Provisioner', (o) => str(o, 'provisioner')),
    cellText('ReclaimPolicy', (o) => str(o, 'reclaimPolicy')),
    cellText('VolumeBindingMode', (o) => str(o, 'volumeBindingMode')),
    cellText('AllowVolumeExpansion', (o) => at(o, 'allowVolumeExpansion') === true),
  ],
  'PriorityClass.scheduling.k8s.io': [
    whole('Value', (o) => num(o, 'value')),
    cellText('Global-Default', (o) => at(o, 'globalDefault') === true),
  ],
}

function nodeRoles(o: KubeObject): string {
  const prefix = 'node-role.kubernetes.io/'
  const roles = Object.keys(o.metadata.labels ?? {}).filter((k) => k.startsWith(prefix))
  return (
    roles
      .map((k) => k.slice(prefix.length))
      .sort()
      .join(',') || '<none>'
  )
}
