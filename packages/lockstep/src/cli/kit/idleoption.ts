/** Options of commands whose first argument is an action: each action takes some of them. */
import type { CommandAction, Flags, Option } from './command.ts'

/** Where commander puts its value. */
const keyOf = ({ flags }: Option): string =>
  /--([\w-]+)/.exec(flags)![1]!.replace(/-(\w)/g, (_, x: string) => x.toUpperCase())

/** Each once. */
export const optionsOf = (actions: readonly CommandAction[]): readonly Option[] => [
  ...new Map(actions.flatMap((a) => a.options).map((o) => [keyOf(o), o])).values(),
]

export interface IdleOption {
  /** `--stage`. */
  readonly option: string
  readonly key: string
  /** Actions that take it. */
  readonly others: readonly string[]
}

/** An option that was given, and has no effect on an action. */
export function idleOption(
  actions: readonly CommandAction[],
  action: string,
  flags: Flags,
): IdleOption | undefined {
  const takes = (a: CommandAction): readonly string[] => a.options.map(keyOf)
  const known = actions.filter((a) => a.name === action).flatMap(takes)
  const key = optionsOf(actions)
    .map(keyOf)
    .find((k) => flags[k] !== undefined && flags[k] !== false && !known.includes(k))
  if (key === undefined) return undefined
  return {
    key,
    option: `--${key.replace(/[A-Z]/g, (x) => `-${x.toLowerCase()}`)}`,
    others: actions.filter((a) => takes(a).includes(key)).map((a) => a.name),
  }
}
