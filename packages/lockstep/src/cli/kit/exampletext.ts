import { wrap } from './terminal/index.ts'

/** Joins a flag and its value while lines are filled. */
const JOINT = '\u00a0'
const CONTINUED = ' \\'

/** An example of a help in lines of at most `width` columns, as a shell takes them: after a pipe, or after a backslash before a flag. */
export function exampleText(line: string, width: number): string {
  const typed = `  lockstep ${line}`
  if (typed.length <= width) return typed
  const indent = 4
  const lines = typed
    .trim()
    .split(' | ')
    .map((program) => programLines(program, width - indent - CONTINUED.length).join(`${CONTINUED}\n`))
  return `  ${lines.join(' |\n').replaceAll('\n', `\n${' '.repeat(indent)}`)}`
}

const programLines = (program: string, width: number): string[] =>
  wrap(program.replaceAll(/ (?!-[-\w])/g, JOINT), width, 0)
    .replaceAll(JOINT, ' ')
    .split('\n')
