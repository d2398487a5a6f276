/** The answer of a completion as kubectl reads it: https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins */
import { FILES } from './candidates.ts'

/** Bits that cobra, the command line library of kubectl, reads behind the colon of the last line. */
const FILE_NAMES = 0
const NO_SPACE = 2
const NO_FILE_NAMES = 4

/** Adds the line that tells kubectl whether files are offered, and whether a space follows the word. */
export function kubectlAnswer(answer: string): string {
  if (answer === `:${FILES}\n`) return `:${FILE_NAMES}\n`
  const words = answer.split('\n').flatMap((line) => (line === '' ? [] : [line.replace(/\t.*/, '')]))
  const isOpen = words.length > 0 && words.every((word) => /[/@=.]$/.test(word))
  return `${answer}:${isOpen ? NO_FILE_NAMES + NO_SPACE : NO_FILE_NAMES}\n`
}
