/** What the help says of each action of `rollout`, and which options say something to it. */
import type { CommandAction, Option } from '../index.ts'
import type { RolloutAction } from './rolloutactions.ts'

const CLUSTER: Option = { flags: '--cluster <name>', completes: 'cluster', text: 'only this cluster' }
const REASON: Option = { flags: '--reason <text>', text: 'reason shown to users' }
const UNIT = '<module>[@cluster]'

const status: CommandAction = {
  name: 'status',
  summary: 'Show the progress of each stage',
  arguments: '<module>',
  detail: 'Exit 1 when a cluster has failed, or the rollout is halted or rolled back.',
  options: [],
  examples: [['Show the progress of a rollout', 'rollout status shop -n platform']],
}

const history: CommandAction = {
  name: 'history',
  summary: 'List published revisions and their outcomes',
  arguments: '<module>',
  options: [],
  examples: [['List the revisions of a Module', 'rollout history shop -n platform']],
}

const diff: CommandAction = {
  name: 'diff',
  summary: 'Show changes between two revisions',
  arguments: '<module>',
  detail:
    'Compares the published revision with the last complete one before it, independent of clusters. Exit 1 if they differ, 2 if no earlier revision exists.',
  options: [
    { flags: '--from <revision>', text: 'old revision or release of the history' },
    { flags: '--to <revision>', text: 'new revision or release of the history' },
  ],
  examples: [
    ['Show changes of the published release', 'rollout diff shop -n platform'],
    ['Show changes between two releases', 'rollout diff shop --from 2026.10 --to 2026.11 -n platform'],
  ],
}

const approve: CommandAction = {
  name: 'approve',
  summary: 'Approve a stage of the published revision',
  arguments: '<module>',
  detail:
    'For pipeline/NAME a stage is an environment: the approval applies to the promotion that waits there, and to no other.',
  options: [
    { flags: '--stage <name>', text: 'stage to approve; required' },
    { flags: '--before', text: 'approve the begin of the stage instead of its end' },
  ],
  examples: [
    ['Approve the begin of a stage', 'rollout approve shop --stage canary --before -n platform'],
    ['Approve a promotion to prod', 'rollout approve pipeline/podinfo --stage prod -n platform'],
  ],
}

const pause: CommandAction = {
  name: 'pause',
  summary: 'Start no new deployment; running ones finish',
  arguments: UNIT,
  detail: 'Creates a Hold. Drift is reverted. To stop all writes, use lockstep suspend.',
  options: [
    CLUSTER,
    { flags: '--until <duration>', text: 'time after which the Hold expires, such as 8h' },
    REASON,
  ],
  examples: [
    ['Pause a rollout for 8 hours', 'rollout pause shop --reason incident-4711 --until 8h -n platform'],
    ['Pause one cluster', 'rollout pause shop@prod-eu -n platform'],
  ],
}

const resume: CommandAction = {
  name: 'resume',
  summary: 'End the pauses of a rollout',
  arguments: UNIT,
  detail:
    'Deletes the Holds that pause the Module. Other Holds stay: lockstep resume and lockstep unpin end them. With a cluster, a Hold on several clusters stays on the others. Exit 1 if a Hold on all clusters, or a suspend, remains.',
  options: [CLUSTER],
  examples: [
    ['Resume on all clusters', 'rollout resume shop -n platform'],
    ['Resume one cluster', 'rollout resume shop@prod-eu -n platform'],
  ],
}

const retry: CommandAction = {
  name: 'retry',
  summary: 'Retry failed clusters and resume a halted rollout',
  arguments: UNIT,
  detail:
    'Includes failures within maxFailed. Hooks whose last attempt failed get another attempt. A halted rollout resumes when failed clusters deploy again. Without failures nothing is changed.',
  options: [
    { ...CLUSTER, text: 'retry only on this cluster' },
    { flags: '--hooks', text: 'run successful hooks again, too' },
  ],
  examples: [['Retry after an outage of a registry', 'rollout retry shop -n platform']],
}

const undo: CommandAction = {
  name: 'undo',
  summary: 'Roll back to the last complete revision',
  arguments: UNIT,
  detail:
    'Rolls back the fleet, dependents first, until another revision is published. With a cluster, a Hold pins that cluster until lockstep unpin.',
  options: [
    CLUSTER,
    { flags: '--to-revision <revision>', text: 'revision or release of the history to roll back to' },
    REASON,
  ],
  examples: [
    ['Roll back to a release', 'rollout undo shop --to-revision 2026.10 -n platform'],
    ['Roll back one cluster and pin it', 'rollout undo shop@prod-eu --reason audit -n platform'],
  ],
}

export const rolloutPages: Readonly<Record<RolloutAction, CommandAction>> = {
  status,
  history,
  diff,
  approve,
  pause,
  resume,
  retry,
  undo,
}
