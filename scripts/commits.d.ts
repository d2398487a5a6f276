/** Problems of a commit message, none if it is as rule 14 wants it. */
export function commitProblems(message: string): readonly string[]
