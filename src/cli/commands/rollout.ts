import type { Command, Context, Flags } from '../command.ts'
import { failed, type Outcome } from '../failure.ts'
import { ROLLOUT_ACTIONS, type RolloutAction } from '../rollout/actions.ts'
import { approve } from '../rollout/approve.ts'
import { history } from '../rollout/history.ts'
import { pause, resume } from '../rollout/pause.ts'
import { retry } from '../rollout/retry.ts'
import { revisionDiff } from '../rollout/revisiondiff.ts'
import { rolloutStatus } from '../rollout/status.ts'
import { undo } from '../rollout/undo.ts'
import { listText, nearest } from '../terminal/text.ts'

interface Action {
  readonly run: (c: Context, module: string, flags: Flags) => Promise<Outcome>
  /** Options that say something to it. */
  readonly takes: readonly string[]
}

const actions: Readonly<Record<RolloutAction, Action>> = {
  status: { run: rolloutStatus, takes: [] },
  history: { run: history, takes: [] },
  diff: { run: revisionDiff, takes: ['from', 'to'] },
  undo: { run: undo, takes: ['cluster', 'toRevision', 'reason'] },
  approve: { run: approve, takes: ['stage', 'before'] },
  pause: { run: pause, takes: ['cluster', 'now', 'reason'] },
  resume: { run: resume, takes: ['cluster'] },
  retry: { run: retry, takes: ['cluster', 'hooks'] },
}

const OPTIONS = [...new Set(Object.values(actions).flatMap((a) => a.takes))]

/** What an action would not look at is not asked of it. */
function idleOption(action: RolloutAction, unit: string, flags: Flags): Outcome | undefined {
  const { takes } = actions[action]
  const idle = OPTIONS.find((o) => flags[o] !== undefined && flags[o] !== false && !takes.includes(o))
  if (idle === undefined) return undefined
  const option = `--${idle.replace(/[A-Z]/g, (x) => `-${x.toLowerCase()}`)}`
  const others = ROLLOUT_ACTIONS.filter((a) => actions[a].takes.includes(idle))
  return failed('E_USAGE', {
    problem: `${option} says nothing to rollout ${action}: it is for ${listText(others)}`,
    suggestion:
      idle === 'cluster'
        ? `One cluster: lockstep why ${unit}@${flags.cluster}.`
        : `Leave it out, or lockstep rollout ${others[0]}.`,
  })
}

/** `MODULE@CLUSTER` is `MODULE --cluster CLUSTER`. */
function unitOf(word: string, flags: Flags): { readonly module: string; readonly flags: Flags } {
  const [module = '', cluster] = word.split('@')
  return {
    module,
    flags: cluster === undefined || flags.cluster !== undefined ? flags : { ...flags, cluster },
  }
}

/** `lockstep rollout`. */
export const rollout: Command = {
  name: 'rollout',
  summary: 'Steer a rollout: status, history, approve, pause, undo, retry',
  arguments: '<action> <unit>',
  completes: ['rolloutAction', 'unit'],
  detail:
    'UNIT is MODULE; for undo, pause, resume and retry also MODULE@CLUSTER. status: how far it is, stage by stage. history: what was published, and what came of it. diff: what the published revision changes of the last one that was complete, or --to of --from; exit 1 if anything. undo: the fleet goes back to the last revision that was complete, or --to-revision, dependants first, and stays there until another is published; with --cluster a Hold pins that cluster there, until lockstep release. approve: your consent to a stage of the revision that is published; with --before, to its beginning. pause: a Hold, so that nothing new starts and what is under way finishes; with --now nothing is written any more. resume takes back a pause of the same clusters. retry: what failed is tried again, also where it was tolerated, hooks whose last attempt failed get one more, and a rollout that was halted goes on once what failed is under way again; with --cluster only what failed there, with --hooks also hooks run again that have succeeded. Nothing is changed where nothing has failed.',
  options: [
    {
      flags: '--cluster <name>',
      completes: 'cluster',
      text: 'of undo, pause, resume, retry: only this cluster',
    },
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
    if (found) {
      const meant = unitOf(unit, flags)
      return idleOption(found, meant.module, meant.flags) ?? actions[found].run(c, meant.module, meant.flags)
    }
    const meant = nearest(action, ROLLOUT_ACTIONS)
    return failed('E_USAGE', {
      problem: `a rollout has no action "${action}"`,
      suggestion: meant ? `Did you mean ${meant}?` : `Actions: ${ROLLOUT_ACTIONS.join(', ')}.`,
    })
  },
}
