/** What the help says of each action of `rollout`, and which options say something to it. */
import type { CommandAction, Option } from '../index.ts'
import type { RolloutAction } from './rolloutactions.ts'

const CLUSTER: Option = { flags: '--cluster <name>', completes: 'cluster', text: 'only on this cluster' }
const REASON: Option = { flags: '--reason <text>', text: 'reason shown to users' }
const UNIT = '<module>[@cluster]'

const status: CommandAction = {
  name: 'status',
  summary: 'How far it is, stage by stage',
  arguments: '<module>',
  detail: 'Exit 1 where something has failed, or the rollout is halted or was led back.',
  options: [],
  examples: [['How far are the shops?', 'rollout status shop -n platform']],
}

const history: CommandAction = {
  name: 'history',
  summary: 'What was published, by whom, and what came of it',
  arguments: '<module>',
  options: [],
  examples: [['What was before, and did it work?', 'rollout history shop -n platform']],
}

const diff: CommandAction = {
  name: 'diff',
  summary: 'What one revision changes of another',
  arguments: '<module>',
  detail:
    'The published revision against the last one that was complete before it, whatever is on the clusters. Exit 1 where they differ, 2 where there are no two to compare.',
  options: [
    { flags: '--from <revision>', text: 'the one that is changed, of the history' },
    { flags: '--to <revision>', text: 'the one that changes it, of the history' },
  ],
  examples: [
    ['What does this release change?', 'rollout diff shop -n platform'],
    ['Between two of the history', 'rollout diff shop --from 2026.10 --to 2026.11 -n platform'],
  ],
}

const approve: CommandAction = {
  name: 'approve',
  summary: 'Your consent to a stage of the revision that is published',
  arguments: '<module>',
  detail:
    'Of pipeline/NAME a stage is an environment: the consent is to the promotion that waits there, and to no other.',
  options: [
    { flags: '--stage <name>', text: 'which stage; required' },
    { flags: '--before', text: 'that the stage may begin, not that it is over' },
  ],
  examples: [
    ['The stage may begin', 'rollout approve shop --stage canary --before -n platform'],
    ['This revision may go to prod', 'rollout approve pipeline/podinfo --stage prod -n platform'],
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
    ['Start nothing more today', 'rollout pause shop --reason incident-4711 --until 8h -n platform'],
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
  summary: 'What failed is tried again, and a halted rollout goes on',
  arguments: UNIT,
  detail:
    'Also where a failure was tolerated. Hooks whose last attempt failed get one more. A rollout that was halted goes on once what failed is under way again. Nothing is changed where nothing has failed.',
  options: [
    { ...CLUSTER, text: 'only what failed on this cluster' },
    { flags: '--hooks', text: 'hooks that have succeeded run again, too' },
  ],
  examples: [['The registry is back', 'rollout retry shop -n platform']],
}

const undo: CommandAction = {
  name: 'undo',
  summary: 'Back to the last revision that was complete',
  arguments: UNIT,
  detail:
    'The fleet goes back, dependants first, and stays there until another revision is published. With a cluster a Hold pins that one there, until lockstep unpin.',
  options: [
    CLUSTER,
    { flags: '--to-revision <revision>', text: 'to this revision or release of the history' },
    REASON,
  ],
  examples: [
    ['To a release by name', 'rollout undo shop --to-revision 2026.10 -n platform'],
    ['One cluster stays behind', 'rollout undo shop@prod-eu --reason audit -n platform'],
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
