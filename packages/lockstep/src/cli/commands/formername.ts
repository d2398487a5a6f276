/**
 * Names that commands and flags had before. They are not run: a former name is answered with its replacement, from this table
 * alone.
 */
export interface FormerName {
  readonly problem: string
  readonly suggestion: string
}

const COMMANDS: Readonly<Record<string, string>> = {
  hold: 'lockstep suspend WHAT',
  release: 'lockstep resume WHAT (pins: lockstep unpin)',
}

/** By command and flag. */
const FLAGS: Readonly<Record<string, string>> = {
  'diff --admitted': 'lockstep diff MODULE[@CLUSTER] --drift',
  'reconcile --rehash': 'lockstep reconcile KIND/NAME --rebuild-digests',
  'rollout --now': 'lockstep suspend WHAT',
}

const formerName = (what: string, name: string, renamed: string): FormerName => ({
  problem: `unknown ${what} "${name}"`,
  suggestion: `renamed: ${renamed}`,
})

export const formerCommand = (name: string): FormerName | undefined =>
  Object.hasOwn(COMMANDS, name) ? formerName('command', name, COMMANDS[name]!) : undefined

export function formerFlag(command: string, flag: string): FormerName | undefined {
  const key = `${command} ${flag}`
  return Object.hasOwn(FLAGS, key) ? formerName('option', flag, FLAGS[key]!) : undefined
}
