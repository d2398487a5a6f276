import { type Command, type Context, type Flags, isSet } from '../command.ts'
import { failed, type Outcome } from '../failure.ts'
import { ROLLOUT_ACTIONS, type RolloutAction } from '../rollout/actions.ts'
import { approve } from '../rollout/approve.ts'
import { history } from '../rollout/history.ts'
import { pause, resume } from '../rollout/pause.ts'
import { retry } from '../rollout/retry.ts'
import { revisionDiff } from '../rollout/revisiondiff.ts'
import { rolloutStatus } from '../rollout/status.ts'
import { undo } from '../rollout/undo.ts'
import { nearest } from '../terminal/text.ts'
import { clusterOption, withUnits } from '../units/run.ts'

const actions: Readonly<Record<RolloutAction, (c: Context, word: string, flags: Flags) => Promise<Outcome>>> =
  {
    status: rolloutStatus,
    history,
    diff: revisionDiff,
    undo,
    approve,
    pause,
    resume,
    retry: (c, word, flags) =>
      withUnits(c, word, flags, ({ hub, units }) => retry(c, hub, units, isSet(flags, 'hooks'))),
  }

/** `lockstep rollout`. */
export const rollout: Command = {
  name: 'rollout',
  summary: 'Steer a rollout: status, history, approve, pause, undo, retry',
  arguments: '<action> <unit>',
  completes: ['rolloutAction', 'unit'],
  detail:
    'UNIT is MODULE; for retry also MODULE@CLUSTER. status: how far it is, stage by stage. history: what was published, and what came of it. diff: what the published revision changes of the last one that was complete, or --to of --from; exit 1 if anything. undo: the fleet goes back to the last revision that was complete, or --to-revision, dependants first, and stays there until another is published. approve: your consent to a stage of the revision that is published; with --before, to its beginning. pause: a Hold, so that nothing new starts and what is under way finishes; with --now nothing is written any more, on any cluster. resume ends that. retry: hooks whose last attempt failed get one more, and a rollout that was halted goes on once what failed is under way again; with --hooks also hooks run again that have succeeded. Nothing is changed where nothing has failed.',
  options: [
    clusterOption,
    { flags: '--stage <name>', text: 'of approve: which stage' },
    { flags: '--before', text: 'of approve: that the stage may begin' },
    { flags: '--from <revision>', text: 'of diff: the one that is changed' },
    { flags: '--to <revision>', text: 'of diff: the one that changes it' },
    { flags: '--to-revision <revision>', text: 'of undo: a revision or release of the history' },
    { flags: '--now', text: 'of pause: the handbrake; repairs stop, too' },
    { flags: '--reason <text>', text: 'of pause and undo: why, for whoever meets it' },
    { flags: '--hooks', text: 'of retry: also hooks that have succeeded' },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['How far it is', 'rollout status monitoring -n platform'],
    ['The canaries are well: on with the rest', 'rollout approve shop --stage canary -n platform'],
    ['It is slower: back to the one before', 'rollout undo shop --reason slow -n platform'],
    ['The database is back: let the migration run again', 'rollout retry monitoring@prod-eu -n platform'],
  ],
  async run(c, args, flags) {
    const [action, unit] = args as [string, string]
    const found = ROLLOUT_ACTIONS.find((a) => a === action)
    if (found) return actions[found](c, unit, flags)
    const meant = nearest(action, ROLLOUT_ACTIONS)
    return failed('E_USAGE', {
      problem: `a rollout has no action "${action}"`,
      suggestion: meant ? `Did you mean ${meant}?` : `Actions: ${ROLLOUT_ACTIONS.join(', ')}.`,
    })
  },
}
