import {
  type Command,
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  idleOption,
  optionsOf,
} from '../../kit/index.ts'
import { pipelineWord } from '../../kit/pipelines/index.ts'
import {
  approveStage,
  pauseRollout,
  ROLLOUT_ACTIONS,
  type RolloutAction,
  resumeRollout,
  retryRollout,
  revisionDiff,
  rolloutPages,
  showHistory,
  showRolloutStatus,
  undoRollout,
} from '../../kit/rollout/index.ts'
import { listText, nearest } from '../../kit/terminal/index.ts'

type RolloutRun = (c: CommandContext, module: string, flags: Flags) => Promise<CommandResult>

const runs: Readonly<Record<RolloutAction, RolloutRun>> = {
  status: showRolloutStatus,
  history: showHistory,
  diff: revisionDiff,
  approve: approveStage,
  pause: pauseRollout,
  resume: resumeRollout,
  retry: retryRollout,
  undo: undoRollout,
}

const PAGES = ROLLOUT_ACTIONS.map((a) => rolloutPages[a])

/** What an action would not look at is not asked of it. */
function idleFailure(action: RolloutAction, unit: string, flags: Flags): CommandResult | undefined {
  const idle = idleOption(PAGES, action, flags)
  if (!idle) return undefined
  const { option, key, others } = idle
  return failed('E_USAGE', {
    problem: `${option} has no effect on rollout ${action}: use it with ${listText(others)}`,
    suggestion:
      key === 'cluster'
        ? `for one cluster, use lockstep why ${unit}@${flags.cluster}`
        : `remove it, or use lockstep rollout ${others[0]}`,
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

/** What does for a pipeline what this action does for a module. */
const INSTEAD: Readonly<Record<Exclude<RolloutAction, 'approve'>, (pipeline: string) => string>> = {
  status: (p) => `lockstep status ${p}`,
  history: (p) => `lockstep get promotions lists those of ${p}`,
  diff: (p) => `lockstep status ${p} names its pull requests`,
  pause: (p) => `lockstep suspend ${p}`,
  resume: (p) => `lockstep resume ${p}`,
  retry: (p) => `lockstep promote ${p.replace(/^[^/]*\//, '')} --to ENVIRONMENT`,
  undo: (p) => `lockstep promote ${p.replace(/^[^/]*\//, '')} --to ENVIRONMENT --revision REVISION`,
}

const notOfPipelines = (action: Exclude<RolloutAction, 'approve'>, word: string): CommandResult =>
  failed('E_USAGE', {
    problem: `rollout ${action} requires a Module, and ${word} is a Pipeline`,
    suggestion: `${INSTEAD[action](word)}.`,
  })

/** `lockstep rollout`. */
export const rolloutCommand: Command = {
  name: 'rollout',
  summary: 'Manage rollouts: status, approve, pause, undo, retry',
  arguments: '<action> <unit>',
  completes: ['rolloutAction', 'unit'],
  detail: 'MODULE@CLUSTER is short for MODULE --cluster CLUSTER.',
  actions: PAGES,
  options: optionsOf(PAGES),
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['Show the progress of a rollout', 'rollout status monitoring -n platform'],
    ['Approve the stage after the canaries', 'rollout approve shop --stage canary -n platform'],
    ['Roll back to the previous complete revision', 'rollout undo shop --reason slow -n platform'],
    ['Run a failed migration hook again', 'rollout retry monitoring@prod-eu -n platform'],
  ],
  async run(c, args, flags) {
    const [action, unit] = args as [string, string]
    const found = ROLLOUT_ACTIONS.find((a) => a === action)
    if (found && found !== 'approve' && pipelineWord(unit) !== undefined) return notOfPipelines(found, unit)
    if (found) {
      const meant = unitOf(unit, flags)
      return idleFailure(found, meant.module, meant.flags) ?? runs[found](c, meant.module, meant.flags)
    }
    const meant = nearest(action, ROLLOUT_ACTIONS)
    return failed('E_USAGE', {
      problem: `unknown action "${action}"`,
      suggestion: meant ? `did you mean ${meant}?` : `actions: ${ROLLOUT_ACTIONS.join(', ')}.`,
    })
  },
}
