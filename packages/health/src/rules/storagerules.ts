/** Rook, snapshots, MinIO, Trident and Astra, KubeVirt and its disks, Velero. */
import { absent, type KindRule, type KindRules, on, otherwise, when, words } from './kindrule.ts'

const rook: readonly KindRules[] = [
  {
    group: 'ceph.rook.io',
    kinds: ['CephCluster'],
    rules: [
      ...words(
        'status.ceph.health',
        { Healthy: ['HEALTH_OK'] },
        'Ceph health is HEALTH_OK - Ceph cluster state is {status.state} - {status.message}',
      ),
      ...words(
        'status.ceph.health',
        { Degraded: ['HEALTH_WARN', 'HEALTH_ERR'] },
        "Ceph health is {status.ceph.health} ({status.ceph.?details.orValue({}).map(d, status.ceph.details[d].message).join('; ')}) - {status.message}",
      ),
      ...words('status.state', { Degraded: ['Error'] }, '{status.message}'),
      otherwise('Progressing', '{status.message|Waiting for the cluster}'),
    ],
  },
  {
    group: 'ceph.rook.io',
    kinds: ['CephObjectStore'],
    rules: [
      ...words(
        'status.phase',
        { Healthy: ['Ready', 'Connected'] },
        'Ceph object store phase is {status.phase} - endpoint: {status.info.endpoint}',
      ),
      ...words('status.phase', { Degraded: ['Failure'] }, 'Ceph object store phase is {status.phase}'),
      otherwise('Progressing', 'Ceph object store phase is {status.phase|not known yet}'),
    ],
  },
  {
    group: 'ceph.rook.io',
    kinds: '*',
    rules: [
      ...words(
        'status.phase',
        {
          Healthy: ['Ready', 'Connected'],
          Degraded: ['Failure', 'ReconcileFailed'],
          Progressing: [
            'Connecting',
            'Created',
            'Deleting',
            'DeletionIsBlocked',
            'Progressing',
            'Reconciling',
          ],
        },
        '{kind} phase is {status.phase}',
      ),
    ],
  },
  {
    group: 'objectbucket.io',
    kinds: ['ObjectBucketClaim'],
    rules: [
      ...words(
        'status.phase',
        { Healthy: ['Bound'], Degraded: ['Failed'], Progressing: ['Pending', 'Released'] },
        'Object bucket claim phase is {status.phase}',
      ),
      otherwise('Progressing', 'Waiting for status'),
    ],
  },
]

const snapshot: readonly KindRule[] = [
  when('has(status.error)', 'Degraded', '{status.error.message}'),
  ...words('status.readyToUse', { Healthy: [true] }, 'Ready to use'),
  otherwise('Progressing', 'Waiting for status'),
]

/** Texts of the MinIO operator's `status.currentState` (its controller's status constants). */
const minio: readonly KindRule[] = [
  ...words('status.currentState', {
    Healthy: ['Initialized'],
    Degraded: [
      'Another MinIO Tenant already exists in the namespace',
      'Different versions across MinIO Pools',
      'Pool Decommissioning Not Allowed',
      'Statefulset not controlled by operator',
      'Tenant credentials are not set properly',
    ],
  }),
  otherwise('Progressing', '{status.currentState|Waiting for the operator}'),
]

/** Astra Control's kinds have a `state`, and so many conditions as they have steps. */
const astra: readonly KindRules[] = [
  {
    group: 'astra.netapp.io',
    kinds: ['AppVault'],
    rules: [
      ...words('status.state', { Healthy: ['available'] }, 'AppVault Available'),
      ...words('status.state', { Degraded: ['failed', 'error'] }, 'AppVault Failed'),
      otherwise('Progressing', '{status.state|No status available}'),
    ],
  },
  {
    group: 'astra.netapp.io',
    kinds: ['Application'],
    rules: [
      on('Ready=True', 'Healthy', 'Astra Application Ready, protectionState: {status.protectionState}'),
      on('Ready=False', 'Degraded', 'Astra Application Degraded, message: {condition.message}'),
      otherwise('Progressing', 'No status available'),
    ],
  },
  {
    group: 'astra.netapp.io',
    kinds: ['Schedule'],
    rules: [
      ...words('spec.enabled', { Suspended: [false] }, '{kind} disabled'),
      absent('status.lastScheduleTime', 'Healthy', 'Protection policy not yet executed'),
      otherwise('Healthy', 'Protection policy lastScheduleTime: {status.lastScheduleTime}'),
    ],
  },
  {
    group: 'astra.netapp.io',
    kinds: ['ExecHook'],
    rules: [
      ...words('spec.enabled', { Healthy: [true] }, '{kind} enabled'),
      otherwise('Suspended', '{kind} disabled'),
    ],
  },
  {
    group: 'astra.netapp.io',
    kinds: [
      'Backup',
      'BackupInplaceRestore',
      'BackupRestore',
      'ExecHooksRun',
      'ResourceBackup',
      'ResourceRestore',
      'ResticVolumeBackup',
      'ResticVolumeRestore',
      'Snapshot',
      'SnapshotInplaceRestore',
      'SnapshotRestore',
    ],
    rules: [
      ...words('status.state', { Healthy: ['Completed'] }, '{kind} {status.state}'),
      ...words('status.state', { Degraded: ['Failed', 'Error'] }, '{status.state}'),
      absent('status.state', 'Progressing', 'No status available'),
      otherwise('Progressing', '{kind} {status.state}'),
    ],
  },
]

const kubevirt: readonly KindRules[] = [
  {
    group: 'kubevirt.io',
    kinds: ['VirtualMachine'],
    rules: [
      {
        when: {
          path: 'status.printableStatus',
          in: ['Stopped'],
          cel: "spec.?runStrategy.orValue('') == 'Halted' || !spec.?running.orValue(true)",
        },
        state: 'Healthy',
        message: 'Stopped, as it should be',
      },
      on('Paused=True', 'Suspended', '{status.printableStatus|Paused}'),
      ...words('status.printableStatus', {
        Suspended: ['Stopped', 'Paused'],
        Degraded: [
          'CrashLoopBackOff',
          'DataVolumeError',
          'ErrImagePull',
          'ErrorDataVolumeNotFound',
          'ErrorPvcNotFound',
          'ErrorUnschedulable',
          'ImagePullBackOff',
          'Unknown',
        ],
      }),
      on('Ready=True', 'Healthy', '{status.printableStatus|Running}'),
      on('Failure=True', 'Degraded'),
      otherwise('Progressing', '{status.printableStatus|No status available}'),
    ],
  },
  {
    group: 'kubevirt.io',
    kinds: ['VirtualMachineInstance'],
    rules: [
      on('Paused=True', 'Suspended'),
      ...words('status.phase', { Suspended: ['Succeeded'], Degraded: ['Failed', 'Unknown'] }),
      {
        when: { conditions: 'Ready=True', path: 'status.phase', in: ['Running'] },
        state: 'Healthy',
        message: 'Running',
      },
      otherwise('Progressing', '{conditions.Ready.message|No status available}'),
    ],
  },
  {
    group: 'cdi.kubevirt.io',
    kinds: ['DataVolume'],
    rules: [
      ...words('status.phase', {
        Healthy: ['Succeeded'],
        Degraded: ['Failed', 'Unknown'],
        Suspended: ['Paused'],
      }),
      on('Running=False/Error', 'Degraded'),
      // It has its volume when somebody uses it.
      ...words('status.phase', { Healthy: ['WaitForFirstConsumer', 'PendingPopulation'] }),
      otherwise('Progressing', '{status.phase|No status available}'),
    ],
  },
]

const VELERO_BAD =
  "([status.phase, status.?failureReason.orValue(''), status.?message.orValue('')] + status.?validationErrors.orValue([])).filter(t, t != '').join(': ')"
const velero: readonly KindRule[] = [
  ...words('spec.paused', { Suspended: [true] }, 'spec.paused is true'),
  ...words(
    'status.phase',
    {
      Degraded: [
        'Failed',
        'FailedValidation',
        'FinalizingPartiallyFailed',
        'NotReady',
        'PartiallyFailed',
        'Unavailable',
        'WaitingForPluginOperationsPartiallyFailed',
      ],
    },
    `{kind} phase is {${VELERO_BAD}}`,
  ),
  ...words(
    'status.phase',
    { Healthy: ['Available', 'Completed', 'Enabled', 'Ready'] },
    '{kind} phase is {status.phase}',
  ),
  otherwise('Progressing', '{kind} phase is {status.phase|not known yet}'),
]

export const storageRules: readonly KindRules[] = [
  ...rook,
  { group: 'snapshot.storage.k8s.io', kinds: ['VolumeSnapshot', 'VolumeSnapshotContent'], rules: snapshot },
  { group: 'minio.min.io', kinds: ['Tenant'], rules: minio },
  ...astra,
  {
    group: 'trident.netapp.io',
    kinds: ['TridentBackendConfig'],
    rules: [
      ...words('status.lastOperationStatus', { Degraded: ['Failed'] }, '{status.message}'),
      ...words('status.phase', { Degraded: ['Lost'], Unknown: ['Unknown'] }, 'The backend is {status.phase}'),
      {
        when: {
          path: 'status.phase',
          in: ['Bound'],
          cel: "status.?lastOperationStatus.orValue('') == 'Success'",
        },
        state: 'Healthy',
        message: '{status.message}',
      },
      otherwise('Progressing', '{status.message|Waiting for trident backend config}'),
    ],
  },
  {
    group: 'trident.netapp.io',
    kinds: ['TridentOrchestrator'],
    rules: [
      ...words(
        'status.status',
        { Healthy: ['Installed'], Degraded: ['Error', 'Failed'] },
        '{status.message}',
      ),
      otherwise('Progressing', 'Waiting for trident installation'),
    ],
  },
  ...kubevirt,
  {
    group: 'velero.io',
    kinds: ['Backup', 'BackupRepository', 'BackupStorageLocation', 'Restore', 'Schedule'],
    rules: velero,
  },
]
